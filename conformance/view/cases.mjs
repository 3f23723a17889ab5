// Inputs for the components and functions of pi-tui: the same on every run, and plain data.

/** Numbers that look random and are always the same (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const next = random(7);
const below = (limit) => Math.floor(next() * limit);
const pick = (list) => list[below(list.length)];
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const PLAIN = ["a", "word", "hello", "supercalifragilistic", " ", "  ", "-", ".", "path/to/file.ts", "foo_bar", "(x)", "1,234.5", "\n"];
const WIDE = ["你好", "世界", "日本語", "한국어", "あ", "，", "（注）", "👍", "👨‍👩‍👧", "❤️", "🇩🇪", "✈️", "1️⃣", "👋🏽", "é", "e\u0301", "ก็", "ำ", "क्षि", "\u200b", "ﾊﾞ", "…"];
const STYLES = ["\x1b[1m", "\x1b[22m", "\x1b[4m", "\x1b[24m", "\x1b[31m", "\x1b[39m", "\x1b[48;5;17m", "\x1b[49m", "\x1b[38;2;1;2;3m", "\x1b[0m", "\x1b[m", "\x1b[3;9m"];
const ODD = ["\t", "\x1b]8;;https://x.y/z\x07", "\x1b]8;;\x07", "\x1b]8;id=1;file:///a\x1b\\", "\x1b]8;;\x1b\\", "\x1b_pi:c\x07", "\x1b[", "\x1b]0;t", "\x1b[K", "\r\n"];

function text(size, sources = [PLAIN, PLAIN, WIDE, STYLES, ODD]) {
  return times(1 + below(size), () => pick(pick(sources))).join("");
}

const call = (name, ...args) => ({ kind: "call", name, args });

const layout = [
  ...times(400, () => call("visibleWidth", text(12))),
  ...times(600, () => call("wrapTextWithAnsi", text(30), 2 + below(40))),
  ...times(400, () => call("truncateToWidth", text(20), below(40), pick(["...", "…", "", "\x1b[2m>>\x1b[0m"]), next() < 0.5)),
  ...times(200, () => call("sliceByColumn", text(20, [PLAIN, WIDE, STYLES]), below(10), below(20), next() < 0.5)),
  ...times(100, () => call("stripTerminalSequences", text(12))),
  ...times(100, () => call("getOsc8LinkAtColumn", text(12), below(20))),
  ...times(200, () => {
    const start = below(20);
    const width = 1 + below(15);
    return call("compositeTuiLine", text(20, [PLAIN, WIDE, STYLES]), text(8, [PLAIN, WIDE, STYLES]), start, width, start + width + below(20));
  }),
];

const KEYS = ["a", "z", "c", "j", "m", "h", "1", "[", "]", "\\", "-", "_", "/", "+", "'", "\"", "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown", "up", "down", "left", "right", "f1", "f5", "f12", "nothing"];
const MODIFIERS = ["", "ctrl+", "shift+", "alt+", "super+", "ctrl+shift+", "ctrl+alt+", "shift+alt+"];
const FINALS = ["A", "B", "C", "D", "H", "F", "u", "~"];
const SEQUENCES = [
  ...times(128, (code) => String.fromCharCode(code)), ...times(128, (code) => "\x1b" + String.fromCharCode(code)),
  ..."ABCDEFHPQRSabcdeM".split("").flatMap((final) => [`\x1b[${final}`, `\x1bO${final}`, `\x1b[[${final}`]),
  ...times(35, (number) => number).filter((number) => number !== 1 && number !== 4).flatMap((number) => ["~", "$", "^"].map((final) => `\x1b[${number}${final}`)),
  ...[1, 2, 3, 5, 6, 7, 8, 9, 13, 27, 32, 65, 97, 106, 127, 1089, 57399, 57409, 57414, 57419, 57426].flatMap((code) =>
    [1, 2, 3, 4, 5, 6, 9, 65, 66].flatMap((modifier) => [`\x1b[${code};${modifier}u`, `\x1b[27;${modifier};${code}~`, `\x1b[${code};${modifier}~`])),
  ...FINALS.flatMap((final) => times(10, (modifier) => `\x1b[1;${modifier}${pick(["", ":1", ":2", ":3"])}${final}`)),
  "\x1b[97u", "\x1b[97:65;2u", "\x1b[97:65:99;5u", "\x1b[1089::99;5u", "\x1b[97::;1u", "\x1b[97;1:3u", "\x1b[1089:1057:99;6:2u", "\x1b[200~x:3u\x1b[201~", "é", "👍", "ab", "\x1b[<0;1;1M", "",
];
const keys = [false, true].flatMap((kitty) => [
  { kind: "kitty", active: kitty },
  ...SEQUENCES.flatMap((data) => [
    call("parseKey", data), call("isKeyRelease", data), call("isKeyRepeat", data), call("decodeKittyPrintable", data),
    { kind: "keys", data, keys: KEYS.flatMap((key) => MODIFIERS.map((modifier) => modifier + key)) },
  ]),
  { kind: "kitty", active: false },
]);

const WORDS = ["claude-opus-4-5", "gpt-5", "src/index.ts", "Sonnet 4", "README.md", "a b c", "opus4", ""];
const other = [
  ...WORDS.flatMap((query) => WORDS.map((word) => call("fuzzyMatch", query, word))),
  ...["op", "4opus", "s t", "in/ts", "c5", "", "é"].flatMap((query) => [...WORDS.map((word) => call("fuzzyMatch", query, word)), { kind: "filter", items: WORDS, query }]),
  ...["\x1b]11;rgb:ff/80/00\x07", "\x1b]11;rgb:ffff/8080/0000\x1b\\", "\x1b]11;#123456\x07", "\x1b]11;#12345\x07", "\x1b]11;rgb:f/0\x07", "x"].map((data) => call("parseOsc11BackgroundColor", data)),
  ...["\x1b[?997;1n", "\x1b[?997;2n", "\x1b[?997;3n"].map((data) => call("parseTerminalColorSchemeReport", data)),
  ...times(20, () => call("calculateImageRows", { widthPx: below(900), heightPx: below(900) }, below(80))),
  call("encodeKitty", "A".repeat(9000), { columns: 3, rows: 2, imageId: 7 }), call("imageFallback", "image/png", { widthPx: 3, heightPx: 4 }, "/nowhere/x.png"),
];

const FORMULAS = String.raw`x^2
x_{ij}
x^{A}
x^{\alpha}
\frac{a+b}{c}
\dfrac{x^2}{y_1}
\sqrt[3]{x}
\alpha \beta
a<b
f(x)=x
\lim_{x\to 0} f
\sin(x)
a\times b
a,b,c
\mathbf{v}
\{a\}
\vec{v}
\begin{pmatrix} a & b \\ c & d \end{pmatrix}
a \\ b
f''(x)
a\quad b
n!
a\&b
a \to b
\nabla f
P(A|B)
a/b
\mathcal{L}
\overset{a}{b}
x_{i+1}
a}

\tag{1} x
\begin{array}{c|c} a & b \end{array}
x^{1/2}
\frac{\partial f}{\partial x}
A^T
\lVert x \rVert
a \bmod n
\sigma^2
ax^2+bx+c=0
a\div b
a\oplus b
a\setminus b
\sin\theta
\frac{a}{b}c
\left(a\right)^2
\frac{-1}{2}
\frac{f(x)}{g}
\int f
\oint_C F
\begin{vmatrix} a & b \\ c & d \end{vmatrix}
f(x)=\begin{cases} 1 & x \\ 0 & y \end{cases}
A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} B
\check a
\widehat{ab}
\underline{ab}
\bf x
\argmax_x
\lim_{n\to\infty}a_n
a>b
\sqrt[4]{xy}
\tfrac{1}{2}
\binom{n+1}{k}
x^{**}
e^{i\pi}
\big( a \big)
\underset{x}{\min}
p(x\mid y)
\mod n
\cancel{x}
\iff
a^{b^c}
2^{n+1}
\mu m
a\colon b
a\in\{1,2\}
x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}
% c
\label{x}a
\overrightarrow{AB}
x_{\text{max}}
CO_2
\frac{a}{x^2}
\frac{a}{2x}
\frac{1.5}{2}
\sqrt{2x}
\sqrt{1.5}
&a
x^2_1y
\log x
\sum_{i=1}^n
x\leftarrow y
\dfrac{dy}{dx}
\mathbb{P}(X=x)
\hat{\theta}
x^{-1/2}
\prod_{i=1}^{n}(1+x_i)
x\cdot 10^{6}
\Big|_{x=0}
\vec{F}=m\vec{a}
\rightarrow`.split("\n");
const latex = FORMULAS.map((formula) => call("renderLatex", formula));

const TYPED = ["a", "b", " ", "word", "foo.bar", "你", "👍", "/", "\\", "\x1b[97u", "é"];
// Words of several Chinese characters are left out where the cursor moves by words: finding their ends takes a
// dictionary. So are they next to paste markers, where the reference does not break lines.
const NARROW = TYPED.filter((text) => text !== "你");
const EMOJI = WIDE.filter((text) => !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text));
const MOVES = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1bb", "\x1bf", "\x1b[5~", "\x1b[6~", "\x01", "\x05"];
const EDITS = ["\x7f", "\x1b[3~", "\x17", "\x1bd", "\x15", "\x0b", "\x19", "\x1by", "\x1f", "\x1b\r", "\r"];
const PASTES = ["\x1b[200~pasted text\x1b[201~", "\x1b[200~two\nlines\x1b[201~", "\x1b[200~/path\x1b[201~", `\x1b[200~${"line\n".repeat(12)}\x1b[201~`, `\x1b[200~${"x".repeat(1100)}\x1b[201~`, "\x1d", "\x1b\x1d"];
const session = (size, sources) => times(size, () => pick(pick(sources)));

const editing = [
  ...times(50, () => ({ kind: "editor", width: 8 + below(30), options: { paddingX: below(3) }, inputs: session(60, [NARROW, NARROW, MOVES, EDITS, PASTES]) })),
  ...times(50, () => ({ kind: "editor", width: 8 + below(30), options: { paddingX: below(3) }, inputs: session(60, [TYPED, TYPED, MOVES, EDITS]) })),
  ...times(20, () => ({ kind: "editor", width: 8 + below(8), text: text(40, [PLAIN, EMOJI]), history: ["one", "two words\nand a line"], inputs: session(40, [MOVES, MOVES, EDITS]) })),
  ...times(40, () => ({ kind: "input", width: below(24), inputs: session(40, [TYPED, TYPED, MOVES, EDITS, PASTES]) })),
];

const ITEMS = times(9, (index) => ({ value: `item-${index}`, label: index % 3 ? `label ${index} ${"long ".repeat(index)}` : "", description: index % 2 ? `about\n${"something ".repeat(index)}` : undefined }));
const lists = times(20, () => ({ kind: "select", items: ITEMS.slice(0, below(10)), visible: 3 + below(4), width: 10 + below(90), inputs: session(12, [["\x1b[A", "\x1b[B", "\x1b[B", "\r", "\x1b"]]) }));
const SETTINGS = times(6, (index) => ({ id: `s${index}`, label: `Setting ${index}`, currentValue: "on", values: index % 2 ? ["on", "off"] : undefined, description: index % 3 ? `describes ${"much ".repeat(index * 3)}` : undefined }));
const settings = times(12, (index) => ({ kind: "settings", items: SETTINGS, search: index % 2 === 0, width: 30 + below(60), inputs: session(10, [["\x1b[B", "\x1b[A", " ", "\r", "3", "\x7f"]]) }));

const BLOCKS = [
  "# Heading *one*", "### Deep `code` heading", "Paragraph with **bold**, *italic*, ~~gone~~, `code` and [a link](https://x.y/z).", "Setext\n---",
  "- one\n- two\n  - nested\n  - more", "1. first\n2. second\n\n   with a paragraph\n3. third", "- [ ] open\n- [x] done", "> quoted **bold**\n> second line\n\n> another", "```js\nconst a = 1;\n\nb();\n```",
  "```\nunfinished", "| a | b |\n|---|:-:|\n| one | **two** |\n| long long long long cell text | x |", "---", "<div>html</div>", "line one  \nline two\\\nline three", "bare https://example.com/path_x and www.example.org, or me@example.com.",
  "escaped \\*stars\\* &amp; entities", "你好世界，这是一个很长的段落，需要换行。", "<https://auto.link>", "a\nb\nc", "* * *", "text with <b>tags</b> inside", "mixed _under_ __strong__ ***both***", "> - list in quote\n>   more\n>\n> ```\n> code\n> ```",
];
const MARKUP_STYLES = [undefined, { color: 32 }, { color: 90, italic: true }, { bgColor: 44 }];
const markdown = times(300, () => ({
  kind: "markdown", width: 10 + below(80), style: pick(MARKUP_STYLES), ansi: next() < 0.6, hyperlinks: next() < 0.3,
  text: times(1 + below(5), () => pick(BLOCKS)).join("\n\n"),
  padding: [below(2), below(2)],
}));
const TIGHT = ["Intro:\n- a\n- b\n\nend", "Intro\n```sh\nls\n```\nafter", "# H\ntext\n## H2\n1. a", "See:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend", "- a\n# H", "> q\nlazy\n\nend", "text\n---\n***\nend", "1. a\n   ```\n   x\n   ```\n2. b", "\ntext\n\n", "a\n\n\n\nb\n"].map((text) => ({ kind: "markdown", width: 30, ansi: true, padding: [0, 0], text }));
const streamed = times(60, () => {
  const whole = times(3, () => pick(BLOCKS)).join("\n\n");
  return { kind: "markdown", width: 40, ansi: true, padding: [0, 0], text: whole.slice(0, 1 + below(whole.length)).trimEnd() };
});

const boxes = [
  ...times(60, () => ({ kind: "text", component: pick(["Text", "TruncatedText", "Box", "Container", "VStack", "HStack"]), text: text(20), padding: [below(3), below(2)], background: next() < 0.4, width: 1 + below(40) })),
];

/** Chunks for the buffer that cuts input into keys. */
const CHUNKS = ["a", "\x1b", "[A", "\x1b[A\x1b[B", "\x1b[<0;1", ";1M", "\x1b[200~pa", "ste\x1b[201~x", "\x1bOP", "\x1b\x1b[27;1u", "\x1b[97u", "\x1b]11;rgb:0/0/0", "\x07", "\x1b_Gi=1;OK\x1b\\", "\x1b[M   ", "xyz"];
const buffers = times(40, () => ({ kind: "stdin", chunks: session(8, [CHUNKS]) }));

export const cases = [...layout, ...keys, ...other, ...latex, ...editing, ...lists, ...settings, ...markdown, ...TIGHT, ...streamed, ...boxes, ...buffers];
