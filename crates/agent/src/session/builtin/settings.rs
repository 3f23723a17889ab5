//! `/settings`: what counts and where it comes from, and another value.

use std::sync::Arc;

use super::Answer;
use super::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use crate::aside::aside;
use crate::extensions::configure;
use crate::pipeline::PromptError;
use crate::session::AgentSession;
use crate::settings::{KeyPath, Layer, Listed, Settings};

pub(super) async fn settings(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let (first, rest) = word(argument);
    let (layer, key, value) = match first {
        "-l" | "--local" => {
            let (key, value) = word(rest);
            (Layer::Project, key, value)
        }
        key => (Layer::Global, key, rest),
    };
    let snapshot = session.settings().snapshot();
    match (key, value) {
        ("", _) => Ok(list(&snapshot)),
        (key, "") => Ok(snapshot.explain_known(&KeyPath::typed(key), session.hooks()).text().into()),
        (key, value) => set(session, layer, key.to_owned(), value.to_owned()).await,
    }
}

/// The first word and the rest; a list of names in JSON counts as one word.
fn word(text: &str) -> (&str, &str) {
    let list = text.starts_with('[').then(|| text.find(']')).flatten().map(|end| text.split_at(end + 1));
    let (first, rest) = list.or_else(|| text.split_once(char::is_whitespace)).unwrap_or((text, ""));
    (first, rest.trim())
}

fn list(settings: &Settings) -> BuiltinOutcome {
    let option = |listed: Listed| ChoiceOption { value: listed.key.written(), label: line(listed), current: false };
    let options: Vec<ChoiceOption> = settings.listing().into_iter().map(option).collect();
    let mut lines: Vec<String> = options.iter().map(|option| option.label.clone()).collect();
    if lines.is_empty() {
        lines.push("No settings are set.".to_owned());
    }
    lines.extend(settings.problems());
    lines.push("Use /settings KEY to see where a value comes from, /settings KEY VALUE to set it.".to_owned());
    BuiltinOutcome::Choice(Choice { command: "settings", options, text: lines.join("\n") })
}

fn line(Listed { key, value, origin }: Listed) -> String {
    let origin = origin.map(|origin| format!("  ({} {})", origin.layer, origin.path.display())).unwrap_or_default();
    format!("{} = {value}{origin}", key.written())
}

async fn set(session: &Arc<AgentSession>, layer: Layer, key: String, value: String) -> Answer {
    let (store, path) = (Arc::clone(session.settings()), KeyPath::typed(&key));
    let notes = aside(move || store.set_typed(layer, &key, &value)).await;
    let notes = notes.map_err(|error| PromptError::Command(error.to_string()))?;
    let snapshot = session.settings().snapshot();
    configure(session.hooks(), &snapshot);
    let explained = snapshot.explain_known(&path, session.hooks());
    let mut lines = notes;
    lines.extend(explained.useless_in(layer));
    lines.push(explained.text());
    Ok(lines.join("\n").into())
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_key_is_a_word_or_a_list_of_names() {
        assert_eq!(word("theme dark"), ("theme", "dark"));
        assert_eq!(word("theme"), ("theme", ""));
        assert_eq!(word(r#"["a b", "c"]  1 2"#), (r#"["a b", "c"]"#, "1 2"));
        assert_eq!(word("[broken 1"), ("[broken", "1"));
        assert_eq!(word(""), ("", ""));
    }
}
