//! Rule 16: permissions and questions.

use interlinear_schema::{PermissionData, PermissionStatus, QuestionData, QuestionKind, QuestionStatus};

use super::{Report, hash};
use crate::map::{Hashes, Map};

/// The permissions or the questions of a session.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Those that are open, with the subagent that asks.
    open: Map<String, Option<String>>,
    /// The identifiers of all that there were.
    seen: Hashes,
    /// The tool calls that they were about.
    calls: Hashes,
}

/// What the two kinds of requests have in common.
struct Request<'e> {
    what: &'static str,
    id: &'e str,
    agent_id: Option<&'e str>,
    call_id: Option<&'e str>,
    is_requested: bool,
    is_resolved: bool,
}

impl Requests {
    pub(super) fn permission(
        &mut self,
        data: &PermissionData<'_>,
        opens: bool,
        others: &Self,
        report: &mut Report<'_>,
    ) {
        use PermissionStatus::{Accept, AcceptForSession, Reject, Requested};
        let request = Request {
            what: "permission",
            id: &data.permission_id,
            agent_id: data.agent_id.as_deref(),
            call_id: data.tool_call_id.as_deref(),
            is_requested: data.status == Requested,
            is_resolved: matches!(data.status, Accept | AcceptForSession | Reject),
        };
        for option in data.options.iter().flatten() {
            if !matches!(option, Accept | AcceptForSession | Reject) {
                let (id, option) = (request.id, option.as_str());
                report.broken(16, format!("permission {id} offers {option}, which is no answer"));
            }
        }
        self.request(&request, opens, others, report);
    }

    pub(super) fn question(&mut self, data: &QuestionData<'_>, opens: bool, others: &Self, report: &mut Report<'_>) {
        let id: &str = &data.question_id;
        if let Some(QuestionKind::Other(kind)) = &data.kind {
            report.broken(16, format!("question {id} is of the unknown kind {kind}"));
        }
        // A form has a message of its own above its fields.
        let is_form = data.kind == Some(QuestionKind::Form);
        if let Some(first) = data.questions.as_ref().and_then(|questions| questions.first()).filter(|_| !is_form) {
            let labels: Vec<_> = first.options.iter().map(|option| option.label.borrow()).collect();
            if first.text != data.prompt || labels != data.options {
                report.broken(16, format!("prompt and options of question {id} are not those of its first question"));
            }
        }
        if let (Some(questions), Some(answers)) = (&data.questions, &data.answers)
            && questions.len() != answers.len()
        {
            let (asked, answered) = (questions.len(), answers.len());
            report.broken(16, format!("question {id} asks {asked} questions and has {answered} answers"));
        }
        let request = Request {
            what: "question",
            id,
            agent_id: data.agent_id.as_deref(),
            call_id: data.tool_call_id.as_deref(),
            is_requested: data.status == QuestionStatus::Requested,
            is_resolved: matches!(data.status, QuestionStatus::Answered | QuestionStatus::Rejected),
        };
        self.request(&request, opens, others, report);
    }

    fn request(&mut self, request: &Request<'_>, opens: bool, others: &Self, report: &mut Report<'_>) {
        let Request { what, id, .. } = *request;
        if !opens {
            if self.open.remove(id).is_none() {
                let how = if self.seen.contains(hash(id)) { "again" } else { "without having been requested" };
                report.broken(16, format!("{what} {id} is resolved {how}"));
            }
            if !request.is_resolved {
                report.broken(16, format!("{what}.resolved of {id} has a status that resolves nothing"));
            }
            return;
        }
        if id.is_empty() || id.bytes().all(|byte| byte.is_ascii_digit()) {
            report.broken(16, format!("{what} id {id:?} is not unique beyond its connection"));
        }
        if !self.seen.insert(hash(id)) {
            report.broken(16, format!("{what} {id} is requested twice"));
        }
        if !request.is_requested {
            report.broken(16, format!("{what}.requested of {id} has another status than requested"));
        }
        if let Some(call_id) = request.call_id {
            self.calls.insert(hash(call_id));
            if others.calls.contains(hash(call_id)) {
                report.broken(16, format!("tool call {call_id} is asked about as a permission and as a question"));
            }
        }
        self.open.insert(id.to_owned(), request.agent_id.map(str::to_owned));
    }

    /// A turn ends: only what a subagent asks may stay open.
    pub(super) fn turn_ended(&mut self, what: &str, report: &mut Report<'_>) {
        self.open.retain(|id, agent_id| {
            if agent_id.is_none() {
                report.broken(12, format!("{what} {id} is open at turn.ended"));
            }
            agent_id.is_some()
        });
    }

    /// The session ends: nothing may stay open.
    pub(super) fn session_ended(&mut self, what: &str, report: &mut Report<'_>) {
        for (id, _) in std::mem::take(&mut self.open) {
            report.broken(12, format!("{what} {id} is open at session.ended"));
        }
    }
}
