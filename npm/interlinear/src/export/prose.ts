// Text in Markdown as a part of a larger document. What it leaves open must not swallow what comes after it, and HTML in
// it stays text, as in a page: renderers drop tags that they do not know, and hide all that follows a `<!--`.

/** A text with blocks of its own. */
export function contained(text: string): string {
  const lines: string[] = [];
  let prose: string[] = [];
  const flush = () => {
    if (prose.length > 0) lines.push(htmlAsText(prose.join("\n")));
    prose = [];
  };
  let fence: Fence | undefined;
  let listed = false;
  for (const line of text.split("\n")) {
    if (fence !== undefined && isOutside(line, fence)) fence = undefined;
    if (fence !== undefined) {
      lines.push(line);
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    fence = fenceAt(line, listed);
    const isCode = fence !== undefined || (!listed && prose.length === 0 && /^(?: {4}|\t)/.test(line));
    if (isCode || line.trim() === "") {
      flush();
      lines.push(line);
    } else {
      listed = LIST.test(line) || (listed && /^\s/.test(line));
      prose.push(line);
    }
  }
  flush();
  if (fence !== undefined) lines.push(fence.indent + fence.marks);
  return lines.join("\n");
}

const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/** Code between fences that is open. */
interface Fence {
  readonly marks: string;
  /** What stands before its lines: white space, and the signs of quotes. */
  readonly indent: string;
  /** Whether it is a list's, and ends with that. */
  readonly listed: boolean;
}

function fenceAt(line: string, listed: boolean): Fence | undefined {
  const opened = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
  if (opened === null) return undefined;
  const [, before = "", marks = ""] = opened;
  const indent = before.replaceAll(/[^>\s]/g, " ");
  const inList = indent !== before || (listed && before !== "");
  // Further in it is a block of code itself.
  if (!inList && !before.includes(">") && before.length > 3) return undefined;
  return { marks, indent, listed: inList };
}

/** Whether the quote or list that a fence is in ended before a line, and the fence with it. */
function isOutside(line: string, { indent, listed }: Fence): boolean {
  if (indent.includes(">")) return !/^\s*>/.test(line);
  return listed && line.trim() !== "" && (/^\s*/.exec(line)?.[0].length ?? 0) < indent.length;
}

function closes(line: string, { marks }: Fence): boolean {
  const run = /^[ \t>]*(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return run !== undefined && run[0] === marks[0] && run.length >= marks.length;
}

/** A paragraph or a line with its HTML as text; what is code in it stands as it is. */
export function htmlAsText(prose: string): string {
  const runs = Array.from(prose.matchAll(/`+/g), ({ index, 0: { length } }) => ({ index, length }));
  const closing = closingRuns(runs);
  let written = "";
  let at = 0;
  runs.forEach((run, position) => {
    const end = closing[position];
    if (run.index < at || end === undefined || prose[run.index - 1] === "\\") return;
    written += withoutTags(prose.slice(at, run.index)) + prose.slice(run.index, end);
    at = end;
  });
  return written + withoutTags(prose.slice(at));
}

/** For each run of backticks, where the next one of its length ends: that closes it. */
function closingRuns(runs: readonly { index: number; length: number }[]): (number | undefined)[] {
  const next = new Map<number, number>();
  const ends: (number | undefined)[] = [];
  for (const [position, { index, length }] of [...runs.entries()].reverse()) {
    ends[position] = next.get(length);
    next.set(length, index + length);
  }
  return ends;
}

const ADDRESS = /<(?:[a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>/iy;

function withoutTags(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, (sign, at: number) => {
    ADDRESS.lastIndex = at;
    if (ADDRESS.test(text)) return sign;
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    return (at - before) % 2 === 1 ? sign : `\\${sign}`;
  });
}
