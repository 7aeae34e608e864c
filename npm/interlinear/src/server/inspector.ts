// The inspector, or another page, as static files beside the API.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Handler } from "./server.js";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The policy of the page stands in the page itself; these are what only a server can say. */
const HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

const FOLDER = fileURLToPath(new URL("../../inspector/", import.meta.url));

/** Serves the inspector beside the API. */
export function withInspector(api: Handler): Handler {
  return withFiles(api, FOLDER);
}

/**
 * Serves the files of a folder, a page and what it needs, beside the API: what is no file of it is left to the API.
 * The page can tell by `<html data-server>` that there is one.
 */
export function withFiles(api: Handler, folder: string): Handler {
  const files = filesIn(folder);
  return async (request) => {
    const { pathname } = new URL(request.url);
    const file = files.get(pathname === "/" ? "/index.html" : pathname);
    if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) return api(request);
    // Names of assets change with what is in them; the page itself must be asked for each time.
    const cache = pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const body =
      pathname === "/" ? readFileSync(file, "utf8").replace("<html ", "<html data-server ") : readFileSync(file);
    const headers = { ...HEADERS, "cache-control": cache, "content-type": type };
    return new Response(request.method === "HEAD" ? null : body, { headers });
  };
}

/** The only files that can be asked for, by their paths. */
function filesIn(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(`/${relative(folder, file).split(sep).join("/")}`, file);
  }
  return files;
}
