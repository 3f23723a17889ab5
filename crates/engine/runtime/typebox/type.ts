// typebox/type: the same names as the root.
export * from "./index.ts";
