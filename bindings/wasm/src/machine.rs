//! A process that is being read and talked to.

use interlinear_core::{Channel, Command, Connection, Encoding, Exit, OpenOptions, Output};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::value::{json, stringify, thrown, written};

/// Bytes and commands in, events and bytes out.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Machine {
    connection: Connection,
    packed: Output,
    lines: Output,
}

impl Machine {
    /// The encoding, named as `Encoding::parse` reads it, is that of every method but `relay`.
    fn of(connection: Connection, encoding: &str) -> Result<Self, JsValue> {
        let packed = Output::new(Encoding::parse(encoding).map_err(thrown)?);
        Ok(Self { connection, packed, lines: Output::new(Encoding::Ndjson) })
    }
}

#[wasm_bindgen]
impl Machine {
    /// Opens a session or a connection.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &Ts<OpenOptions>, encoding: &str) -> Result<Self, JsValue> {
        let options = OpenOptions::from_json(&stringify(&options.js_value())?).map_err(thrown)?;
        Self::of(Connection::open(&options).map_err(thrown)?, encoding)
    }

    /// What the agent wrote. Like every method that gives events: packed, or nothing.
    pub fn receive(&mut self, chunk: &[u8], channel: &str, now: f64) -> JsValue {
        self.packed.begin(chunk);
        self.connection.receive(chunk, &Channel::parse(channel), now, &mut self.packed);
        written(&mut self.packed)
    }

    /// What the host wrote by itself.
    pub fn sent(&mut self, chunk: &[u8], channel: &str, now: f64) -> JsValue {
        self.packed.begin(chunk);
        self.connection.sent(chunk, &Channel::parse(channel), now, &mut self.packed);
        written(&mut self.packed)
    }

    /// What the host wants the agent to do.
    pub fn command(&mut self, command: &Ts<Command>, session_id: Option<String>, now: f64) -> Result<JsValue, JsValue> {
        let command = Command::from_json(&stringify(&command.js_value())?).map_err(thrown)?;
        self.packed.begin(b"");
        self.connection.command(&command, session_id.as_deref(), now, &mut self.packed);
        Ok(written(&mut self.packed))
    }

    /// What the agent wrote, as NDJSON.
    pub fn relay(&mut self, chunk: &[u8], channel: &str, now: f64) -> JsValue {
        self.lines.begin(chunk);
        self.connection.receive(chunk, &Channel::parse(channel), now, &mut self.lines);
        written(&mut self.lines)
    }

    /// What the host must write, call or signal now: a JSON array.
    pub fn outgoing(&mut self) -> String {
        json(&self.connection.outgoing())
    }

    /// When `tick` must be called if nothing comes.
    pub fn deadline(&self) -> Option<f64> {
        self.connection.deadline()
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) -> JsValue {
        self.packed.begin(b"");
        self.connection.tick(now, &mut self.packed);
        written(&mut self.packed)
    }

    /// The process is gone.
    pub fn exited(&mut self, exit: &Ts<Exit>, now: f64) -> Result<JsValue, JsValue> {
        let exit = Exit::from_json(&stringify(&exit.js_value())?).map_err(thrown)?;
        self.packed.begin(b"");
        self.connection.exited(&exit, now, &mut self.packed);
        Ok(written(&mut self.packed))
    }

    /// The input is over.
    pub fn end(&mut self, now: f64) -> JsValue {
        self.packed.begin(b"");
        self.connection.end(now, &mut self.packed);
        written(&mut self.packed)
    }

    /// The sequence of the (first) session's last event.
    pub fn sequence(&self) -> f64 {
        self.connection.sequence() as f64
    }

    /// What was read so far, and what became of it: JSON.
    pub fn stats(&self) -> String {
        json(&self.connection.stats())
    }

    /// All state, to go on in another process.
    pub fn snapshot(&mut self) -> Vec<u8> {
        self.connection.snapshot()
    }

    /// Goes on from a snapshot.
    pub fn restore(bytes: &[u8], encoding: &str) -> Result<Self, JsValue> {
        Self::of(Connection::restore(bytes).map_err(thrown)?, encoding)
    }
}
