// Telling values and errors apart.

/** Whether a value is an object that is no list. */
export function isRecord(value: unknown): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The value when it is an object that is no list, else null. */
export function asRecord(value: unknown): any {
  return isRecord(value) ? value : null;
}

/** The value as an error. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

/** Whether a value is an error that carries a code. */
export function isFsError(value: unknown): boolean {
  return value instanceof Error && typeof (value as any).code === "string";
}

/** Whether a value is an error with this code. */
export function hasFsCode(value: any, code: string): boolean {
  return isFsError(value) && value.code === code;
}

const withCode = (code: string) => (value: unknown) => hasFsCode(value, code);
export const isEnoent = withCode("ENOENT");
export const isEacces = withCode("EACCES");
export const isEisdir = withCode("EISDIR");
export const isEnotdir = withCode("ENOTDIR");
export const isEexist = withCode("EEXIST");
export const isEnotempty = withCode("ENOTEMPTY");
