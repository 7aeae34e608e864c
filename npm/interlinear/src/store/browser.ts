// What stores there are in a browser.
export { MemoryStore } from "./memory.js";
export { prune, type Retention } from "./retention.js";
export type * from "./store.js";
