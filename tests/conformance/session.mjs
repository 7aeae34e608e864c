// Plays a part of a recording as a live session with the build that INTERLINEAR_BACKEND names; prints what came out.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { backend, openSession, restore } from "interlinear";
import { recording, root } from "../fixtures.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const lines = readFileSync(join(root, recording), "utf8").split("\n").filter(Boolean);
const steps = lines.map((line) => JSON.parse(line)).filter(({ dir }) => dir !== undefined);

let time = 0;
const now = () => time;
const session =
  job.snapshot === undefined
    ? openSession({ agent: "claude", sessionId: "s", metadata: { host: "test" }, now })
    : restore(Buffer.from(job.snapshot, "base64"), { now });

/** One record of the recording, as a host would hand it in. */
function step({ t, dir, line, code = null, signal = null }) {
  time = t;
  switch (dir) {
    case "out":
      return session.receive(`${line}\n`);
    case "in":
      return session.sent(`${line}\n`);
    case "err":
      return session.receive(`${line}\n`, "stderr");
    case "exit":
      return session.exited({ code, signal });
    default:
      throw new Error(`a recording has no ${dir}`);
  }
}

const events = steps.slice(job.from, job.to).flatMap(step);
const snapshot = Buffer.from(session.snapshot()).toString("base64");
if (backend() !== process.env.INTERLINEAR_BACKEND) throw new Error(`this is ${backend()}`);
const result = { steps: steps.length, events, outgoing: session.outgoing(), stats: session.stats(), snapshot };
process.stdout.write(JSON.stringify(result));
