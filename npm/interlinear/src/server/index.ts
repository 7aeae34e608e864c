export type * from "./api.js";
export { withFiles, withInspector } from "./inspector.js";
export { type Listening, listen } from "./node.js";
export { createServer, type Handler, type ServerOptions } from "./server.js";
