// A handler on Node's own HTTP server.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Handler } from "./server.js";

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:2468` */
  readonly url: string;
  /** Stops it; connections that are open are cut. */
  close(): Promise<void>;
}

/** Listens; resolves when it does. On loopback and a free port, if not said otherwise. */
export async function listen(handler: Handler, where: { host?: string; port?: number } = {}): Promise<Listening> {
  const { createServer } = await import("node:http");
  const server = createServer((message, out) => void answer(handler, message, out));
  const { host = "127.0.0.1", port = 0 } = where;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(handler: Handler, message: IncomingMessage, out: ServerResponse): Promise<void> {
  try {
    await send(await handler(requestOf(message)), out, message);
  } catch {
    // The client is gone, or what was being sent has failed: it must not look like a whole answer.
    out.destroy();
  }
}

function requestOf(message: IncomingMessage): Request {
  const { method = "GET", url = "/", headers } = message;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(", ")]],
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  const init = { method, headers: pairs, ...(hasBody && { body: bodyOf(message), duplex: "half" }) };
  // The address may be anything that a client writes; only path and query count.
  return new Request(`http://localhost${url.startsWith("/") ? url : "/"}`, init as RequestInit);
}

/** Who stops reading a body does not cut the connection: the answer must still go out. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

/** Writes as fast as the client reads. */
async function send(response: Response, out: ServerResponse, message: IncomingMessage): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  out.writeHead(response.status, message.complete ? headers : { ...headers, connection: "close" });
  out.flushHeaders();
  const reader = response.body?.getReader();
  out.once("close", () => void reader?.cancel().catch(() => undefined));
  if (out.destroyed) await reader?.cancel();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || out.destroyed) break;
    if (!out.write(value)) await drained(out);
  }
  out.end();
}

function drained(out: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off("drain", done);
      out.off("close", done);
      resolve();
    };
    out.on("drain", done);
    out.on("close", done);
  });
}
