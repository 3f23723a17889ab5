// A stopwatch over the screen: `/stopwatch` opens it, space starts and stops it, `r` resets it, and escape closes it.
//
// What it shows: a component that draws itself, takes keys, lies over the screen, and asks for new lines while time passes.
// `examples/src/stopwatch.rs` is the same in Rust.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** How often it is drawn while it runs, in milliseconds. */
const TICK = 100;

export default function (pi: ExtensionAPI) {
  pi.registerCommand("stopwatch", {
    description: "Opens a stopwatch",
    handler: async (_args, ctx) => {
      const overlayOptions = { width: 32, anchor: "top-right", margin: { top: 1, right: 2 } } as const;
      const seconds = await ctx.ui.custom<number>(
        (tui, theme, keybindings, done) => {
          let measured = 0;
          let since: number | undefined;
          let timer: ReturnType<typeof setInterval> | undefined;
          const time = () => measured + (since === undefined ? 0 : (Date.now() - since) / 1000);
          const stop = () => {
            measured = time();
            since = undefined;
            clearInterval(timer);
          };
          const start = () => {
            since = Date.now();
            timer = setInterval(() => tui.requestRender(), TICK);
          };
          return {
            render(width) {
              const inside = width - 2;
              const minutes = String(Math.floor(time() / 60)).padStart(2, "0");
              const text = ` ${minutes}:${(time() % 60).toFixed(1).padStart(4, "0")}`;
              return [
                `╭${"─".repeat(inside)}╮`,
                `│${theme.fg("accent", text.padEnd(inside))}│`,
                `│${theme.fg("dim", " space start/stop · r reset".padEnd(inside))}│`,
                `╰${"─".repeat(inside)}╯`,
              ];
            },
            handleInput(data) {
              if (keybindings.matches(data, "tui.select.cancel")) return done(time());
              if (data === " ") since === undefined ? start() : stop();
              if (data === "r") {
                stop();
                measured = 0;
              }
              tui.requestRender();
            },
            invalidate() {},
            dispose: stop,
          };
        },
        { overlay: true, overlayOptions },
      );
      ctx.ui.notify(`${seconds.toFixed(1)} seconds`);
    },
  });
}
