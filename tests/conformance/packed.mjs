// Compares, for every fixture and the build that INTERLINEAR_BACKEND names, the events that were packed on their way
// with those of the full JSON; prints how many there were.
import assert from "node:assert/strict";
import { backend, convert, relay, trace } from "interlinear";
import { read, transcripts } from "../fixtures.mjs";

/** The events of the full JSON, by the engine's own parser. */
function plain(files, options) {
  const text = new TextDecoder().decode(relay(files, options));
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

let events = 0;
for (const transcript of transcripts()) {
  const files = read(transcript);
  for (const includeRaw of [false, true]) {
    const expected = plain(files, { includeRaw });
    const unpacked = convert(files, { includeRaw });
    const traced = trace(files, { includeRaw }).flatMap((line) => line.events);
    // The texts first: they also show the order of keys, and that lazy values are kept.
    assert.deepEqual(
      unpacked.map((event) => JSON.stringify(event)),
      expected.map((event) => JSON.stringify(event)),
      transcript.name,
    );
    assert.deepStrictEqual(unpacked, expected, transcript.name);
    assert.deepStrictEqual(traced, expected, transcript.name);
    events += expected.length;
  }
}
if (backend() !== process.env.INTERLINEAR_BACKEND) throw new Error(`this is ${backend()}`);
process.stdout.write(JSON.stringify(events));
