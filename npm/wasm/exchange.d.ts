export { Exporter, Importer, initSync, recognises } from "./dist/exchange/exchange.js";

/** The address of the module: bundlers see this expression and ship the file. */
export declare const moduleUrl: () => URL;
