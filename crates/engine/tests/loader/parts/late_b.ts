import * as back from "./late_a.ts";
await null;
export const b = "b";
export const later = () => back.a;
