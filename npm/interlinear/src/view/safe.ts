// What an agent wrote is never trusted: which addresses a page may use, and which characters it must not hide.

const LINKS = new Set(["http:", "https:", "mailto:"]);

/** The address of a link that does no harm when it is followed; `undefined` for any other, and for relative ones. */
export function safeLink(href: string): string | undefined {
  try {
    // As the browser reads it: that one overlooks white space and control characters.
    const url = new URL(href);
    return LINKS.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

// Not SVG: it is a document of its own. Not `http:`: whoever wrote the text would learn who reads it.
const IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z\d+/]+={0,2}$/i;

/** The address of an image that can be shown without asking anyone for it. */
export function safeImage(path: string): string | undefined {
  return IMAGE.test(path) ? path : undefined;
}

/** Characters that hide text or turn its direction, and controls that are not white space. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must be seen
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The colours and cursor movements of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins them
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Carriage returns: the ends of lines, or a program that writes over its own line, as those do that show progress. */
const RETURNS = /\r+\n?/g;

function lineBreak(returns: string, at: number, text: string): string {
  return returns.endsWith("\n") || at + returns.length < text.length ? "\n" : "";
}

/**
 * Text for places where a person decides by it (commands, paths, diffs): what would be hidden is shown as a sign, so
 * that it reads as it is.
 */
export function visible(text: string): string {
  return text
    .replace(ANSI, "")
    .replace(RETURNS, lineBreak)
    .replace(HIDDEN, (character) => {
      const code = character.charCodeAt(0);
      // The control pictures: a sign for each of the old control characters.
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
    });
}
