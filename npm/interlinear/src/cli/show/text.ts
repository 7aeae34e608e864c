/** Characters that would move the cursor, hide text or turn its direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not reach a terminal
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Text that an agent wrote, safe for a terminal and in one line. */
export function clean(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x0a) return "⏎";
    if (code === 0x0d) return "";
    if (code === 0x09) return " ";
    // The control pictures: a sign for each of the old control characters.
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return "\ufffd";
  });
}

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$|^\p{Emoji_Presentation}$/u;

/** How many columns a character takes. */
function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  return ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** The text, cut to so many columns; an ellipsis says that there was more. */
export function shorten(text: string, columns: number): string {
  if (columns <= 0) return "";
  // No more characters than columns can be seen, but for those without a width: a long line is not walked to its end.
  const head = text.length > columns * 8 ? text.slice(0, columns * 8) : text;
  let used = 0;
  let kept = 0;
  let fits = 0;
  for (const character of head) {
    used += widthOf(character);
    if (used > columns) return `${head.slice(0, fits)}…`;
    kept += character.length;
    if (used < columns) fits = kept;
  }
  return head.length < text.length ? `${head.slice(0, fits)}…` : text;
}
