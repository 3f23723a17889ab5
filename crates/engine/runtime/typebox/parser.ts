// @sinclair/typebox/parser: parser combinators, which nothing but TypeBox itself uses.
import { absentNames } from "./forward.ts";

const {
  Array, As, Const, Context, Guard, Ident, Identity, Module, Number, Optional, Parse, Ref, String, Token, Tuple, Union,
} = absentNames("@sinclair/typebox/parser");
export const Runtime: any = {
  Array, As, Const, Context, Guard, Ident, Identity, Module, Number, Optional, Parse, Ref, String, Token, Tuple, Union,
};
export const Static: any = { Token };
