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
  const found = await findInputs(paths);
  const inputs = found.length > 1 ? withSessionIds(found) : found;
  let worst: ExitCode = EXIT.ok;
  for (const input of inputs) {
    const code = await action(input, inputs.length > 1).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      note(`interlinear: ${error.message}`);
      return EXIT.usage;
    });
    if (code > worst) worst = code;
  }
  return worst;
}

/** Each session is called by the name of its file; with the folders where another file has the same name. */
function withSessionIds(inputs: readonly Input[]): Input[] {
  const names = new Map<string, number>();
  const nameOf = ({ label }: Input) => basename(stemOf(label));
  for (const input of inputs) names.set(nameOf(input), (names.get(nameOf(input)) ?? 0) + 1);
  return inputs.map((input) => {
    const unique = names.get(nameOf(input)) === 1;
    return { ...input, sessionId: unique ? nameOf(input) : stemOf(input.label) };
  });
}
