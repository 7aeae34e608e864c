// The native object beside an event. Most hosts look at few of them, if any: it is parsed when it is asked for.

/** Where a native object is: its text, or the bytes it was read from. */
export type Native = string | { readonly input: Uint8Array; readonly start: number; readonly end: number };

/** Leads to what `raw` will be. A symbol, not a private field: a Proxy of the event (Vue, MobX) must find it too. */
const held = Symbol("native");

interface Event {
  [held]: { native: Native | undefined; value: unknown };
}

const utf8 = new TextDecoder();

// One descriptor, and one getter, for all events: engines then keep one shape for them.
const slot = { value: undefined as Event[typeof held] | undefined };

const accessor: PropertyDescriptor & ThisType<Event> = {
  get() {
    const holder = this[held];
    if (holder.native !== undefined) {
      holder.value = JSON.parse(textOf(holder.native));
      holder.native = undefined;
    }
    return holder.value;
  },
  set(value: unknown) {
    Object.defineProperty(this, "raw", { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
};

/** Gives an event its `raw`: its own, enumerable, and not parsed before someone looks. */
export function defineRaw<T extends object>(event: T, native: Native): T & { raw: unknown } {
  slot.value = { native, value: undefined };
  Object.defineProperty(event, held, slot);
  return Object.defineProperty(event, "raw", accessor) as T & { raw: unknown };
}

/** The text of an event's native object: the agent's own as long as nobody has looked at it. Null if there is none. */
export function rawText(event: { readonly raw?: unknown }): string | null {
  const native = isLazy(event) ? event[held].native : undefined;
  if (native !== undefined) return textOf(native);
  return event.raw === null || event.raw === undefined ? null : JSON.stringify(event.raw);
}

/** Whether `raw` is still what was given to the event here. */
function isLazy(event: object): event is Event {
  return held in event && Object.getOwnPropertyDescriptor(event, "raw")?.get === accessor.get;
}

function textOf(native: Native): string {
  return typeof native === "string" ? native : utf8.decode(native.input.subarray(native.start, native.end));
}
