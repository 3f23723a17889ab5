// The choice of a model.
import { theme } from "../../../host/theme.ts";
import { isKey, shade, type InnerList } from "./panel.ts";
import { SearchPanel } from "./search_panel.ts";

/** What of a model is shown. */
type Model = { provider: string; id: string; name?: string };

/** Takes one of the models that were given. */
type Take = (model: never) => void;

type Scoped = { model: Model; thinkingLevel?: string };

/** What knows the models. */
interface Models {
  getAvailableSnapshot?(): readonly Model[];
  getAvailable?(): readonly Model[] | Promise<readonly Model[]>;
  getError?(): string | undefined;
}

/** What of the screen is used. */
type Screen = { requestRender?: () => void };

const isSame = (one: Model | undefined, other: { provider: string; id: string } | undefined) =>
  !!one && !!other && one.provider === other.provider && one.id === other.id;

/** Asks for one of the models that can be used. */
export class ModelSelectorComponent extends SearchPanel<Model> {
  private readonly all: readonly Model[];
  private readonly scoped: readonly Model[];
  private isScoped: boolean;
  private isClosed = false;
  private readonly onSelectAsDefault: Take | undefined;

  constructor(
    tui: Screen, currentModel: Model | undefined, modelRuntime: Models, scopedModels: readonly Scoped[],
    onSelect: Take, onCancel: () => void, initialSearchInput?: string, onSelectAsDefault?: Take, defaultModel?: { provider: string; id: string },
  ) {
    const known = modelRuntime.getAvailableSnapshot?.() ?? modelRuntime.getAvailable?.() ?? [];
    const all: readonly Model[] = Array.isArray(known) ? known : [];
    const scoped = scopedModels.map(({ model }) => model);
    const keys: [string, string][] = [];
    if (scoped.length > 0) keys.push(["tui.input.tab", "all or scoped"]);
    if (onSelectAsDefault) keys.push(["app.models.save", "make it the default"]);
    super({
      title: "Model",
      items: scoped.length > 0 ? scoped : all,
      text: ({ provider, id, name = "" }) => `${provider}/${id} ${name}`,
      row: (model, isSelected) => {
        const mark = isSame(model, currentModel) ? theme.fg("success", " ✓") : "";
        const usual = isSame(model, defaultModel) ? theme.fg("muted", " · default") : "";
        return `${shade(model.id, isSelected)}${theme.fg("muted", ` [${model.provider}]`)}${mark}${usual}`;
      },
      isCurrent: (model) => isSame(model, currentModel),
      empty: "No models",
      search: initialSearchInput,
      onSelect: (model) => {
        this.dispose();
        onSelect(model as never);
      },
      onCancel: () => {
        this.dispose();
        onCancel();
      },
      keys,
    });
    this.all = all;
    this.scoped = scoped;
    this.isScoped = scoped.length > 0;
    this.onSelectAsDefault = onSelectAsDefault;
    const problem = modelRuntime.getError?.();
    if (problem) this.say(problem, "error");
    // One that has no list at hand makes it.
    if (!Array.isArray(known)) void this.follow(Promise.resolve(known), tui);
  }

  private async follow(coming: Promise<readonly Model[]>, tui: Screen): Promise<void> {
    try {
      const models = await coming;
      if (this.isClosed) return;
      Object.assign(this, { all: models });
      if (!this.isScoped) this.setItems(models);
    } catch (error) {
      if (!this.isClosed) this.say(error instanceof Error ? error.message : String(error), "error");
    }
    tui.requestRender?.();
  }

  handleInput(keyData: string): void {
    const model = this.list.current;
    if (this.scoped.length > 0 && isKey(keyData, "tui.input.tab")) {
      this.isScoped = !this.isScoped;
      this.setItems(this.isScoped ? this.scoped : this.all);
    } else if (this.onSelectAsDefault && isKey(keyData, "app.models.save")) {
      if (model) this.onSelectAsDefault(model as never);
    } else {
      super.handleInput(keyData);
    }
  }

  /** Where what is typed stands. */
  getSearchInput(): InnerList {
    return this.searchInput as InnerList;
  }

  /** Nothing is waited for any more. */
  dispose(): void {
    this.isClosed = true;
  }
}
