import type { Recipe } from "../agents.js";

export const claude: Recipe = {
  id: "claude",
  name: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  oldest: "2.0.0",
  login: "Start `claude` once and log in, or set ANTHROPIC_API_KEY.",
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
    "set_permission_mode",
  ],
  models: ["default", "opus", "sonnet", "haiku"],
  modes: ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"],
  variants: ["low", "medium", "high", "xhigh", "max"],
  passes: [
    "ANTHROPIC_*",
    "AWS_*",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "MCP_TIMEOUT",
  ],
  sets: { DISABLE_AUTOUPDATER: "1" },
  runtime: "process",
  greets: '"control_response"',
  fixed: ["variant"],
  fixedModes: ["bypassPermissions"],
  start({ model, variant, permissionMode, mcpServers, resume, file }) {
    const args = ["-p", "--verbose", "--output-format", "stream-json", "--input-format", "stream-json"];
    args.push("--include-partial-messages", "--permission-prompt-tool", "stdio");
    const add = (option: string, value: string | undefined) => {
      if (value !== undefined) args.push(option, value);
    };
    add("--model", model);
    add("--effort", variant);
    add("--permission-mode", permissionMode);
    // The mode needs to be allowed by name.
    if (permissionMode === "bypassPermissions") args.push("--dangerously-skip-permissions");
    // A file, because every user of the machine sees arguments, and tokens stand in here.
    if (mcpServers !== undefined)
      add("--mcp-config", file("mcp.json", JSON.stringify({ mcpServers: typed(mcpServers) })));
    add("--resume", resume);
    return { args };
  },
};

/** It must be told that a server is reached by its address. */
function typed(servers: object): object {
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    "url" in server ? { type: "http", ...server } : server,
  ]);
  return Object.fromEntries(entries);
}
