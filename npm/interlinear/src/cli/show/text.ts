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

/** Text that an agent wrote, safe for a terminal and cut to so many columns; an ellipsis says that there was more. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return "";
  // A text can be very long: what cannot be seen anyway is not looked at.
  const seen = clean(text.slice(0, columns * 8));
  let used = 0;
  let kept = 0;
  let cut = 0;
  for (const character of seen) {
    used += widthOf(character);
    if (used > columns) return `${seen.slice(0, cut)}…`;
    kept += character.length;
    if (used < columns) cut = kept;
  }
  return seen;
}
