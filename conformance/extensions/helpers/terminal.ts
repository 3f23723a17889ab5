// Plays a terminal to the example EXAMPLE: its handlers get a context that says there is one, and `ui.custom` draws what
// it is given once and waits until it is done. Dialogs are answered by the probe. `/bash COMMAND` calls what the
// example does about a command of the user.
import { appendFileSync } from "node:fs";

const KEYBINDINGS = { matches: () => false, getKeys: () => ["escape"], get: () => ["escape"] };

export default async function (pi: any) {
	const log = (record: object) => appendFileSync(process.env.PROBE_LOG!, `${JSON.stringify(record)}\n`);
	const bash: ((event: object, ctx: any) => unknown)[] = [];

	const custom = (ui: any) => async (factory: any) => {
		const tui = {
			terminal: { rows: 24, columns: 80 },
			requestRender() {},
			stop: () => log({ terminal: "stopped" }),
			start: () => log({ terminal: "started" }),
		};
		const { promise, resolve } = Promise.withResolvers();
		const component = await factory(tui, ui.theme, KEYBINDINGS, resolve);
		log({ drawn: component.render(60) });
		try {
			return await promise;
		} finally {
			component.dispose?.();
		}
	};
	const replacing = (run: any) => (...args: any[]) => {
		const options = args.at(-1);
		const { withSession } = Object(options);
		if (withSession) args[args.length - 1] = { ...options, withSession: (next: any) => withSession(shown(next)) };
		return run(...args);
	};
	/** The context with a terminal. What it has itself is looked at all the same, because a stale one throws. */
	const shown = (ctx: any): any =>
		new Proxy(ctx, {
			get(target, key) {
				const value = target[key];
				if (key === "hasUI") return true;
				if (key === "mode") return "tui";
				if (key === "ui") return new Proxy(value, { get: (ui, name) => (name === "custom" ? custom(ui) : ui[name]) });
				if (["newSession", "fork", "switchSession"].includes(String(key))) return replacing(value);
				return value;
			},
		});

	const example = await import(process.env.EXAMPLE!);
	await example.default(
		new Proxy(pi, {
			get(target, key) {
				if (key === "on") {
					return (event: string, handler: any) => {
						if (event === "user_bash") bash.push(handler);
						return target.on(event, (payload: any, ctx: any) => handler(payload, shown(ctx)));
					};
				}
				if (key === "registerCommand") {
					return (name: string, command: any) =>
						target.registerCommand(name, {
							...command,
							handler: (args: string, ctx: any) => command.handler(args, shown(ctx)),
						});
				}
				return target[key];
			},
		}),
	);
	pi.registerCommand("bash", {
		description: "Asks the example about a command of the user.",
		handler: async (command: string, ctx: any) => {
			const event = { type: "user_bash", command, excludeFromContext: false, cwd: ctx.cwd };
			for (const handler of bash) log({ bash: (await handler(event, shown(ctx))) ?? "undecided" });
		},
	});
}
