export type * from "../server/api.js";
export type { Gap, Overflow } from "../store/store.js";
export { type CallOptions, Client, type ClientOptions, type GetEvents, type StreamEvents } from "./client.js";
export { ClientError } from "./failure.js";
