//! Whole transcripts: recordings, live streams, stored files.
use crate::api::{ConvertOptions, Detection, Failure, Stats, Stretch};
use crate::sink::Sink;

/// Converts one transcript, chunk by chunk.
#[derive(Debug)]
pub struct Converter {}

impl Converter {
    /// A converter that has read nothing yet.
    pub fn new(_options: &ConvertOptions) -> Self {
        Self {}
    }
    /// The next chunk of a file. Files of one transcript are pushed one after the other, whole.
    pub fn push(&mut self, _file: &str, _chunk: &[u8], _sink: &mut dyn Sink) -> Result<(), Failure> {
        Ok(())
    }
    /// All files were pushed. Where the transcript is not in the order of the conversation, what must be read
    /// again (`feed`), in this order; otherwise nothing.
    pub fn plan(&mut self, _sink: &mut dyn Sink) -> Result<Vec<Stretch>, Failure> {
        Ok(Vec::new())
    }
    /// The bytes of the plan's next stretch, in any number of chunks.
    pub fn feed(&mut self, _chunk: &[u8], _sink: &mut dyn Sink) {}
    /// Everything was read.
    pub fn end(&mut self, _sink: &mut dyn Sink) -> Result<(), Failure> {
        Ok(())
    }
    /// What the transcript turned out to be.
    pub fn detection(&self) -> Option<&Detection> {
        None
    }
    /// What was read so far.
    pub fn stats(&self) -> Stats {
        Stats::default()
    }
}

/// What a transcript is, from its beginning (64 KiB are enough).
pub fn detect(_name: &str, _head: &[u8]) -> Result<Detection, Failure> {
    Err(Failure::new("unknown_format", "not one of the known formats"))
}
