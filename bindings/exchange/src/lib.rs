//! The agent exchange transcript for JavaScript. A module of its own, so that the core stays small.
//!
//! A façade: bytes in, bytes out, and nothing is decided here.

use interlinear_schema::UniversalEvent;
use wasm_bindgen::prelude::*;

/// Universal events, one a line → exchange events, one a line.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Exporter {
    exporter: interlinear_exchange::Exporter,
    /// A line that has no end yet.
    rest: Vec<u8>,
    lines: u64,
}

#[wasm_bindgen]
impl Exporter {
    /// Has seen nothing yet. Each run's lines are numbered by themselves where each goes into a file of its own.
    #[wasm_bindgen(constructor)]
    pub fn new(file_per_run: bool) -> Self {
        let layout =
            if file_per_run { interlinear_exchange::Layout::FilePerRun } else { interlinear_exchange::Layout::OneFile };
        Self { exporter: interlinear_exchange::Exporter::new(layout), rest: Vec::new(), lines: 0 }
    }

    /// The next bytes of universal events; gives the lines that are known now.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<u8>, JsError> {
        self.rest.extend_from_slice(chunk);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.rest.drain(..whole).collect();
        self.convert(&lines)
    }

    /// There are no more.
    pub fn end(&mut self) -> Result<Vec<u8>, JsError> {
        let rest = std::mem::take(&mut self.rest);
        self.convert(&rest)
    }

    fn convert(&mut self, lines: &[u8]) -> Result<Vec<u8>, JsError> {
        let mut out = Vec::new();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            self.lines += 1;
            let event: UniversalEvent<'static> = serde_json::from_slice(line)
                .map_err(|error| JsError::new(&format!("event {}: {error}", self.lines)))?;
            self.exporter.event(&event, |line| out.extend_from_slice(line.bytes));
        }
        Ok(out)
    }
}

/// Exchange events, of one file or several → universal events, one a line.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Importer(interlinear_exchange::Importer);

#[wasm_bindgen]
impl Importer {
    /// Has seen nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new(session_id: Option<String>, include_raw: bool) -> Self {
        Self(interlinear_exchange::Importer::new(session_id, include_raw))
    }

    /// The next bytes of a file.
    pub fn push(&mut self, file: &str, chunk: &[u8]) {
        self.0.push(file, chunk);
    }

    /// The runs that were called and are in none of the files so far.
    pub fn missing(&self) -> Vec<String> {
        self.0.missing()
    }

    /// All files were pushed: gives the events.
    pub fn end(&mut self) -> Vec<u8> {
        self.0.end()
    }

    /// What became of the lines: JSON.
    pub fn counts(&self) -> String {
        serde_json::to_string(self.0.counts()).unwrap_or_default()
    }
}

/// Whether the beginning of a file looks like an exchange transcript.
#[wasm_bindgen]
pub fn recognises(head: &str) -> bool {
    interlinear_exchange::recognises(head)
}
