// What extensions add to the conversation, and extensions that draw nothing of their own.

import { appendFileSync } from "node:fs";
import { call, checks, counts, goesOn, inRegular, lacks, once, press, sends, shows, types, until } from "../../lib/terminal/steps.mjs";

const REPOSITORY = "git init -q -b main .; git config user.email a@b; git config user.name n; echo one > f; git add .; git commit -qm first";

/** The file that `file-trigger` watches. */
const TRIGGER = "/tmp/agent-trigger.txt";

const said = [sends(({ round }) => `Hello ${round}`), shows(({ round }) => `You said: Hello ${round}`)];
const SAID = ({ round }) => `Hello ${round} You said: Hello ${round}`;

/** An extension that shows nothing: a prompt is answered as without it. */
const silent = (example, more) => ({ example, steps: said, leaves: SAID, ...more });

export const CONVERSATION = [
	{
		example: "message-renderer",
		steps: [
			sends(({ round }) => `/status All is well ${round}`),
			shows(({ round }) => `[INFO] All is well ${round}`),
			sends(({ round }) => `/status warn Take care ${round}`),
			shows(({ round }) => `[WARN] Take care ${round}`),
		],
		leaves: ({ round }) => `[INFO] All is well ${round} [WARN] Take care ${round}`,
	},
	{
		example: "message-renderer",
		what: "tells the time when it is unfolded",
		sizes: [[100, 50]],
		start: [sends("/status error Broken"), shows("[ERROR] Broken"), lacks(/ {3}at \d/)],
		steps: [
			press("ctrl+o"),
			shows("Tool output: expanded"),
			// Of what is in the scrollback only the pager shows more.
			inRegular(press("pageUp")),
			shows(/ {3}at \d/),
			press("ctrl+o"),
			lacks(/ {3}at \d/),
			inRegular(press("escape")),
		],
		leaves: /( Tool output: (expanded|collapsed))*$/,
	},
	{
		example: "entry-renderer",
		steps: [sends(({ round }) => `/status-card Look here ${round}`), shows(({ round }) => `[status] Look here ${round}`)],
		leaves: ({ round }) => `[status] Look here ${round}`,
	},
	{
		example: "interactive-shell",
		// It has the terminal for itself: what it writes is on the main screen, and it hears the keys.
		steps: [
			sends("!i printf 'Your na''me? '; read -r name; echo \"Hello $name\"; sleep 0.2"),
			shows("Your name?"),
			types("Ada\r"),
			shows("(interactive command completed successfully)"),
		],
		clears: true,
		leaves: /\(interactive command completed successfully\)/,
	},
	{
		example: "inline-bash",
		steps: [sends("Sum !{echo $((40 + 2))}"), shows("Expanded 1 inline command(s):", "You said: Sum 42")],
		leaves: /Expanded 1 inline command\(s\): .*Sum 42 You said: Sum 42$/,
	},
	{
		example: "input-transform",
		steps: [sends("ping"), shows("pong"), sends("?quick Why"), shows("You said: Respond briefly in 1-2 sentences: Why")],
		leaves: /pong Respond briefly in 1-2 sentences: Why You said: Respond briefly in 1-2 sentences: Why$/,
	},
	silent("input-transform-streaming", { setup: `${REPOSITORY}; echo two > f`, start: [shows("~/work (main)")] }),
	{
		example: "send-user-message",
		steps: [sends("/ask"), shows("Usage: /ask <message>"), sends(({ round }) => `/ask What is it ${round}`), shows(({ round }) => `You said: What is it ${round}`)],
		leaves: ({ round }) => `Warning: Usage: /ask <message> What is it ${round} You said: What is it ${round}`,
	},
	{
		example: "event-bus",
		start: [shows("Event from event-bus-example: Session started")],
		steps: [sends("/emit hi there"), shows("Event from /emit command: hi there")],
		leaves: "Event from /emit command: hi there",
	},
	{
		example: "bookmark",
		start: [sends("/bookmark"), shows("Warning: No assistant message to bookmark"), ...said],
		steps: [
			sends("/bookmark here"),
			shows("Bookmarked as: here"),
			sends("/tree"),
			shows("Session tree", "[here] assistant"),
			press("escape"),
			lacks("Session tree"),
			sends("/unbookmark"),
			shows("Removed bookmark: here"),
		],
		leaves: "Bookmarked as: here Removed bookmark: here",
	},
	{
		example: "session-name",
		steps: [
			once(sends("/session-name"), shows("No session name set")),
			sends("/session-name a good name"),
			shows("Session named: a good name", "~/work • a good name"),
			until("the title", (_, { title }) => title.includes("a good name")),
		],
		dock: (before) => before.map((row) => (row.startsWith("~/work") ? "~/work • a good name" : row)),
		leaves: /Session named: a good name$/,
	},
	{
		example: "trigger-compact",
		answers: [
			{ text: "Hello, 0." },
			{ text: "Hello, 1." },
			{ text: "A short summary.", held: true },
		],
		files: { "agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 5 } }) },
		sizes: [[100, 40]],
		steps: [
			sends("Hello"),
			shows("Hello, 0."),
			sends("Again"),
			shows("Hello, 1."),
			sends("/trigger-compact"),
			shows("Compaction started", /Compacting/),
			goesOn,
			shows("Compaction completed"),
			lacks(/Compacting/),
		],
		leaves: /Compaction started .*Compaction completed/,
	},
	{
		example: "custom-compaction",
		answers: [{ text: "Hello, 0." }, { text: "Hello, 1." }, { text: "A short summary." }],
		files: { "agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 5 } }) },
		sizes: [[100, 40]],
		steps: [sends("Hello"), shows("Hello, 0."), sends("Again"), shows("Hello, 1."), sends("/compact"), shows("Custom compaction extension triggered"), shows("ompact")],
		leaves: /Custom compaction extension triggered/,
	},
	{
		example: "reload-runtime",
		script: { replies: [[call("reload_runtime")], "You said: {{user}}"] },
		sizes: [[100, 30]],
		steps: [sends("Reload"), shows("Reload requested. Pi reloads after this response."), sends("Hello"), shows("You said: Hello"), counts("tau v", 1)],
		leaves: /Reload requested\. Pi reloads after this response\. .*You said: Hello$/,
	},
	{
		example: "shutdown-command",
		script: { replies: [[call("deploy_and_exit", { environment: "staging" })], "Bye."] },
		sizes: [[100, 30]],
		steps: [],
		last: [sends("Deploy"), shows("Done! Shutdown requested.")],
		end: true,
	},
	{
		example: "file-trigger",
		sizes: [[100, 30]],
		modes: ["regular"],
		// Who sees the file first empties it.
		only: "xterm",
		setup: `rm -f ${TRIGGER}; touch ${TRIGGER}`,
		start: [shows(`Watching ${TRIGGER}`)],
		steps: [checks(() => appendFileSync(TRIGGER, "Run the tests")), shows("External trigger: Run the tests", "You said:")],
		leaves: /External trigger: Run the tests .*You said: /,
	},
	{
		example: "dynamic-resources",
		start: [shows("dynamic-resources")],
		steps: [types("/dynamic"), shows("→ dynamic"), press("ctrl+u"), lacks("→ dynamic"), ...said],
		leaves: SAID,
	},
	{
		example: "pirate",
		steps: [sends("/pirate"), shows("Arrr! Pirate mode enabled!"), ...said, sends("/pirate"), shows("Pirate mode disabled")],
		leaves: ({ round }) => `Arrr! Pirate mode enabled! ${SAID({ round })} Pirate mode disabled`,
	},
	silent("claude-rules", { files: { "work/.claude/rules/api.md": "Rule." }, start: [shows("Found 1 rule(s) in .claude/rules/")] }),
	silent("prompt-customizer"),
	silent("provider-payload", { files: { "work/.pi/keep": "" }, args: ["--no-approve"] }),
	silent("git-merge-and-resolve", { setup: REPOSITORY, start: [shows("~/work (main)")] }),
	silent("auto-commit-on-exit", { setup: REPOSITORY, start: [shows("~/work (main)")] }),
	silent("custom-provider-anthropic"),
	silent("custom-provider-gitlab-duo"),
	silent("debug-provider"),
	silent("mac-system-theme", { bin: { osascript: "echo true" } }),
	silent("jev-router"),
	{ example: "gondolin", needs: "the npm package @earendil-works/gondolin and a virtual machine" },
];
