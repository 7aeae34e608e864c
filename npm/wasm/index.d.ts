export {
  /** Makes a fresh instance of the module; objects of the old one are dead. */
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
export declare const moduleUrl: () => URL;
