// Another extension, with a gate. `/hog` keeps the engine at work; `/later WHAT` does something once a file of that name is
// there, whatever has the keys then.
import { existsSync, rmSync } from "node:fs";

const DOES = {
  reload: (ctx) => ctx.reload(),
  new: (ctx) => ctx.newSession(),
  /** The engine's compiler does not survive missing memory. */
  lose: () => void new Function(`return [${"() => 0,".repeat(1_000_000)}]`),
  hog: () => {
    for (;;);
  },
  /** As long as the test lets it. */
  held: () => {
    while (!existsSync("enough"));
    rmSync("enough");
  },
};

export default (pi) => {
  pi.on("tool_call", async (event) =>
    event.input.command?.includes("theirs") ? { block: true, reason: "the other gate said no" } : undefined);
  pi.registerCommand("later", {
    description: "later",
    handler: async (what, ctx) => {
      const timer = setInterval(() => {
        if (!existsSync(what)) return;
        clearInterval(timer);
        rmSync(what);
        DOES[what](ctx);
      }, 10);
      ctx.ui.notify(`${what} is to come`);
    },
  });
  pi.registerCommand("hog", {
    description: "hogs",
    handler: async (_, ctx) => {
      const end = Date.now() + 3000;
      while (Date.now() < end);
      ctx.ui.notify("it hogs no more");
    },
  });
};
