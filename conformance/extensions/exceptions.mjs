// What is not tested, by name, with the reason. A set is named where only its example is meant.

/** Examples that cannot load here: an npm package they need is installed by their user. */
export const NOT_LOADED = {
	gondolin: "needs the npm package @earendil-works/gondolin (and QEMU)",
	sandbox: "needs the npm package @anthropic-ai/sandbox-runtime",
};

/** Examples that do nothing without a terminal. */
export const TERMINAL_ONLY = {
	"border-status-editor": "replaces the editor and the footer",
	"custom-footer": "draws a footer",
	"custom-header": "draws a header",
	"doom-overlay": "a game that draws",
	"modal-editor": "replaces the editor",
	"overlay-qa-tests": "draws overlays",
	"overlay-test": "draws an overlay",
	qna: "puts a draft into the editor",
	"rainbow-editor": "replaces the editor",
	snake: "a game that draws",
	"space-invaders": "a game that draws",
	summarize: "draws a summary",
	"widget-placement": "places widgets around the editor",
};

/** Examples whose work is an operation that tau does not have yet. */
export const PENDING = {};
