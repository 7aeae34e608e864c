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
  const inputs = await findInputs(paths);
  const several = inputs.length > 1;
  let worst: ExitCode = EXIT.ok;
  for (const input of inputs) {
    const named = several ? { ...input, sessionId: stemOf(input.label) } : input;
    const code = await action(named, several).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      note(`interlinear: ${error.message}`);
      return EXIT.usage;
    });
    if (code > worst) worst = code;
  }
  return worst;
}
