//! The machine: bytes and commands in, events and bytes out.
use crate::api::{Channel, Command, Exit, Failure, OpenOptions, Outgoing, Stats};
use crate::sink::Sink;

/// A process that is being read and talked to.
#[derive(Debug)]
pub struct Connection {}

impl Connection {
    /// Opens a session or a connection.
    pub fn open(_options: &OpenOptions) -> Result<Self, Failure> {
        Ok(Self {})
    }
    /// What the agent wrote. `now` is the host's clock, in milliseconds since 1970.
    pub fn receive(&mut self, _chunk: &[u8], _channel: &Channel, _now: f64, _sink: &mut dyn Sink) {}
    /// What the host wrote by itself.
    pub fn sent(&mut self, _chunk: &[u8], _channel: &Channel, _now: f64, _sink: &mut dyn Sink) {}
    /// What the host wants the agent to do.
    pub fn command(&mut self, _command: &Command, _session_id: Option<&str>, _now: f64, _sink: &mut dyn Sink) {}
    /// What the host must write, call or signal now.
    pub fn outgoing(&mut self) -> Vec<Outgoing> {
        Vec::new()
    }
    /// When `tick` must be called if nothing comes.
    pub fn deadline(&self) -> Option<f64> {
        None
    }
    /// Time has passed.
    pub fn tick(&mut self, _now: f64, _sink: &mut dyn Sink) {}
    /// The process is gone.
    pub fn exited(&mut self, _exit: &Exit, _now: f64, _sink: &mut dyn Sink) {}
    /// The input is over.
    pub fn end(&mut self, _now: f64, _sink: &mut dyn Sink) {}
    /// What was read so far.
    pub fn stats(&self) -> Stats {
        Stats::default()
    }
    /// All state, to go on in another process.
    pub fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }
    /// Goes on from a snapshot.
    pub fn restore(_bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self {})
    }
}
