export let count = 0;
export function increase() {
  count += 1;
}
const secret = "named by text";
export { secret as "any text" };
export class Named {}
export default function main() {
  return "default";
}
export type Only = { type: true };
export interface Shape {
  side: number;
}
