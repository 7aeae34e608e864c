// What an agent may see of the host's environment: by name, and nothing else.
import { isSecret } from "./redact.js";

/** Variables that programs need to run at all. `*` stands for anything. */
const COMMON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TMPDIR",
  "XDG_*",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "SSH_AUTH_SOCK",
];

/** The variables of these names that there are. */
function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const pattern = new RegExp(`^(?:${names.join("|").replaceAll("*", "\\w*")})$`);
  const found = Object.entries(env).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined && pattern.test(entry[0]);
  });
  return Object.fromEntries(found);
}

/** An agent's environment: what programs need, what this agent is set up by, and what the caller adds. */
export function environment(
  from: NodeJS.ProcessEnv,
  passes: readonly string[],
  ...added: Readonly<Record<string, string>>[]
): Record<string, string> {
  // No terminal is there to draw on.
  return Object.assign(pick(from, [...COMMON, ...passes]), { TERM: "dumb", NO_COLOR: "1" }, ...added);
}

/** The values that must not be seen. */
export function secretsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => name !== "SSH_AUTH_SOCK" && isSecret(name, value))
    .map(([, value]) => value);
}
