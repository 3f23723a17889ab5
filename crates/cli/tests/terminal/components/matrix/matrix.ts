// Behind the tables `FAULTS`, `PLACES` and `CALLS`: `/put PLACE FAULT` puts a component somewhere, `/drop PLACE` takes it
// away, `/fault PLACE NAME` lets a function go wrong.
import { appendFileSync } from "node:fs";

const spin = (ms) => {
  const end = Date.now() + ms;
  while (Date.now() < end);
};

/** Leaves a trace that the test sees. */
const hitOf = (cell) => () => appendFileSync("trace", `${cell}\n`);

const factoryOf = (place, fault) => (tui, theme, third, fourth) => {
  const done = fourth ?? third;
  const whole = (members) => {
    const component = {
      typed: "",
      render: () => [component.typed ? `here it is with <${component.typed}>` : "here it is"],
      handleInput(data) {
        if (data === "q" && place !== "editor") return void (done("left"), done("twice"));
        if (place !== "editor") return void (this.typed += data);
        if (data === "\x15") return void (this.typed = "");
        if (data !== "\r") return void (this.typed += data);
        const text = this.typed;
        this.typed = "";
        this.onSubmit?.(text);
      },
      invalidate: () => {},
      ...members,
    };
    return component;
  };
  return FAULTS[fault](tui, done, hitOf(`${place} ${fault}`), whole);
};

let wrong = { place: "", fault: "" };

/** What a function of this place gives: it goes wrong if it is to. */
const at = (place, otherwise) => {
  if (wrong.place !== place) return otherwise();
  hitOf(`${place} ${wrong.fault}`)();
  return CALLS[wrong.fault](otherwise);
};

/** What draws a block: it goes wrong as a component does. */
const drawn = (place, text, context) => {
  const whole = (members) => ({ render: () => ["here it is"], invalidate: () => {}, ...members });
  if (wrong.place !== place) return whole({ render: () => [text] });
  const tui = { requestRender: () => context?.invalidate?.() };
  return FAULTS[wrong.fault](tui, () => {}, hitOf(`${place} ${wrong.fault}`), whole);
};

export default (pi) => {
  const command = (name, run) =>
    pi.registerCommand(name, { description: name, handler: async (args, ctx) => run(args.split(" "), ctx) });
  command("put", async ([place, fault], ctx) => {
    try {
      const gave = await PLACES[place](ctx, factoryOf(place, fault));
      ctx.ui.notify(`over ${place} ${fault} ${gave}`);
    } catch (error) {
      ctx.ui.notify(`over ${place} ${fault} with ${error.message}`);
    }
  });
  command("drop", ([place, fault], ctx) => {
    PLACES[place](ctx, undefined);
    ctx.ui.notify(`dropped ${place} ${fault}`);
  });
  let off = () => {};
  command("fault", ([place, fault], ctx) => {
    wrong = { place, fault };
    off();
    // One that went wrong too often is not asked any more.
    off = place === "listener" ? ctx.ui.onTerminalInput(() => at("listener", () => undefined)) : () => {};
    if (place === "markdown") {
      pi.registerMarkdownTransformer((text) => at("markdown", () => text.replace("Answer", "Changed answer")));
    }
    ctx.ui.notify(`now ${place} ${fault}`);
  });
  pi.on("session_start", ({ reason }, ctx) => {
    if (reason !== "startup") ctx.ui.notify(`begun with ${reason}`);
    ctx.ui.addAutocompleteProvider((current) => ({
      getSuggestions: (...args) => at("provider", () => current.getSuggestions(...args)),
    }));
  });
  command("page", ([number], ctx) => ctx.ui.notify([...new Array(40).fill("."), `page ${number}`].join("\n")));
  command("over", async ([number], ctx) => {
    const overlayOptions = () => at("options", () => ({ width: 40, visible: () => at("visible", () => true) }));
    const onHandle = () => at("onHandle", () => undefined);
    try {
      const gave = await ctx.ui.custom(factoryOf("custom", "none"), { overlay: true, overlayOptions, onHandle });
      ctx.ui.notify(`done ${number} ${gave}`);
    } catch (error) {
      ctx.ui.notify(`done ${number} with ${error.message}`);
    }
  });
  pi.registerCommand("arg", {
    description: "arg",
    handler: async () => {},
    getArgumentCompletions: () => at("completer", () => [{ value: "an-argument", label: "an-argument" }]),
  });
  pi.registerShortcut("f6", { description: "f6", handler: (ctx) => at("shortcut", () => ctx.ui.notify("the key")) });
  pi.registerTool({
    name: "drawn",
    label: "Drawn",
    description: "draws",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "plain result" }], details: {} }),
    renderCall: (args, theme, context) => drawn("toolCall", "a call, drawn", context),
    renderResult: (result, options, theme, context) => drawn("toolResult", "a result, drawn", context),
  });
  pi.registerMessageRenderer("card", () => drawn("message", "a card, drawn"));
  pi.registerEntryRenderer("mark", () => drawn("entry", "a mark, drawn"));
  command("message", () => pi.sendMessage({ customType: "card", content: "plain card", display: true }));
  command("entry", () => pi.appendEntry("mark", { plain: "mark" }));
  // A gate of the same extension: whatever its components do, it decides.
  pi.on("tool_call", async (event) =>
    event.input.command?.includes("own") ? { block: true, reason: "its own gate said no" } : undefined);
};
