//! What an agent did, from its session file: every tool call in a line, and how many there were.
//!
//! ```sh
//! cargo run --package interlinear-example -- tests/fixtures/claude/recordings/edit_file.jsonl
//! ```

#![allow(clippy::print_stderr, reason = "a program says there what is wrong")]

use interlinear_core::schema::{ContentPart, EventData, UniversalEvent, UniversalItem};
use interlinear_core::{ConvertOptions, Converter, Sink};
use std::io::Write;
use std::process::ExitCode;

/// Takes events while they still borrow from the line that caused them: nothing is kept, nothing is copied.
struct Report<W> {
    out: W,
    calls: usize,
    failed: usize,
    turns: usize,
}

impl<W: Write> Sink for Report<W> {
    fn event(&mut self, event: &UniversalEvent<'_>) {
        match &event.data {
            EventData::ItemCompleted(data) => self.item(&data.item),
            EventData::TurnEnded(_) => self.turns += 1,
            _ => {}
        }
    }
}

impl<W: Write> Report<W> {
    fn item(&mut self, item: &UniversalItem<'_>) {
        for part in &item.content {
            match part {
                ContentPart::ToolCall(call) => {
                    self.calls += 1;
                    let title = call.title.as_ref().unwrap_or(&call.arguments);
                    // Who stops reading has seen enough.
                    let _ = writeln!(self.out, "{}  {title}", call.name);
                }
                ContentPart::ToolResult(result) if result.exit_code.is_some_and(|code| code != 0) => self.failed += 1,
                _ => {}
            }
        }
    }
}

fn run(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = std::fs::read(path)?;
    let mut report = Report { out: std::io::stdout().lock(), calls: 0, failed: 0, turns: 0 };
    let mut converter = Converter::new(&ConvertOptions::default());
    converter.push(path, &bytes, &mut report)?;
    // Files that are not in the order of their conversation are read again, in that order.
    for stretch in converter.plan(&mut report)? {
        let (start, end) = (usize::try_from(stretch.start)?, usize::try_from(stretch.end)?);
        converter.feed(&bytes[start..end], &mut report);
    }
    converter.end(&mut report)?;
    let agent = converter.detection().map_or_else(String::new, |found| format!("{:?}: ", found.agent));
    let Report { mut out, calls, failed, turns } = report;
    writeln!(out, "{agent}{turns} turns, {calls} calls, {failed} failed")?;
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("which session file?");
        return ExitCode::from(2);
    };
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
