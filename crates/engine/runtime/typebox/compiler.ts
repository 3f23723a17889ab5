// @sinclair/typebox/compiler: validators as version 0.34 had them.
import { absentNames } from "./forward.ts";
import { isValid } from "./schema/check.ts";
import { checkErrors } from "./schema/api.ts";
import { lazyModule } from "../internal/lazy.ts";
import { ValueErrorIterator } from "./legacy/errors.ts";

export { ValueErrorIterator, ValueErrorType } from "./legacy/errors.ts";

const value = lazyModule("typebox/value.ts");
const old = lazyModule("typebox/legacy/convert_errors.ts");

/** A compiled type. */
export class TypeCheck {
  #schema: any;
  #references: any[];
  #context: any;
  constructor(schema: unknown, references: any[] = []) {
    this.#schema = schema;
    this.#references = references;
    this.#context = Object.fromEntries(references.map((reference) => [reference.$id, reference]));
  }
  Code(): string {
    return TypeCompiler.Code();
  }
  Schema(): any {
    return this.#schema;
  }
  References(): any[] {
    return this.#references;
  }
  Check(given: unknown): boolean {
    return isValid(this.#context, this.#schema, given);
  }
  Errors(given: unknown): ValueErrorIterator {
    const errors = checkErrors(this.#context, this.#schema, given)[1];
    return new ValueErrorIterator(old().legacyErrors(this.#schema, given, errors));
  }
  Decode(given: unknown): any {
    return value().Decode(this.#context, this.#schema, given);
  }
  Encode(given: unknown): any {
    return value().Encode(this.#context, this.#schema, given);
  }
}

const { IsExactOptionalProperty, IsObjectLike, IsRecordLike, IsNumberLike, IsVoidLike } = absentNames("@sinclair/typebox/compiler");
/** Writers of generated code, which does not exist here. */
export const Policy = { IsExactOptionalProperty, IsObjectLike, IsRecordLike, IsNumberLike, IsVoidLike };
export class TypeCompilerUnknownTypeError extends Error {}
export class TypeCompilerTypeGuardError extends Error {}

/** Version 0.34's compiler. `Code` has nothing to show: no code is generated. */
export const TypeCompiler = {
  Compile: (schema: unknown, references?: any[]) => new TypeCheck(schema, references),
  Code: (): string => absentNames("@sinclair/typebox/compiler").Code(),
};
