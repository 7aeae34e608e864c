import type { Recipe } from "../agents.js";

export const codex: Recipe = {
  id: "codex",
  name: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  oldest: "0.98.0",
  login: "Run `codex login`, or set OPENAI_API_KEY.",
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
    "shared_process",
  ],
  models: [],
  lists: {
    args: ["debug", "models"],
    names: (said) => {
      // Warnings may stand around it.
      const json = /^\{.*\}$/m.exec(said)?.[0] ?? "";
      const { models } = JSON.parse(json) as { models: { slug: string; visibility?: string }[] };
      return models.filter(({ visibility }) => visibility !== "hide").map(({ slug }) => slug);
    },
  },
  modes: ["on-request", "never", "read-only", "workspace-write", "danger-full-access"],
  variants: ["minimal", "low", "medium", "high", "xhigh", "max", "ultra"],
  passes: ["CODEX_*", "OPENAI_*", "AZURE_OPENAI_API_KEY"],
  sets: {},
  runtime: "stdio",
  fixed: [],
  start: () => ({ args: ["app-server"] }),
};
