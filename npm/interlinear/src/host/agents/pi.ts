import type { Recipe } from "../agents.js";

export const pi: Recipe = {
  id: "pi",
  name: "Pi",
  program: "pi",
  install: "npm install -g @mariozechner/pi-coding-agent",
  oldest: "0.30.0",
  login: "Start `pi` once and log in with /login, or set the provider's key, for example ANTHROPIC_API_KEY.",
  features: ["resume", "interrupt", "questions", "images", "files", "set_model", "set_variant"],
  models: [],
  // A table: provider, model, and what they can do.
  lists: {
    args: ["--list-models"],
    names: (said) =>
      said.split("\n").flatMap((line) => {
        const [, provider, model] = /^([\w.-]+) +(\S+) +\S/.exec(line) ?? [];
        return model === undefined || provider === "provider" ? [] : [`${provider}/${model}`];
      }),
  },
  modes: [],
  variants: ["off", "minimal", "low", "medium", "high", "xhigh"],
  passes: ["PI_*", "*_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "AWS_*", "GOOGLE_*", "GH_TOKEN", "COPILOT_GITHUB_TOKEN"],
  sets: {},
  runtime: "process",
  greets: '"get_state"',
  fixed: [],
  start({ resume }) {
    return { args: resume === undefined ? ["--mode", "rpc"] : ["--mode", "rpc", "--session", resume] };
  },
};
