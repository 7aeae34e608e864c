//! What the process wrote to its standard error: the first 20 and the last 50 lines.

use std::collections::VecDeque;

use interlinear_schema::{StderrOutput, Text};
use serde::{Deserialize, Serialize};

const HEAD: usize = 20;
const TAIL: usize = 50;
/// Longer lines are kept up to this many bytes.
const LONGEST: usize = 8192;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stderr {
    head: Vec<String>,
    tail: VecDeque<String>,
    total: u64,
}

impl Stderr {
    pub(crate) fn line(&mut self, line: &str) {
        let line = line[..line.floor_char_boundary(LONGEST)].to_owned();
        self.total += 1;
        if self.head.len() < HEAD {
            self.head.push(line);
            return;
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(line);
    }

    /// The last line that says something.
    pub(crate) fn last_line(&self) -> Option<String> {
        let lines = self.tail.iter().rev().chain(self.head.iter().rev());
        lines.map(|line| line.trim()).find(|line| !line.is_empty()).map(str::to_owned)
    }

    pub(crate) fn output(&self) -> Option<StderrOutput<'static>> {
        if self.total == 0 {
            return None;
        }
        let truncated = self.total > (HEAD + TAIL) as u64;
        let mut head = self.head.clone();
        let tail: Vec<_> = self.tail.iter().cloned().collect();
        if !truncated {
            head.extend(tail.iter().cloned());
        }
        Some(StderrOutput {
            truncated,
            head: Some(Text::from(head.join("\n"))),
            tail: truncated.then(|| Text::from(tail.join("\n"))),
            total_lines: Some(self.total),
            ..StderrOutput::default()
        })
    }
}
