// pi-tui: components that render to lines of text. The names are those of both published generations.
export { CombinedAutocompleteProvider } from "./autocomplete.ts";
export { Box } from "./box.ts";
export { CancellableLoader } from "./cancellable_loader.ts";
export {
  detectCapabilities, getCapabilities, getCellDimensions, resetCapabilitiesCache, setCapabilities,
  setCapabilityOverrides, setCellDimensions,
} from "./capabilities.ts";
export { compositeTuiLine, Container, CURSOR_MARKER, isFocusable, isViewportTUI } from "./component.ts";
export { Editor } from "./editor.ts";
export {
  DEFAULT_EDITOR_KEYBINDINGS, EditorKeybindingsManager, getEditorKeybindings, setEditorKeybindings,
} from "./editor_keybindings.ts";
export { fuzzyFilter, fuzzyMatch } from "./fuzzy.ts";
export { Image } from "./image.ts";
export {
  allocateImageId, calculateImageRows, deleteAllKittyImages, deleteKittyImage, encodeITerm2, encodeKitty, hyperlink,
  imageFallback, renderImage,
} from "./image_protocol.ts";
export {
  getGifDimensions, getImageDimensions, getJpegDimensions, getPngDimensions, getWebpDimensions,
} from "./image_size.ts";
export { Input } from "./input.ts";
export { getKeybindings, KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "./keybindings.ts";
export {
  decodeKittyPrintable, isKeyRelease, isKeyRepeat, isKittyProtocolActive, Key, matchesKey, parseKey,
  setKittyProtocolActive,
} from "./keys.ts";
export { renderLatex } from "./latex.ts";
export { Loader } from "./loader.ts";
export { Markdown } from "./markdown.ts";
export { MouseRegion } from "./mouse_region.ts";
export { ScrollView } from "./scroll_view.ts";
export { SelectList } from "./select_list.ts";
export { SettingsList } from "./settings_list.ts";
export { Spacer } from "./spacer.ts";
export { HStack, VStack } from "./stack.ts";
export { StdinBuffer } from "./stdin_buffer.ts";
export { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "./terminal_colors.ts";
export { Text } from "./text.ts";
export {
  getOsc8LinkAtColumn, sliceByColumn, stripTerminalSequences, truncateToWidth, visibleWidth, wrapTextWithAnsi,
} from "./text_layout.ts";
export { TruncatedText } from "./truncated_text.ts";
export {
  getNativeClipboard, Marked, ProcessTerminal, TUI, TuiAltScreen, TuiMainScreen,
} from "./unavailable.ts";
