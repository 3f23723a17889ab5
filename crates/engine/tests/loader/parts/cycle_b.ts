import { a, hoisted } from "./cycle_a.ts";
export const b = "b";
export const early = typeof hoisted;
export const readA = () => a;
