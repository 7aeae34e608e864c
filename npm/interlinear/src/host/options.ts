// What may be asked of an agent, when a session starts and later.
import type { McpServer } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import { type Recipe, recipes } from "./agents.js";
import type { StartOptions } from "./host.js";

/** How an agent is run with these options; refuses those that it does not take. */
export function checkOptions(options: StartOptions): Recipe {
  const { agent, model, variant, permissionMode, mcpServers, resume, sessionId } = options;
  const known = recipes().find(({ id }) => id === agent);
  if (known === undefined) {
    const names = recipes().map(({ id }) => id);
    throw new InterlinearError("unknown_agent", `there is no agent \`${agent}\``, `Use one of ${names.join(", ")}.`);
  }
  if (sessionId !== undefined) checkId(sessionId);
  const offers = {
    model: model === undefined || known.features.includes("set_model"),
    variant: variant === undefined || known.features.includes("set_variant"),
    permissionMode: permissionMode === undefined || known.modes.length > 0,
    mcpServers: mcpServers === undefined || known.features.includes("mcp"),
  };
  for (const [name, value] of Object.entries({ model, variant, permissionMode, resume })) {
    if (value !== undefined) checkName(name, value);
  }
  for (const [name, server] of Object.entries(mcpServers ?? {})) checkServer(name, server);
  const missing = Object.entries(offers).find(([, offered]) => !offered)?.[0];
  if (missing !== undefined) {
    const cure = `Leave \`${missing}\` out; what ${known.name} is to do stands in its own settings.`;
    throw new InterlinearError("unsupported", `${known.name} takes no ${missing}`, cure);
  }
  if (permissionMode !== undefined) checkMode(known, permissionMode);
  return known;
}

/** A server that is none would be missing without a word. */
function checkServer(name: string, server: McpServer): void {
  const { command, url }: Partial<McpServer> = Object(server);
  if ([command, url].some((text) => typeof text === "string" && text !== "")) return;
  const message = `the server of tools \`${name}\` has neither a \`command\` nor a \`url\``;
  throw new InterlinearError("bad_options", message, "Give it a program, `{ command, args, env }`, or a `{ url }`.");
}

/** Values become arguments of programs: one that looks like an option is none of ours. */
export function checkName(name: string, value: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in there
  if (value !== "" && !/^-|[\u0000-\u001f]/.test(value)) return;
  const message = `${name} is ${JSON.stringify(value)}`;
  throw new InterlinearError("bad_options", message, "It must be a name: not empty, with no dash in front.");
}

/** Any text is an identifier. What is none (a lone surrogate) is written otherwise, and would be another one. */
function checkId(sessionId: string): void {
  if (typeof sessionId === "string" && sessionId !== "" && Buffer.from(sessionId).toString() === sessionId) return;
  const message = `sessionId is ${JSON.stringify(sessionId)}`;
  throw new InterlinearError("bad_options", message, "It must be a text that is not empty; without one it is made up.");
}

/** Refuses a permission mode where it is certain that there is none of this name. */
export function checkMode({ name, modes, ownModes }: Recipe, mode: string): void {
  if (ownModes !== true || modes.includes(mode)) return;
  throw new InterlinearError("unsupported", `${name} has no mode \`${mode}\``, `Use one of ${modes.join(", ")}.`);
}
