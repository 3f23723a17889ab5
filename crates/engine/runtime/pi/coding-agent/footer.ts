// What tau shows in its last rows, as a component.
import { ops } from "tau:ops";
import { theme } from "../../host/theme.ts";
import { truncateToWidth, visibleWidth } from "../tui/text_layout.ts";

/** What of a session is shown. */
interface Session {
  model?: { id?: string; provider?: string; reasoning?: boolean; contextWindow?: number };
  thinkingLevel?: string;
  sessionManager?: { getCwd?(): string; getSessionName?(): string | undefined };
  getSessionStats?(): Stats;
  getContextUsage?(): { percent?: number | null; contextWindow?: number } | undefined;
}

type Stats = { tokens?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number }; cost?: number };

/** What else it shows. */
interface Data {
  getGitBranch?(): string | null;
  getExtensionStatuses?(): ReadonlyMap<string, string>;
  getAvailableProviderCount?(): number;
}

/** Shows the folder, what a session used, its model, and what extensions say. */
export class FooterComponent {
  private session: Session;
  private readonly data: Data;
  private compactsItself = true;

  constructor(session: Session, footerData: Data) {
    this.session = session;
    this.data = footerData;
  }

  setSession(session: Session): void {
    this.session = session;
  }

  setAutoCompactEnabled(enabled: boolean): void {
    this.compactsItself = enabled;
  }

  invalidate(): void {}

  dispose(): void {}

  render(width: number): string[] {
    const rows = [theme.fg("dim", this.place()), between(this.used(), theme.fg("dim", this.model()), width)];
    const statuses = [...(this.data.getExtensionStatuses?.() ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
    if (statuses.length > 0) rows.push(statuses.map(([, text]) => text.replace(/\s+/g, " ")).join(" "));
    return rows.map((row) => truncateToWidth(row, width));
  }

  private place(): string {
    const { sessionManager } = this.session;
    const cwd = sessionManager?.getCwd?.() ?? "";
    const home = ops.envGet("HOME");
    const short = home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
    const branch = this.data.getGitBranch?.();
    const name = sessionManager?.getSessionName?.();
    return `${short}${branch ? ` (${branch})` : ""}${name ? ` • ${name}` : ""}`;
  }

  private used(): string {
    const { tokens = {}, cost = 0 } = this.session.getSessionStats?.() ?? {};
    const counts: [string, number | undefined][] = [
      ["↑", tokens.input], ["↓", tokens.output], ["R", tokens.cacheRead], ["W", tokens.cacheWrite],
    ];
    const parts = counts.flatMap(([sign, count]) => (count ? [`${sign}${short(count)}`] : []));
    if (cost > 0) parts.push(`$${cost.toFixed(3)}`);
    const usage = this.session.getContextUsage?.();
    const window = usage?.contextWindow ?? this.session.model?.contextWindow;
    const share = typeof usage?.percent === "number" ? `${usage.percent.toFixed(1)}%` : "?";
    const filled = window ? `${share}/${short(window)}${this.compactsItself ? " (auto)" : ""}` : "";
    const color = (usage?.percent ?? 0) > 90 ? "error" : (usage?.percent ?? 0) > 70 ? "warning" : "dim";
    return theme.fg("dim", parts.map((part) => `${part} `).join("")) + theme.fg(color, filled);
  }

  private model(): string {
    const { model, thinkingLevel } = this.session;
    if (!model) return "no model";
    const provider = (this.data.getAvailableProviderCount?.() ?? 0) > 1 ? `(${model.provider}) ` : "";
    const level = model.reasoning ? ` • ${thinkingLevel === "off" || !thinkingLevel ? "thinking off" : thinkingLevel}` : "";
    return `${provider}${model.id}${level}`;
  }
}

/** Two texts at the two edges; where there is no room for both, only the first. */
function between(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap >= 2 ? left + " ".repeat(gap) + right : left;
}

/** A number of tokens in few characters. */
function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
