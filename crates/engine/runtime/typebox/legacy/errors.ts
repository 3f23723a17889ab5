// Validation errors in the form version 0.34 gave them.

const names =
  "ArrayContains ArrayMaxContains ArrayMaxItems ArrayMinContains ArrayMinItems ArrayUniqueItems Array AsyncIterator " +
  "BigIntExclusiveMaximum BigIntExclusiveMinimum BigIntMaximum BigIntMinimum BigIntMultipleOf BigInt Boolean " +
  "DateExclusiveMaximumTimestamp DateExclusiveMinimumTimestamp DateMaximumTimestamp DateMinimumTimestamp " +
  "DateMultipleOfTimestamp Date Function IntegerExclusiveMaximum IntegerExclusiveMinimum IntegerMaximum IntegerMinimum " +
  "IntegerMultipleOf Integer IntersectUnevaluatedProperties Intersect Iterator Kind Literal Never Not Null " +
  "NumberExclusiveMaximum NumberExclusiveMinimum NumberMaximum NumberMinimum NumberMultipleOf Number " +
  "ObjectAdditionalProperties ObjectMaxProperties ObjectMinProperties ObjectRequiredProperty Object Promise RegExp " +
  "StringFormatUnknown StringFormat StringMaxLength StringMinLength StringPattern String Symbol TupleLength Tuple " +
  "Uint8ArrayMaxByteLength Uint8ArrayMinByteLength Uint8Array Undefined Union Void";

/** The codes of errors, by name and by number. */
export const ValueErrorType: any = {};
names.split(" ").forEach((name, code) => {
  ValueErrorType[name] = code;
  ValueErrorType[code] = name;
});

/** A list of errors that is read one by one. */
export class ValueErrorIterator {
  iterator: any;
  constructor(iterator: unknown) {
    this.iterator = iterator;
  }
  [Symbol.iterator]() {
    return this.iterator;
  }
  /** The first error, if there is one. */
  First(): any {
    const next = this.iterator.next();
    return next.done ? undefined : next.value;
  }
}
