// Keys by name: what xterm writes for them, and what tmux calls them.

const ctrl = (letter) => [String.fromCharCode(letter.charCodeAt(0) & 31), `C-${letter}`];

const KEYS = {
	enter: ["\r", "Enter"],
	escape: ["\x1b", "Escape"],
	tab: ["\t", "Tab"],
	backspace: ["\x7f", "BSpace"],
	pageUp: ["\x1b[5~", "PPage"],
	pageDown: ["\x1b[6~", "NPage"],
	"ctrl+home": ["\x1b[1;5H", "C-Home"],
	"ctrl+end": ["\x1b[1;5F", "C-End"],
	"ctrl+c": ctrl("c"),
	"ctrl+d": ctrl("d"),
	"ctrl+f": ctrl("f"),
	"ctrl+o": ctrl("o"),
	"ctrl+u": ctrl("u"),
	"ctrl+z": ctrl("z"),
	"ctrl+t": ctrl("t"),
	"shift+enter": [undefined, "S-Enter"],
	"shift+tab": ["\x1b[Z", "BTab"],
	"ctrl+alt+p": ["\x1b\x10", "C-M-p"],
	// As `modifyOtherKeys` encodes it.
	"ctrl+shift+u": ["\x1b[27;6;117~", "C-S-u"],
};

const ARROWS = { up: ["A", "Up"], down: ["B", "Down"], right: ["C", "Right"], left: ["D", "Left"] };

const known = (name) => {
	const key = KEYS[name] ?? ARROWS[name];
	if (!key) throw new Error(`no such key: ${name}`);
	return key;
};

/** What xterm writes. `isApplication`: arrows are asked for as `SS3`. */
export function bytesOf(name, isApplication) {
	const [bytes] = known(name);
	if (bytes === undefined) throw new Error(`xterm writes nothing of its own for ${name}`);
	return ARROWS[name] ? `\x1b${isApplication ? "O" : "["}${bytes}` : bytes;
}

/** What `send-keys` takes. */
export const tmuxNameOf = (name) => known(name)[1];
