"""A server that speaks the protocol with a handshake and the one without, made with the SDK of Python.

    python dual.py stdio
    python dual.py http      prints the address on a line of its own
"""

import asyncio
import socket
import sys
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

server = MCPServer("dual", instructions="Speaks both kinds of the protocol.")


@server.tool(description="Which protocol the client speaks")
def protocol(ctx: Context) -> str:
    return str(ctx.protocol_version)


@server.tool(description="Adds two numbers")
def add(a: int, b: int) -> int:
    return a + b


@server.tool(description="Always fails")
def fail() -> str:
    raise ToolError("it does not work")


@server.tool(description="Takes some steps")
async def steps(count: int, ctx: Context) -> str:
    for step in range(1, count + 1):
        await asyncio.sleep(0.15)
        await ctx.report_progress(step, count, f"step {step}")
    await asyncio.sleep(0.15)
    return f"{count} steps"


@server.resource("notes://one", description="A note")
def note() -> str:
    return "the first note"


class Order(BaseModel):
    size: int = Field(description="How many")
    gift: bool = Field(default=False, description="Whether it is a gift")


def ask() -> Elicit[Order]:
    return Elicit("What do you order?", Order)


@server.tool(description="Asks the user")
def order(answer: Annotated[ElicitationResult[Order], Resolve(ask)]) -> str:
    if isinstance(answer, AcceptedElicitation):
        return f"{answer.data.size} of them, gift: {answer.data.gift}"
    return f"no order: {answer.action}"


def main() -> None:
    if sys.argv[1] == "stdio":
        server.run("stdio")
        return
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


main()
