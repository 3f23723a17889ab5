// The choice of a session to continue.
import { theme } from "../../../host/theme.ts";
import { Input } from "../../tui/input.ts";
import { isKey, shade, type InnerList } from "./panel.ts";
import { SearchPanel } from "./search_panel.ts";

/** What of a session is shown. */
type Session = {
  path: string; cwd?: string; name?: string; modified: Date; messageCount: number; firstMessage: string; allMessagesText?: string;
};

type Loader = (onProgress?: (loaded: number, total: number) => void, signal?: AbortSignal) => Promise<Session[]>;

type Options = { renameSession?: (path: string, name: string | undefined) => Promise<void>; showRenameHint?: boolean; keybindings?: unknown };

/** Asks for a session: of this folder first, and of all folders with a key. */
export class SessionSelectorComponent extends SearchPanel<Session> {
  private readonly loaders: Record<"here" | "all", Loader>;
  private readonly loading = new AbortController();
  private readonly redraw: () => void;
  private readonly onExit: () => void;
  private readonly rename: Options["renameSession"];
  private scope: "here" | "all" = "here";
  private isNamedOnly = false;
  private sessions: Session[] = [];
  /** The name that is being typed, and whose it is. */
  private naming: { session: Session; input: Input } | undefined;

  constructor(
    currentSessionsLoader: Loader, allSessionsLoader: Loader, onSelect: (sessionPath: string) => void, onCancel: () => void,
    onExit: () => void, requestRender: () => void, options: Options = {}, currentSessionFilePath?: string,
  ) {
    const keys: [string, string][] = [["tui.input.tab", "here or everywhere"], ["app.session.toggleNamedFilter", "named only"]];
    if (options.renameSession && options.showRenameHint !== false) keys.push(["app.session.rename", "rename"]);
    super({
      title: "Sessions",
      items: [],
      text: ({ name = "", firstMessage, cwd = "", allMessagesText = "" }) => `${name} ${firstMessage} ${cwd} ${allMessagesText}`,
      row: (session, isSelected) => {
        const title = (session.name || session.firstMessage).replace(/\s+/g, " ").trim() || "(no messages)";
        const mark = session.path === currentSessionFilePath ? theme.fg("success", " ✓") : "";
        const folder = this.scope === "all" && session.cwd ? ` · ${session.cwd}` : "";
        return `${shade(title, isSelected)}${mark}${theme.fg("muted", ` ${session.messageCount} · ${ageOf(session.modified)}${folder}`)}`;
      },
      isCurrent: ({ path }) => path === currentSessionFilePath,
      empty: "No sessions",
      onSelect: ({ path }) => this.leave(() => onSelect(path)),
      onCancel: () => this.leave(onCancel),
      keys,
    });
    this.loaders = { here: currentSessionsLoader, all: allSessionsLoader };
    this.redraw = requestRender;
    this.onExit = onExit;
    this.rename = options.renameSession;
    void this.load();
  }

  private leave(then: () => void): void {
    this.loading.abort();
    then();
  }

  private async load(): Promise<void> {
    const scope = this.scope;
    this.say("Loading...");
    try {
      const progress = (loaded: number, total: number) => {
        if (scope !== this.scope) return;
        this.say(`Loading ${loaded}/${total}...`);
        this.redraw();
      };
      const sessions = await this.loaders[scope](progress, this.loading.signal);
      if (scope !== this.scope || this.loading.signal.aborted) return;
      this.sessions = sessions;
      this.say("");
      this.show();
    } catch (error) {
      if (scope === this.scope && !this.loading.signal.aborted) this.say(error instanceof Error ? error.message : String(error), "error");
    }
    this.redraw();
  }

  private show(): void {
    this.setItems(this.isNamedOnly ? this.sessions.filter(({ name }) => name) : this.sessions);
  }

  handleInput(data: string): void {
    const session = this.list.current;
    if (this.naming) return this.name(this.naming, data);
    if (isKey(data, "tui.input.tab")) {
      this.scope = this.scope === "here" ? "all" : "here";
      this.sessions = [];
      this.show();
      void this.load();
    } else if (isKey(data, "app.session.toggleNamedFilter")) {
      this.isNamedOnly = !this.isNamedOnly;
      this.show();
    } else if (this.rename && session && isKey(data, "app.session.rename")) {
      const input = new Input({ prompt: "Name: " });
      input.setValue(session.name ?? "");
      input.cursor = input.getValue().length;
      input.focused = this.focused;
      this.naming = { session, input };
    } else if (isKey(data, "app.exit") && this.searchInput.getValue() === "") {
      this.leave(this.onExit);
    } else {
      super.handleInput(data);
    }
  }

  private name({ session, input }: { session: Session; input: Input }, data: string): void {
    if (isKey(data, "tui.select.cancel")) this.naming = undefined;
    else if (isKey(data, "tui.select.confirm")) {
      this.naming = undefined;
      void this.keepName(session, input.getValue().trim() || undefined);
    } else input.handleInput(data);
  }

  private async keepName(session: Session, name: string | undefined): Promise<void> {
    try {
      await this.rename?.(session.path, name);
      session.name = name;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), "error");
    }
    this.redraw();
  }

  render(width: number): string[] {
    const rows = super.render(width);
    // The line for a name stands above the keys.
    return this.naming ? [...rows.slice(0, -4), ...this.naming.input.render(width), ...rows.slice(-4)] : rows;
  }

  /** The list with its selection. */
  getSessionList(): InnerList {
    return { getSelectedSessionPath: () => this.list.current?.path } as InnerList;
  }
}

/** How long ago something was. */
function ageOf(date: Date): string {
  const minutes = Math.max(0, Math.floor((Date.now() - new Date(date).getTime()) / 60_000));
  if (!(minutes >= 1)) return "now";
  if (minutes < 60) return `${minutes}m`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 60 / 24)}d`;
}
