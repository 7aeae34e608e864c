//! A process that is being read and talked to.

use interlinear_core::{Channel, Command, Connection, Encoding, Exit, OpenOptions, Output};
use napi::bindgen_prelude::{Env, Uint8Array, Unknown};
use napi_derive::napi;

use crate::value::{Result, Written, json, stringify, thrown, written};

/// Bytes and commands in, events and bytes out.
#[napi]
#[derive(Debug)]
pub struct Machine {
    connection: Connection,
    packed: Output,
    lines: Output,
}

impl Machine {
    /// The encoding, named as `Encoding::parse` reads it, is that of every method but `relay`.
    fn of(connection: Connection, encoding: &str) -> Result<Self> {
        let packed = Output::new(Encoding::parse(encoding).map_err(thrown)?);
        Ok(Self { connection, packed, lines: Output::new(Encoding::Ndjson) })
    }
}

#[napi]
impl Machine {
    /// Opens a session or a connection.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: Unknown<'_>, encoding: String) -> Result<Self> {
        let options = OpenOptions::from_json(&stringify(env, "bad_options", options)?).map_err(thrown)?;
        Self::of(Connection::open(&options).map_err(thrown)?, &encoding)
    }

    /// What the agent wrote. Like every method that gives events: packed, or nothing.
    #[napi(catch_unwind)]
    pub fn receive<'env>(&mut self, env: &'env Env, chunk: &[u8], channel: String, now: f64) -> Result<Written<'env>> {
        self.packed.begin(chunk);
        self.connection.receive(chunk, &Channel::parse(&channel), now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// What the host wrote by itself.
    #[napi(catch_unwind)]
    pub fn sent<'env>(&mut self, env: &'env Env, chunk: &[u8], channel: String, now: f64) -> Result<Written<'env>> {
        self.packed.begin(chunk);
        self.connection.sent(chunk, &Channel::parse(&channel), now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// What the host wants the agent to do.
    #[napi(catch_unwind)]
    pub fn command<'env>(
        &mut self,
        env: &'env Env,
        command: Unknown<'_>,
        session_id: Option<String>,
        now: f64,
    ) -> Result<Written<'env>> {
        let command = Command::from_json(&stringify(*env, "bad_command", command)?).map_err(thrown)?;
        self.packed.begin(b"");
        self.connection.command(&command, session_id.as_deref(), now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// What the agent wrote, as NDJSON.
    #[napi(catch_unwind)]
    pub fn relay<'env>(&mut self, env: &'env Env, chunk: &[u8], channel: String, now: f64) -> Result<Written<'env>> {
        self.lines.begin(chunk);
        self.connection.receive(chunk, &Channel::parse(&channel), now, &mut self.lines);
        written(env, &mut self.lines)
    }

    /// What the host must write, call or signal now: a JSON array.
    #[napi(catch_unwind)]
    pub fn outgoing(&mut self) -> String {
        json(&self.connection.outgoing())
    }

    /// When `tick` must be called if nothing comes.
    #[napi(catch_unwind)]
    pub fn deadline(&self) -> Option<f64> {
        self.connection.deadline()
    }

    /// Time has passed.
    #[napi(catch_unwind)]
    pub fn tick<'env>(&mut self, env: &'env Env, now: f64) -> Result<Written<'env>> {
        self.packed.begin(b"");
        self.connection.tick(now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// The process is gone.
    #[napi(catch_unwind)]
    pub fn exited<'env>(&mut self, env: &'env Env, exit: Unknown<'_>, now: f64) -> Result<Written<'env>> {
        let exit = Exit::from_json(&stringify(*env, "bad_exit", exit)?).map_err(thrown)?;
        self.packed.begin(b"");
        self.connection.exited(&exit, now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// The input is over.
    #[napi(catch_unwind)]
    pub fn end<'env>(&mut self, env: &'env Env, now: f64) -> Result<Written<'env>> {
        self.packed.begin(b"");
        self.connection.end(now, &mut self.packed);
        written(env, &mut self.packed)
    }

    /// The sequence of the (first) session's last event.
    #[napi(catch_unwind)]
    pub fn sequence(&self) -> f64 {
        self.connection.sequence() as f64
    }

    /// What was read so far, and what became of it: JSON.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> String {
        json(&self.connection.stats())
    }

    /// All state, to go on in another process.
    #[napi(catch_unwind)]
    pub fn snapshot(&mut self) -> Uint8Array {
        self.connection.snapshot().into()
    }

    /// Goes on from a snapshot.
    #[napi(factory, catch_unwind)]
    pub fn restore(bytes: &[u8], encoding: String) -> Result<Self> {
        Self::of(Connection::restore(bytes).map_err(thrown)?, &encoding)
    }

    /// Nothing to do here: the garbage collector frees it. The WASM binding has the same method.
    #[napi]
    #[allow(clippy::unused_self, reason = "a method in JavaScript")]
    pub fn free(&self) {}
}
