//! Whole transcripts, chunk by chunk.

use interlinear_core::{ConvertOptions, Converter, Encoding, Output, Stretch};
use napi::bindgen_prelude::{Env, Unknown};
use napi_derive::napi;

use crate::value::{Result, Written, json, stringify, thrown, written};

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
    /// A transcript of which nothing is read yet. The encoding is named as `Encoding::parse` reads it.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: Unknown<'_>, encoding: String) -> Result<Self> {
        let options = ConvertOptions::from_json(&stringify(env, "bad_options", options)?).map_err(thrown)?;
        let converter = Converter::new(&options);
        let output = Output::new(Encoding::parse(&encoding).map_err(thrown)?);
        Ok(Self { converter, output, stretches: Vec::new() })
    }

    /// The next chunk of a file; gives the events that are known now, encoded.
    #[napi(catch_unwind)]
    pub fn push<'env>(&mut self, env: &'env Env, file: String, chunk: &[u8]) -> Result<Written<'env>> {
        self.output.begin(chunk);
        self.converter.push(&file, chunk, &mut self.output).map_err(thrown)?;
        written(env, &mut self.output)
    }

    /// All files were pushed: finds what must be read again (`stretches`).
    #[napi(catch_unwind)]
    pub fn plan<'env>(&mut self, env: &'env Env) -> Result<Written<'env>> {
        self.output.begin(b"");
        self.stretches = self.converter.plan(&mut self.output).map_err(thrown)?;
        written(env, &mut self.output)
    }

    /// What must be read again and handed to `feed`, in this order: a JSON array.
    #[napi(catch_unwind)]
    pub fn stretches(&self) -> String {
        json(&self.stretches)
    }

    /// The bytes of the next stretch, in any number of chunks.
    #[napi(catch_unwind)]
    pub fn feed<'env>(&mut self, env: &'env Env, chunk: &[u8]) -> Result<Written<'env>> {
        self.output.begin(chunk);
        self.converter.feed(chunk, &mut self.output);
        written(env, &mut self.output)
    }

    /// Everything was read.
    #[napi(catch_unwind)]
    pub fn end<'env>(&mut self, env: &'env Env) -> Result<Written<'env>> {
        self.output.begin(b"");
        self.converter.end(&mut self.output).map_err(thrown)?;
        written(env, &mut self.output)
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
}
