// Builds the inspector into the package that ships it, with a few real sessions to look at.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { demos } from "./demos.js";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Nothing but what is served with the page is ever loaded, and nothing that a session says can run. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The policy stands in the page itself, whoever serves it. */
const strict = {
  name: "strict-policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "content-security-policy", content: policy }, injectTo: "head-prepend" },
  ],
};

const pathOf = ({ id, file }) => `demo/${id}${/\.jsonl?$/.exec(file)?.[0]}`;
const contentOf = ({ file }) => readFileSync(at(`../../tests/fixtures/${file}`));

/** Recordings of the tests, under short names. */
const recordings = {
  name: "recordings",
  generateBundle() {
    for (const demo of demos) this.emitFile({ type: "asset", fileName: pathOf(demo), source: contentOf(demo) });
  },
  configureServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const demo = demos.find((one) => request.url === `/${pathOf(one)}`);
      if (demo === undefined) next();
      else response.end(contentOf(demo));
    });
  },
};

export default defineConfig({
  root: at("."),
  base: "./",
  plugins: [strict, recordings],
  build: {
    outDir: at("../interlinear/inspector"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
  define: {
    DEMOS: JSON.stringify(
      demos.map((demo) => ({ id: demo.id, agent: demo.agent, title: demo.title, path: pathOf(demo) })),
    ),
  },
});
