// What the operations on values throw.

/** Thrown when a value does not satisfy a type; `cause` holds the operation, the value and the errors. */
export class AssertError extends Error {
  constructor(source: string, value: unknown, errors: any[]) {
    super(source);
    const cause = { source, errors, value };
    Object.defineProperty(this, "cause", { value: cause, writable: false, configurable: false, enumerable: false });
  }
}
export class ParseError extends AssertError {
  constructor(value: unknown, errors: any[]) {
    super("Parse", value, errors);
  }
}
export class DecodeError extends AssertError {
  constructor(value: unknown, errors: any[]) {
    super("Decode", value, errors);
  }
}
export class EncodeError extends AssertError {
  constructor(value: unknown, errors: any[]) {
    super("Encode", value, errors);
  }
}

/** Thrown when a type has no value that can be made up. */
export class CreateError extends Error {
  type: any;
  constructor(type: unknown, message: string) {
    super(message);
    this.type = type;
  }
}

/** Thrown for values and types that cannot be repaired. */
export class RepairError extends Error {
  context: any;
  type: any;
  value: any;
  constructor(context: unknown, type: unknown, value: unknown, message: string) {
    super(message);
    this.context = context;
    this.type = type;
    this.value = value;
  }
}
