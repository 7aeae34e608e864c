// A chat with an agent: the server runs the agent, the page draws what it says.
//
//   node examples/react/server.mjs              Claude Code's part is played by a real recording of it
//   node examples/react/server.mjs claude       Claude Code itself, if it is installed (or codex, opencode, amp, pi)
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentHost } from "interlinear/node";
import { createServer, listen, withFiles } from "interlinear/server";
import { JsonlStore } from "interlinear/store";
import { build } from "vite";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const [agent = "replay", port = "0"] = process.argv.slice(2);
const replay = [
  process.execPath,
  at("../replay-agent.mjs"),
  at("../../tests/fixtures/claude/recordings/permission_accept.jsonl"),
];

// The page, bundled as any application would be.
const folder = mkdtempSync(join(tmpdir(), "interlinear-chat-"));
const define = { AGENT: JSON.stringify(agent === "replay" ? "claude" : agent) };
await build({ root: at("."), configFile: false, logLevel: "error", define, build: { outDir: join(folder, "page") } });

// The agents, and the API through which the page talks to them. On loopback, for this machine only: no token.
const store = new JsonlStore(join(folder, "sessions"));
const agents = agent === "replay" ? { claude: { command: replay } } : {};
const host = new AgentHost({ store, agents });
const server = await listen(withFiles(createServer({ host }), join(folder, "page")), { port: Number(port) });
console.log(server.url);

async function stop() {
  await host.close();
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
