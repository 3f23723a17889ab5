// @sinclair/typebox/syntax: the forerunner of `Type.Script`.
import { lazyModule } from "../internal/lazy.ts";
import { absentNames, forwarders } from "./forward.ts";

export const { Script: Syntax } = forwarders(lazyModule("typebox/type/script.ts"));
export const { NoInfer } = absentNames("@sinclair/typebox/syntax");
