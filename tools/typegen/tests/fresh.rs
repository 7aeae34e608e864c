//! The generated files that are committed are those that the Rust types give.

use std::fs;

use interlinear_typegen::{COMMAND, files};

#[test]
fn the_committed_files_are_fresh() {
    let is_stale =
        |(path, content): &(std::path::PathBuf, String)| fs::read_to_string(path).ok().as_ref() != Some(content);
    let stale: Vec<_> = files().into_iter().filter(is_stale).map(|(path, _)| path).collect();
    assert!(stale.is_empty(), "stale: {stale:#?}\nrun `{COMMAND}` and commit what it writes");
}
