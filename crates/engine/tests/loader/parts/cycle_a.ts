import { b, readA } from "./cycle_b.ts";
export const a = "a";
export const fromB = b;
export const seen = readA();
export function hoisted() {
  return "hoisted";
}
