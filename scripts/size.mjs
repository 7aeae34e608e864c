// What people download: how large it is, and the limits that it must keep (tests/size/limits.json).
// `npm run size` prints it; `npm run size -- --accept` makes what is there now the limit, with a little room.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ask, at, main, Problem, say } from "./shell.mjs";

const limitsFile = at("tests", "size", "limits.json");

/** So much may be added before somebody must accept it. */
const room = 1.02;

const kilobytes = (bytes) => Math.round(bytes / 102.4) / 10;

/** The size of bytes as people will download them, in KB. */
export function sizes(bytes) {
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return {
    raw: kilobytes(bytes.length),
    gzip: kilobytes(gzipSync(bytes, { level: 9 }).length),
    brotli: kilobytes(brotli.length),
  };
}

/** `882.2 KB (gzip 377.2, brotli 307.3)` */
export function shown({ raw, ...packed }) {
  const details = Object.entries(packed).map(([name, size]) => `${name} ${size}`);
  return `${raw} KB${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}

/** Every file and package that is built, by its name. */
export async function measure() {
  const built = (...path) => {
    const file = at("npm", ...path);
    if (!existsSync(file)) throw new Problem(`${file} is not there: npm run build`);
    return file;
  };
  const wasm = (...path) => sizes(readFileSync(built("wasm", "dist", ...path)));
  // Not there before the set-up has run, which the build does first.
  const { bundle } = await import("./bundle.mjs");
  const entry = await bundle(built("interlinear", "dist", "index.js"));
  return {
    "interlinear.wasm": wasm("interlinear.wasm"),
    "exchange.wasm": wasm("exchange", "exchange.wasm"),
    "entry in a browser, without the WASM": sizes(Buffer.from(entry)),
    ...packages(),
  };
}

/** The packages as they are published. Those of a platform are only built there, and left out. */
function packages() {
  const folders = readdirSync(at("npm")).filter((name) => !name.startsWith("native-"));
  const published = folders.filter(
    (name) => JSON.parse(readFileSync(at("npm", name, "package.json"))).private !== true,
  );
  const entries = published.map((name) => {
    const packed = ask("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", at("npm", name)]);
    if (packed === undefined) throw new Problem(`npm could not pack ${join("npm", name)}`);
    const [{ size, unpackedSize }] = JSON.parse(packed);
    return [`package ${basename(name)}`, { raw: kilobytes(unpackedSize), packed: kilobytes(size) }];
  });
  return Object.fromEntries(entries);
}

/** The limits, by name. */
export function limits() {
  return JSON.parse(readFileSync(limitsFile, "utf8"));
}

function accept(measured) {
  const widened = Object.entries(measured).map(([name, found]) => {
    const limit = Object.entries(found).map(([kind, size]) => [kind, Math.ceil(size * room)]);
    return [name, Object.fromEntries(limit)];
  });
  writeFileSync(limitsFile, `${JSON.stringify(Object.fromEntries(widened), undefined, 2)}\n`);
}

if (process.argv[1] === at("scripts", "size.mjs")) {
  main(async () => {
    const measured = await measure();
    for (const [name, found] of Object.entries(measured)) say(`${name}: ${shown(found)}`);
    if (process.argv.includes("--accept")) accept(measured);
  });
}
