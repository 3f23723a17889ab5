// typebox/compile. Code is never generated here: a validator walks its schema.
import { lazyModule } from "../internal/lazy.ts";
import { absentNames } from "./forward.ts";
import { withContext } from "./schema/api.ts";
import { isValid } from "./schema/check.ts";
import { current } from "./settings.ts";
import { Errors } from "./value/assert.ts";
import { ParseError } from "./value/failures.ts";

const value = lazyModule("typebox/value.ts");

/** A type with the operations of `typebox/value` bound to it. */
export class Validator {
  #context: any;
  #type: any;
  #hasCodec: boolean | undefined;
  constructor(context: unknown, type: unknown) {
    this.#context = context;
    this.#type = type;
  }
  /** Whether generated code is in use; it never is. */
  IsAccelerated(): boolean {
    return false;
  }
  Context(): any {
    return this.#context;
  }
  Type(): any {
    return this.#type;
  }
  Code(): string {
    return absentNames("typebox/compile").Code();
  }
  Check(given: unknown): boolean {
    return isValid(this.#context, this.#type, given);
  }
  Errors(given: unknown): any[] {
    return Errors(this.#context, this.#type, given);
  }
  Parse(given: unknown): any {
    if (this.Check(given)) return given;
    if (current.correctiveParse) return value().Parser(this.#context, this.#type, given);
    throw new ParseError(given, this.Errors(given));
  }
  Clean(given: unknown): any {
    return value().Clean(this.#context, this.#type, given);
  }
  Convert(given: unknown): any {
    return value().Convert(this.#context, this.#type, given);
  }
  Create(): any {
    return value().Create(this.#context, this.#type);
  }
  Default(given: unknown): any {
    return value().Default(this.#context, this.#type, given);
  }
  Decode(given: unknown): any {
    return this.#codec() ? value().Decode(this.#context, this.#type, given) : this.Parse(given);
  }
  Encode(given: unknown): any {
    return this.#codec() ? value().Encode(this.#context, this.#type, given) : this.Parse(given);
  }
  #codec(): boolean {
    return (this.#hasCodec ??= value().HasCodec(this.#context, this.#type));
  }
}

/** `Compile(type)` or `Compile(context, type)`. */
export function Compile(...given: any[]): Validator {
  const [context, type] = withContext(given, 1);
  return new Validator(context, type);
}
export const { Code } = absentNames("typebox/compile");
export default Compile;
