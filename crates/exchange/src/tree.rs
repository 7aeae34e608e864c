//! The order in which the files of a run and of the runs that it called are read.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::event::{Event, EventType};
use crate::read::ReadError;

/// A line of a file.
pub(crate) struct Entry {
    /// Which line it is, from 1.
    pub(crate) number: u64,
    pub(crate) line: String,
    pub(crate) read: Result<Event, ReadError>,
}

impl Entry {
    pub(crate) fn new(number: u64, line: String) -> Self {
        let read = Event::read(&line);
        Self { number, line, read }
    }

    fn event(&self) -> Option<&Event> {
        match &self.read {
            Ok(event) => Some(event),
            Err(ReadError::UnknownEventType(event) | ReadError::UnknownBlockType { event, .. }) => Some(event),
            Err(ReadError::Malformed(_)) => None,
        }
    }

    fn calls(&self) -> Option<&str> {
        let event = self.event().filter(|event| event.r#type == EventType::CallStarted)?;
        event.child_run_id.as_deref()
    }
}

/// One file after the other; the file of a run that is called is read along with its caller's, by time: after the
/// line that calls it, and to its end before the line that says that it is over.
pub(crate) fn order(files: Vec<(String, Vec<Entry>)>) -> Vec<(String, Entry)> {
    let mut reading = Reading::new(files);
    for file in reading.roots() {
        reading.read(file);
    }
    // What calls itself in a circle has no root.
    for file in 0..reading.files.len() {
        reading.read(file);
    }
    reading.ordered
}

struct Reading {
    files: Vec<(String, VecDeque<Entry>)>,
    /// The file of each run that is called.
    called: HashMap<String, usize>,
    begun: HashSet<usize>,
    ordered: Vec<(String, Entry)>,
}

impl Reading {
    fn new(files: Vec<(String, Vec<Entry>)>) -> Self {
        let mut calls: HashSet<&str> = HashSet::new();
        for (_, entries) in &files {
            calls.extend(entries.iter().filter_map(Entry::calls));
        }
        let mut called = HashMap::new();
        for (file, (_, entries)) in files.iter().enumerate() {
            let first = entries.iter().find_map(Entry::event);
            // A file that holds all runs together is in order already.
            let inside = |run: &str| entries.iter().any(|entry| entry.calls() == Some(run));
            if let Some(event) = first.filter(|event| calls.contains(event.run_id.as_str()) && !inside(&event.run_id)) {
                called.insert(event.run_id.clone(), file);
            }
        }
        let files = files.into_iter().map(|(name, entries)| (name, VecDeque::from(entries))).collect();
        Self { files, called, begun: HashSet::new(), ordered: Vec::new() }
    }

    fn roots(&self) -> Vec<usize> {
        (0..self.files.len()).filter(|file| !self.called.values().any(|called| called == file)).collect()
    }

    fn read(&mut self, root: usize) {
        if !self.begun.insert(root) {
            return;
        }
        let mut open = vec![root];
        while let Some(file) = self.next(&open) {
            let Some(entry) = self.files[file].1.pop_front() else { break };
            let called = entry.calls().and_then(|run| self.called.get(run)).copied();
            if let Some(called) = called.filter(|called| self.begun.insert(*called)) {
                open.push(called);
            }
            self.ordered.push((self.files[file].0.clone(), entry));
            open.retain(|file| !self.files[*file].1.is_empty());
        }
    }

    /// The open file whose next line is the earliest; of those of one time, the one that was opened last.
    fn next(&self, open: &[usize]) -> Option<usize> {
        let waits = |file: usize| self.waits(file, open);
        let ready: Vec<_> = open.iter().copied().filter(|file| !waits(*file)).collect();
        let among = if ready.is_empty() { open.to_vec() } else { ready };
        among.into_iter().rev().min_by_key(|file| self.time(*file))
    }

    /// Whether the next line of a file says that a run is over of which there is more to read.
    fn waits(&self, file: usize, open: &[usize]) -> bool {
        let event = self.files[file].1.front().and_then(Entry::event);
        let over = event.filter(|event| event.r#type == EventType::CallCompleted);
        let child = over.and_then(|event| self.called.get(event.child_run_id.as_deref()?));
        child.is_some_and(|child| open.contains(child))
    }

    fn time(&self, file: usize) -> Option<i64> {
        let event = self.files[file].1.front().and_then(Entry::event)?;
        interlinear_core::time::parse(&event.timestamp)
    }
}
