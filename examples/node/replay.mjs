// Stands in for the agent where there is none: writes what the real one wrote, line by line, and exits as it did.
import { readFileSync } from "node:fs";

const recording =
  process.argv[2] ?? new URL("../../tests/fixtures/claude/recordings/subagent_parallel.jsonl", import.meta.url);

for (const record of readFileSync(recording, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line))) {
  if (record.dir === "out") process.stdout.write(`${record.line}\n`);
  if (record.dir === "err") process.stderr.write(`${record.line}\n`);
  if (record.dir === "exit") process.exitCode = record.code ?? 1;
}
