// Schemas of tools: whatever a schema library made, as plain JSON schema.

/** The schema as data. Libraries keep marks under symbols; those do not belong to it. */
export function schemaOf(schema: unknown): any {
  if (schema === undefined || schema === null) return schema;
  return JSON.parse(JSON.stringify(schema));
}
