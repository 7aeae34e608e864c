//! Whole transcripts, chunk by chunk.

use interlinear_core::{ConvertOptions, Converter, Failure, Output, Stretch};
use napi::bindgen_prelude::{Env, Uint8Array, Unknown};
use napi_derive::napi;

use crate::value::{Result, encoding, json, stringify, thrown};

/// Converts one transcript, live or stored, of one or several files.
#[napi]
#[derive(Debug)]
pub struct Transcript {
    converter: Converter,
    output: Output,
    stretches: Vec<Stretch>,
}

#[napi]
impl Transcript {
    /// A transcript of which nothing is read yet. The encoding is `array`, `ndjson` or `trace`.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: Unknown<'_>, encoding_name: String) -> Result<Self> {
        let options = ConvertOptions::from_json(&stringify(env, "bad_options", options)?).map_err(thrown)?;
        let converter = Converter::new(&options);
        let output = Output::new(encoding(&encoding_name)?);
        Ok(Self { converter, output, stretches: Vec::new() })
    }

    /// The next chunk of a file; gives the events that are known now, encoded.
    #[napi(catch_unwind)]
    pub fn push(&mut self, file: String, chunk: &[u8]) -> Result<Uint8Array> {
        let pushed = self.converter.push(&file, chunk, &mut self.output);
        self.written(pushed)
    }

    /// All files were pushed: finds what must be read again (`stretches`).
    #[napi(catch_unwind)]
    pub fn plan(&mut self) -> Result<Uint8Array> {
        let planned = self.converter.plan(&mut self.output).map(|stretches| self.stretches = stretches);
        self.written(planned)
    }

    /// What must be read again and handed to `feed`, in this order: a JSON array.
    #[napi(catch_unwind)]
    pub fn stretches(&self) -> String {
        json(&self.stretches)
    }

    /// The bytes of the next stretch, in any number of chunks.
    #[napi(catch_unwind)]
    pub fn feed(&mut self, chunk: &[u8]) -> Uint8Array {
        self.converter.feed(chunk, &mut self.output);
        self.output.take().into()
    }

    /// Everything was read.
    #[napi(catch_unwind)]
    pub fn end(&mut self) -> Result<Uint8Array> {
        let ended = self.converter.end(&mut self.output);
        self.written(ended)
    }

    /// What the transcript turned out to be: JSON.
    #[napi(catch_unwind)]
    pub fn detection(&self) -> Option<String> {
        self.converter.detection().map(json)
    }

    /// What was read so far, and what became of it: JSON.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> String {
        json(&self.converter.stats())
    }

    /// Nothing to do here: the garbage collector frees it. The WASM binding has the same method.
    #[napi]
    #[allow(clippy::unused_self, reason = "a method in JavaScript")]
    pub fn free(&self) {}

    /// What was written by a call, unless it failed.
    fn written(&mut self, result: std::result::Result<(), Failure>) -> Result<Uint8Array> {
        result.map_err(thrown)?;
        Ok(self.output.take().into())
    }
}
