// Reads a file of lines from a place on, in chunks, and never a line that is not whole.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { codeOf } from "../../errors.js";

export const newline = 10;
const chunkSize = 32 * 1024;

/** The file, or `undefined` if there is none. */
export async function openIfThere(path: string, flags = "r"): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** Opens a file to append to it; only its owner may read it. */
export function openToAppend(path: string): Promise<FileHandle> {
  return open(path, O_APPEND | O_CREAT | O_RDWR, 0o600);
}

/** Whole lines from a place to the end of what is written now; a last line that has no end is left out. */
export async function* readLines(file: FileHandle, from: number): AsyncGenerator<Buffer[], void> {
  let rest: Buffer[] = [];
  let position = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkSize);
    const { bytesRead } = await file.read(chunk, 0, chunkSize, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    const end = bytes.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(bytes);
      continue;
    }
    const whole = rest.length === 0 ? bytes.subarray(0, end) : Buffer.concat([...rest, bytes.subarray(0, end)]);
    yield split(whole);
    rest = end < bytes.length ? [bytes.subarray(end)] : [];
  }
}

function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** The last whole line of a file of this size, without reading more than is needed. */
export async function lastLine(file: FileHandle, size: number): Promise<Buffer | undefined> {
  for (let length = Math.min(size, 16 * 1024); ; length = Math.min(size, length * 4)) {
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(bytes, 0, length, size - length);
    const end = bytes.lastIndexOf(newline, bytesRead - 1);
    const start = end < 1 ? -1 : bytes.lastIndexOf(newline, end - 1);
    if (end !== -1 && (start !== -1 || length === size)) return bytes.subarray(start + 1, end);
    if (length === size) return undefined;
  }
}
