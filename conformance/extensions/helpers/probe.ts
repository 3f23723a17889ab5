// Loaded before an example: writes down what the example asks of the user interface that a run without one does not
// show, and what it says on the event bus.
import { appendFileSync } from "node:fs";

const METHODS = [
	"notify", "setStatus", "setWidget", "setTitle", "setTheme", "setWorkingMessage", "setWorkingIndicator",
	"setHiddenThinkingLabel", "setEditorText", "addAutocompleteProvider", "select", "confirm", "input", "editor",
];
// Modules are kept when the session is replaced, and so are the answers that are left.
const answers: Record<string, unknown[]> = JSON.parse(process.env.PROBE_ANSWERS ?? "{}");
const plain = (_key: string, value: unknown) => (typeof value === "function" ? "(function)" : value);

export default function (pi: any) {
	const log = (record: object) => appendFileSync(process.env.PROBE_LOG!, `${JSON.stringify(record, plain)}\n`);

	const watch = (ui: any) => {
		if (ui.watched) return;
		ui.watched = true;
		for (const method of METHODS) {
			const original = ui[method];
			ui[method] = (...args: unknown[]) => {
				log({ ui: method, args });
				return answers[method]?.length ? Promise.resolve(answers[method].shift()) : original.apply(ui, args);
			};
		}
	};

	pi.on("project_trust", (_event: any, ctx: any) => {
		watch(ctx.ui);
		return { trusted: "undecided" };
	});
	pi.on("session_start", (event: any, ctx: any) => {
		watch(ctx.ui);
		log({ event: "session_start", reason: event.reason });
	});
	pi.on("session_shutdown", (event: any) => log({ event: "session_shutdown", reason: event.reason }));
	pi.events.on("my:notification", (data: unknown) => log({ bus: data }));
}
