import { randomBytes } from "node:crypto";
import type { McpServer } from "../../../types/index.js";
import type { Recipe } from "../agents.js";

export const opencode: Recipe = {
  id: "opencode",
  name: "OpenCode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  oldest: "1.0.0",
  login: "Run `opencode auth login`, or set the provider's key, for example ANTHROPIC_API_KEY.",
  features: [
    "resume",
    "interrupt",
    "permissions",
    "questions",
    "images",
    "files",
    "mcp",
    "set_model",
    "set_variant",
    "shared_process",
  ],
  models: [],
  lists: { args: ["models"], names: (said) => said.split("\n").filter((line) => /^[\w.-]+\/\S+$/.test(line)) },
  modes: [],
  variants: [],
  passes: ["OPENCODE_*", "*_API_KEY", "AWS_*", "GOOGLE_*", "GITHUB_TOKEN"],
  sets: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  runtime: "http",
  fixed: [],
  start({ mcpServers }) {
    const env: Record<string, string> = {
      // Every user of the machine can reach its port.
      OPENCODE_SERVER_PASSWORD: randomBytes(24).toString("base64url"),
    };
    if (mcpServers !== undefined) {
      const mcp = Object.fromEntries(Object.entries(mcpServers).map(([name, server]) => [name, configured(server)]));
      env["OPENCODE_CONFIG_CONTENT"] = JSON.stringify({ mcp });
    }
    return { args: ["serve", "--hostname", "127.0.0.1", "--port", "0"], env };
  },
};

/** A server of tools in its configuration's words. */
function configured(server: McpServer): object {
  if (server.url !== undefined) return { type: "remote", url: server.url, headers: server.headers, enabled: true };
  const { command, args = [], env } = server;
  return { type: "local", command: [command ?? "", ...args], environment: env, enabled: true };
}
