// A small tree of elements, drawn by React in a page and as text in an export. Only what is listed here can be in it,
// and text is only ever text: whatever an agent writes, there is no way to a script.

/** The elements that can occur. */
export type Tag =
  | "a"
  | "blockquote"
  | "br"
  | "code"
  | "del"
  | "div"
  | "em"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "hr"
  | "img"
  | "input"
  | "li"
  | "ol"
  | "p"
  | "pre"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

/** The attributes that can occur, under React's names. */
export interface Attributes {
  alt?: string;
  "aria-label"?: string;
  checked?: boolean;
  className?: string;
  dir?: "auto";
  disabled?: boolean;
  href?: string;
  rel?: string;
  scope?: string;
  src?: string;
  start?: number;
  tabIndex?: number;
  target?: string;
  title?: string;
  type?: string;
}

/** Text, or an element. */
export type Node = string | Element;

/** An element with what is in it. */
export interface Element {
  readonly tag: Tag;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
}

/** An element. */
export function element(tag: Tag, attributes: Attributes, children: readonly Node[] = []): Element {
  return { tag, attributes, children };
}
