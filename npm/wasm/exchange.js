// The glue of the exchange module, and where it lies.
export { Exporter, Importer, initSync, recognises } from "./dist/exchange/exchange.js";

/** The address of the module: bundlers see this expression and ship the file. */
export const moduleUrl = () => new URL("./dist/exchange/exchange.wasm", import.meta.url);
