// The symbols by which version 0.34 marked its schemas. Version 1 marks with hidden `~` properties,
// which is what the builders here do; the symbols exist for code that names them.
export const TransformKind = Symbol.for("TypeBox.Transform");
export const ReadonlyKind = Symbol.for("TypeBox.Readonly");
export const OptionalKind = Symbol.for("TypeBox.Optional");
export const Hint = Symbol.for("TypeBox.Hint");
export const Kind = Symbol.for("TypeBox.Kind");
