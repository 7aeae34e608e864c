//! Writes the generated files.

use std::fs;
use std::io;

fn main() -> io::Result<()> {
    for (path, content) in interlinear_typegen::files() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, content)?;
    }
    Ok(())
}
