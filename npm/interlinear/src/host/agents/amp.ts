import type { Recipe } from "../agents.js";

export const amp: Recipe = {
  id: "amp",
  name: "Amp",
  program: "amp",
  install: "npm install -g @sourcegraph/amp",
  oldest: "0.0.1767830505",
  login: "Run `amp login`, or set AMP_API_KEY.",
  features: ["resume", "interrupt", "images", "files", "mcp", "set_variant"],
  models: [],
  modes: ["default", "allow-all"],
  ownModes: true,
  variants: ["smart", "rush", "large", "deep"],
  passes: ["AMP_*"],
  sets: { AMP_SKIP_UPDATE_CHECK: "1" },
  runtime: "process",
  endsWhenInterrupted: true,
  fixed: ["variant", "permissionMode"],
  start({ variant, permissionMode, mcpServers, resume, file }) {
    const args = resume === undefined ? [] : ["threads", "continue", resume];
    args.push("-x", "--stream-json", "--stream-json-input");
    if (variant !== undefined) args.push("--mode", variant);
    if (permissionMode === "allow-all") args.push("--dangerously-allow-all");
    if (mcpServers !== undefined) args.push("--mcp-config", file("mcp.json", JSON.stringify(mcpServers)));
    return { args };
  },
};
