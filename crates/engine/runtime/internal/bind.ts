// `Function.prototype.bind` for any number of arguments. The engine's own keeps all of them in one piece of memory, and
// does not survive it when there is none for a large one. So no piece is large: many arguments are bound in groups.
import { apply, define, defineProperty } from "./primordials.ts";

const native = Function.prototype.bind;

/** The most arguments of one group: together they take less than what the engine is never refused. */
const GROUP = 200;

const { bind } = {
  bind(this: any, that: unknown) {
    if (arguments.length <= GROUP) return apply(native, this, arguments);
    let bound = this;
    for (let at = 1; at < arguments.length; at += GROUP) {
      const group = [that];
      for (let index = at; index < at + GROUP && index < arguments.length; index++) {
        define(group, (index - at + 1) as any, arguments[index]);
      }
      bound = apply(native, bound, group);
    }
    const name = typeof this.name === "string" ? this.name : "";
    return defineProperty(bound, "name", { __proto__: null, value: `bound ${name}`, configurable: true } as any);
  },
};

/** Puts it in the place of the engine's. */
export function installBind(): void {
  defineProperty(Function.prototype, "bind", { __proto__: null, value: bind } as any);
}
