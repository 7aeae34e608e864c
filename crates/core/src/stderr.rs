//! What the process wrote to its standard error: the first 20 and the last 50 lines.

use crate::state::kept;
use interlinear_schema::{StderrOutput, Text};

const HEAD: usize = 20;
const TAIL: usize = 50;
/// Longer lines are kept up to this many bytes.
const LONGEST: usize = 8192;

kept! {
    #[derive(Debug, Default)]
    pub(crate) struct Stderr {
        head: Vec<String>,
        tail: Vec<String>,
        total: u64,
    }
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
            self.tail.remove(0);
        }
        self.tail.push(line);
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
        if !truncated {
            head.extend_from_slice(&self.tail);
        }
        Some(StderrOutput {
            truncated,
            head: Some(Text::from(head.join("\n"))),
            tail: truncated.then(|| Text::from(self.tail.join("\n"))),
            total_lines: Some(self.total),
            ..StderrOutput::default()
        })
    }
}
