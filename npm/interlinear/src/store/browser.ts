// What stores there are in a browser.
export { finishAbandoned } from "./abandoned.js";
export { IndexedDbStore, type IndexedDbStoreOptions } from "./indexeddb/store.js";
export { MemoryStore } from "./memory.js";
export { prune, type Retention } from "./retention.js";
export type * from "./store.js";
