//! The command line of `codex exec`.

/// What it says about the conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The prompt; nothing if it comes from the standard input.
    pub(super) prompt: Option<String>,
    pub(super) images: Vec<String>,
    /// Whether an earlier thread goes on.
    pub(super) resumed: bool,
}

/// Options that take a value.
const WITH_VALUE: [&str; 22] = [
    "-m",
    "--model",
    "-s",
    "--sandbox",
    "-c",
    "--config",
    "-p",
    "--profile",
    "-C",
    "--cd",
    "-a",
    "--ask-for-approval",
    "-o",
    "--output-last-message",
    "--output-schema",
    "--color",
    "--add-dir",
    "--enable",
    "--disable",
    "--local-provider",
    "--thread-source",
    "--remote",
];

/// Reads the command line; nothing if it is not one of `exec`.
pub(super) fn exec(words: &[String]) -> Option<Arguments> {
    let mut words = words.iter().map(String::as_str).skip_while(|word| !matches!(*word, "exec" | "e")).peekable();
    words.next()?;
    let mut found = Arguments::default();
    let (mut plain, mut last) = (Vec::new(), false);
    while let Some(word) = words.next() {
        match word {
            "--" => plain.extend(words.by_ref()),
            "-i" | "--image" => {
                while let Some(path) = words.next_if(|word| !word.starts_with('-')) {
                    found.images.extend(path.split(',').map(str::to_owned));
                }
            }
            _ if WITH_VALUE.contains(&word) => {
                words.next();
            }
            "--last" => last = true,
            "resume" if plain.is_empty() && !found.resumed => found.resumed = true,
            "review" if plain.is_empty() => {}
            _ if word.len() > 1 && word.starts_with('-') => {}
            _ => plain.push(word),
        }
    }
    if found.resumed && !last && plain.len() > 1 {
        plain.remove(0);
    }
    found.prompt = plain.last().filter(|prompt| **prompt != "-").map(|prompt| (*prompt).to_owned());
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Option<Arguments> {
        exec(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_prompt_is_found_among_options() {
        let prompt = |line: &[&str]| read(line).and_then(|found| found.prompt);
        assert_eq!(prompt(&["codex", "exec", "--json", "-m", "x", "Say hello"]).as_deref(), Some("Say hello"));
        assert_eq!(prompt(&["codex", "exec", "--json", "resume", "--last", "Which?"]).as_deref(), Some("Which?"));
        assert_eq!(prompt(&["codex", "exec", "resume", "id", "Which?"]).as_deref(), Some("Which?"));
        assert_eq!(prompt(&["codex", "exec", "-"]), None);
        assert_eq!(read(&["codex", "app-server"]), None);
    }

    #[test]
    fn images_are_found_before_the_prompt() {
        let found = read(&["codex", "exec", "-i", "a.png", "--", "What?"]).unwrap_or_default();
        assert_eq!((found.images, found.prompt.as_deref()), (vec!["a.png".to_owned()], Some("What?")));
    }
}
