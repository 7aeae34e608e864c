//! Reads commands from JSON text.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api::{Command, Failure};

#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Model {
    model: String,
}

#[derive(Deserialize)]
struct Variant {
    variant: String,
}

#[derive(Deserialize)]
struct Mode {
    mode: String,
}

#[derive(Deserialize)]
struct Role {
    agent: String,
}

#[derive(Deserialize)]
struct Instructions {
    instructions: Option<String>,
}

impl Command {
    /// Its name, if it opens a conversation.
    pub(crate) fn opens(&self) -> Option<&'static str> {
        match self {
            Self::Start(_) => Some("start"),
            Self::Resume(_) => Some("resume"),
            Self::Fork(_) => Some("fork"),
            _ => None,
        }
    }

    /// Reads a command. serde's own reading of a tagged enum takes the text apart first, and then has no part of it
    /// left to keep as it is (`updated_input`): here the tag is read alone, and then the whole.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        let Tag { kind } = part(text)?;
        Ok(match kind.as_str() {
            "start" => Self::Start(part(text)?),
            "resume" => Self::Resume(part(text)?),
            "fork" => Self::Fork(part(text)?),
            "prompt" => Self::Prompt(part(text)?),
            "reply_permission" => Self::ReplyPermission(part(text)?),
            "reply_question" => Self::ReplyQuestion(part(text)?),
            "reject_question" => Self::RejectQuestion(part(text)?),
            "interrupt" => Self::Interrupt,
            "set_model" => part(text).map(|Model { model }| Self::SetModel { model })?,
            "set_variant" => part(text).map(|Variant { variant }| Self::SetVariant { variant })?,
            "set_permission_mode" => part(text).map(|Mode { mode }| Self::SetPermissionMode { mode })?,
            "set_agent" => part(text).map(|Role { agent }| Self::SetAgent { agent })?,
            "compact" => part(text).map(|Instructions { instructions }| Self::Compact { instructions })?,
            "terminate" => Self::Terminate,
            _ => return Err(Failure::new("bad_command", format!("there is no command `{kind}`"))),
        })
    }
}

fn part<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::new("bad_command", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{PromptCommand, PromptPart, ReplyPermissionCommand, StartCommand};

    #[test]
    fn an_input_of_a_permission_reply_is_kept_as_it_was_written() {
        let text = r#"{"type":"reply_permission","permission_id":"p","reply":"accept","updated_input":{"n": 1.0}}"#;
        let kept = |reply: &ReplyPermissionCommand| reply.updated_input.as_ref().map(|json| json.get().to_owned());
        let command = Command::from_json(text);
        assert!(
            matches!(&command, Ok(Command::ReplyPermission(reply)) if kept(reply).as_deref() == Some(r#"{"n": 1.0}"#)),
            "{command:?}"
        );
    }

    #[test]
    fn every_command_survives_being_written_and_read() {
        let text = |name: &str| name.to_owned();
        let commands = [
            Command::Start(StartCommand { cwd: Some(text("/")), ..StartCommand::default() }),
            Command::Prompt(PromptCommand { parts: vec![PromptPart::Text { text: text("hello") }], mode: None }),
            Command::Interrupt,
            Command::SetModel { model: text("m") },
            Command::SetVariant { variant: text("v") },
            Command::SetPermissionMode { mode: text("plan") },
            Command::SetAgent { agent: text("build") },
            Command::Compact { instructions: None },
            Command::Terminate,
        ];
        for command in commands {
            let written = serde_json::to_string(&command).unwrap_or_default();
            assert_eq!(Command::from_json(&written), Ok(command));
        }
    }

    #[test]
    fn an_unknown_command_is_refused_by_name() {
        let failure = Command::from_json(r#"{"type":"dance"}"#);
        assert_eq!(failure, Err(Failure::new("bad_command", "there is no command `dance`")));
    }
}
