// For both programs: commands that ask the user, show something, or fail.

export default function (pi) {
	const command = (name, run) =>
		pi.registerCommand(name, {
			description: `Tries ${name}.`,
			handler: async (args, ctx) => pi.appendEntry(name, { got: (await run(ctx, args)) ?? null }),
		});
	command("ask", async ({ ui }) => [
		await ui.select("Which?", ["first", "second"]),
		await ui.confirm("Sure?", "Really sure."),
		await ui.input("Name?", "nobody"),
		await ui.editor("Text?", "draft"),
	]);
	command("in-time", async ({ ui }) => [
		await ui.select("Which?", ["first"], { timeout: 50 }),
		await ui.confirm("Sure?", "Really.", { timeout: 50 }),
		await ui.input("Name?", undefined, { timeout: 50 }),
	]);
	command("at-once", ({ ui }) => Promise.all([ui.confirm("One?", ""), ui.confirm("Two?", ""), ui.confirm("Three?", "")]));
	command("show", async ({ ui, mode, hasUI }) => {
		ui.notify("Take care", "warning");
		ui.notify("And this", "info");
		ui.setStatus("key", "busy");
		ui.setStatus("key", undefined);
		ui.setWidget("lines", ["one", "two"], { placement: "belowEditor" });
		ui.setWidget("component", () => ({ render: () => [], invalidate() {} }));
		ui.setTitle("A title");
		ui.setEditorText("A text");
		ui.pasteToEditor("Pasted");
		ui.setFooter(undefined);
		ui.setWorkingMessage("Working");
		const custom = await ui.custom(() => ({ render: () => [], invalidate() {} }));
		return [mode, hasUI, custom ?? null, ui.getEditorText(), ui.getToolsExpanded(), ui.setTheme("dark"), ui.getAllThemes()];
	});
	command("plain", async ({ ui }) => {
		ui.notify("No kind");
		ui.setWidget("lines", ["one"]);
		ui.setWidget("lines", undefined);
	});
	pi.registerCommand("fail", {
		handler: async () => {
			throw new Error("it failed");
		},
	});
	pi.on("input", (event) => (event.text === "swallow me" ? { action: "handled" } : undefined));
	pi.on("turn_end", (event) => {
		if (event.message.content.some?.((block) => block.text === "Break.")) throw new Error("the handler failed");
	});
	pi.on("session_before_fork", (event) => (pi.getFlag("no-forks") ? { cancel: true } : undefined));
	pi.registerFlag("no-forks", { type: "boolean", description: "Forks are stopped." });
}
