// HTML as text that is safe by its making: strings are escaped, only what these functions made is not.
import type { Node } from "../view/node.js";

/** HTML that was made here. */
export interface Html {
  readonly text: string;
}

/** What an element can hold; nothing is drawn of what is missing. What may be many is a list: calls take only so much. */
export type Child = Html | string | undefined | false | readonly Html[];

const VOID = new Set(["br", "hr", "img", "input"]);

/** An element. Its name and the names of its attributes are never taken from a transcript. */
export function html(
  name: string,
  attributes: Record<string, string | number | boolean | undefined>,
  ...children: readonly Child[]
): Html {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === undefined || value === false) return "";
    return value === true ? ` ${key}` : ` ${key}="${escaped(`${value}`)}"`;
  });
  const open = `<${name}${written.join("")}>`;
  return { text: VOID.has(name) ? open : `${open}${children.map(childText).join("")}</${name}>` };
}

/** Elements of a text's tree. */
export function nodes(list: readonly Node[]): Html {
  return { text: list.map(nodeText).join("") };
}

function nodeText(node: Node): string {
  if (typeof node === "string") return escaped(node);
  const { className, tabIndex, ...attributes } = node.attributes;
  return html(node.tag, { class: className, tabindex: tabIndex, ...attributes }, nodes(node.children)).text;
}

function childText(child: Child): string {
  if (child === undefined || child === false) return "";
  if (typeof child === "string") return escaped(child);
  return "text" in child ? child.text : child.map(({ text }) => text).join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
