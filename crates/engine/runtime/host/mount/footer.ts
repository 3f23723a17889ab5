// What the footer of an extension can show of the program.
import { ops } from "tau:ops";
import { Map } from "../../internal/primordials.ts";

const listeners = new Map<() => void, () => void>();

/** What a footer gets beside the screen and the theme. */
export const footerDataOf = (extension: number) => ({
  getGitBranch: (): string | null => ops.uiBranch(extension) ?? null,
  getExtensionStatuses(): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    for (const [key, text] of ops.uiStatuses(extension)) all.set(key, text);
    return all;
  },
  getAvailableProviderCount: (): number => ops.uiProviders(extension),
  onBranchChange(callback: () => void): () => void {
    const own = () => callback();
    listeners.set(own, own);
    return () => void listeners.delete(own);
  },
});

/** Tells those who listen that another branch is checked out. */
export const tellBranch = (): void => listeners.forEach((listener) => listener());
