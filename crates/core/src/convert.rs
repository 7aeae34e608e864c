//! Whole transcripts: recordings, live streams, stored files.

use crate::agents::{self, Recognised, Shape};
use crate::api::{Agent, Channel, ConvertOptions, Detection, Failure, Form, Stats, Stretch};
use crate::connection::Connection;
use crate::json::Tape;
use crate::lines::{Line, Lines, MAX_LINE};
use crate::map::Map;
use crate::recording::{self, Recording};
use crate::sink::Sink;
use crate::stored::Stored;

/// So many bytes are looked at to find out what a transcript is.
const HEAD: usize = 1 << 20;

/// Converts one transcript, chunk by chunk: a recording, a live stream, or the files of stored sessions.
///
/// Streams are converted as they are pushed, in constant memory. Stored files are only indexed by `push`; their entries
/// are asked for again in the order of the conversation: `push*`, `plan`, `feed*`, `end`.
#[derive(Debug)]
pub struct Converter {
    options: ConvertOptions,
    reading: Reading,
    detection: Option<Detection>,
}

#[derive(Debug)]
enum Reading {
    /// Not enough was seen yet to tell what it is.
    Head(Vec<(String, Vec<u8>)>),
    Recording(Box<Recording>),
    /// A stream, as a process prints it or as a server sends it.
    Live(Box<Connection>, Channel),
    /// Lines of stored files, with the name of the one that is being read.
    Lines(Box<Connection>, String),
    Stored(Box<Stored>),
    /// Documents are read whole, when the last of them is there.
    Documents(Box<Connection>, Vec<(String, Vec<u8>)>),
}

/// Adds a chunk to the file that is being pushed.
fn collect(files: &mut Vec<(String, Vec<u8>)>, file: &str, chunk: &[u8]) {
    match files.last_mut().filter(|(name, _)| name == file) {
        Some((_, bytes)) => bytes.extend_from_slice(chunk),
        None => files.push((file.to_owned(), chunk.to_vec())),
    }
}

impl Converter {
    /// A converter that has read nothing yet.
    pub fn new(options: &ConvertOptions) -> Self {
        Self { options: options.clone(), reading: Reading::Head(Vec::new()), detection: None }
    }

    /// The next chunk of a file. The files of one transcript are pushed one after the other, each whole.
    pub fn push(&mut self, file: &str, chunk: &[u8], sink: &mut dyn Sink) -> Result<(), Failure> {
        match &mut self.reading {
            Reading::Head(head) => {
                collect(head, file, chunk);
                let size: usize = head.iter().map(|(_, bytes)| bytes.len()).sum();
                self.decide(size > HEAD, sink)
            }
            Reading::Recording(recording) => {
                recording.push(chunk, sink);
                Ok(())
            }
            Reading::Live(connection, channel) => {
                connection.more(chunk, channel, sink);
                Ok(())
            }
            Reading::Lines(connection, name) => {
                if name != file {
                    file.clone_into(name);
                    connection.next_file(sink);
                }
                connection.more(chunk, &Channel::Stdout, sink);
                Ok(())
            }
            Reading::Stored(stored) => {
                stored.push(file, chunk);
                Ok(())
            }
            Reading::Documents(_, files) => {
                collect(files, file, chunk);
                Ok(())
            }
        }
    }

    /// All files were pushed. For stored sessions: what must be read again (`feed`), in this order; otherwise nothing.
    pub fn plan(&mut self, sink: &mut dyn Sink) -> Result<Vec<Stretch>, Failure> {
        if let Reading::Head(_) = &self.reading {
            self.decide(true, sink)?;
        }
        match &mut self.reading {
            Reading::Stored(stored) => Ok(stored.plan(&self.options)),
            _ => Ok(Vec::new()),
        }
    }

    /// The bytes of the plan's stretches, one after the other, in any number of chunks.
    pub fn feed(&mut self, chunk: &[u8], sink: &mut dyn Sink) {
        if let Reading::Stored(stored) = &mut self.reading {
            stored.feed(chunk, sink);
        }
    }

    /// Everything was read.
    pub fn end(&mut self, sink: &mut dyn Sink) -> Result<(), Failure> {
        if let Reading::Head(_) = &self.reading {
            self.decide(true, sink)?;
        }
        match &mut self.reading {
            Reading::Head(_) => {}
            Reading::Recording(recording) => recording.end(sink),
            Reading::Live(connection, _) | Reading::Lines(connection, _) => connection.end(0.0, sink),
            Reading::Stored(stored) => stored.end(sink),
            Reading::Documents(connection, files) => {
                for document in agents::arrange(connection.agent(), std::mem::take(files)) {
                    match document.left {
                        Some(reason) => connection.skip(&document.bytes, "file", reason, sink),
                        None => connection.document(&document.name, &document.bytes, sink),
                    }
                }
                connection.end(0.0, sink);
            }
        }
        Ok(())
    }

