// The keywords for objects.
import { current } from "../settings.ts";
import { expression } from "./text.ts";
import { walk } from "./walk.ts";
import type { Rule, Walk } from "./walk.ts";

/** Whether `properties` or `patternProperties` of a schema speak about a key. */
function isKnown(schema: any): (key: string) => boolean {
  const properties = schema.properties ?? {};
  const patterns = Object.getOwnPropertyNames(schema.patternProperties ?? {}).map(expression);
  return (key) => Object.hasOwn(properties, key) || patterns.some((pattern) => pattern.test(key));
}

/** `every`, without stopping at an object that has no keys to depend on. */
const ifAny = (value: any, passed: () => boolean) => Object.getOwnPropertyNames(value).length === 0 || passed();

function whenPresent(
  keyword: string,
  check: (w: Walk, key: string, wanted: any, value: any, sp: string, ip: string) => boolean,
): Rule {
  return [keyword, (w, schema, value, sp, ip) =>
    ifAny(value, () =>
      w.every(Object.entries(schema[keyword]), ([key, wanted]) =>
        !Object.hasOwn(value, key) || check(w, key, wanted, value, sp, ip),
      ),
    ),
  ];
}

export const objectRules: Rule[] = [
  ["required", (w, schema, value, sp, ip) => {
    const requiredProperties = schema.required.filter((key: string) => !Object.hasOwn(value, key));
    return requiredProperties.length === 0 || w.fail("required", sp, ip, { requiredProperties });
  }],
  ["additionalProperties", (w, schema, value, sp, ip) => {
    const test = isKnown(schema);
    const additionalProperties: string[] = [];
    for (const key of Object.getOwnPropertyNames(value)) {
      if (test(key)) continue;
      if (w.member(schema.additionalProperties, value[key], `${sp}/additionalProperties`, `${ip}/${key}`)) w.keys.add(key);
      else {
        additionalProperties.push(key);
        if (!w.errors) return false;
      }
    }
    return additionalProperties.length === 0 || w.fail("additionalProperties", sp, ip, { additionalProperties });
  }],
  whenPresent("dependencies", (w, key, wanted, value, sp, ip) =>
    Array.isArray(wanted)
      ? wanted.every((name) => Object.hasOwn(value, name) ||
          w.fail("dependencies", sp, ip, { property: key, dependencies: wanted }))
      : walk(w, wanted, value, `${sp}/dependencies/${key}`, ip),
  ),
  whenPresent("dependentRequired", (w, key, wanted, value, sp, ip) =>
    w.every(wanted as string[], (name) => Object.hasOwn(value, name) ||
      w.fail("dependentRequired", sp, ip, { property: key, dependencies: wanted })),
  ),
  whenPresent("dependentSchemas", (w, key, wanted, value, sp, ip) =>
    walk(w, wanted, value, `${sp}/dependentSchemas/${key}`, ip),
  ),
  ["patternProperties", (w, schema, value, sp, ip) =>
    w.every(Object.entries(schema.patternProperties), ([pattern, wanted]) => {
      const test = expression(pattern);
      return w.every(Object.keys(value), (key) => {
        if (!test.test(key)) return true;
        if (!w.member(wanted, value[key], `${sp}/patternProperties/${pattern}`, `${ip}/${key}`)) return false;
        w.keys.add(key);
        return true;
      });
    })],
  ["properties", (w, schema, value, sp, ip) => {
    const required = Object.hasOwn(schema, "required") ? schema.required : [];
    return w.every(Object.keys(schema.properties), (key) => {
      if (!Object.hasOwn(value, key)) return true;
      if (value[key] === undefined && !required.includes(key) && !current.exactOptionalPropertyTypes) {
        w.keys.add(key);
        return true;
      }
      const path = w.errors ? `${sp}/properties/${key}` : "";
      if (!w.member(schema.properties[key], value[key], path, w.errors ? `${ip}/${key}` : "")) return false;
      w.keys.add(key);
      return true;
    });
  }],
  ["propertyNames", (w, schema, value, sp, ip) => {
    const propertyNames: string[] = [];
    for (const key of Object.getOwnPropertyNames(value)) {
      if (walk(w, schema.propertyNames, key, `${sp}/propertyNames`, `${ip}/${key}`)) continue;
      propertyNames.push(key);
      if (!w.errors) return false;
    }
    return propertyNames.length === 0 || w.fail("propertyNames", sp, ip, { propertyNames });
  }],
  ["minProperties", (w, schema, value, sp, ip) =>
    Object.getOwnPropertyNames(value).length >= schema.minProperties ||
    w.fail("minProperties", sp, ip, { limit: schema.minProperties })],
  ["maxProperties", (w, schema, value, sp, ip) =>
    Object.getOwnPropertyNames(value).length <= schema.maxProperties ||
    w.fail("maxProperties", sp, ip, { limit: schema.maxProperties })],
];
