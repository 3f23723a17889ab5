// `/go WHERE` replaces the session, or waits for a compaction, and writes down what came of it.
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const log = (record: object) => appendFileSync(process.env.PROBE_LOG!, `${JSON.stringify(record)}\n`);

/** The file of the session that was opened first. */
const first = (ctx: any) => {
	const folder = ctx.sessionManager.getSessionDir();
	return join(folder, readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort()[0]);
};

const users = (ctx: any) =>
	ctx.sessionManager.getBranch().filter((entry: any) => entry.type === "message" && entry.message.role === "user");

export default function (pi: any) {
	let compacted = () => {};
	const compaction = new Promise<void>((resolve) => (compacted = resolve));
	pi.on("session_compact", (event: any) => {
		log({ compacted: event.fromExtension });
		compacted();
	});

	const places: Record<string, (ctx: any) => Promise<any>> = {
		new: (ctx) => ctx.newSession(),
		first: (ctx) => ctx.switchSession(first(ctx)),
		fork: (ctx) => ctx.fork(users(ctx)[0].id),
		compact: (ctx) =>
			new Promise((resolve, reject) => ctx.compact({ onComplete: resolve, onError: reject })),
		compacted: () => compaction,
	};
	pi.registerCommand("go", {
		description: "Goes to another session.",
		handler: async (where: string, ctx: any) => {
			const result = await places[where](ctx);
			log({ went: where, cancelled: result?.cancelled });
		},
	});
}
