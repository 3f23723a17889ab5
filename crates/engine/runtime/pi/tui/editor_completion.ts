// Completions while typing in an editor.
import { ops } from "tau:ops";
import { endsInTriggeredWord, isCjk } from "./completion_patterns.ts";
import { EditorMoving } from "./editor_moving.ts";
import { SelectList } from "./select_list.ts";

/** Looking for files on every key would start many searches. */
const DEBOUNCE_MS = 20;
const TRIGGERS = ["@", "#"];
const SLASH_COMMAND_LAYOUT = { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 32 };

type Request = { force: boolean; explicitTab: boolean };

/** How an editor completes what is typed. */
export class EditorCompletion extends EditorMoving {
  theme: any;
  autocompleteProvider: any;
  autocompleteTriggerCharacters: string[] = [...TRIGGERS];
  autocompleteList: SelectList | undefined;
  autocompleteState: "regular" | "force" | null = null;
  autocompletePrefix = "";
  autocompleteMaxVisible = 5;
  autocompleteAbort: AbortController | undefined;
  autocompleteDebounceTimer: any;
  autocompleteRequestTask: Promise<void> = Promise.resolve();
  autocompleteStartToken = 0;

  setAutocompleteProvider(provider: any): void {
    this.cancelAutocomplete();
    this.autocompleteProvider = provider;
    const own = (provider.triggerCharacters ?? []).filter(
      (character: string) => character.length === 1 && character !== "/" && !/\s/.test(character),
    );
    this.autocompleteTriggerCharacters = [...new Set([...TRIGGERS, ...own])];
  }

  isShowingAutocomplete(): boolean {
    return this.autocompleteState !== null;
  }

  /** Commands stand on the first line only. */
  isInSlashCommandContext(textBeforeCursor: string): boolean {
    return this.getCursor().line === 0 && textBeforeCursor.trimStart().startsWith("/");
  }

  isAtStartOfMessage(): boolean {
    return this.getCursor().line === 0 && ["", "/"].includes(this._beforeCursor().trim());
  }

  _afterInsert(char: string): void {
    if (this.autocompleteState) {
      this.updateAutocomplete();
      return;
    }
    const before = this._beforeCursor();
    if (char === "/" && this.isAtStartOfMessage()) {
      this.tryTriggerAutocomplete();
    } else if (this.autocompleteTriggerCharacters.includes(char)) {
      if (endsInTriggeredWord(before, this.autocompleteTriggerCharacters)) this.tryTriggerAutocomplete();
    } else if (/[a-zA-Z0-9.\-_]/.test(char) || isCjk(char)) {
      this._completeContext(before);
    }
  }

  _afterDelete(): void {
    if (this.autocompleteState) this.updateAutocomplete();
    else this._completeContext(this._beforeCursor());
  }

  _afterMove(): void {
    if (this.autocompleteState) this.updateAutocomplete();
  }

  _completeContext(before: string): void {
    if (this.isInSlashCommandContext(before) || endsInTriggeredWord(before, this.autocompleteTriggerCharacters)) {
      this.tryTriggerAutocomplete();
    }
  }

  tryTriggerAutocomplete(explicitTab = false): void {
    this.requestAutocomplete({ force: false, explicitTab });
  }

  updateAutocomplete(): void {
    if (!this.autocompleteState || !this.autocompleteProvider) return;
    this.requestAutocomplete({ force: this.autocompleteState === "force", explicitTab: false });
  }

  /** Tab: a command's name is completed as such, everything else as a path. */
  handleTabCompletion(): void {
    if (!this.autocompleteProvider) return;
    const before = this._beforeCursor();
    const command = this.isInSlashCommandContext(before) && !before.trimStart().includes(" ");
    this.requestAutocomplete({ force: !command, explicitTab: true });
  }

  requestAutocomplete(request: Request): void {
    const provider = this.autocompleteProvider;
    if (!provider) return;
    if (request.force && provider.shouldTriggerFileCompletion) {
      const { line, col } = this.getCursor();
      if (!provider.shouldTriggerFileCompletion(this.getLines(), line, col)) return;
    }
    this.cancelAutocompleteRequest();
    const token = ++this.autocompleteStartToken;
    const start = () => {
      this.autocompleteDebounceTimer = undefined;
      void this.startAutocompleteRequest(token, request);
    };
    const debounced =
      !request.explicitTab && !request.force &&
      endsInTriggeredWord(this._beforeCursor(), this.autocompleteTriggerCharacters);
    if (debounced) this.autocompleteDebounceTimer = setTimeout(start, DEBOUNCE_MS);
    else start();
  }