    /// What the transcript turned out to be.
    pub fn detection(&self) -> Option<&Detection> {
        self.detection.as_ref()
    }

    /// What was read so far, and what became of it.
    pub fn stats(&self) -> Stats {
        match &self.reading {
            Reading::Head(_) => Stats::default(),
            Reading::Recording(recording) => recording.stats(),
            Reading::Live(connection, _) | Reading::Lines(connection, _) | Reading::Documents(connection, _) => {
                connection.stats()
            }
            Reading::Stored(stored) => stored.stats(),
        }
    }

    /// Finds out what it is, if enough was seen; `last`: no more will be.
    fn decide(&mut self, last: bool, sink: &mut dyn Sink) -> Result<(), Failure> {
        let Reading::Head(head) = &mut self.reading else { return Ok(()) };
        let found = head.iter().find_map(|(name, bytes)| look(name, bytes, last).map(|look| (name, look)));
        let named = head.iter().find_map(|(name, _)| by_name(name));
        let decided = match found {
            Some((_, Look { wrapped, found: Some(found) })) => Some((wrapped, found)),
            // A recording that says nothing of its agent, or text without a line of JSON.
            Some((_, Look { wrapped, found: None })) if last => {
                let agent = self.options.agent.or(named);
                agent.map(|agent| (wrapped, Recognised { agent, form: Form::Live, version: None }))
            }
            None if last => {
                let agent = self.options.agent;
                agent.map(|agent| (Wrapped::Not, Recognised { agent, form: Form::Live, version: None }))
            }
            _ => return Ok(()),
        };
        let Some((wrapped, mut found)) = decided else {
            let name = head.first().map(|(name, _)| name.as_str()).unwrap_or_default();
            return Err(unknown(name));
        };
        found.agent = self.options.agent.unwrap_or(found.agent);
        let head = std::mem::take(head);
        self.begin(wrapped, found);
        for (name, bytes) in head {
            self.push(&name, &bytes, sink)?;
        }
        Ok(())
    }

    fn begin(&mut self, wrapped: Wrapped, found: Recognised) {
        let Recognised { agent, form, version } = found;
        let session = self.options.session_id.as_deref().unwrap_or("session");
        let limit = self.options.max_line.map_or(MAX_LINE, |limit| limit as usize);
        let live = || {
            let mut connection = Connection::of(agent, form, session, self.options.include_raw);
            connection.set_max_line(limit);
            connection
        };
        self.reading = match (wrapped, form) {
            (Wrapped::Recording, _) => Reading::Recording(Box::new(Recording::new(live(), limit))),
            (Wrapped::Not, Form::Stored) => match agents::shape(agent) {
                Shape::Indexed => Reading::Stored(Box::new(Stored::new(agent, limit))),
                Shape::Lines => Reading::Lines(Box::new(live()), String::new()),
                Shape::Documents => Reading::Documents(Box::new(live()), Vec::new()),
            },
            (Wrapped::Not, _) => Reading::Live(Box::new(live()), Channel::Stdout),
            (Wrapped::Frames, _) => Reading::Live(Box::new(live()), Channel::Sse(String::new())),
        };
        let recording = wrapped == Wrapped::Recording;
        self.detection = Some(Detection { agent, form, recording, version });
    }
}

/// What a transcript is, from its beginning (64 KiB are enough as a rule). `name` is its path, if it has one.
pub fn detect(name: &str, head: &[u8]) -> Result<Detection, Failure> {
    let look = look(name, head, true);
    let (wrapped, found) = match look {
        Some(Look { wrapped, found: Some(found) }) => (wrapped, Some(found)),
        Some(Look { wrapped, found: None }) => {
            let named = by_name(name).map(|agent| Recognised { agent, form: Form::Live, version: None });
            (wrapped, named)
        }
        None => (Wrapped::Not, None),
    };
    let recording = wrapped == Wrapped::Recording;
    let Recognised { agent, form, version } = found.ok_or_else(|| unknown(name))?;
    Ok(Detection { agent, form, recording, version })
}

fn unknown(name: &str) -> Failure {
    let names: Vec<_> = Agent::ALL.iter().map(|agent| agent.as_str()).collect();
    let name = if name.is_empty() { "the input" } else { name };
    let message =
        format!("{name} is no transcript that can be told apart; name its agent: --agent {}", names.join("|"));
    Failure::new("unknown_format", message)
}

