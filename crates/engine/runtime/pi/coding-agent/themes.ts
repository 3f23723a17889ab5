// Parts of the current theme in the shapes that components take.
import { theme } from "../../host/theme.ts";
import { highlightCode } from "./highlight.ts";

const fg = (color: string) => (text: string) => theme.fg(color, text);

/** For Markdown. */
export function getMarkdownTheme(): any {
  return {
    heading: fg("mdHeading"),
    link: fg("mdLink"),
    linkUrl: fg("mdLinkUrl"),
    code: fg("mdCode"),
    codeBlock: fg("mdCodeBlock"),
    codeBlockBorder: fg("mdCodeBlockBorder"),
    quote: fg("mdQuote"),
    quoteBorder: fg("mdQuoteBorder"),
    hr: fg("mdHr"),
    listBullet: fg("mdListBullet"),
    bold: (text: string) => theme.bold(text),
    italic: (text: string) => theme.italic(text),
    underline: (text: string) => theme.underline(text),
    strikethrough: (text: string) => theme.strikethrough(text),
    highlightCode,
  };
}

/** For lists to choose from. */
export function getSelectListTheme(): any {
  return {
    selectedPrefix: fg("accent"),
    selectedText: fg("accent"),
    description: fg("muted"),
    scrollInfo: fg("muted"),
    noMatch: fg("muted"),
  };
}

/** For editors. */
export function getEditorTheme(): any {
  return { borderColor: fg("borderMuted"), selectList: getSelectListTheme() };
}

/** For lists of settings. */
export function getSettingsListTheme(): any {
  return {
    label: (text: string, selected: boolean) => (selected ? theme.fg("accent", text) : text),
    value: (text: string, selected: boolean) => theme.fg(selected ? "accent" : "muted", text),
    description: fg("dim"),
    cursor: theme.fg("accent", "→ "),
    hint: fg("dim"),
  };
}
