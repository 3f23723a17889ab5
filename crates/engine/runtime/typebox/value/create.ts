// Value.Create: the plainest value of a type, from defaults where there are any.
import { lazyModule } from "../../internal/lazy.ts";
import { withContext } from "../schema/api.ts";
import { IsString, kindOf } from "../type/guards.ts";
import { clone } from "../type/make.ts";
import { CreateError } from "./failures.ts";

const algebra = lazyModule("typebox/type/actions.ts");
const template = lazyModule("typebox/type/template.ts");

function smallest(type: any): number {
  if (Object.hasOwn(type, "exclusiveMinimum") && Number.isFinite(type.exclusiveMinimum)) return type.exclusiveMinimum + 1;
  return Object.hasOwn(type, "minimum") ? type.minimum : 0;
}

function create(context: any, type: any): any {
  if (Object.hasOwn(type, "default")) return typeof type.default === "function" ? type.default(type) : clone(type.default);
  const has = (keyword: string) => Object.hasOwn(type, keyword);
  switch (kindOf(type)) {
    case "Array":
      if (has("uniqueItems")) throw new CreateError(type, "Arrays with uniqueItems constraints must specify a default annotation");
      return Array.from({ length: type.minItems ?? 0 }, () => create(context, type.items));
    case "BigInt":
      if (has("exclusiveMinimum")) return BigInt(type.exclusiveMinimum) + 1n;
      return has("minimum") ? BigInt(type.minimum) : 0n;
    case "Boolean": return false;
    case "Constructor": {
      const instance = create(context, type.instanceType);
      return class {
        constructor() {
          Object.assign(this, instance);
        }
      };
    }
    case "Cyclic": {
      const inner = { ...context, ...type.$defs };
      return reference(inner, type);
    }
    case "Enum": return create(context, algebra().Evaluate(type));
    case "Function": {
      const result = create(context, type.returnType);
      return () => result;
    }
    case "Integer":
    case "Number": return smallest(type);
    case "Intersect": return create(context, algebra().Evaluate(algebra().Instantiate(context, type)));
    case "Literal": return type.const;
    case "Never": throw new CreateError(type, "Cannot create TNever types");
    case "Null": return null;
    case "Object": {
      const result: any = {};
      for (const key of type.required ?? []) result[key] = create(context, type.properties[key]);
      return result;
    }
    case "Record":
      if (has("minProperties")) {
        throw new CreateError(type, "Record with the minProperties constraint must have a default annotation");
      }
      return {};
    case "Ref": return reference(context, type);
    case "String":
      if (has("pattern") || has("format")) throw Error("Strings with format or pattern constraints must specify default");
      return " ".repeat(type.minLength ?? 0);
    case "Symbol": return Symbol();
    case "TemplateLiteral": {
      const decoded = template().decodePattern(type.pattern);
      if (IsString(decoded)) throw new CreateError(type, "Unable to create TemplateLiteral due to infinite type expansion");
      return create(context, decoded);
    }
    case "Tuple": return Array.from({ length: type.minItems }, (_, at) => create(context, type.items[at]));
    case "Union":
      if (type.anyOf.length === 0) throw Error("Unable to create Union with no variants");
      return create(context, type.anyOf[0]);
    default: return undefined;
  }
}

function reference(context: any, type: any): any {
  if (!Object.hasOwn(context, type.$ref)) throw new CreateError(type, "Unable to deref Ref");
  return create(context, context[type.$ref]);
}

/** A value of the type. */
export function Create(...given: any[]): any {
  const [context, type] = withContext(given, 1);
  return create(context, type);
}
