// The settings of the program.
import { SettingsList } from "../../tui/settings_list.ts";
import { getSettingsListTheme } from "../themes.ts";
import { hints, MOST_ROWS, Panel, type InnerList } from "./panel.ts";

type Config = Record<string, unknown>;
type Callbacks = Record<string, ((...values: unknown[]) => void) | undefined>;

/** A setting: its key, its label, and the values to go round: yes and no where none are named. */
type Row = { key: string; callback: string; label: string; values?: readonly unknown[] };

const row = (key: string, callback: string, label: string, values?: readonly unknown[]): Row => ({ key, callback, label, values });

const MODES = ["one-at-a-time", "all"];

const ROWS: Row[] = [
  row("autoCompact", "onAutoCompactChange", "Auto-compact"),
  row("showImages", "onShowImagesChange", "Show images"),
  row("imageWidthCells", "onImageWidthCellsChange", "Image width", [60, 80, 120]),
  row("autoResizeImages", "onAutoResizeImagesChange", "Auto-resize images"),
  row("blockImages", "onBlockImagesChange", "Block images"),
  row("enableSkillCommands", "onEnableSkillCommandsChange", "Skill commands"),
  row("steeringMode", "onSteeringModeChange", "Steering mode", MODES),
  row("followUpMode", "onFollowUpModeChange", "Follow-up mode", MODES),
  row("transport", "onTransportChange", "Transport", ["sse", "websocket", "websocket-cached", "auto"]),
  row("httpIdleTimeoutMs", "onHttpIdleTimeoutMsChange", "HTTP idle timeout", [30_000, 60_000, 120_000, 300_000, 0]),
  row("cacheWarmingMode", "onCacheWarmingModeChange", "Cache warming", ["off", "streaming", "idle"]),
  row("hideThinkingBlock", "onHideThinkingBlockChange", "Hide thinking"),
  row("mermaidRenderingMode", "onMermaidRenderingModeChange", "Mermaid diagrams", ["off", "final", "streaming"]),
  row("showCacheMissNotices", "onShowCacheMissNoticesChange", "Cache miss notices"),
  row("collapseChangelog", "onCollapseChangelogChange", "Collapse changelog"),
  row("quietStartup", "onQuietStartupChange", "Quiet startup"),
  row("enableInstallTelemetry", "onEnableInstallTelemetryChange", "Install telemetry"),
  row("defaultProjectTrust", "onDefaultProjectTrustChange", "Default project trust", ["ask", "always", "never"]),
  row("doubleEscapeAction", "onDoubleEscapeActionChange", "Double-escape action", ["tree", "fork", "none"]),
  row("treeFilterMode", "onTreeFilterModeChange", "Tree filter mode", ["default", "no-tools", "user-only", "labeled-only", "all"]),
  row("showHardwareCursor", "onShowHardwareCursorChange", "Show hardware cursor"),
  row("editorPaddingX", "onEditorPaddingXChange", "Editor padding", [0, 1, 2, 3]),
  row("outputPad", "onOutputPadChange", "Output padding", [0, 1]),
  row("autocompleteMaxVisible", "onAutocompleteMaxVisibleChange", "Autocomplete max items", [3, 5, 7, 10, 15, 20]),
  row("clearOnShrink", "onClearOnShrinkChange", "Clear on shrink"),
  row("showTerminalProgress", "onShowTerminalProgressChange", "Terminal progress"),
  row("tuiMode", "onTuiModeChange", "TUI mode", ["regular", "fullscreen"]),
  row("fullscreenExitOutput", "onFullscreenExitOutputChange", "Fullscreen exit output", ["transcript", "resume-hint"]),
  row("fullscreenScrollbar", "onFullscreenScrollbarChange", "Fullscreen scrollbar", ["auto", "always", "hidden"]),
  row("fullscreenCopyOnSelect", "onFullscreenCopyOnSelectChange", "Fullscreen copy on select"),
  row("fullscreenWheelScrollLines", "onFullscreenWheelScrollLinesChange", "Wheel scroll lines", ["auto", 1, 3, 5, 10]),
];

const shown = (value: unknown) => (value === true ? "true" : value === false ? "false" : String(value));

/** Shows settings, and says which the user changes. Settings that `config` does not have are left out. */
export class SettingsSelectorComponent extends Panel {
  private readonly settingsList: SettingsList;

  constructor(config: object, callbacks: object) {
    super("Settings");
    const values = config as Config;
    const tell = callbacks as Callbacks;
    const rows = ROWS.concat(themeRow(values)).filter(({ key }) => values[key] !== undefined);
    const items = rows.map(({ key, label, values: known = [true, false] }) => {
      const all = known.includes(values[key]) ? known : [values[key], ...known];
      return { id: key, label, currentValue: shown(values[key]), values: all.map(shown) };
    });
    const change = (id: string, text: string) => {
      const changed = rows.find(({ key }) => key === id);
      const value = [values[id], ...(changed?.values ?? [true, false])].find((value) => shown(value) === text);
      if (changed) tell[changed.callback]?.(value);
    };
    this.settingsList = new SettingsList(items, MOST_ROWS, getSettingsListTheme(), change, () => tell.onCancel?.(), { enableSearch: true });
    this.addChild(this.settingsList);
    this.close(hints(["tui.select.cancel", "close"]));
  }

  handleInput(keyData: string): void {
    this.settingsList.handleInput(keyData);
  }

  getSettingsList(): InnerList {
    return this.settingsList as InnerList;
  }
}

function themeRow({ availableThemes }: Config): Row[] {
  return Array.isArray(availableThemes) ? [row("currentTheme", "onThemeChange", "Theme", availableThemes)] : [];
}
