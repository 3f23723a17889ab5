// pi-tui: components that render to lines of text. The names are those of both published generations. Few extensions
// use many of them, so most are loaded when they are first used.
import { lazyExports } from "../../internal/lazy_exports.ts";

export {
  decodeKittyPrintable, isKeyRelease, isKeyRepeat, isKittyProtocolActive, Key, matchesKey, parseKey,
  setKittyProtocolActive,
} from "./keys.ts";
export {
  getOsc8LinkAtColumn, sliceByColumn, stripTerminalSequences, truncateToWidth, visibleWidth, wrapTextWithAnsi,
} from "./text_layout.ts";

const words = (text: string) => text.split(" ");

lazyExports("pi/tui/index.ts", {
  "pi/tui/autocomplete.ts": ["CombinedAutocompleteProvider"],
  "pi/tui/box.ts": ["Box"],
  "pi/tui/cancellable_loader.ts": ["CancellableLoader"],
  "pi/tui/capabilities.ts": words(
    "detectCapabilities getCapabilities getCellDimensions resetCapabilitiesCache setCapabilities " +
      "setCapabilityOverrides setCellDimensions",
  ),
  "pi/tui/component.ts": words("compositeTuiLine Container CURSOR_MARKER isFocusable isViewportTUI"),
  "pi/tui/editor.ts": ["Editor"],
  "pi/tui/editor_keybindings.ts": words(
    "DEFAULT_EDITOR_KEYBINDINGS EditorKeybindingsManager getEditorKeybindings setEditorKeybindings",
  ),
  "pi/tui/fuzzy.ts": words("fuzzyFilter fuzzyMatch"),
  "pi/tui/image.ts": ["Image"],
  "pi/tui/image_protocol.ts": words(
    "allocateImageId calculateImageRows deleteAllKittyImages deleteKittyImage encodeITerm2 encodeKitty hyperlink " +
      "imageFallback renderImage",
  ),
  "pi/tui/image_size.ts": words(
    "getGifDimensions getImageDimensions getJpegDimensions getPngDimensions getWebpDimensions",
  ),
  "pi/tui/input.ts": ["Input"],
  "pi/tui/keybindings.ts": words("getKeybindings KeybindingsManager setKeybindings TUI_KEYBINDINGS"),
  "pi/tui/latex.ts": ["renderLatex"],
  "pi/tui/loader.ts": ["Loader"],
  "pi/tui/markdown.ts": ["Markdown"],
  "pi/tui/mouse_region.ts": ["MouseRegion"],
  "pi/tui/older_keys.ts": words(
    "isAltBackspace isAltEnter isAltLeft isAltRight isArrowDown isArrowLeft isArrowRight isArrowUp isBackspace isCtrlA " +
      "isCtrlC isCtrlD isCtrlE isCtrlG isCtrlK isCtrlL isCtrlLeft isCtrlO isCtrlP isCtrlRight isCtrlT isCtrlU isCtrlW " +
      "isCtrlZ isDelete isEnd isEnter isEscape isHome isShiftCtrlD isShiftCtrlO isShiftCtrlP isShiftEnter isShiftTab isTab",
  ),
  "pi/tui/scroll_view.ts": ["ScrollView"],
  "pi/tui/select_list.ts": ["SelectList"],
  "pi/tui/settings_list.ts": ["SettingsList"],
  "pi/tui/spacer.ts": ["Spacer"],
  "pi/tui/stack.ts": words("HStack VStack"),
  "pi/tui/stdin_buffer.ts": ["StdinBuffer"],
  "pi/tui/terminal_colors.ts": words("parseOsc11BackgroundColor parseTerminalColorSchemeReport"),
  "pi/tui/text.ts": ["Text"],
  "pi/tui/truncated_text.ts": ["TruncatedText"],
  "pi/tui/unavailable.ts": words("getNativeClipboard Marked ProcessTerminal TUI TuiAltScreen TuiMainScreen"),
});
