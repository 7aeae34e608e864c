//! The command line of `codex exec`.

/// What it says about the conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The prompt; nothing if it comes from the standard input.
    pub(super) prompt: Option<String>,
    pub(super) images: Vec<String>,
    pub(super) model: Option<String>,
    /// How hard the model is to think.
    pub(super) effort: Option<String>,
    /// The folder it works in.
    pub(super) cwd: Option<String>,
    /// Whether it prints events; else only text.
    pub(super) events: bool,
    /// Whether an earlier thread goes on.
    pub(super) resumed: bool,
}

/// Options that take a value.
const WITH_VALUE: [&str; 25] = [
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
    // Of a review.
    "--base",
    "--commit",
    "--title",
];

impl Arguments {
    /// A setting: `model="gpt-5"`. What has an option of its own is told by that.
    fn set(&mut self, setting: &str) {
        let Some((key, value)) = setting.split_once('=') else { return };
        let value = Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty());
        match key.trim() {
            "model" => self.model = self.model.take().or(value),
            "model_reasoning_effort" => self.effort = value,
            _ => {}
        }
    }
}

/// Reads the command line; nothing if it is not one of `exec`.
pub(super) fn exec(words: &[String]) -> Option<Arguments> {
    let mut words = words.iter().map(String::as_str).peekable();
    let mut found = Arguments::default();
    let (mut is_exec, mut plain, mut last) = (false, Vec::new(), false);
    while let Some(word) = words.next() {
        // `--model=x` is `--model x`.
        let (name, joined) = match word.split_once('=').filter(|(name, _)| name.starts_with("--")) {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match name {
            // Options may stand before it as well.
            "exec" | "e" if !is_exec => {
                is_exec = true;
                plain.clear();
            }
            "--" => plain.extend(words.by_ref()),
            "-i" | "--image" => {
                let next = || words.next_if(|word| joined.is_none() && !word.starts_with('-'));
                let paths = joined.into_iter().chain(std::iter::from_fn(next));
                found.images.extend(paths.flat_map(|paths| paths.split(',')).map(str::to_owned));
            }
            _ if WITH_VALUE.contains(&name) => {
                let value = joined.or_else(|| words.next()).map(str::to_owned);
                match name {
                    "-m" | "--model" => found.model = value,
                    "-C" | "--cd" => found.cwd = value,
                    "-c" | "--config" => found.set(value.as_deref().unwrap_or_default()),
                    _ => {}
                }
            }
            "--last" => last = true,
            "--json" | "--experimental-json" => found.events = true,
            "resume" if plain.is_empty() && !found.resumed => found.resumed = true,
            "review" if plain.is_empty() => {}
            _ if word.len() > 1 && word.starts_with('-') => {}
            _ => plain.push(word),
        }
    }
    if !is_exec {
        return None;
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
        assert!(read(&["codex", "exec", "--json", "Go"]).is_some_and(|found| found.events));
    }

    #[test]
    fn a_review_has_no_prompt_but_its_own() {
        let prompt = |line: &[&str]| read(line).map(|found| found.prompt);
        assert_eq!(prompt(&["codex", "exec", "--json", "review", "--base", "main"]), Some(None));
        assert_eq!(prompt(&["codex", "exec", "review", "--commit", "1a2b", "--title", "Fix"]), Some(None));
        assert_eq!(prompt(&["codex", "exec", "review", "Look at add()"]), Some(Some("Look at add()".to_owned())));
    }

    #[test]
    fn options_may_stand_before_the_command_and_settings_tell_the_same() {
        let found =
            read(&["codex", "-m", "gpt-5", "exec", "--json", "-c", "model=\"other\"", "Go"]).unwrap_or_default();
        assert_eq!((found.model.as_deref(), found.prompt.as_deref()), (Some("gpt-5"), Some("Go")));
        let settings = ["-c", "model='gpt-5'", "--config=model_reasoning_effort=\"high\""];
        let found = read(&[&["codex", "exec"], &settings[..], &["Go"]].concat()).unwrap_or_default();
        assert_eq!((found.model.as_deref(), found.effort.as_deref()), (Some("gpt-5"), Some("high")));
    }

    #[test]
    fn images_are_found_before_the_prompt() {
        let found = read(&["codex", "exec", "-i", "a.png", "--", "What?"]).unwrap_or_default();
        assert_eq!((found.images, found.prompt.as_deref()), (vec!["a.png".to_owned()], Some("What?")));
        let found = read(&["codex", "exec", "--image=a.png,b.png", "What?"]).unwrap_or_default();
        assert_eq!((found.images.len(), found.prompt.as_deref()), (2, Some("What?")));
    }

    #[test]
    fn the_model_and_the_folder_are_told() {
        let found = read(&["codex", "exec", "-m", "gpt-5", "--cd=/w", "Go"]).unwrap_or_default();
        assert_eq!((found.model.as_deref(), found.cwd.as_deref()), (Some("gpt-5"), Some("/w")));
        assert_eq!(found.prompt.as_deref(), Some("Go"));
    }
}
