// Parts of the type algebra under their published names.
import * as algebra from "./algebra.ts";
import { object } from "./builders.ts";
import { extendsResult, openCyclic, resultGuards as guards } from "./extends.ts";
import { cyclicType, dependencies, isCyclic } from "./module.ts";
import * as record from "./record.ts";
import * as template from "./template.ts";
import { templateFromText, templateTypes } from "./script.ts";
import { templateFromTypes } from "./actions.ts";

export const Broaden = algebra.broaden;
export const CanComposite = algebra.canComposite;
export const CollapseToObject = (type: unknown) => object(algebra.propertiesOf(type));
export const Compare = algebra.compare;
export const CyclicCandidates = (context: any) =>
  Object.getOwnPropertyNames(context).filter((name) => isCyclic([name], context, context[name]));
export const CyclicCheck = isCyclic;
export const CyclicDependencies = dependencies;
export const CyclicExtends = openCyclic;
export const CyclicTarget = algebra.cyclicTarget;
export const Distribute = algebra.distribute;
export const EvaluateDependent = algebra.evaluateDependent;
export const EvaluateEnum = algebra.evaluateEnum;
export const EvaluateIntersect = algebra.evaluateIntersect;
export const EvaluateTemplateLiteral = algebra.evaluateTemplate;
export const EvaluateType = algebra.evaluate;
export const EvaluateUnion = algebra.evaluateUnion;
export const EvaluateUnionFast = algebra.unionOf;
export const Extends = extendsResult;
export const Flatten = algebra.flatten;
export const IndexerKeys = algebra.indexerKeys;
export const InstantiateCyclic = (context: unknown, name: string) => cyclicType(context, name);
export const IsTemplateLiteralFinite = template.isFinite;
export const IsTemplateLiteralPattern = (pattern: string) => template.parsePattern(pattern).length > 0;
export const Narrow = algebra.narrow;
export const ParsePatternIntoTypes = template.parsePattern;
export const ParseTemplateIntoTypes = templateTypes;
export const Priority = algebra.narrowestFirst;
export const PropertyKeys = (properties: unknown) => Object.getOwnPropertyNames(properties);
export const PropertyValues = (properties: any) => Object.values(properties);
export const RecordKey = record.recordKey;
export const RecordPattern = record.recordPattern;
export const RecordPatternToType = record.patternType;
export const RecordValue = record.recordValue;
export const TemplateLiteralCreate = template.templateOf;
export const TemplateLiteralDecode = template.decodePattern;
export const TemplateLiteralDecodeUnsafe = template.decodePatternOpen;
export const TemplateLiteralEncode = (types: any[]) => template.templateOf(`^${template.encodeTypes(types)}$`);
export const TemplateLiteralFromString = (text: string) => templateFromText(text);
export const TemplateLiteralFromTypes = (types: any[]) => templateFromTypes(types);
export const resultGuards = () => guards;

/** `Composite(left, right)` of version 1; `Composite([…], options)` of version 0.34. */
export function Composite(left: unknown, right?: unknown): any {
  if (!Array.isArray(left)) return algebra.composite(left, right);
  return object(algebra.evaluateIntersect([...left, object({})]).properties ?? {}, right);
}
