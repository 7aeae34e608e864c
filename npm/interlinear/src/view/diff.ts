/** One line of a diff. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "hunk" | "note";
  readonly text: string;
  /** Its number before the change. */
  readonly before?: number;
  /** Its number after the change. */
  readonly after?: number;
}

/** The lines of a unified diff, numbered. Headers are left out: the path stands above. Any text has an answer. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      lines.push({ kind: "hunk", text: line });
    } else if (!inHunk) {
      if (!HEADER.test(line)) lines.push({ kind: "note", text: line });
    } else if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1), after: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1), before: before++ });
    else if (line.startsWith("\\")) lines.push({ kind: "note", text: line });
    else lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}

/** What stands before a line. */
export const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "−",
  same: " ",
  hunk: "",
  note: "",
};

const HEADER = /^(?:--- |\+\+\+ |diff |index |old mode |new mode |new file |deleted file |={3,}$|Index: )/;

/** How many lines a diff adds and removes. */
export function diffCounts(diff: string): { added: number; removed: number } {
  const lines = diffLines(diff);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}