/// A recording without a telling line may still lie in its agent's folder.
fn by_name(name: &str) -> Option<Agent> {
    let mut parts = name.split(['/', '\\']);
    parts.find_map(|part| Agent::ALL.iter().copied().find(|agent| agent.as_str() == part))
}

/// What stands around the agent's own lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapped {
    Not,
    /// Records of both directions.
    Recording,
    /// The frames of server-sent events.
    Frames,
}

/// What the first lines tell.
struct Look {
    wrapped: Wrapped,
    found: Option<Recognised>,
}

fn look(name: &str, bytes: &[u8], last: bool) -> Option<Look> {
    let mut result: Option<Look> = None;
    let mut weak: Option<Look> = None;
    let mut version = None;
    let mut channel = None;
    let mut lines = Lines::default();
    let mut read = |line: Line<'_>| {
        let Some(line) = line.bytes() else { return };
        let done = result.as_ref().is_some_and(|look| look.found.is_some());
        let Ok(text) = std::str::from_utf8(line) else { return };
        let framed = text.strip_prefix("data:");
        let text = framed.unwrap_or(text);
        if !text.trim_start().starts_with('{') || (done && version.is_some()) {
            return;
        }
        let mut tape = Tape::default();
        let Ok(value) = tape.read(text) else { return };
        let inner = recording::inner(value);
        let wrapped = match (&inner, framed) {
            (Some(_), _) => Wrapped::Recording,
            (None, Some(_)) => Wrapped::Frames,
            (None, None) => Wrapped::Not,
        };
        channel = channel.or(inner.as_ref().and_then(|inner| inner.guess));
        let mut guess = None;
        let found = match &inner {
            Some(recording::Inner { agent: Some(agent), version, .. }) => {
                Some(Recognised { agent: *agent, form: Form::Live, version: version.clone() })
            }
            Some(recording::Inner { line: Some(line), .. }) => {
                let mut tape = Tape::default();
                let value = tape.read(line).ok();
                guess = value.and_then(agents::recognise_weakly);
                value.and_then(agents::recognise)
            }
            Some(_) => None,
            None => {
                guess = agents::recognise_weakly(value);
                agents::recognise(value)
            }
        };
        if let Some(guess) = guess.filter(|_| weak.is_none()) {
            weak = Some(Look { wrapped, found: Some(guess) });
        }
        if version.is_none() {
            version = found.as_ref().and_then(|found| found.version.clone());
        }
        if !done && (inner.is_some() || found.is_some()) {
            result = Some(Look { wrapped, found });
        }
    };
    lines.push(bytes, MAX_LINE, &mut read);
    if last {
        lines.end(&mut read);
    }
    if last && result.as_ref().is_none_or(|look| look.found.is_none()) && weak.is_some() {
        return weak;
    }
    if result.is_none() && last {
        let found = agents::recognise_document(name, &String::from_utf8_lossy(bytes));
        return found.map(|found| Look { wrapped: Wrapped::Not, found: Some(found) });
    }
    if let (Some(Look { found: found @ None, .. }), Some(agent), true) = (&mut result, channel, last) {
        *found = Some(Recognised { agent, form: Form::Live, version: None });
    }
    if let Some(Look { found: Some(found), .. }) = &mut result {
        // A first line that says little by itself may still say that it was one run.
        let guess = weak.and_then(|look| look.found).filter(|guess| guess.agent == found.agent);
        if found.form == Form::Live && guess.is_some_and(|guess| guess.form == Form::Exec) {
            found.form = Form::Exec;
        }
        found.version = found.version.take().or(version);
    }
    result
}

/// Adds up what became of the lines of several sessions.
pub(crate) fn add_up(all: impl Iterator<Item = Stats>) -> Stats {
    let mut sum = Stats::default();
    let mut kinds = Map::default();
    for stats in all {
        sum.lines += stats.lines;
        sum.bytes += stats.bytes;
        sum.cut += stats.cut;
        sum.unparsed += stats.unparsed;
        for (name, count) in stats.events {
            *sum.events.or_default(&name) += count;
        }
        for kind in stats.kinds {
            let known = kinds.or_insert_with(kind.kind.clone(), || crate::api::KindStats {
                kind: kind.kind.clone(),
                first_line: kind.first_line,
                ..crate::api::KindStats::default()
            });
            known.lines += kind.lines;
            known.mapped += kind.mapped;
            for (reason, count) in kind.ignored {
                *known.ignored.or_default(&reason) += count;
            }
        }
        for drift in stats.drift {
            match sum.drift.iter_mut().find(|known| known.what == drift.what && known.name == drift.name) {
                Some(known) => known.count += drift.count,
                None => sum.drift.push(drift),
            }
        }
    }
    sum.kinds = kinds.into_iter().map(|(_, kind)| kind).collect();
    sum
}
