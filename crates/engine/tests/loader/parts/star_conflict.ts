export * from "./values.ts";
export const count = "mine";
