import { type ReactNode, useMemo } from "react";
import { visible } from "../../../interlinear/src/view/safe.js";

/** More than a person reads at once. */
const LONGEST = 200_000;

/** JSON with its names and values told apart; any other text as it is. */
export function Json({ text }: { text: string }): ReactNode {
  const pretty = useMemo(() => prettied(text), [text]);
  const shown = pretty.slice(0, LONGEST);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <pre className="json" tabIndex={0}>
      {coloured(shown)}
      {pretty.length > LONGEST && `\n… and ${pretty.length - LONGEST} characters more`}
    </pre>
  );
}

/** What is longer is not laid out: that would take as long. */
const LAID_OUT = 5_000_000;

function prettied(text: string): string {
  if (text.length > LAID_OUT) return visible(text.slice(0, LONGEST)) + text.slice(LONGEST);
  try {
    return visible(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return visible(text);
  }
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, word] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    const kind =
      string === undefined ? (word === undefined ? "number" : "word") : colon === undefined ? "string" : "key";
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {whole}
      </span>,
    );
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}
