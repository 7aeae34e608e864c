//! Whole transcripts, chunk by chunk.

use interlinear_core::{ConvertOptions, Converter, Failure, Output, Stretch};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::value::{encoding, json, stringify, thrown};

/// Converts one transcript, live or stored, of one or several files.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Transcript {
    converter: Converter,
    output: Output,
    stretches: Vec<Stretch>,
}

#[wasm_bindgen]
impl Transcript {
    /// A transcript of which nothing is read yet. The encoding is `array`, `ndjson` or `trace`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &Ts<ConvertOptions>, encoding_name: &str) -> Result<Self, JsValue> {
        let options = ConvertOptions::from_json(&stringify(&options.js_value())?).map_err(thrown)?;
        let converter = Converter::new(&options);
        let output = Output::new(encoding(encoding_name)?);
        Ok(Self { converter, output, stretches: Vec::new() })
    }

    /// The next chunk of a file; gives the events that are known now, encoded.
    pub fn push(&mut self, file: &str, chunk: &[u8]) -> Result<Vec<u8>, JsValue> {
        let pushed = self.converter.push(file, chunk, &mut self.output);
        self.written(pushed)
    }

    /// All files were pushed: finds what must be read again (`stretches`).
    pub fn plan(&mut self) -> Result<Vec<u8>, JsValue> {
        let planned = self.converter.plan(&mut self.output).map(|stretches| self.stretches = stretches);
        self.written(planned)
    }

    /// What must be read again and handed to `feed`, in this order: a JSON array.
    pub fn stretches(&self) -> String {
        json(&self.stretches)
    }

    /// The bytes of the next stretch, in any number of chunks.
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.converter.feed(chunk, &mut self.output);
        self.output.take()
    }

    /// Everything was read.
    pub fn end(&mut self) -> Result<Vec<u8>, JsValue> {
        let ended = self.converter.end(&mut self.output);
        self.written(ended)
    }

    /// What the transcript turned out to be: JSON.
    pub fn detection(&self) -> Option<String> {
        self.converter.detection().map(json)
    }

    /// What was read so far, and what became of it: JSON.
    pub fn stats(&self) -> String {
        json(&self.converter.stats())
    }

    /// What was written by a call, unless it failed.
    fn written(&mut self, result: Result<(), Failure>) -> Result<Vec<u8>, JsValue> {
        result.map_err(thrown)?;
        Ok(self.output.take())
    }
}
