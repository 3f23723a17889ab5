// Keys as hints show them.
import { ops } from "tau:ops";
import { theme } from "../../host/theme.ts";
import { getEditorKeybindings, getKeybindings } from "../tui/index.ts";

// What the keys of the application are unless a user changed them.
const APP = `app.interrupt=escape app.clear=ctrl+c app.exit=ctrl+d app.suspend=ctrl+z app.thinking.cycle=shift+tab
  app.thinking.save=ctrl+s app.model.cycleForward=ctrl+p app.model.cycleBackward=shift+ctrl+p app.model.select=ctrl+l
  app.tools.expand=ctrl+o app.thinking.toggle=ctrl+t app.session.toggleNamedFilter=ctrl+n app.editor.external=ctrl+g
  app.message.copy=ctrl+x app.message.followUp=alt+enter app.message.dequeue=alt+up app.clipboard.pasteImage=ctrl+v
  app.tree.foldOrUp=ctrl+left,alt+left app.tree.unfoldOrDown=ctrl+right,alt+right app.tree.editLabel=shift+l
  app.tree.toggleLabelTimestamp=shift+t app.session.togglePath=ctrl+p app.session.toggleSort=ctrl+s
  app.session.rename=ctrl+r app.session.delete=ctrl+d app.session.deleteNoninvasive=ctrl+backspace
  app.models.save=ctrl+s app.models.enableAll=ctrl+a app.models.clearAll=ctrl+x app.models.toggleProvider=ctrl+p
  app.models.reorderUp=alt+up app.models.reorderDown=alt+down app.tree.filter.default=ctrl+d
  app.tree.filter.noTools=ctrl+t app.tree.filter.userOnly=ctrl+u app.tree.filter.labeledOnly=ctrl+l
  app.tree.filter.all=ctrl+a app.tree.filter.cycleForward=ctrl+o app.tree.filter.cycleBackward=shift+ctrl+o`;

// The actions that older extensions name, and what they are called today.
const OLDER = `interrupt=interrupt clear=clear exit=exit suspend=suspend cycleThinkingLevel=thinking.cycle
  cycleModelForward=model.cycleForward cycleModelBackward=model.cycleBackward selectModel=model.select
  expandTools=tools.expand toggleThinking=thinking.toggle toggleSessionNamedFilter=session.toggleNamedFilter
  externalEditor=editor.external followUp=message.followUp dequeue=message.dequeue pasteImage=clipboard.pasteImage
  newSession=session.new tree=session.tree fork=session.fork resume=session.resume`;

function pairs(text: string): Map<string, string> {
  return new Map(text.trim().split(/\s+/).map((pair) => pair.split("=") as [string, string]));
}

let app: Map<string, string> | undefined;
let older: Map<string, string> | undefined;

function keysOf(action: string): string[] {
  if (action.includes(".")) {
    const bound = getKeybindings().getKeys(action);
    if (bound?.length) return bound;
    app ??= pairs(APP);
    return app.get(action)?.split(",") ?? [];
  }
  const bound = getEditorKeybindings().getKeys(action);
  if (bound?.length) return bound;
  older ??= pairs(OLDER);
  const name = older.get(action);
  return name ? keysOf(`app.${name}`) : [];
}

function shown(keys: string): string {
  return ops.platform === "darwin" ? keys.replace(/\balt\b/gi, "option") : keys;
}

/** The keys of an action, such as `escape/ctrl+c`; empty when it has none. */
export function keyText(action: string): string {
  return shown(keysOf(action).join("/"));
}

const hint = (keys: string, description: string) => theme.fg("dim", keys) + theme.fg("muted", ` ${description}`);

/** The keys of an action with what they do. */
export function keyHint(action: string, description: string): string {
  return hint(keyText(action), description);
}

/** A key with what it does. */
export function rawKeyHint(key: string, description: string): string {
  return hint(shown(key), description);
}

/** The keys of an editor's action. */
export function editorKey(action: string): string {
  return keyText(action);
}

/** The keys of an action, as these keybindings have them. */
export function appKey(keybindings: any, action: string): string {
  return shown(keybindings.getKeys(action).join("/"));
}

/** {@link appKey} with what they do. */
export function appKeyHint(keybindings: unknown, action: string, description: string): string {
  return hint(appKey(keybindings, action), description);
}
