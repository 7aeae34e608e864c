// The glue that wasm-bindgen wrote, and where its module lies. `interlinear` decides when and how to load it.
export {
  __wbg_reset_state as reset,
  agents,
  ContractChecker,
  detect,
  initSync,
  Machine,
  panicText,
  Transcript,
  version,
} from "./dist/interlinear.js";

/** The address of the module: bundlers see this expression and ship the file. */
export const moduleUrl = () => new URL("./dist/interlinear.wasm", import.meta.url);
