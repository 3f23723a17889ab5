// `Type.Script`: reads types written in TypeScript and builds them.
import { Instantiate } from "./actions.ts";
import * as b from "./builders.ts";
import { deferred } from "./builders.ts";
import { extended } from "./make.ts";
import { templateFromTypes } from "./actions.ts";

const keywords: any = {
  any: b.any, bigint: b.bigint, boolean: b.boolean, integer: b.integer, never: b.never, null: b.nil,
  number: b.number, object: () => b.object({}), string: b.string, symbol: b.symbol, this: b.self,
  undefined: b.undef, unknown: b.unknown, void: b.nothing, true: () => b.literal(true), false: () => b.literal(false),
};
// Names of TypeScript's (and TypeBox's) own generic types, with the action behind each.
const utilities: any = { Readonly: "ReadonlyObject" };
for (const name of (
  "Capitalize ConstructorParameters Evaluate Exclude Extract Index InstanceType Lowercase NonNullable Omit " +
  "Parameters Partial Pick KeyOf Record Required ReturnType Uncapitalize Uppercase"
).split(" ")) utilities[name] = name;

class Unreadable extends Error {}

/** A recursive descent reader over one source text. */
class Reader {
  text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }

  /** Skips blanks and comments, then matches a sticky expression. */
  match(pattern: RegExp): RegExpExecArray | null {
    const blank = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
    blank.lastIndex = this.at;
    blank.exec(this.text);
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = blank.lastIndex;
    const found = sticky.exec(this.text);
    if (found) this.at = sticky.lastIndex;
    return found;
  }
  take(text: string): boolean {
    const word = /^\w/.test(text) ? `${text}(?![\\w$])` : text.replace(/[[\]{}()|?.*+^$]/g, "\\$&");
    return this.match(new RegExp(word)) !== null;
  }
  expect(text: string) {
    if (!this.take(text)) throw new Unreadable(text);
  }
  name(): string | undefined {
    return this.match(/[A-Za-z_$][\w$]*/)?.[0];
  }
  mustName(): string {
    const name = this.name();
    if (name === undefined) throw new Unreadable("name");
    return name;
  }
  /** Runs `read`; goes back to where it began when the text does not fit. */
  attempt<T>(read: () => T): T | undefined {
    const start = this.at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.at = start;
      return undefined;
    }
  }
  list<T>(close: string, separator: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.take(close)) {
      items.push(read());
      if (!this.take(separator) && !this.match(new RegExp(`(?=\\${close})`))) throw new Unreadable(close);
    }
    return items;
  }

  type(): any {
    const left = this.union();
    if (this.take("extends")) {
      const right = this.union();
      this.expect("?");
      const whenTrue = this.type();
      this.expect(":");
      return deferred("Conditional", [left, right, whenTrue, this.type()]);
    }
    return this.take("with") ? deferred("With", [left, this.json()]) : left;
  }
  json(): any {
    if (this.take("{")) {
      return Object.fromEntries(
        this.list("}", ",", () => {
          const key = this.key();
          this.expect(":");
          return [key, this.json()];
        }),
      );
    }
    if (this.take("[")) return this.list("]", ",", () => this.json());
    const literal = this.literal();
    if (literal) return literal.const;
    if (this.take("null")) return null;
    if (this.take("true")) return true;
    this.expect("false");
    return false;
  }
  union(): any {
    return this.chain("|", b.union, () => this.chain("&", b.intersect, () => this.operand()));
  }
  chain(operator: string, build: (types: any[]) => any, read: () => any): any {
    this.take(operator);
    const types = [read()];
    while (this.take(operator)) types.push(read());
    return types.length === 1 ? types[0] : build(types);
  }
  operand(): any {
    if (this.take("keyof")) return deferred("KeyOf", [this.operand()]);
    if (this.take("readonly")) return deferred("AddImmutable", [this.operand()]);
    if (this.take("infer")) {
      const name = this.mustName();
      return b.infer(name, this.attempt(() => (this.expect("extends"), this.inferBound())));
    }
    let type = this.primary();
    while (this.take("[")) {
      if (this.take("]")) type = b.array(type);
      else {
        type = deferred("Index", [type, this.type()]);
        this.expect("]");
      }
    }
    return type;
  }
  /** `infer X extends T` must leave the `?` of an enclosing conditional type alone. */
  inferBound(): any {
    const type = this.union();
    if (this.match(/(?=\?)/)) throw new Unreadable("?");
    return type;
  }
  primary(): any {
    const literal = this.literal();
    if (literal) return literal;
    if (this.take("`")) return templateFromTypes(this.template("`"));
    if (this.take("new")) return this.callable(b.construct);
    if (this.match(/(?=[(<])/)) {
      const callable = this.attempt(() => this.callable(b.func));
      if (callable) return callable;
      this.expect("(");
      const type = this.type();
      this.expect(")");
      return type;
    }
    if (this.take("{")) return this.attempt(() => this.mapped()) ?? this.objectType();
    if (this.take("[")) return b.tuple(this.list("]", ",", () => this.element()));
    if (this.take("if")) {
      const condition = this.type();
      this.expect("then");
      const then = this.type();
      return b.dependent(condition, then, this.take("else") ? this.type() : b.unknown());
    }
    const name = this.mustName();
    if (Object.hasOwn(keywords, name)) return keywords[name]();
    if (!this.take("<")) return b.ref(name);
    const given = this.list(">", ",", () => this.type());
    if (name === "Array") return b.array(given[0]);
    return Object.hasOwn(utilities, name) ? deferred(utilities[name], given) : b.callOf(b.ref(name), given);
  }
  literal(): any {
    const bigint = this.match(/-?\d+n(?![\w$])/);
    if (bigint) return b.literal(BigInt(bigint[0].slice(0, -1)));
    const number = this.match(/-?(?:\d+(?:\.\d+)?|\.\d+)/);
    if (number) return b.literal(Number(number[0]));
    const text = this.match(/"([^"\n]*)"|'([^'\n]*)'/);
    return text ? b.literal(text[1] ?? text[2]) : undefined;
  }
  /** The parts of a template up to (and past) `close`. */
  template(close: string): any[] {
    const parts: any[] = [];
    for (;;) {
      const open = this.text.indexOf("${", this.at);
      const end = close === "" ? this.text.length : this.text.indexOf(close, this.at);
      if (end < 0) throw new Unreadable(close);
      const stop = open >= 0 && open < end ? open : end;
      parts.push(b.literal(this.text.slice(this.at, stop)));
      if (stop === end) {
        this.at = end + close.length;
        return parts;
      }
      this.at = open + 2;
      parts.push(this.type());
      this.expect("}");
    }
  }
  callable(build: (parameters: any[], result: unknown) => any): any {
    this.expect("(");
    const parameters = this.list(")", ",", () => {
      const isRest = this.take("...");
      this.mustName();
      const isOptional = this.take("?");
      this.expect(":");
      const type = this.type();
      return isRest ? b.rest(type) : isOptional ? deferred("AddOptional", [type]) : type;
    });
    this.expect("=>");
    return build(parameters, this.type());
  }
  element(): any {
    const isRest = this.take("...");
    const named = this.attempt(() => {
      const isReadonly = this.take("readonly");
      this.mustName();
      const isOptional = this.take("?");
      this.expect(":");
      return this.modified(this.type(), isReadonly, isOptional);
    });
    if (named) return isRest ? b.rest(named) : named;
    const isReadonly = this.match(/readonly(?=\s+\w+\s*[,\]?])/) !== null;
    const type = this.type();
    return isRest ? b.rest(type) : this.modified(type, isReadonly, this.take("?"));
  }
  modified(type: unknown, isReadonly: boolean, isOptional: boolean): any {
    const inner = isOptional ? deferred("AddOptional", [type]) : type;
    return isReadonly ? deferred("AddReadonly", [inner]) : inner;
  }
  key(): string {
    const literal = this.literal();
    return literal ? String(literal.const) : this.mustName();
  }
  properties(): { properties: any; patternProperties: any } {
    const [properties, patternProperties]: any[] = [{}, {}];
    while (!this.take("}")) {
      const index = this.attempt(() => this.indexSignature());
      if (index) patternProperties[index.pattern] = index.type;
      else {
        const isReadonly = this.match(/readonly(?=\s+["'\w$])/) !== null;
        const key = this.key();
        const isOptional = this.take("?");
        this.expect(":");
        properties[key] = this.modified(this.type(), isReadonly, isOptional);
      }
      this.match(/[,;]/);
    }
    return { properties, patternProperties };
  }
  indexSignature(): { pattern: string; type: any } {
    this.expect("[");
    this.mustName();
    this.expect(":");
    const key = b.record(this.type(), b.unknown());
    this.expect("]");
    this.expect(":");
    return { pattern: Object.keys(key.patternProperties ?? { [b.StringKey]: 0 })[0], type: this.type() };
  }
  objectType(): any {
    const { properties, patternProperties } = this.properties();
    return b.object(properties, Object.keys(patternProperties).length > 0 ? { patternProperties } : undefined);
  }
  /** `[K in T as N]: P`, the opening brace being read already. */
  mapped(): any {
    const change = (word: string) => {
      const found = this.match(new RegExp(`([+-]?)${word}`));
      return found ? (found[1] === "-" ? "Remove" : "Add") : undefined;
    };
    const readonlyChange = change("readonly");
    this.expect("[");
    const name = this.mustName();
    this.expect("in");
    const keys = this.type();
    const as = this.take("as") ? this.type() : b.ref(name);
    this.expect("]");
    const optionalChange = change("\\?");
    this.expect(":");
    let property = this.type();
    this.match(/[,;]/);
    this.expect("}");
    if (optionalChange) property = deferred(`${optionalChange}Optional`, [property]);
    if (readonlyChange) property = deferred(`${readonlyChange}Readonly`, [property]);
    return deferred("Mapped", [b.identifier(name), keys, as, property]);
  }

  parameters(): any[] | undefined {
    if (!this.take("<")) return undefined;
    return this.list(">", ",", () => {
      const name = this.mustName();
      const constraint = this.take("extends") ? this.type() : b.unknown();
      return b.parameter(name, constraint, this.take("=") ? this.type() : constraint);
    });
  }
  declaration(): [string, any] {
    this.take("export");
    const isInterface = this.take("interface");
    if (!isInterface) this.expect("type");
    const name = this.mustName();
    const parameters = this.parameters();
    let type;
    if (isInterface) {
      const heritage = [];
      if (this.take("extends")) {
        do heritage.push(this.type());
        while (this.take(","));
      }
      this.expect("{");
      type = deferred("Interface", [heritage, this.properties().properties]);
    } else {
      this.expect("=");
      type = this.type();
    }
    this.match(/;/);
    return [name, parameters ? b.generic(parameters, type) : type];
  }
  program(): any {
    const declarations: any = {};
    for (;;) {
      const next = this.attempt(() => this.declaration());
      if (!next) break;
      declarations[next[0]] = next[1];
    }
    if (Object.keys(declarations).length > 0) return deferred("Module", [declarations]);
    return this.type();
  }
}

/** `Type.Script(source)`, `Type.Script(context, source, options)`. */
export function Script(...given: any[]): any {
  const [context, source, options] = typeof given[0] === "string" ? [{}, ...given] : given;
  const reader = new Reader(source);
  const parsed = reader.attempt(() => reader.program());
  return extended(parsed ? Instantiate(context, parsed) : b.never(), options);
}

/** The template literal type that a text with `${type}` parts describes. */
export function templateFromText(text: string, options?: unknown): any {
  return templateFromTypes(templateTypes(text), options);
}

/** The types in a text with `${type}` parts, literals between them. */
export function templateTypes(text: string): any[] {
  const reader = new Reader(text);
  return reader.attempt(() => reader.template("")) ?? [b.literal(text)];
}
