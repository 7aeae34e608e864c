//! A process that is being read and talked to.

use interlinear_core::{Channel, Command, Connection, Encoding, Exit, OpenOptions, Output};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::value::{json, stringify, thrown};

/// Bytes and commands in, events and bytes out.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Machine(Connection);

#[wasm_bindgen]
impl Machine {
    /// Opens a session or a connection.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &Ts<OpenOptions>) -> Result<Self, JsValue> {
        let options = OpenOptions::from_json(&stringify(&options.js_value())?).map_err(thrown)?;
        Connection::open(&options).map(Self).map_err(thrown)
    }

    /// What the agent wrote. Like every method that gives events: a JSON array, or nothing.
    pub fn receive(&mut self, chunk: &[u8], channel: &str, now: f64) -> String {
        events(|output| self.0.receive(chunk, &Channel::parse(channel), now, output))
    }

    /// What the host wrote by itself.
    pub fn sent(&mut self, chunk: &[u8], channel: &str, now: f64) -> String {
        events(|output| self.0.sent(chunk, &Channel::parse(channel), now, output))
    }

    /// What the host wants the agent to do.
    pub fn command(&mut self, command: &Ts<Command>, session_id: Option<String>, now: f64) -> Result<String, JsValue> {
        let command = Command::from_json(&stringify(&command.js_value())?).map_err(thrown)?;
        Ok(events(|output| self.0.command(&command, session_id.as_deref(), now, output)))
    }

    /// What the agent wrote, as NDJSON.
    pub fn relay(&mut self, chunk: &[u8], channel: &str, now: f64) -> Vec<u8> {
        encoded(Encoding::Ndjson, |output| self.0.receive(chunk, &Channel::parse(channel), now, output))
    }

    /// What the host must write, call or signal now: a JSON array.
    pub fn outgoing(&mut self) -> String {
        json(&self.0.outgoing())
    }

    /// When `tick` must be called if nothing comes.
    pub fn deadline(&self) -> Option<f64> {
        self.0.deadline()
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) -> String {
        events(|output| self.0.tick(now, output))
    }

    /// The process is gone.
    pub fn exited(&mut self, exit: &Ts<Exit>, now: f64) -> Result<String, JsValue> {
        let exit = Exit::from_json(&stringify(&exit.js_value())?).map_err(thrown)?;
        Ok(events(|output| self.0.exited(&exit, now, output)))
    }

    /// The input is over.
    pub fn end(&mut self, now: f64) -> String {
        events(|output| self.0.end(now, output))
    }

    /// What was read so far, and what became of it: JSON.
    pub fn stats(&self) -> String {
        json(&self.0.stats())
    }

    /// All state, to go on in another process.
    pub fn snapshot(&mut self) -> Vec<u8> {
        self.0.snapshot()
    }

    /// Goes on from a snapshot.
    pub fn restore(bytes: &[u8]) -> Result<Self, JsValue> {
        Connection::restore(bytes).map(Self).map_err(thrown)
    }
}

/// The events of one call, as text.
fn events(call: impl FnOnce(&mut Output)) -> String {
    // The core writes nothing but UTF-8.
    String::from_utf8(encoded(Encoding::Array, call)).unwrap_or_default()
}

/// The events of one call, as bytes.
fn encoded(encoding: Encoding, call: impl FnOnce(&mut Output)) -> Vec<u8> {
    let mut output = Output::new(encoding);
    call(&mut output);
    output.take()
}
