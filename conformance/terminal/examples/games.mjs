// Games that are played in the place of the editor.

import { again, call, changing, checks, lacks, once, press, resized, sends, shows, types, whenWide } from "../../lib/terminal/steps.mjs";

/** A box as wide as the terminal allows, with its lower end in sight. */
const BOX = (columns) => new RegExp(`^ ╰─{${columns}}╯$`, "m");

/** Of a box that is higher than the screen, one end is in sight. */
const SNAKE = /SNAKE │|WASD to move|PAUSED|GAME OVER/;
const INVADERS = /SPACE INVADERS|AD to move|PAUSED|GAME OVER/;
const BOARD = /─ Tic-Tac-Toe ─|ENTER play/;

export const GAMES = [
	{
		example: "snake",
		steps: [
			sends("/snake"),
			shows(SNAKE),
			// It goes on by itself, until it is left.
			whenWide(shows("SNAKE │ Score: ", BOX(80), "↑↓←→ or WASD to move"), changing((screen) => /^.*██/m.exec(screen)?.[0].length)),
			press("escape"),
			lacks(SNAKE),
			sends("/snake"),
			shows(SNAKE),
			whenWide(shows("PAUSED Press any key to continue")),
			types("x"),
			whenWide(shows("↑↓←→ or WASD to move")),
			types("q"),
			lacks(SNAKE, "│"),
		],
	},
	{
		example: "space-invaders",
		steps: [
			sends("/invaders"),
			shows(INVADERS),
			whenWide(
				resized([100, 40], shows(/│SPACE INVADERS │ Score: 0 /, /╲▼╱/, "▲", BOX(60), "←→ or AD to move")),
				changing((screen) => screen.split("\n").find((row) => /[◆▼☆]/.test(row))?.search(/[◆▼☆]/)),
			),
			press("left", "right"),
			types(" "),
			press("escape"),
			lacks(INVADERS),
			sends("/invaders"),
			shows(INVADERS),
			types("x"),
			types("q"),
			lacks(INVADERS, "│"),
		],
	},
	{
		example: "tic-tac-toe",
		script: { loop: true, replies: [[call("tic_tac_toe", { action: "play" }), call("tic_tac_toe", { action: "move_right" })], "Your turn."] },
		steps: [
			sends("/tic-tac-toe"),
			shows(BOARD),
			once(shows("←↑↓→ move | ENTER play | ESC quit", /─ Tic-Tac-Toe ─/, "Turn: X (You) | O (Agent)", /^ +┌─{7}┬─{7}┬─{7}┐$/m)),
			again(press("down")),
			press("enter"),
			// It stays while the agent plays.
			once(shows("╳", "◯", "Your turn.", "Turn: X (You)", "ENTER play")),
			again(shows(/╳/)),
			// The agent's last move is over.
			again(checks((_, __, seat) => seat.until("its turn", (screen) => !/thinking|Turn: O/.test(screen)))),
			press("escape"),
			lacks(BOARD),
		],
		dock: (before) => before.map((row) => row.replace(/^~\/work$/, "~/work • Tic-Tac-Toe")),
		leaves: ({ round }) => (round === 0 ? /Player X played → next: O \(Agent\) .*tic_tac_toe play ✓ Placed O at \(0,0\)/ : /✓ Moved right\. Cursor: \(0, 1\) Your turn\.$/),
	},
	{
		example: "doom-overlay",
		needs: "a game file, which it downloads",
	},
];
