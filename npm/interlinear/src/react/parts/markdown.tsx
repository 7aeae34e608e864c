import { createElement, memo, type ReactNode, useMemo } from "react";
import { type Block, markdown } from "../../view/markdown.js";
import type { Node } from "../../view/node.js";
import type { MarkdownProps } from "../parts.js";

/** Markdown as harmless elements: HTML in it is shown, not used. Of a growing text only the last block is drawn again. */
export function Markdown({ text }: MarkdownProps): ReactNode {
  const blocks = useMemo(() => markdown(text), [text]);
  return (
    <div className="il-markdown">
      {blocks.map((block, index) => (
        <MarkdownBlock key={index} block={block} />
      ))}
    </div>
  );
}

const MarkdownBlock = memo(
  ({ block }: { block: Block }) => block.nodes.map(draw),
  (before, after) => before.block.source === after.block.source,
);

function draw(node: Node, index: number): ReactNode {
  if (typeof node === "string") return node;
  const attributes = { key: index, ...node.attributes, ...(node.tag === "input" && { readOnly: true }) };
  return createElement(node.tag, attributes, ...node.children.map(draw));
}
