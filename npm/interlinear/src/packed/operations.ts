// Generated from the Rust types by `cargo run -p interlinear-typegen`. Do not edit: a test compares the two.
export const COUNT = 5;
export const MORE = 64;
export const IDS = 16;
export const NO_ID = 17;
export const TEXTS = 8;
export const TYPE = 15;
export const AGAIN = 13;
export const PLAIN = 14;
export const LINE = 15;
export const SYNTHETIC = 16;
export const TIME = 32;
export const SESSION = 64;
export const RAW = 384;
export const SAME_RAW = 128;
export const SPAN_RAW = 256;
export const MASK_SHIFT = 9;
