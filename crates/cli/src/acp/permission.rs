//! Questions about a tool call, as requests for permission.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId, ToolCall,
    ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use tau_hooks::dialogs::{DialogAnswer, DialogKind};

const YES: &str = "yes";
const NO: &str = "no";

/// The request for a question about the call with this id, as far as it is known; `None` when it is none that options can answer.
pub(super) fn request(
    session: SessionId,
    id: &str,
    known: Option<&ToolCall>,
    question: &DialogKind,
) -> Option<RequestPermissionRequest> {
    let (text, options) = match question {
        DialogKind::Confirm { title, message } => {
            let yes = PermissionOption::new(YES, "Yes", PermissionOptionKind::AllowOnce);
            let no = PermissionOption::new(NO, "No", PermissionOptionKind::RejectOnce);
            (join(title, message), vec![yes, no])
        }
        DialogKind::Select { title, options } => {
            let option =
                |(index, name): (usize, &String)| PermissionOption::new(index.to_string(), name.clone(), kind_of(name));
            (title.clone(), options.iter().enumerate().map(option).collect())
        }
        _ => return None,
    };
    let mut fields = match known {
        Some(call) => ToolCallUpdate::from(call.clone()).fields,
        None => ToolCallUpdateFields::new(),
    };
    let shown = known.map(|call| call.content.clone()).unwrap_or_default();
    let content: Vec<ToolCallContent> = [ToolCallContent::from(text)].into_iter().chain(shown).collect();
    fields = fields.status(ToolCallStatus::Pending).content(content);
    Some(RequestPermissionRequest::new(session, ToolCallUpdate::new(id.to_owned(), fields), options))
}

/// What the call looks like again after the question.
pub(super) fn afterwards(call: &ToolCall) -> ToolCallUpdateFields {
    ToolCallUpdateFields::new().status(call.status).content(call.content.clone())
}

/// What was chosen.
pub(super) fn answer(question: &DialogKind, outcome: &RequestPermissionOutcome) -> DialogAnswer {
    let RequestPermissionOutcome::Selected(selected) = outcome else { return question.default_answer() };
    let chosen = &*selected.option_id.0;
    match question {
        DialogKind::Confirm { .. } => DialogAnswer::Confirmed(chosen == YES),
        DialogKind::Select { options, .. } => {
            let option = chosen.parse::<usize>().ok().and_then(|index| options.get(index));
            option.map_or(DialogAnswer::Cancelled, |option| DialogAnswer::Value(option.clone()))
        }
        _ => question.default_answer(),
    }
}

/// Title and message of a question as one text.
pub(super) fn join(title: &str, message: &str) -> String {
    match (title.is_empty(), message.is_empty()) {
        (_, true) => title.to_owned(),
        (true, false) => message.to_owned(),
        (false, false) => format!("{title}\n\n{message}"),
    }
}

/// What an option means: extensions only give its text, clients want to know which ones let the call through.
fn kind_of(option: &str) -> PermissionOptionKind {
    const REFUSALS: &[&str] =
        &["no", "deny", "reject", "block", "cancel", "abort", "stop", "skip", "never", "don't", "disallow", "refuse"];
    const LASTING: &[&str] = &["always", "never", "session", "remember", "forever", "permanently"];
    let lower = option.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    // Options are often numbered.
    let first = words.iter().find(|word| !word.chars().all(char::is_numeric));
    let refuses = first.is_some_and(|first| REFUSALS.contains(first));
    let lasts = words.iter().any(|word| LASTING.contains(word));
    match (refuses, lasts) {
        (false, false) => PermissionOptionKind::AllowOnce,
        (false, true) => PermissionOptionKind::AllowAlways,
        (true, false) => PermissionOptionKind::RejectOnce,
        (true, true) => PermissionOptionKind::RejectAlways,
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::SelectedPermissionOutcome;

    use super::*;

    #[test]
    fn the_text_of_an_option_says_whether_it_lets_the_call_through() {
        use PermissionOptionKind as Kind;
        let kinds = [
            "Yes",
            "Allow for this session",
            "No, stop",
            "⛔ Block",
            "Never",
            "Run it",
            "2. No way",
            "Nothing special",
        ];
        let found: Vec<Kind> = kinds.into_iter().map(kind_of).collect();
        assert_eq!(
            found,
            [
                Kind::AllowOnce,
                Kind::AllowAlways,
                Kind::RejectOnce,
                Kind::RejectOnce,
                Kind::RejectAlways,
                Kind::AllowOnce,
                Kind::RejectOnce,
                Kind::AllowOnce
            ]
        );
    }

    #[test]
    fn an_answer_that_was_no_option_is_none() {
        let chosen = |id: &str| RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()));
        let select = DialogKind::Select { title: "?".to_owned(), options: vec!["a".to_owned(), "b".to_owned()] };
        assert_eq!(answer(&select, &chosen("1")), DialogAnswer::Value("b".to_owned()));
        assert_eq!(answer(&select, &chosen("2")), DialogAnswer::Cancelled);
        assert_eq!(answer(&select, &RequestPermissionOutcome::Cancelled), DialogAnswer::Cancelled);
        let confirm = DialogKind::Confirm { title: "?".to_owned(), message: String::new() };
        assert_eq!(answer(&confirm, &chosen("yes")), DialogAnswer::Confirmed(true));
        assert_eq!(answer(&confirm, &chosen("1")), DialogAnswer::Confirmed(false));
        assert_eq!(answer(&confirm, &RequestPermissionOutcome::Cancelled), DialogAnswer::Confirmed(false));
    }
}
