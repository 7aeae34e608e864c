// Bundles a module for a browser, as an application's bundler would.
import { rolldown } from "rolldown";

/**
 * Bundles an entry, with everything that it imports.
 *
 * @param {string} input the entry
 * @param {string} [file] where to write it; without it nothing is written
 * @returns {Promise<string>} the code
 */
export async function bundle(input, file) {
  const bundled = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const options = { format: "esm", minify: true, codeSplitting: false };
  const { output } = file === undefined ? await bundled.generate(options) : await bundled.write({ ...options, file });
  await bundled.close();
  return output[0].code;
}
