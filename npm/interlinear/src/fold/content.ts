import type { ContentPart, ItemDeltaData } from "../../types/index.js";

/** For each part that can grow: the field that holds its text. */
const TEXT_FIELD = { text: "text", reasoning: "text", tool_call: "arguments", tool_result: "output" } as const;

type GrowingType = keyof typeof TEXT_FIELD;

/** The content with a delta applied. Parts that do not grow keep their identity. */
export function grow(content: readonly ContentPart[], data: ItemDeltaData): ContentPart[] {
  const type: GrowingType = isGrowing(data.part_type) ? data.part_type : "text";
  const grown = [...content];
  const at = placeOf(content, type, data.part_index);
  // The place of a part that was never announced can lie beyond the end: what is missing comes with the final item.
  while (grown.length < at) grown.push({ type: "text", text: "" });
  const part = (grown[at] ?? emptyPart(type)) as ContentPart & Record<string, string>;
  const field = TEXT_FIELD[type];
  grown[at] = { ...part, [field]: data.replace ? data.delta : (part[field] ?? "") + data.delta };
  return grown;
}

function isGrowing(type: string | undefined): type is GrowingType {
  return type !== undefined && Object.hasOwn(TEXT_FIELD, type);
}

/** Where the part stands that grows: at its index, else it is the last one of its type, else a new one. */
function placeOf(content: readonly ContentPart[], type: GrowingType, index: number | undefined): number {
  if (index !== undefined && (index >= content.length || content[index]?.type === type)) return index;
  const last = content.map((part) => part.type).lastIndexOf(type);
  return last >= 0 ? last : content.length;
}

function emptyPart(type: GrowingType): ContentPart {
  switch (type) {
    case "text":
      return { type, text: "" };
    case "reasoning":
      return { type, text: "", visibility: "public" };
    case "tool_call":
      return { type, name: "", arguments: "", call_id: "" };
    case "tool_result":
      return { type, call_id: "", output: "" };
  }
}

/** How deep `share` looks: deeper values are taken as they are, so that no input can exhaust the stack. */
const SHARED_DEPTH = 64;

/**
 * `next`, made of as much of `previous` as is equal to it: `previous` itself if all is. So a message whose final text
 * is what was streamed is not drawn again.
 */
export function share<T>(previous: unknown, next: T, depth = 0): T {
  if (Object.is(previous, next) || depth === SHARED_DEPTH) return next;
  if (Array.isArray(previous) && Array.isArray(next)) {
    const shared = next.map((value, index) => share(previous[index], value, depth + 1));
    return same(previous, shared) ? (previous as T) : (shared as T);
  }
  if (isRecord(previous) && isRecord(next)) {
    const shared = Object.fromEntries(
      Object.entries(next).map(([key, value]) => [key, share(previous[key], value, depth + 1)]),
    );
    return same(previous, shared) ? (previous as T) : (shared as T);
  }
  return next;
}

/** Whether two objects or arrays have the same keys with identical values. */
function same(a: object, b: object): boolean {
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, value]) => Object.hasOwn(b, key) && Object.is(value, (b as Record<string, unknown>)[key]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
