/** Colours and weights; each does nothing where colour is not wanted. */
export interface Style {
  plain(text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

/** The style for a terminal that shows colours, or for anything else. */
export function styleFor(colours: boolean): Style {
  const styles = Object.entries(CODES).map(([name, [on, off]]) => [
    name,
    (text: string) => (colours && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ]);
  return Object.fromEntries([["plain", (text: string) => text], ...styles]) as Style;
}

/** Whether to colour: FORCE_COLOR decides, then NO_COLOR, then whether it is a terminal. */
export function wantsColour(env: NodeJS.ProcessEnv, terminal: boolean): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (env["NO_COLOR"]) return false;
  return terminal && env["TERM"] !== "dumb";
}
