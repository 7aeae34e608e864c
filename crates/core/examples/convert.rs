//! Converts a transcript: `cargo run --example convert FILE…` writes the events of its files, one a line.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use interlinear_core::{ConvertOptions, Converter, Encoding, Output};

/// What is read at once.
const CHUNK: usize = 64 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let include_raw = arguments.first().is_some_and(|argument| argument == "--raw");
    let files = arguments.split_off(usize::from(include_raw));

    let mut converter = Converter::new(&ConvertOptions { include_raw, ..ConvertOptions::default() });
    let mut output = Output::new(Encoding::Ndjson);
    let mut stdout = std::io::stdout().lock();
    let mut chunk = vec![0; CHUNK];
    for name in &files {
        let mut file = std::fs::File::open(name)?;
        loop {
            let read = file.read(&mut chunk)?;
            converter.push(name, &chunk[..read], &mut output)?;
            stdout.write_all(&output.take())?;
            if read == 0 {
                break;
            }
        }
    }
    for stretch in converter.plan(&mut output)? {
        let mut file = std::fs::File::open(&files[stretch.file as usize])?;
        file.seek(SeekFrom::Start(stretch.start))?;
        let mut bytes = Vec::new();
        file.take(stretch.end - stretch.start).read_to_end(&mut bytes)?;
        converter.feed(&bytes, &mut output);
        stdout.write_all(&output.take())?;
    }
    converter.end(&mut output)?;
    stdout.write_all(&output.take())?;
    Ok(())
}
