// Runs one case with an implementation of pi-tui and gives what it did, as plain data.

const color = (code) => (text) => `\x1b[${code}m${text}\x1b[39m`;
const wrap = (open, close) => (text) => `\x1b[${open}m${text}\x1b[${close}m`;
const tag = (name) => (text) => `<${name}>${text}</${name}>`;

const MARKDOWN_STYLES = {
  heading: color(33), link: color(34), linkUrl: color(90), code: color(36), codeBlock: color(32), codeBlockBorder: color(90),
  quote: color(35), quoteBorder: color(90), hr: color(90), listBullet: color(36), bold: wrap(1, 22), italic: wrap(3, 23),
  strikethrough: wrap(9, 29), underline: wrap(4, 24),
};
const named = (styles) => Object.fromEntries(Object.keys(styles).map((name) => [name, tag(name)]));

const SELECT_THEME = { selectedPrefix: tag("prefix"), selectedText: tag("selected"), description: tag("about"), scrollInfo: tag("scroll"), noMatch: tag("none") };
const SETTINGS_THEME = { label: (text, selected) => (selected ? `*${text}*` : text), value: (text) => `=${text}`, description: tag("about"), cursor: "> ", hint: tag("hint") };

const attempt = (run) => {
  try {
    const result = run();
    return result === undefined ? "undefined" : result;
  } catch (error) {
    return `throws ${error.constructor.name}`;
  }
};

const kinds = {
  call: (tui, { name, args }) => tui[name](...args),
  kitty: (tui, { active }) => tui.setKittyProtocolActive(active),
  keys: (tui, { data, keys }) => keys.filter((key) => tui.matchesKey(data, key)),
  filter: (tui, { items, query }) => tui.fuzzyFilter(items, query, (item) => item),

  editor(tui, { width, options, text, history = [], inputs }) {
    const log = [];
    const screen = { terminal: { rows: 24, columns: width }, requestRender() {} };
    const editor = new tui.Editor(screen, { borderColor: (line) => line, selectList: SELECT_THEME }, options);
    editor.focused = true;
    editor.onSubmit = (value) => log.push({ submitted: value });
    for (const entry of history) editor.addToHistory(entry);
    if (text !== undefined) editor.setText(text);
    editor.render(width);
    for (const input of inputs) {
      editor.handleInput(input);
      log.push([input.slice(0, 20), editor.getText().slice(-200), editor.getCursor(), editor.render(width)]);
    }
    return [...log, editor.getExpandedText()];
  },

  input(tui, { width, inputs }) {
    const input = new tui.Input();
    input.focused = true;
    const log = [];
    input.onSubmit = (value) => log.push({ submitted: value });
    for (const data of inputs) {
      input.handleInput(data);
      log.push([data.slice(0, 20), input.getValue(), input.render(width)]);
    }
    return log;
  },

  select(tui, { items, visible, width, inputs }) {
    const list = new tui.SelectList(items, visible, SELECT_THEME);
    const log = [list.render(width)];
    list.onSelect = (item) => log.push({ chosen: item.value });
    list.onCancel = () => log.push("cancelled");
    for (const data of inputs) {
      list.handleInput(data);
      log.push(list.getSelectedItem()?.value ?? null, list.render(width));
    }
    return log;
  },

  settings(tui, { items, search, width, inputs }) {
    const log = [];
    const own = items.map((item) => ({ ...item }));
    const list = new tui.SettingsList(own, 4, SETTINGS_THEME, (id, value) => log.push({ id, value }), () => log.push("cancelled"), { enableSearch: search });
    for (const data of inputs) {
      list.handleInput(data);
      log.push(list.render(width));
    }
    return log;
  },

  markdown(tui, { text, width, style, ansi, hyperlinks, padding }) {
    tui.setCapabilities({ images: null, trueColor: true, hyperlinks: !!hyperlinks });
    const theme = ansi ? MARKDOWN_STYLES : named(MARKDOWN_STYLES);
    const own = style && { ...style, color: style.color && color(style.color), bgColor: style.bgColor && wrap(style.bgColor, 49) };
    return new tui.Markdown(text, padding[0], padding[1], theme, own).render(width);
  },

  text(tui, { component, text, padding, background, width }) {
    const fill = background ? wrap(44, 49) : undefined;
    const child = (content) => new tui.Text(content, 0, 0);
    if (component === "Text") return new tui.Text(text, ...padding, fill).render(width);
    if (component === "TruncatedText") return new tui.TruncatedText(text, ...padding).render(width);
    const parent = component === "Box" ? new tui.Box(...padding, fill) : component === "Container" ? new tui.Container() : new tui[component]([], { gap: padding[0] });
    parent.addChild(child(text));
    parent.addChild(new tui.Spacer(padding[1]));
    parent.addChild(child("second child"));
    return parent.render(width);
  },

  stdin(tui, { chunks }) {
    const log = [];
    const buffer = new tui.StdinBuffer();
    buffer.on("data", (data) => log.push(data));
    buffer.on("paste", (text) => log.push({ text }));
    for (const chunk of chunks) buffer.process(chunk);
    return [...log, buffer.flush()];
  },
};

/** What each case gives, in order. Takes a breath now and then: nothing may keep an engine busy for long. */
export async function evaluate(tui, cases) {
  const results = [];
  for (const [index, one] of cases.entries()) {
    if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    results.push(attempt(() => kinds[one.kind](tui, one)));
  }
  return results;
}
