import type { TranscriptState } from "interlinear";
import { titleOf, toHtml, toMarkdown } from "interlinear/export";
import style from "interlinear/react/style.css?inline";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Document } from "../model/document.js";
import { Icon } from "./icon.js";

interface Format {
  readonly label: string;
  readonly ending: string;
  readonly type: string;
  readonly parts: (transcript: TranscriptState, document: Document) => BlobPart[];
}

const FORMATS: readonly Format[] = [
  { label: "Markdown", ending: "md", type: "text/markdown", parts: (transcript) => [toMarkdown(transcript)] },
  {
    label: "HTML, one file",
    ending: "html",
    type: "text/html",
    parts: (transcript) => [toHtml(transcript, { style })],
  },
  {
    label: "Events, JSON lines",
    ending: "jsonl",
    type: "application/x-ndjson",
    parts: (_, document) => eventLines(document),
  },
];

/** All events, piece by piece: a Blob takes them as they are, so that there is no text of all. */
function eventLines({ log }: Document): string[] {
  const parts: string[] = [];
  for (let piece = 0; piece < log.pieces; piece += 1) {
    const events = log.lines(piece).flatMap((line) => line.events);
    if (events.length > 0) parts.push(`${events.map((event) => JSON.stringify(event)).join("\n")}\n`);
  }
  return parts;
}

/** Saves a session as a file. */
export function ExportMenu({ transcript, document }: { transcript: TranscriptState; document: Document }): ReactNode {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const close = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener("pointerdown", close);
    return () => window.removeEventListener("pointerdown", close);
  }, [open]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      setOpen(false);
      menu.current?.querySelector("button")?.focus();
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(event.target as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  };
  const save = ({ parts, type, ending }: Format) => {
    setOpen(false);
    const url = URL.createObjectURL(new Blob(parts(transcript, document), { type }));
    const link = window.document.createElement("a");
    link.href = url;
    link.download = `${fileName(titleOf(transcript))}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return (
    <div className="menu" ref={menu} onKeyDown={onKeyDown} role="none">
      <button type="button" className="button" aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="down" />
        Export
      </button>
      {open && (
        <div className="menu-items" role="menu" aria-label="Export as">
          {FORMATS.map((format) => (
            <button key={format.ending} type="button" role="menuitem" tabIndex={-1} onClick={() => save(format)}>
              {format.label}
              <span>.{format.ending}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function fileName(title: string): string {
  return (
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60)
      .toLowerCase() || "session"
  );
}
