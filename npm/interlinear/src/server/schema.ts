// The part of JSON Schema that requests are described and checked with: one description for both.

export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly $ref?: string;
}

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const count: Schema = { type: "integer", minimum: 0 };
export const list = (items: Schema): Schema => ({ type: "array", items });
export const map = (additionalProperties: Schema): Schema => ({ type: "object", additionalProperties });
export const choice = (...values: string[]): Schema => ({ type: "string", enum: values });
export const event: Schema = { $ref: "#/components/schemas/UniversalEvent" };

/** An object; names that end with `?` may be missing or null. */
export function object(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields);
  const bare = (name: string) => name.replace(/\?$/, "");
  return {
    type: "object",
    required: names.filter((name) => !name.endsWith("?")),
    properties: Object.fromEntries(names.map((name) => [bare(name), fields[name] as Schema])),
  };
}

/** What is wrong with a value, or `undefined`. What is not described is let through. */
export function complaint(schema: Schema, value: unknown, place = "the body"): string | undefined {
  if (schema.anyOf !== undefined) {
    const complaints = schema.anyOf.map((option) => complaint(option, value, place));
    if (complaints.includes(undefined)) return undefined;
    const meant = schema.anyOf.findIndex((option) => isMeant(option, value));
    const types = schema.anyOf.flatMap(({ properties }) => properties?.["type"]?.enum ?? []);
    return complaints[meant] ?? `${place} must have a \`type\`: ${types.join(", ")}`;
  }
  if (schema.type !== undefined && !isOf(schema.type, value)) return `${place} must be ${nameOf(schema.type)}`;
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    return `${place} must be one of ${schema.enum.join(", ")}`;
  }
  if (schema.items !== undefined) return firstOf(value as unknown[], schema.items, place);
  return schema.type === "object" ? inObject(schema, value as Record<string, unknown>, place) : undefined;
}

/** Whether the words that tell the options apart are those of this one: then it is this one that is wrong. */
function isMeant({ properties = {} }: Schema, value: unknown): boolean {
  const fields = Object(value) as Record<string, unknown>;
  return Object.entries(properties).every(([name, { enum: words }]) => words?.includes(fields[name] as string) ?? true);
}

function inObject(schema: Schema, value: Record<string, unknown>, place: string): string | undefined {
  const missing = schema.required?.find((name) => value[name] === undefined || value[name] === null);
  if (missing !== undefined) return `${place} must have \`${missing}\``;
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties ?? {}, name)
      ? schema.properties?.[name]
      : schema.additionalProperties;
    const wrong = known === undefined || field === null ? undefined : complaint(known, field, `\`${name}\``);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function firstOf(values: readonly unknown[], items: Schema, place: string): string | undefined {
  for (const value of values) {
    const wrong = complaint(items, value, `each of ${place}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isOf(type: NonNullable<Schema["type"]>, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isSafeInteger(value);
  return typeof value === type;
}

function nameOf(type: NonNullable<Schema["type"]>): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
