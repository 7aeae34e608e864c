// Serves the page and the built packages as static files, to this machine only.
//
//   node examples/browser/serve.mjs [PORT]
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = join(root, "examples/browser/index.html");
const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".jsonl": "application/x-ndjson",
  ".wasm": "application/wasm",
};
/** What the page needs, and nothing else of this folder. */
const served = ["examples/browser/", "npm/interlinear/dist/", "npm/wasm/", "tests/fixtures/"];

/** WebAssembly needs 'wasm-unsafe-eval'; the import map stands in the page and is allowed by its hash. */
async function policy() {
  const [, map] = (await readFile(page, "utf8")).match(/<script type="importmap">(.*?)<\/script>/s) ?? [];
  const hash = createHash("sha256")
    .update(map ?? "")
    .digest("base64");
  return `default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'; img-src 'self' data:`;
}

/** The file that a request names, if it may be seen. */
function fileFor(url) {
  const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname)).slice(1);
  if (path === "") return page;
  return served.some((folder) => path.startsWith(folder)) ? join(root, path) : undefined;
}

async function answer(request, response) {
  try {
    const file = fileFor(request.url);
    const body = file === undefined ? undefined : await readFile(file);
    if (body === undefined) return response.writeHead(404).end();
    const type = types[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type, "content-security-policy": await policy() }).end(body);
  } catch {
    return response.writeHead(404).end();
  }
}

const server = createServer(answer);
server.listen(Number(process.argv[2] ?? 8080), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
