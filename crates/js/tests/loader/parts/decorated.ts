export const log: string[] = [];
function named(text: string): any {
  return (target: any, key?: any, place?: any) => {
    const kind = key === undefined ? "class" : typeof place === "number" ? "parameter" : "member";
    log.push(`${text}:${kind}:${String(key ?? target.name)}`);
  };
}
function twice(_target: any, _key: string, descriptor: PropertyDescriptor) {
  const original = descriptor.value;
  descriptor.value = function (this: any, ...args: any[]) {
    return [original.apply(this, args), original.apply(this, args)];
  };
}
@named("c")
export class Decorated {
  static made = "static";
  @named("m")
  @twice
  greet(@named("p") who: string) {
    return `hello ${who}`;
  }
}
