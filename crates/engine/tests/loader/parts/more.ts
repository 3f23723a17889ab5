export * as values from "./values.ts";
export { default, default as renamed, count as "still live", Only, Shape } from "./values.ts";
export * from "./values.ts";
export { nothing } from "./values.ts";
export const own = "more";
