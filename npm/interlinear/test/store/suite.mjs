import { test } from "node:test";
import { prune } from "interlinear/store";
import { cases } from "./conformance.mjs";

/**
 * Runs all cases in Node.
 *
 * @param {() => Promise<{store: object, again?: () => Promise<object>, clean: () => Promise<void>}>} make
 */
export function conform(name, make) {
  for (const [sentence, run] of Object.entries(cases)) {
    test(`${name}: ${sentence}`, { timeout: 60_000 }, async () => {
      const { clean, ...context } = await make();
      try {
        await run({ ...context, prune });
      } finally {
        await clean();
      }
    });
  }
}
