// Components that go wrong: `/put PLACE FAULT` puts one somewhere, `/drop PLACE` takes it away.
const spin = (ms) => {
  const end = Date.now() + ms;
  while (Date.now() < end);
};

/** What a component does, by what is wrong with it. */
const FAULTS = {
  none: () => ({}),
  renderThrows: () => ({ render: () => { throw new Error("no lines today"); } }),
  noArray: () => ({ render: () => "a text" }),
  manyLines: () => ({ render: () => new Array(100_000).fill("one of many") }),
  asksAgain: (tui) => ({ render: () => { for (let i = 0; i < 1000; i++) tui.requestRender(); return ["again"]; } }),
  slow: () => ({ render: () => { spin(10_000); return ["slow"]; } }),
  endless: () => ({ render: () => { for (;;); } }),
  microtasks: () => ({ render: () => { const again = () => Promise.resolve().then(again); again(); return ["jobs"]; } }),
  memory: () => ({ render: () => { const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); } }),
  wide: () => ({ render: () => ["wide ".repeat(2_000)] }),
  newline: () => ({ render: () => ["first\nsecond\r\nthird"] }),
  controls: () => ({ render: () => ["\x1b[2J\x1b[H\x1b[999;1Hbad\x1b]0;evil\x07\x1bcworse\x07"] }),
  prints: () => ({ render: () => { process.stdout.write("not for the screen\n"); console.log("nor this"); return ["printed it"]; } }),
  inputThrows: () => ({ handleInput: () => { throw new Error("no keys today"); } }),
  timerThrows: () => { setTimeout(() => { throw new Error("no time today"); }, 1); return {}; },
  disposeThrows: () => ({ dispose: () => { throw new Error("no end today"); } }),
};

const factoryOf = (fault, place) => (tui, theme, third, fourth) => {
  const done = fourth ?? third;
  if (fault === "factoryThrows") throw new Error("no component today");
  if (fault === "neverResolves") return new Promise(() => {});
  if (fault === "noComponent") return 42;
  if (fault === "doneBefore") { done("early"); done("twice"); }
  return {
    render: () => [`here is ${place}`],
    handleInput: (data) => { if (data === "q" && typeof done === "function") { done("left"); done("twice"); } },
    invalidate: () => {},
    ...FAULTS[fault]?.(tui),
  };
};

export default (pi) => {
  const put = {
    widget: (ctx, factory) => ctx.ui.setWidget("w", factory),
    footer: (ctx, factory) => ctx.ui.setFooter(factory),
    header: (ctx, factory) => ctx.ui.setHeader(factory),
    editor: (ctx, factory) => ctx.ui.setEditorComponent(factory),
    custom: (ctx, factory) => ctx.ui.custom(factory),
    overlay: (ctx, factory) => ctx.ui.custom(factory, { overlay: true, overlayOptions: { width: 40 } }),
  };
  pi.registerCommand("put", {
    description: "puts a component somewhere",
    handler: async (args, ctx) => {
      const [place, fault] = args.split(" ");
      const factory = factoryOf(fault, place);
      try {
        const gave = await put[place](ctx, factory);
        ctx.ui.notify(`over ${place} ${fault} ${gave}`);
      } catch (error) {
        ctx.ui.notify(`over ${place} ${fault} with ${error.message}`);
      }
    },
  });
  pi.registerCommand("drop", {
    description: "takes a component away",
    handler: async (args, ctx) => {
      const [place, fault] = args.split(" ");
      put[place](ctx, undefined);
      ctx.ui.notify(`dropped ${place} ${fault}`);
    },
  });
  pi.registerCommand("forget", {
    description: "fills the screen",
    handler: async (args, ctx) => ctx.ui.notify([...new Array(40).fill("."), `forgot ${args}`].join("\n")),
  });
  // A gate of the same extension: whatever its components do, it decides.
  pi.on("tool_call", async (event) => (event.input.command?.includes("forbidden") ? { block: true, reason: "the gate said no" } : undefined));
};
