// pi-tui: components that render to lines of text. The names are those of both published generations. Few extensions
// use many of them, so each is loaded when it is first used.
import { lazyExports } from "../exports.ts";

lazyExports(
  "tau:pi/tui/index.ts",
  {
    "tui/autocomplete.ts": "CombinedAutocompleteProvider",
    "tui/box.ts": "Box",
    "tui/cancellable_loader.ts": "CancellableLoader",
    "tui/capabilities.ts": `detectCapabilities getCapabilities getCellDimensions resetCapabilitiesCache setCapabilities
      setCapabilityOverrides setCellDimensions`,
    "tui/colors/index.ts": `backgroundAnsi colorToHex colorToOkhsl colorToOklch colorToRgb foregroundAnsi
      getTerminalColorMode indexedColor isAppleTerminalSession mixColors okhslColor oklabToOkhslLightness oklchColor
      parseColor rgbColor`,
    "tui/colors/style.ts": "styleText styleTextWithAnsi",
    "tui/component.ts": "compositeTuiLine Container CURSOR_MARKER isFocusable isViewportTUI",
    "tui/editor.ts": "Editor",
    "tui/editor_keybindings.ts": `DEFAULT_EDITOR_KEYBINDINGS EditorKeybindingsManager getEditorKeybindings
      setEditorKeybindings`,
    "tui/fuzzy.ts": "fuzzyFilter fuzzyMatch",
    "tui/image.ts": "Image setImageTranscoder",
    "tui/image_protocol.ts": `allocateImageId calculateImageRows deleteAllKittyImages deleteKittyImage encodeITerm2
      encodeKitty hyperlink imageFallback renderImage`,
    "tui/image_size.ts": "getGifDimensions getImageDimensions getJpegDimensions getPngDimensions getWebpDimensions",
    "tui/input.ts": "Input",
    "tui/keybindings.ts": "getKeybindings KeybindingsManager setKeybindings TUI_KEYBINDINGS",
    "tui/keys.ts": `decodeKittyPrintable isKeyRelease isKeyRepeat isKittyProtocolActive Key matchesKey parseKey
      setKittyProtocolActive`,
    "tui/latex.ts": "renderLatex",
    "tui/loader.ts": "Loader",
    "tui/markdown.ts": "Markdown",
    "tui/mouse_region.ts": "MouseRegion",
    "tui/older_keys.ts": `isAltBackspace isAltEnter isAltLeft isAltRight isArrowDown isArrowLeft isArrowRight isArrowUp
      isBackspace isCtrlA isCtrlC isCtrlD isCtrlE isCtrlG isCtrlK isCtrlL isCtrlLeft isCtrlO isCtrlP isCtrlRight isCtrlT
      isCtrlU isCtrlW isCtrlZ isDelete isEnd isEnter isEscape isHome isShiftCtrlD isShiftCtrlO isShiftCtrlP isShiftEnter
      isShiftTab isTab`,
    "tui/scroll_view.ts": "ScrollView",
    "tui/select_list.ts": "SelectList",
    "tui/settings_list.ts": "SettingsList",
    "tui/spacer.ts": "Spacer",
    "tui/stack.ts": "HStack VStack",
    "tui/status.ts": `formatProgramStatus getSelectPageIndex renderFakeCursor replaceControlCharacters`,
    "tui/stdin_buffer.ts": "StdinBuffer",
    "tui/terminal_colors.ts": "parseOsc11BackgroundColor parseTerminalColorSchemeReport",
    "tui/text.ts": "Text",
    "tui/text_layout.ts": `getOsc8LinkAtColumn sliceByColumn stripTerminalSequences truncateToWidth visibleWidth
      wrapTextWithAnsi`,
    "tui/truncated_text.ts": "TruncatedText",
    "tui/unavailable.ts": "getNativeClipboard Marked ProcessTerminal TUI TuiAltScreen TuiMainScreen",
  },
  "",
);

// For the type checker: the names that other modules of the runtime take from here.
export declare const CancellableLoader: typeof import("./cancellable_loader.ts").CancellableLoader;
export declare const Container: typeof import("./component.ts").Container;
export declare const Editor: typeof import("./editor.ts").Editor;
export declare const getEditorKeybindings: typeof import("./editor_keybindings.ts").getEditorKeybindings;
export declare const getKeybindings: typeof import("./keybindings.ts").getKeybindings;
export declare const Loader: typeof import("./loader.ts").Loader;
export declare const Spacer: typeof import("./spacer.ts").Spacer;
export type Text = import("./text.ts").Text;
export declare const Text: typeof import("./text.ts").Text;
