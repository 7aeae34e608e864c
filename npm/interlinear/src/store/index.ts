export { finishAbandoned } from "./abandoned.js";
export type { Sync } from "./jsonl/ledger.js";
export { JsonlStore, type JsonlStoreOptions } from "./jsonl/store.js";
export { MemoryStore } from "./memory.js";
export { PostgresStore, type PostgresStoreOptions } from "./postgres/store.js";
export { prune, type Retention } from "./retention.js";
export type * from "./store.js";
