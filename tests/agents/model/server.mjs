// A model on loopback that says what its scripts tell: Anthropic Messages, OpenAI Responses and Chat Completions, each
// streamed or whole, with tool calls, refusals, slow answers and broken connections.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import * as amp from "./amp.mjs";
import * as anthropic from "./anthropic.mjs";
import * as chat from "./chat.mjs";
import * as responses from "./responses.mjs";
import { nextStep } from "./script.mjs";

const PROTOCOLS = [
  ["/messages", anthropic],
  ["/responses", responses],
  ["/chat/completions", chat],
];

/** Text in pieces, as models give it. */
function pieces(text) {
  return text.match(/.{1,12}/gsu) ?? [];
}

/**
 * @typedef {object} Model
 * @property {string} url
 * @property {object[]} asked the body of every request for an answer
 * @property {string[]} strange requests that nothing here knows
 * @property {() => Promise<void>} close
 */

/**
 * Starts a model.
 *
 * @param {Record<string, import("./script.mjs").Step[]>} scripts
 * @param {number} thinkMs how long it thinks before every answer
 * @returns {Promise<Model>}
 */
export async function startModel(scripts, thinkMs = 0) {
  const model = { scripts, thinkMs, asked: [], strange: [], refused: new Map(), account: amp.account() };
  const server = createServer((request, response) => {
    answer(model, request, response).catch((error) => {
      model.strange.push(`${request.method} ${request.url}: ${error.stack}`);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}`, asked: model.asked, strange: model.strange, close };
}

async function answer(model, request, response) {
  const { pathname } = new URL(request.url, "http://model");
  const text = await textOf(request);
  if (pathname.endsWith("/messages/count_tokens")) return send(response, 200, { input_tokens: 100 });
  const protocol = PROTOCOLS.find(([ending]) => pathname.endsWith(ending))?.[1];
  if (protocol !== undefined && request.method === "POST") return speak(model, protocol, JSON.parse(text), response);
  if (request.method === "GET" && pathname.endsWith("/models"))
    return send(response, 200, { object: "list", data: [] });
  const known = amp.reply(model.account, request.url, text);
  if (known !== undefined) return send(response, 200, known);
  // Some programs ask whether the server is there.
  if (request.method !== "HEAD") model.strange.push(`${request.method} ${request.url}`);
  send(response, 404, { error: { type: "not_found_error", message: `${request.url}: there is nothing here` } });
}

async function speak(model, protocol, body, response) {
  model.asked.push(body);
  if (model.thinkMs > 0) await pause(model.thinkMs);
  const conversation = protocol.read(body);
  const { step, index, prompt } = nextStep(model.scripts, conversation);
  if (step.error !== undefined && refuses(model, step.error, `${prompt} ${index}`)) {
    return send(response, step.error.status, protocol.failure(step.error));
  }
  const whole = protocol.answer(step, index, conversation);
  if (!conversation.stream) return send(response, 200, whole);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  for (const { event, data, text } of protocol.events(whole, pieces)) {
    if (gone.signal.aborted) return;
    if (text && step.cut) return response.destroy();
    const json = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${json}\n\n`);
    if (text && step.everyMs !== undefined) {
      await pause(step.everyMs, undefined, { signal: gone.signal }).catch(() => undefined);
    }
  }
  response.end();
}

/** Whether a step is refused this time too. */
function refuses({ refused }, { times = Number.POSITIVE_INFINITY }, key) {
  const before = refused.get(key) ?? 0;
  refused.set(key, before + 1);
  return before < times;
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
}
