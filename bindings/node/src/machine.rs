//! A process that is being read and talked to.

use interlinear_core::{Channel, Command, Connection, Encoding, Exit, OpenOptions, Output};
use napi::bindgen_prelude::{Env, Uint8Array, Unknown};
use napi_derive::napi;

use crate::value::{Result, json, stringify, thrown};

/// Bytes and commands in, events and bytes out.
#[napi]
#[derive(Debug)]
pub struct Machine(Connection);

#[napi]
impl Machine {
    /// Opens a session or a connection.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: Unknown<'_>) -> Result<Self> {
        let options = OpenOptions::from_json(&stringify(env, "bad_options", options)?).map_err(thrown)?;
        Connection::open(&options).map(Self).map_err(thrown)
    }

    /// What the agent wrote. Like every method that gives events: a JSON array, or nothing.
    #[napi(catch_unwind)]
    pub fn receive(&mut self, chunk: &[u8], channel: String, now: f64) -> String {
        events(|output| self.0.receive(chunk, &Channel::parse(&channel), now, output))
    }

    /// What the host wrote by itself.
    #[napi(catch_unwind)]
    pub fn sent(&mut self, chunk: &[u8], channel: String, now: f64) -> String {
        events(|output| self.0.sent(chunk, &Channel::parse(&channel), now, output))
    }

    /// What the host wants the agent to do.
    #[napi(catch_unwind)]
    pub fn command(&mut self, env: Env, command: Unknown<'_>, session_id: Option<String>, now: f64) -> Result<String> {
        let command = Command::from_json(&stringify(env, "bad_command", command)?).map_err(thrown)?;
        Ok(events(|output| self.0.command(&command, session_id.as_deref(), now, output)))
    }

    /// What the agent wrote, as NDJSON.
    #[napi(catch_unwind)]
    pub fn relay(&mut self, chunk: &[u8], channel: String, now: f64) -> Uint8Array {
        encoded(Encoding::Ndjson, |output| self.0.receive(chunk, &Channel::parse(&channel), now, output)).into()
    }

    /// What the host must write, call or signal now: a JSON array.
    #[napi(catch_unwind)]
    pub fn outgoing(&mut self) -> String {
        json(&self.0.outgoing())
    }

    /// When `tick` must be called if nothing comes.
    #[napi(catch_unwind)]
    pub fn deadline(&self) -> Option<f64> {
        self.0.deadline()
    }

    /// Time has passed.
    #[napi(catch_unwind)]
    pub fn tick(&mut self, now: f64) -> String {
        events(|output| self.0.tick(now, output))
    }

    /// The process is gone.
    #[napi(catch_unwind)]
    pub fn exited(&mut self, env: Env, exit: Unknown<'_>, now: f64) -> Result<String> {
        let exit = Exit::from_json(&stringify(env, "bad_exit", exit)?).map_err(thrown)?;
        Ok(events(|output| self.0.exited(&exit, now, output)))
    }

    /// The input is over.
    #[napi(catch_unwind)]
    pub fn end(&mut self, now: f64) -> String {
        events(|output| self.0.end(now, output))
    }

    /// What was read so far, and what became of it: JSON.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> String {
        json(&self.0.stats())
    }

    /// All state, to go on in another process.
    #[napi(catch_unwind)]
    pub fn snapshot(&mut self) -> Uint8Array {
        self.0.snapshot().into()
    }

    /// Goes on from a snapshot.
    #[napi(factory, catch_unwind)]
    pub fn restore(bytes: &[u8]) -> Result<Self> {
        Connection::restore(bytes).map(Self).map_err(thrown)
    }

    /// Nothing to do here: the garbage collector frees it. The WASM binding has the same method.
    #[napi]
    #[allow(clippy::unused_self, reason = "a method in JavaScript")]
    pub fn free(&self) {}
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
