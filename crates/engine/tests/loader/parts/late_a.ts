import { b } from "./late_b.ts";
await new Promise((resolve) => setTimeout(resolve, 2));
export const a = "a with " + b;
