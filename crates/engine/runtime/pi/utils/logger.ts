// The log that hooks write to: what they write to their console, with their names and the place.

const level = (name: "debug" | "info" | "warn" | "error") =>
  (...args: any[]): void => globalThis.console[name](...args);

/** Takes a text and what goes with it. */
export const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
