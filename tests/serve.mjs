// A static server on loopback, for pages that are tested.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/**
 * Serves folders below paths: `{ "/": folder }`.
 *
 * @param {Record<string, string>} folders the longest path that fits is taken
 * @param {Record<string, string>} headers sent with every answer
 * @returns {Promise<{origin: string, close: () => Promise<void>}>}
 */
export async function serve(folders, headers = {}) {
  const paths = Object.keys(folders).sort((a, b) => b.length - a.length);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = paths.find((candidate) => pathname.startsWith(candidate));
    const rest = normalize(decodeURIComponent(pathname.slice(path?.length ?? 0)));
    const file =
      path === undefined || rest.startsWith("..") ? "" : join(folders[path], rest === "." ? "index.html" : rest);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", ...headers });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}