  /** Asks the provider once it has answered what it was asked before. */
  startAutocompleteRequest(token: number, request: Request): Promise<void> {
    const previous = this.autocompleteRequestTask;
    this.autocompleteRequestTask = (async () => {
      await previous;
      if (token === this.autocompleteStartToken && this.autocompleteProvider) await this.runAutocompleteRequest(request);
    })();
    return this.autocompleteRequestTask;
  }

  async runAutocompleteRequest(request: Request): Promise<void> {
    const controller = (this.autocompleteAbort = new AbortController());
    const text = this.getText();
    const { line, col } = this.getCursor();
    const options = { signal: controller.signal, force: request.force };
    const suggestions = await this.autocompleteProvider.getSuggestions(this.getLines(), line, col, options);
    const now = this.getCursor();
    const current = !controller.signal.aborted && this.getText() === text && now.line === line && now.col === col;
    if (!current) return;
    this.autocompleteAbort = undefined;
    const items = Array.isArray(suggestions?.items) ? suggestions.items : [];
    if (items.length === 0) {
      this.cancelAutocomplete();
    } else if (request.force && request.explicitTab && items.length === 1) {
      this._applyCompletion(items[0], suggestions.prefix);
      this._changed();
    } else {
      this.applyAutocompleteSuggestions(suggestions, request.force ? "force" : "regular");
    }
    this.tui.requestRender();
  }

  applyAutocompleteSuggestions(suggestions: any, state: "regular" | "force"): void {
    const { items, prefix } = suggestions;
    this.autocompletePrefix = prefix;
    const layout = prefix.startsWith("/") ? SLASH_COMMAND_LAYOUT : undefined;
    const list = new SelectList(items, this.autocompleteMaxVisible, this.theme.selectList, layout);
    list.onSelect = (item) => this._acceptCompletion(item);
    const exact = items.findIndex((item: any) => item.value === prefix);
    const best = exact !== -1 ? exact : items.findIndex((item: any) => item.value.startsWith(prefix));
    if (prefix && best >= 0) list.setSelectedIndex(best);
    this.autocompleteList = list;
    this.autocompleteState = state;
  }

  _applyCompletion(item: any, prefix: string): void {
    if (!this.autocompleteProvider) return;
    this.pushUndoSnapshot();
    this.lastAction = null;
    const { line, col } = this.getCursor();
    const result = this.autocompleteProvider.applyCompletion(this.getLines(), line, col, item, prefix);
    ops.editorSetLines(this._model, result.lines, result.cursorLine, result.cursorCol);
    this._settle();
  }

  _acceptCompletion(item: any): void {
    if (!this.autocompleteProvider) return;
    this._applyCompletion(item, this.autocompletePrefix);
    this.cancelAutocomplete();
    this._changed();
  }

  /** A key while completions are shown; false if it is handled as without them. */
  _handleCompletionKey(data: string, keys: any): boolean {
    const list = this.autocompleteList;
    if (!this.autocompleteState || !list) return false;
    if (keys.matches(data, "tui.select.cancel")) {
      this.cancelAutocomplete();
      return true;
    }
    if (keys.matches(data, "tui.select.up") || keys.matches(data, "tui.select.down")) {
      list.handleInput(data);
      return true;
    }
    const item = list.getSelectedItem();
    if (keys.matches(data, "tui.input.tab")) {
      if (item) this._acceptCompletion(item);
      return true;
    }
    if (!keys.matches(data, "tui.select.confirm") || !item || !this.autocompleteProvider) return false;
    if (!this.autocompletePrefix.startsWith("/")) {
      this._acceptCompletion(item);
      return true;
    }
    // A command is complete with its name: the same key sends it.
    this._applyCompletion(item, this.autocompletePrefix);
    this.cancelAutocomplete();
    return false;
  }

  cancelAutocompleteRequest(): void {
    this.autocompleteStartToken++;
    clearTimeout(this.autocompleteDebounceTimer);
    this.autocompleteDebounceTimer = undefined;
    this.autocompleteAbort?.abort();
    this.autocompleteAbort = undefined;
  }

  cancelAutocomplete(): void {
    this.cancelAutocompleteRequest();
    this.autocompleteState = null;
    this.autocompleteList = undefined;
    this.autocompletePrefix = "";
  }
}
