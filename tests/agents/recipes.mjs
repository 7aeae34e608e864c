// The real agents: where they come from, and how each is pointed at a model on loopback.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @typedef {object} Recipe
 * @property {string} package its name on npm
 * @property {string} version the one that is tested unless another is asked for
 * @property {{model?: string, permissionMode?: string}} start how a session is started
 * @property {(home: string, url: string) => Record<string, string>} configure writes its settings into a home folder;
 *   gives the variables that it needs
 * @property {number} [thinkMs] how long the model thinks before it answers
 */

/** @type {Record<string, Recipe>} */
export const recipes = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.327",
    start: {},
    configure: (_home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  codex: {
    package: "@openai/codex",
    version: "0.169.0",
    start: { permissionMode: "untrusted" },
    configure(home, url) {
      write(join(home, ".codex", "config.toml"), codexConfig(url));
      return { CODEX_HOME: join(home, ".codex"), SCRIPTED_KEY: "scripted" };
    },
  },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    start: { model: "scripted/one" },
    configure(home, url) {
      // Not in the folder of its settings: it would fetch packages for that.
      const file = join(home, "opencode.json");
      write(file, json(opencodeConfig(url)));
      const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE"];
      const env = Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, "1"]));
      return { ...env, OPENCODE_CONFIG: file };
    },
  },
  pi: {
    package: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    start: { model: "scripted/one" },
    configure(home, url) {
      write(join(home, ".pi", "agent", "models.json"), json(piModels(url)));
      write(join(home, ".pi", "agent", "extensions", "ask.ts"), PI_QUESTION);
      return { PI_OFFLINE: "1", PI_CODING_AGENT_DIR: join(home, ".pi", "agent") };
    },
  },
  amp: {
    package: "@sourcegraph/amp",
    // The last that runs its agent by itself: later ones are run by the service.
    version: "0.0.1776788459-gfad969",
    // It cannot be asked by its host: what is not allowed is refused.
    start: { permissionMode: "allow-all" },
    // Where the answer comes in less than a tenth of a second, it sometimes waits for ever for the result of its own tool.
    thinkMs: 500,
    configure(home, url) {
      const settings = { "amp.dangerouslyAllowAll": false, "amp.updates.mode": "disabled" };
      write(join(home, ".config", "amp", "settings.json"), json(settings));
      return { AMP_URL: url, AMP_API_KEY: "scripted", AMP_SKIP_UPDATE_CHECK: "1" };
    },
  },
};

const json = (value) => JSON.stringify(value, undefined, 2);

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const codexConfig = (url) => `model = "scripted"
model_provider = "scripted"
sandbox_mode = "danger-full-access"

[features]
default_mode_request_user_input = true

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
`;

const opencodeConfig = (url) => ({
  permission: { bash: "ask", edit: "ask" },
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${url}/v1`, apiKey: "scripted" },
      models: { one: { name: "One", reasoning: true, tool_call: true } },
    },
  },
});

const piModels = (url) => ({
  providers: {
    scripted: {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: "scripted",
      models: [
        {
          id: "one",
          name: "One",
          reasoning: true,
          input: ["text", "image"],
          contextWindow: 128_000,
          maxTokens: 8_000,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        },
      ],
    },
  },
});

/** Pi asks nothing by itself; an extension can. */
const PI_QUESTION = `
export default function (pi) {
  pi.registerTool({
    name: "ask",
    label: "Ask",
    description: "Asks the user a question",
    parameters: {
      type: "object",
      properties: { question: { type: "string" }, options: { type: "array", items: { type: "string" } } },
      required: ["question", "options"],
    },
    async execute(_id, { question, options }, _signal, _update, context) {
      const answer = await context.ui.select(question, options);
      return { content: [{ type: "text", text: answer ?? "nothing" }], details: {} };
    },
  });
}
`;
