import { type ReactNode, useMemo } from "react";
import { type DiffLine, diffCounts, diffLines, SIGNS } from "../../view/diff.js";
import { safeImage, visible } from "../../view/safe.js";
import { useOpen } from "../context.js";
import type { DiffProps, ImageProps, OutputProps } from "../parts.js";

/** More than a person reads, and than a page should hold at once. */
const MOST_LINES = 5000;
const MOST_CHARACTERS = 500_000;

/** What a tool printed: its first lines, and all of it if asked for. */
export function Output({ name, text, lines = 10 }: OutputProps): ReactNode {
  const [open, toggle] = useOpen(`${name}/output`, false);
  const all = useMemo(() => visible(text.slice(0, MOST_CHARACTERS)).trimEnd().split("\n"), [text]);
  if (all.length === 1 && all[0] === "") return null;
  const folds = all.length > lines + 2;
  const shown = folds && !open ? all.slice(0, lines) : all.slice(0, MOST_LINES);
  const cut = text.length > MOST_CHARACTERS || all.length > MOST_LINES;
  return (
    <div className="il-output">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre tabIndex={0}>{shown.join("\n")}</pre>
      {open && cut && <p className="il-note">The rest is left out here: it is too long.</p>}
      {folds && (
        <button type="button" className="il-more" aria-expanded={open} onClick={toggle}>
          {open ? "Show less" : `Show all ${all.length} lines`}
        </button>
      )}
    </div>
  );
}

const DIFF_LINES = 40;

/** A file that was touched, with the change where there is one. */
export function Diff({ name, file, titled = false }: DiffProps): ReactNode {
  const { path, action, diff } = file;
  const lines = useMemo(() => (diff === undefined ? [] : diffLines(diff.slice(0, MOST_CHARACTERS))), [diff]);
  const [open, toggle] = useOpen(`${name}/diff`, false);
  const folds = lines.length > DIFF_LINES + 5;
  const shown = folds && !open ? lines.slice(0, DIFF_LINES) : lines.slice(0, MOST_LINES);
  return (
    <figure className="il-diff" aria-label={`Changes of ${visible(path)}`}>
      {!titled && (
        <figcaption>
          <span className="il-path">{visible(path)}</span>
          {diff === undefined ? <span className="il-note">{action}</span> : <Counts diff={diff} />}
        </figcaption>
      )}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <div className="il-lines" tabIndex={0}>
          {shown.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      )}
      {folds && (
        <button type="button" className="il-more" aria-expanded={open} onClick={toggle}>
          {open ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </figure>
  );
}

/** How much a change adds and removes. */
export function Counts({ diff }: { diff: string }): ReactNode {
  const { added, removed } = useMemo(() => diffCounts(diff), [diff]);
  return (
    <span className="il-counts">
      <span className="il-added">+{added}</span> <span className="il-removed">−{removed}</span>
    </span>
  );
}

function Line({ line }: { line: DiffLine }): ReactNode {
  return (
    <div className="il-line" data-kind={line.kind}>
      <span className="il-number" data-number={line.after ?? line.before ?? ""} />
      <span className="il-sign">{SIGNS[line.kind]}</span>
      <span className="il-code">{visible(line.text)}</span>
    </div>
  );
}

/** An image that came with the conversation; of any other, where it is. */
export function Image({ image }: ImageProps): ReactNode {
  const src = safeImage(image.path);
  if (src === undefined) return <p className="il-path">{visible(image.path.slice(0, 300))}</p>;
  return <img className="il-image" src={src} alt="Part of the conversation" />;
}
