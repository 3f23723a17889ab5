//! The question whether a call may run.

use tau_hooks::dialogs::{DialogAnswer, DialogKind, NotifyLevel};
use tau_hooks::{Ctx, DialogOptions, HandlerError};
use tau_policy::Narrow;
use tau_view::untrusted::plain;

use super::judge::aside;
use crate::shared::policy::{Places, allowed};

const ONCE: &str = "Allow once";
const ALWAYS: &str = "Allow always: ";
const BLOCK: &str = "Block";
/// The longest call that is shown whole, in characters; nobody reads more in a dialog.
const LONGEST: usize = 20_000;

/// What a question is about.
pub(super) struct Question<'a> {
    /// What the rules found.
    pub(super) why: String,
    /// The call: a command, or the files of a tool.
    pub(super) call: &'a str,
    /// The rules that make further questions like this one unnecessary.
    pub(super) always: &'a [Narrow],
}

/// Asks the user. A question that is closed, taken away or not understood is a no.
pub(super) async fn ask(question: &Question<'_>, ctx: &Ctx, places: &Places) -> Result<bool, HandlerError> {
    let always = (!question.always.is_empty()).then(|| {
        let scopes: Vec<String> = question.always.iter().map(|rule| line(&rule.scope)).collect();
        format!("{ALWAYS}{}", scopes.join(" and "))
    });
    let options = [Some(ONCE.to_owned()), always.clone(), Some(BLOCK.to_owned())].into_iter().flatten().collect();
    let title = format!("{}\n\n{}\n\nAllow?", question.why, call(question.call));
    match ctx.ui().ask(DialogKind::Select { title, options }, DialogOptions::default()).await {
        DialogAnswer::Value(answer) if answer == ONCE => Ok(true),
        DialogAnswer::Value(answer) if Some(&answer) == always.as_ref() => {
            keep(question.always, ctx, places).await?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Keeps rules for later. When that fails the call runs all the same, as the user wants it to.
async fn keep(rules: &[Narrow], ctx: &Ctx, places: &Places) -> Result<(), HandlerError> {
    for rule in rules {
        let (path, kept) = (places.user.clone(), rule.clone());
        let done = aside(move || Ok(allowed::add(&path, &kept))).await?;
        let (text, level) = match done {
            Ok(()) => {
                let text = format!("allowed always: {}; `/policy undo {}` takes it back", line(&rule.scope), rule.id);
                (text, NotifyLevel::Info)
            }
            Err(error) => (format!("allowed this time only: {error}"), NotifyLevel::Warning),
        };
        ctx.ui().notify(&text, level);
    }
    Ok(())
}

/// The call as it is shown.
fn call(text: &str) -> String {
    let text = plain(text);
    let more = text.chars().count().saturating_sub(LONGEST);
    if more == 0 {
        return text;
    }
    let begin: String = text.chars().take(LONGEST).collect();
    format!("{begin}…\n({more} more characters)")
}

fn line(text: &str) -> String {
    plain(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_without_what_a_terminal_obeys_and_not_without_end() {
        assert_eq!(call("a\u{1b}[2Jb\nc"), "ab\nc");
        let long = call(&"x".repeat(LONGEST + 3));
        assert!(long.ends_with("x…\n(3 more characters)"), "{}", long.len());
    }
}
