//! Whole transcripts, chunk by chunk.

use interlinear_core::{ConvertOptions, Converter, Encoding, Output, Stretch};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::value::{json, stringify, thrown, written};

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
    /// A transcript of which nothing is read yet. The encoding is named as `Encoding::parse` reads it.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &Ts<ConvertOptions>, encoding: &str) -> Result<Self, JsValue> {
        let options = ConvertOptions::from_json(&stringify(&options.js_value())?).map_err(thrown)?;
        let converter = Converter::new(&options);
        let output = Output::new(Encoding::parse(encoding).map_err(thrown)?);
        Ok(Self { converter, output, stretches: Vec::new() })
    }

    /// The next chunk of a file; gives the events that are known now, encoded.
    pub fn push(&mut self, file: &str, chunk: &[u8]) -> Result<JsValue, JsValue> {
        self.output.begin(chunk);
        self.converter.push(file, chunk, &mut self.output).map_err(thrown)?;
        Ok(written(&mut self.output))
    }

    /// All files were pushed: finds what must be read again (`stretches`).
    pub fn plan(&mut self) -> Result<JsValue, JsValue> {
        self.output.begin(b"");
        self.stretches = self.converter.plan(&mut self.output).map_err(thrown)?;
        Ok(written(&mut self.output))
    }

    /// What must be read again and handed to `feed`, in this order: a JSON array.
    pub fn stretches(&self) -> String {
        json(&self.stretches)
    }

    /// The bytes of the next stretch, in any number of chunks.
    pub fn feed(&mut self, chunk: &[u8]) -> JsValue {
        self.output.begin(chunk);
        self.converter.feed(chunk, &mut self.output);
        written(&mut self.output)
    }

    /// Everything was read.
    pub fn end(&mut self) -> Result<JsValue, JsValue> {
        self.output.begin(b"");
        self.converter.end(&mut self.output).map_err(thrown)?;
        Ok(written(&mut self.output))
    }

    /// What the transcript turned out to be: JSON.
    pub fn detection(&self) -> Option<String> {
        self.converter.detection().map(json)
    }

    /// What was read so far, and what became of it: JSON.
    pub fn stats(&self) -> String {
        json(&self.converter.stats())
    }
}
