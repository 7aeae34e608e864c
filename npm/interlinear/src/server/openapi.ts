// The description of the API, from the table of routes and the schema of the events.
import { readFile } from "node:fs/promises";
import { version } from "../convert.js";
import type { Route } from "./route.js";
import { choice, count, list, object, type Schema, text } from "./schema.js";

const eventSchema = new URL("../../schema/universal-event.schema.json", import.meta.url);

// What `include_silent` adds to an event.
const silent: Schema = {
  ...list(
    object({
      line: count,
      dir: choice("out", "in", "err"),
      kind: text,
      text,
      outcome: choice("mapped", "ignored", "unparsed", "cut"),
      "reason?": text,
      "omitted?": count,
    }),
  ),
  description: "The native lines before the event that gave none.",
};

const dir: Schema = { ...choice("in", "err"), description: "Which way its native line went, if not out of the agent." };

const problem = object({ type: text, title: text, status: count, detail: text, code: text, cure: text });

let document: Promise<object> | undefined;

/** An OpenAPI 3.1 document. */
export function openapi(routes: readonly Route[]): Promise<object> {
  document ??= build(routes);
  return document;
}

async function build(routes: readonly Route[]): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Interlinear", version: version(), description: "Runs coding agents; hands out what they say." },
    paths,
    components: {
      schemas: { ...(await eventSchemas()), Problem: problem },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{ token: [] }],
  };
}

function operation(route: Route): object {
  const { status, description, schema, type = "application/json" } = route.answer;
  const content = schema === undefined ? {} : { content: { [type]: { schema } } };
  const names = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: text,
  }));
  const query = Object.entries(route.query ?? {}).map(([name, schema]) => ({ name, in: "query", schema }));
  return {
    operationId: route.id,
    summary: route.summary,
    parameters: [...names, ...query],
    ...(route.body && { requestBody: { required: true, content: { "application/json": { schema: route.body } } } }),
    responses: { [status]: { description, ...content }, ...problems(route) },
    ...(route.open === true && { security: [] }),
  };
}

function problems({ problems: statuses = [], open }: Route): Record<number, object> {
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const all = open === true ? statuses : [...statuses, 401];
  return Object.fromEntries(all.map((status) => [status, { description: "A problem.", content }]));
}

/** The schema's definitions stand elsewhere in an OpenAPI document. */
async function eventSchemas(): Promise<Record<string, Schema>> {
  const source = (await readFile(eventSchema, "utf8")).replaceAll("#/$defs/", "#/components/schemas/");
  const { $defs, $schema, ...root } = JSON.parse(source) as { $defs: Record<string, Schema>; $schema: string };
  const { properties, ...rest } = root as Schema;
  return { UniversalEvent: { ...rest, properties: { ...properties, silent, dir } }, ...$defs };
}
