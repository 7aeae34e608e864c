import { basename } from "node:path";
import type { ExitCode } from "./failure.js";
import { EXIT, UsageError } from "./failure.js";
import type { Input } from "./input.js";
import { findInputs, stemOf } from "./input.js";
import { note } from "./output.js";

/**
 * Does something with each transcript that the arguments name. One that cannot be read does not keep the others from
 * being read; the worst exit code stands.
 */
export async function eachInput(
  paths: readonly string[],
  action: (input: Input, several: boolean) => Promise<ExitCode>,
): Promise<ExitCode> {
  let worst: ExitCode = EXIT.ok;
  const tell = (error: unknown): ExitCode => {
    if (!(error instanceof UsageError)) throw error;
    note(`interlinear: ${error.message}`);
    return EXIT.usage;
  };
  const leaveOut = (error: unknown) => {
    worst = tell(error);
  };
  const found: Input[] = [];
  for (const asked of paths.length === 0 ? [[]] : paths.map((path) => [path])) {
    try {
      for (const input of await findInputs(asked, leaveOut)) found.push(input);
    } catch (error) {
      leaveOut(error);
    }
  }
  // What each is called does not depend on whether the others are there.
  const several = found.length > 1 || paths.length > 1;
  for (const input of several ? withSessionIds(found) : found) {
    const code = await action(input, several).catch(tell);
    if (code > worst) worst = code;
  }
  return worst;
}

/** The name of an input's file, without its ending. */
export const nameOf = ({ label }: Input): string => basename(stemOf(label));

/** Each session is called by the name of its file; with the folders where another file has the same name. */
function withSessionIds(inputs: readonly Input[]): Input[] {
  const names = new Map<string, number>();
  for (const input of inputs) names.set(nameOf(input), (names.get(nameOf(input)) ?? 0) + 1);
  return inputs.map((input) => {
    const unique = names.get(nameOf(input)) === 1;
    return { ...input, sessionId: unique ? nameOf(input) : stemOf(input.label) };
  });
}
