// node:console: the console of extensions, and the class to make others.
import { Console, console } from "../internal/console.ts";

export const {
  log,
  warn,
  dir,
  time,
  timeEnd,
  timeLog,
  trace,
  assert,
  clear,
  count,
  countReset,
  group,
  groupEnd,
  table,
  debug,
  info,
  dirxml,
  error,
  groupCollapsed,
  profile,
  profileEnd,
  timeStamp,
} = console;
export { Console };
export default console;
