/** The `DOMException` global. */

import { kInspect } from "../internal/symbols.ts";

const NAMES = [
  ["IndexSizeError", "INDEX_SIZE_ERR", 1],
  ["", "DOMSTRING_SIZE_ERR", 2],
  ["HierarchyRequestError", "HIERARCHY_REQUEST_ERR", 3],
  ["WrongDocumentError", "WRONG_DOCUMENT_ERR", 4],
  ["InvalidCharacterError", "INVALID_CHARACTER_ERR", 5],
  ["", "NO_DATA_ALLOWED_ERR", 6],
  ["NoModificationAllowedError", "NO_MODIFICATION_ALLOWED_ERR", 7],
  ["NotFoundError", "NOT_FOUND_ERR", 8],
  ["NotSupportedError", "NOT_SUPPORTED_ERR", 9],
  ["InUseAttributeError", "INUSE_ATTRIBUTE_ERR", 10],
  ["InvalidStateError", "INVALID_STATE_ERR", 11],
  ["SyntaxError", "SYNTAX_ERR", 12],
  ["InvalidModificationError", "INVALID_MODIFICATION_ERR", 13],
  ["NamespaceError", "NAMESPACE_ERR", 14],
  ["InvalidAccessError", "INVALID_ACCESS_ERR", 15],
  ["", "VALIDATION_ERR", 16],
  ["TypeMismatchError", "TYPE_MISMATCH_ERR", 17],
  ["SecurityError", "SECURITY_ERR", 18],
  ["NetworkError", "NETWORK_ERR", 19],
  ["AbortError", "ABORT_ERR", 20],
  ["URLMismatchError", "URL_MISMATCH_ERR", 21],
  ["QuotaExceededError", "QUOTA_EXCEEDED_ERR", 22],
  ["TimeoutError", "TIMEOUT_ERR", 23],
  ["InvalidNodeTypeError", "INVALID_NODE_TYPE_ERR", 24],
  ["DataCloneError", "DATA_CLONE_ERR", 25],
] as const;

export class DOMException extends Error {
  #name: string;

  constructor(message = "", nameOrOptions: string | { name?: string; cause?: unknown } = "Error") {
    super(String(message));
    if (nameOrOptions !== null && typeof nameOrOptions === "object") {
      this.#name = String(nameOrOptions.name ?? "Error");
      if ("cause" in nameOrOptions) {
        Object.defineProperty(this, "cause", {
          value: nameOrOptions.cause,
          writable: true,
          configurable: true,
        });
      }
    } else {
      this.#name = String(nameOrOptions);
    }
  }

  override get name(): string {
    return this.#name;
  }

  /** The number that old programs compare; 0 for names without one. */
  get code(): number {
    return NAMES.find(([name]) => name === this.#name)?.[2] ?? 0;
  }

  [kInspect](): string {
    return this.stack?.startsWith(this.#name) ? this.stack : `${this}\n${this.stack ?? ""}`;
  }
}

for (const [, constant, value] of NAMES) {
  const property = { value, enumerable: true };
  Object.defineProperty(DOMException, constant, property);
  Object.defineProperty(DOMException.prototype, constant, property);
}
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: "DOMException", configurable: true });
