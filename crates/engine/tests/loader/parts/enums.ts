export enum Plain {
  A,
  B = 5,
  C,
  Text = "text",
  Computed = "abc".length,
  Same = B,
}
export const enum Fixed {
  One = 1,
  Two = One << 1,
}
export enum Plain {
  More = 100,
}
export const fixed = Fixed.Two;
export function Merged() {
  return Merged.extra;
}
export namespace Merged {
  export const extra = "extra";
  export namespace Deep {
    export const value = extra + "!";
  }
}
export namespace Merged {
  export const second = Merged.extra;
}
export class Holder {
  made = Holder.Kind.First;
}
export namespace Holder {
  export enum Kind {
    First = 1,
  }
}
export declare const nothing: number;
export abstract class Base {
  abstract name(): string;
  declare later: string;
  constructor(protected readonly first: string, public second = 2) {}
  both() {
    return `${this.first}${this.second}`;
  }
}
