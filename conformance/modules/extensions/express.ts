// A tool that starts an express server, asks it four things and gives the answers.
import type { AddressInfo } from "node:net";
import { Type } from "@sinclair/typebox";
import express from "express";

export default function (pi: any) {
	pi.registerTool({
		name: "serve",
		label: "Serve",
		description: "Serves",
		parameters: Type.Object({}),
		async execute() {
			const app = express();
			app.use(express.json());
			app.get("/hello/:name", (request: any, response: any) => {
				response.json({ hello: request.params.name, query: request.query });
			});
			app.post("/echo", (request: any, response: any) => response.status(201).send({ sent: request.body }));
			app.get("/throws", () => {
				throw new Error("thrown in a handler");
			});
			app.use((error: any, _request: any, response: any, _next: any) => {
				response.status(500).send(`caught ${error}`);
			});
			const server = app.listen(0, "127.0.0.1");
			await new Promise((resolve) => server.once("listening", resolve));
			const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
			const headers = { "content-type": "application/json" };
			const answers = [];
			for (const [path, init] of [
				["/hello/you?x=1"],
				["/echo", { method: "POST", headers, body: JSON.stringify(["a", 1]) }],
				["/none"],
				["/throws"],
			] as [string, any?][]) {
				const answer = await fetch(origin + path, init);
				answers.push([answer.status, answer.headers.get("content-type"), await answer.text()]);
			}
			server.close();
			return { content: [{ type: "text", text: JSON.stringify(answers) }], details: {} };
		},
	});
}
