//! `/theme`: the themes that there are, and another one.

use std::sync::Arc;

use super::Answer;
use super::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use crate::aside::aside;
use crate::pipeline::PromptError;
use crate::session::AgentSession;
use crate::session::themes::{all_themes, choose_setting};

/// The theme that is made of the terminal's own colours.
const SYSTEM: &str = "system";

pub(super) async fn theme(session: &Arc<AgentSession>, name: &str) -> Answer {
    if !name.is_empty() {
        // A light and a dark one, for terminals that tell which they are.
        let pair = name.split_once('/');
        let known = names(session);
        let wanted: Vec<&str> = pair.map_or(vec![name], |(light, dark)| vec![light, dark]);
        if let Some(lost) = wanted.into_iter().find(|name| !known.iter().any(|known| known == name)) {
            let why = format!("There is no theme \"{lost}\". There are: {}", known.join(", "));
            return Err(PromptError::Command(why));
        }
        let (asked, text) = (Arc::clone(session), name.to_owned());
        let done = aside(move || choose_setting(asked.parts(), &text)).await;
        done.map_err(|error| PromptError::Command(error.to_string()))?;
        return Ok(format!("Theme: {name}").into());
    }
    let now = session.settings().snapshot().theme().unwrap_or(SYSTEM).to_owned();
    let options: Vec<ChoiceOption> = names(session)
        .into_iter()
        .map(|name| ChoiceOption { current: name == now, label: String::new(), value: name })
        .collect();
    let all: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
    let text = format!("Theme: {now} (available: {})", all.join(", "));
    Ok(BuiltinOutcome::Choice(Choice { command: "theme", options, text }))
}

fn names(session: &AgentSession) -> Vec<String> {
    let themes = all_themes(session.parts()).into_iter().map(|theme| theme.colors.name.clone());
    let mut names: Vec<String> = themes.filter(|name| name != SYSTEM).collect();
    names.insert(0, SYSTEM.to_owned());
    names
}
