export const log: string[] = [];
function named(text: string): any {
  return (target: any, key?: any, place?: any) => {
    const kind = key === undefined ? "class" : typeof place === "number" ? "parameter" : "member";
    log.push(`${text}:${kind}:${String(key ?? target.name)}`);
  };
}
@named("c")
export class Decorated {
  static made = "static";
  @named("m")
  greet(@named("p") who: string) {
    return `hello ${who}`;
  }
}
