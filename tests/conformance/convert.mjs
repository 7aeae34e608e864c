// Converts every fixture with the build that INTERLINEAR_BACKEND names, and prints what came out, as hashes.
import { createHash } from "node:crypto";
import { backend, relay } from "interlinear";
import { read, transcripts } from "../fixtures.mjs";

const includeRaw = process.argv.includes("--raw");
const results = transcripts().map((transcript) => {
  const output = relay(read(transcript), { includeRaw });
  return [transcript.name, { bytes: output.length, hash: createHash("sha256").update(output).digest("hex") }];
});
if (backend() !== process.env.INTERLINEAR_BACKEND) throw new Error(`this is ${backend()}`);
process.stdout.write(JSON.stringify(Object.fromEntries(results)));
