// Programs that are started to be killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "interlinear/client";

export const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const cli = here("../../bin/interlinear.js");

/** A folder for one test. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "interlinear-faults-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a program; `line()` gives its next line of output, `undefined` when there are no more. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = once(child, "exit");
  // Whatever becomes of the test, it is not left behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  gone.then(() => process.off("exit", kill));
  const line = async () => (await lines.next()).value;
  const end = async (signal) => {
    child.kill(signal);
    return await gone;
  };
  return { child, gone, line, end };
}

/** `interlinear serve`, with our own program in the place of Claude Code. */
export async function startServe(folder, args) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const agent = join(bin, "claude");
  writeFileSync(agent, `#!/bin/sh\nexec "${process.execPath}" "${here("../server/agent.mjs")}" "$@"\n`);
  chmodSync(agent, 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder };
  const served = start(process.execPath, [cli, "serve", "--port", "0", ...args], { env, cwd: folder });
  const [, baseUrl] = /listens on (.*)$/.exec(await served.line());
  const [, token] = /^token: (.*)$/.exec(await served.line());
  return { ...served, baseUrl, token, client: new Client({ baseUrl, token }) };
}
