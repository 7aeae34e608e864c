// Markdown → a tree of harmless elements. The library only cuts the text into tokens; which elements come of them is
// decided here. HTML in the text stays text.
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import { decodeEntities } from "./entities.js";
import { type Attributes, type Element, element, type Node } from "./node.js";
import { safeImage, safeLink } from "./safe.js";

/** A block of a text: what is unchanged of a growing text need not be drawn again. */
export interface Block {
  /** The block as it was written. */
  readonly source: string;
  readonly nodes: readonly Node[];
}

/** Longer texts are shown as they are: no person reads them, and no parser should be tried by them. */
const LONGEST = 128 * 1024;

/**
 * What emphasis and links may cost. Finding them takes, at worst, the square of a paragraph's length: what is beyond
 * this is shown as it was written, so that no text can make a page wait.
 */
const LONGEST_PARAGRAPH = 6000;
const BUDGET = 200_000_000;

/** The blocks of a text. Never throws, whatever the text is. */
export function markdown(text: string): Block[] {
  if (text.length > LONGEST) return plain(text);
  try {
    return lex(text).map((token) => ({ source: token.raw, nodes: nodes([token]).map(ownDirection) }));
  } catch {
    // Nested deeper than the stack is.
    return plain(text);
  }
}

function lex(text: string): Token[] {
  const lexer = new Lexer({ gfm: true, tokenizer: new CarefulTokenizer() });
  const blocks = lexer.blockTokens(text.replaceAll(/\r\n?/g, "\n"), lexer.tokens);
  let spent = 0;
  for (const { src, tokens } of lexer.inlineQueue) {
    spent += src.length ** 2;
    if (src.length > LONGEST_PARAGRAPH || spent > BUDGET) tokens.push({ type: "escape", raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return blocks;
}

/** How deep quotes and lists are nested; what is deeper is text. */
const DEEPEST = 32;

/** How far beneath a line that is to be a heading the line of `=` or `-` is looked for that makes it one. */
const LONGEST_HEADING = 2000;

/** Each of these would look through all that follows, for every level and for every line of a list. */
class CarefulTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#nested(() => super.list(src));
  }

  override lheading(src: string): Tokens.Heading | undefined {
    const end = src.length > LONGEST_HEADING ? src.lastIndexOf("\n", LONGEST_HEADING) : src.length;
    return end > 0 ? super.lheading(src.slice(0, end)) : undefined;
  }

  #nested<T>(read: () => T | undefined): T | undefined {
    if (this.#depth === DEEPEST) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** A text as it was written; in pieces, so that of one that grows only the last is drawn again. */
function plain(text: string): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at);
    const source = text.slice(at, end);
    const shown = end < text.length ? source.replace(/\n$/, "") : source;
    blocks.push({ source, nodes: [element("pre", { className: "il-plain" }, [shown])] });
    at = end;
  }
  return blocks;
}

const PIECE = 16 * 1024;

/** Behind the last whole line that fits, else behind the last whole character. */
function endOfPiece(text: string, at: number): number {
  const most = at + PIECE;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most - 1) + 1;
  if (line > at) return line;
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most;
}

/** A block runs the way its first word does, whichever way the page runs; code always runs from left to right. */
function ownDirection(block: Node): Node {
  if (typeof block === "string" || !DIRECTED.has(block.tag)) return block;
  return { ...block, attributes: { ...block.attributes, dir: "auto" } };
}

const DIRECTED: ReadonlySet<string> = new Set(["p", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "div"]);

function nodes(tokens: readonly Token[] | undefined): Node[] {
  return (tokens ?? []).flatMap((token) => node(token as MarkedToken));
}

function node(token: MarkedToken): Node | Node[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      // A page has its own first two levels.
      return element(HEADINGS[Math.min(token.depth, 4) - 1] ?? "h6", {}, nodes(token.tokens));
    case "paragraph":
      return element("p", {}, nodes(token.tokens));
    case "text":
      return token.tokens === undefined ? decodeEntities(token.text) : nodes(token.tokens);
    case "escape":
      return token.text;
    case "strong":
      return element("strong", {}, nodes(token.tokens));
    case "em":
      return element("em", {}, nodes(token.tokens));
    case "del":
      return element("del", {}, nodes(token.tokens));
    case "codespan":
      return element("code", {}, [token.text]);
    case "br":
      return element("br", {});
    case "hr":
      return element("hr", {});
    case "blockquote":
      return element("blockquote", {}, nodes(token.tokens));
    case "code":
      return code(token);
    case "list":
      return list(token);
    case "checkbox":
      return element("input", {
        type: "checkbox",
        checked: token.checked,
        disabled: true,
        // The box stands for a word; what comes after it is not its label.
        "aria-label": token.checked ? "done" : "to do",
      });
    case "table":
      return table(token);
    case "link":
      return link(token);
    case "image":
      return image(token);
    default:
      // HTML, and whatever a newer version of the library has: as it was written.
      return (token as Token).raw;
  }
}

const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function code({ text, lang }: Tokens.Code): Element {
  const language = /^[\w+#.-]+/.exec(lang ?? "")?.[0];
  const attributes = language === undefined ? {} : { className: `language-${language}` };
  return element("pre", { tabIndex: 0 }, [element("code", attributes, [text])]);
}

function list({ ordered, start, items }: Tokens.List): Element {
  const attributes = ordered && typeof start === "number" && start !== 1 ? { start } : {};
  return element(ordered ? "ol" : "ul", attributes, items.map(listItem));
}

function listItem({ tokens, task }: Tokens.ListItem): Element {
  return element("li", task ? { className: "il-task" } : {}, nodes(tokens));
}

function table({ header, rows }: Tokens.Table): Element {
  const head = header.map(({ align, tokens }) => element("th", { scope: "col", ...aligned(align) }, nodes(tokens)));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      row.map(({ align, tokens }) => element("td", aligned(align), nodes(tokens))),
    ),
  );
  const whole = element("table", {}, [element("thead", {}, [element("tr", {}, head)]), element("tbody", {}, body)]);
  return element("div", { className: "il-table", tabIndex: 0 }, [whole]);
}

function aligned(align: Tokens.TableCell["align"]): Attributes {
  return align === null ? {} : { className: `il-${align}` };
}

/** A link that may be followed; of any other, its text and where it would lead. */
function link({ href, tokens }: Tokens.Link): Node {
  const safe = safeLink(href);
  if (safe === undefined) return element("span", { className: "il-link", title: href }, nodes(tokens));
  return element("a", { href: safe, rel: "noopener noreferrer nofollow", target: "_blank" }, nodes(tokens));
}

function image({ href, text }: Tokens.Image): Node {
  const src = safeImage(href);
  if (src !== undefined) return element("img", { src, alt: text });
  const address = safeLink(href);
  const label = text === "" ? "image" : `image: ${text}`;
  if (address === undefined) return element("span", { className: "il-link", title: href }, [label]);
  return element("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, [label]);
}
