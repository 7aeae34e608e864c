import { refusal } from "./problem.js";
import { complaint, type Schema } from "./schema.js";

/** Reads a JSON body of a limited size, and checks it. */
export async function readBody(request: Request, schema: Schema, limit: number): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  // Browsers let pages send other types without asking: they would be none of ours.
  if (!/^application\/json\b/i.test(type)) {
    throw refusal("not_json", "the body is not JSON", "Send JSON, with `Content-Type: application/json`.");
  }
  const value = parse(await readText(request, limit));
  const wrong = complaint(schema, value);
  if (wrong !== undefined) throw refusal("bad_request", wrong, "See `/openapi.json` for what is expected.");
  return value;
}

async function readText(request: Request, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of received(request)) {
    size += chunk.length;
    if (size > limit) throw refusal("body_too_large", `the body has more than ${limit} bytes`, "Send less at once.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What came of a body. That it broke off is the client's doing, and no failure of the server. */
async function* received({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* (body ?? []) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw refusal("bad_request", `the body broke off: ${(error as Error).message}`, "Send it again, to its end.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal("bad_request", `the body is not JSON: ${(error as Error).message}`, "Send JSON.");
  }
}
