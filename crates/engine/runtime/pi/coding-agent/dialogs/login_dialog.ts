// Logging in to a provider: addresses to open, codes, and questions.
import { theme } from "../../../host/theme.ts";
import { importNow } from "../../../internal/loader.ts";
import { Container } from "../../tui/component.ts";
import { Input } from "../../tui/input.ts";
import { hyperlink } from "../../tui/image_protocol.ts";
import { Spacer } from "../../tui/spacer.ts";
import { Text } from "../../tui/text.ts";
import { hints, isKey, Panel } from "./panel.ts";

/** What of the screen is used. */
type Screen = { requestRender(): void };

/** A code that is entered on a page. */
type DeviceCode = { userCode: string; verificationUri: string; verificationUriComplete?: string };

type Link = { url: string; label?: string };

/** Shows a login step by step. */
export class LoginDialogComponent extends Panel {
  private readonly content = new Container();
  private readonly screen: Screen;
  private readonly onComplete: (success: boolean, message?: string) => void;
  private readonly cancelled = new AbortController();
  private input: Input | undefined;
  private waiting: { resolve: (text: string) => void; reject: (error: Error) => void } | undefined;
  private address: string | undefined;
  private hasFocus = false;

  constructor(
    tui: Screen, providerId: string, onComplete: (success: boolean, message?: string) => void, providerNameOverride?: string,
    titleOverride?: string,
  ) {
    super(titleOverride ?? `Log in to ${providerNameOverride ?? providerId}`);
    this.screen = tui;
    this.onComplete = onComplete;
    this.addChild(this.content);
    this.close(hints(["tui.select.cancel", "cancel"]));
  }

  /** Fires when the user cancels. */
  get signal(): AbortSignal {
    return this.cancelled.signal;
  }

  get focused(): boolean {
    return this.hasFocus;
  }

  set focused(hasFocus: boolean) {
    this.hasFocus = hasFocus;
    if (this.input) this.input.focused = hasFocus;
  }

  /** Shows the address to log in at. */
  showAuth(url: string, instructions?: string): void {
    this.content.clear();
    this.address = url;
    this.show(hyperlink(theme.fg("accent", url), url));
    if (instructions) this.show(theme.fg("warning", instructions));
    this.show(hints(["app.message.copy", "copy the address"]));
  }

  /** Shows a code, and the address where it is entered. */
  showDeviceCode({ userCode, verificationUri, verificationUriComplete }: DeviceCode): void {
    this.content.clear();
    this.address = verificationUriComplete ?? verificationUri;
    this.show(hyperlink(theme.fg("accent", verificationUri), this.address));
    this.show(theme.fg("warning", `Enter this code: ${theme.bold(userCode)}`));
    this.show(hints(["app.message.copy", "copy the address"]));
  }

  /** Asks for what a page shows at its end. */
  showManualInput(prompt: string): Promise<string> {
    return this.ask(prompt);
  }

  /** Asks something, below what is shown already. */
  showPrompt(message: string, placeholder?: string): Promise<string> {
    return this.ask(message, placeholder);
  }

  /** Shows lines before the next step. */
  showDetails(lines: string[]): void {
    for (const line of lines) this.show(theme.fg("muted", line));
  }

  /** Shows what a provider has to say. */
  showInfo(message: string, links: readonly Link[] = [], showCloseHint = false): void {
    this.content.clear();
    this.show(message);
    for (const { url, label } of links) this.show(hyperlink(theme.fg("accent", label ? `${label}: ${url}` : url), url));
    if (showCloseHint) this.show(hints(["tui.select.cancel", "close"]));
  }

  /** Shows that something is waited for. */
  showWaiting(message: string): void {
    this.show(theme.fg("muted", message));
  }

  /** Shows how far it is. */
  showProgress(message: string): void {
    this.show(theme.fg("muted", message));
  }

  private show(text: string): void {
    this.content.addChild(new Text(text, 1, 0));
    this.screen.requestRender();
  }

  private ask(message: string, placeholder?: string): Promise<string> {
    this.waiting?.reject(new Error("Login cancelled"));
    this.show(theme.fg("text", message));
    const input = new Input({ placeholder });
    input.focused = this.hasFocus;
    this.input = input;
    this.content.addChild(new Spacer(1));
    this.content.addChild(input);
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  handleInput(data: string): void {
    if (isKey(data, "tui.select.cancel")) return this.cancel();
    if (this.input && isKey(data, "tui.select.confirm")) return this.answer(this.input);
    if (this.address && isKey(data, "app.message.copy")) {
      void importNow("tau:pi/coding-agent/clipboard.ts").copyToClipboard(this.address);
      return;
    }
    this.input?.handleInput(data);
  }

  /** What was written stays to be read. */
  private answer(input: Input): void {
    const { waiting } = this;
    const text = input.getValue();
    this.content.removeChild(input);
    this.content.addChild(new Text(theme.fg("muted", `> ${text}`), 1, 0));
    this.input = undefined;
    this.waiting = undefined;
    waiting?.resolve(text);
  }

  private cancel(): void {
    if (this.cancelled.signal.aborted) return;
    this.cancelled.abort();
    this.waiting?.reject(new Error("Login cancelled"));
    this.waiting = undefined;
    this.onComplete(false, "Login cancelled");
  }
}
