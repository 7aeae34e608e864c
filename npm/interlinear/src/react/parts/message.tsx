import type { ReactNode } from "react";
import type { ContentPart } from "../../../types/index.js";
import { useOpen, useParts } from "../context.js";
import type { MessageProps, ReasoningProps } from "../parts.js";

/** A message: its texts, thoughts, images and files, in order. */
export function Message({ entry, item }: MessageProps): ReactNode {
  const streaming = item.status === "in_progress";
  return (
    <div className="il-message" data-role={item.role ?? "system"} data-retracted={entry.retracted || undefined}>
      {entry.retracted && <p className="il-note">Taken back: no longer part of the conversation</p>}
      {item.content.map((part, index) => (
        <MessagePart key={index} name={`${entry.key}/${index}`} part={part} streaming={streaming} />
      ))}
      {streaming && item.content.length === 0 && <p className="il-waiting">…</p>}
    </div>
  );
}

function MessagePart({ name, part, streaming }: { name: string; part: ContentPart; streaming: boolean }): ReactNode {
  const { Markdown, Reasoning, Image, Diff } = useParts();
  switch (part.type) {
    case "text":
      return part.text === "" ? null : <Markdown text={part.text} />;
    case "reasoning":
      return <Reasoning name={name} part={part} streaming={streaming} />;
    case "image":
      return <Image image={part} />;
    case "file_ref":
      return <Diff name={name} file={part} />;
    default:
      return <pre className="il-json">{JSON.stringify(part.type === "json" ? part.json : part, null, 2)}</pre>;
  }
}

/** What the model thought: folded away once it is done. */
export function Reasoning({ name, part, streaming }: ReasoningProps): ReactNode {
  const { Markdown } = useParts();
  const [open, toggle] = useOpen(name, streaming);
  if (part.text === "") return <p className="il-note">The model’s reasoning is hidden</p>;
  return (
    <div className="il-reasoning">
      <button type="button" className="il-fold" aria-expanded={open} onClick={toggle}>
        {streaming ? "Thinking" : "Thought"}
        {!open && <span className="il-preview">{preview(part.text)}</span>}
      </button>
      {open && <Markdown text={part.text} />}
    </div>
  );
}

function preview(text: string): string {
  return text
    .slice(0, 200)
    .replaceAll(/[*_`#\s]+/g, " ")
    .trim();
}
