// What a terminal does for a hook, put behind the hook's own source: `shown` gives its handlers a context that says there
// is one. Dialogs are the program's own; a component that is shown in place of the editor is drawn, gets the keys of
// HOOK_KEYS, and is drawn again. What was drawn goes into the file HOOK_DRAWN.
import { appendFileSync as keepDrawn } from "node:fs";

function shownInTerminal(pi: any): any {
	const draw = (component: any) => keepDrawn(process.env.HOOK_DRAWN!, `${JSON.stringify(component.render(100))}\n`);
	const custom = (ui: any) => async (factory: any) => {
		const tui = { terminal: { rows: 24, columns: 100 }, requestRender() {} };
		const { promise, resolve } = Promise.withResolvers<any>();
		const keybindings = { matches: () => false, getKeys: () => ["escape"] };
		const component = await (factory.length <= 3 ? factory(tui, ui.theme, resolve) : factory(tui, ui.theme, keybindings, resolve));
		draw(component);
		for (const key of JSON.parse(process.env.HOOK_KEYS ?? "[]")) {
			component.handleInput?.(key);
			component.invalidate?.();
			draw(component);
		}
		try {
			return await promise;
		} finally {
			component.dispose?.();
		}
	};
	const shown = (ctx: any): any =>
		new Proxy(ctx, {
			get(target, key) {
				if (key === "hasUI") return true;
				if (key !== "ui") return target[key];
				return new Proxy(target.ui, { get: (ui, name) => (name === "custom" ? custom(ui) : ui[name]) });
			},
		});
	return new Proxy(pi, {
		get(target, key) {
			if (key === "on") return (event: string, handler: any) => target.on(event, (payload: any, ctx: any) => handler(payload, shown(ctx)));
			if (key === "registerCommand") {
				return (name: string, command: any) =>
					target.registerCommand(name, { ...command, handler: (args: string, ctx: any) => command.handler(args, shown(ctx)) });
			}
			return target[key];
		},
	});
}
