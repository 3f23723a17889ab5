//! A template: a file of the suite, and how it is filled in.

use std::sync::LazyLock;

use tau_hooks::{HandlerError, TemplateInfo, split_arguments, substitute_arguments};
use tau_script::FrontMatter;

/// A template as its file has it.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) kind: Kind,
    pub(super) info: TemplateInfo,
    body: String,
}

/// Which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Implement,
    ScoutAndPlan,
    ReviewLocal,
    PrReview,
    Release,
    Remember,
}

/// The text of the shortest fence.
const ALL: &str = "$ARGUMENTS";
const FENCE: &str = "```";

const FILES: &[(Kind, &str, &str)] = &[
    (Kind::Implement, "implement", include_str!("../../prompts/implement.md")),
    (Kind::ScoutAndPlan, "scout-and-plan", include_str!("../../prompts/scout-and-plan.md")),
    (Kind::ReviewLocal, "review-local", include_str!("../../prompts/review-local.md")),
    (Kind::PrReview, "pr-review", include_str!("../../prompts/pr-review.md")),
    (Kind::Release, "release", include_str!("../../prompts/release.md")),
    (Kind::Remember, "remember", include_str!("../../prompts/remember.md")),
];

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| FILES.iter().map(Template::read).collect());

/// All of them.
pub(super) fn all() -> &'static [Template] {
    &TEMPLATES
}

impl Template {
    fn read((kind, name, text): &(Kind, &str, &str)) -> Self {
        let head = FrontMatter::lenient(text);
        let field = |field: &str| head.text(field).unwrap_or_default().to_owned();
        let info = TemplateInfo {
            name: (*name).to_owned(),
            description: field("description"),
            argument_hint: field("argument-hint"),
            path: format!("builtin:prompts/{name}.md"),
        };
        Self { kind: *kind, info, body: head.body }
    }

    /// How it is called.
    pub(super) fn usage(&self) -> String {
        format!("usage: /{} {}", self.info.name, self.info.argument_hint)
    }

    /// The prompt: the arguments stand in place of `$1` and the like, and as they were typed in place of `$ARGUMENTS`, and each `{{slot}}` becomes its text. No
    /// text that is put in is looked at again, and none can close a fence.
    ///
    /// # Errors
    /// When the file has a slot that nothing is known of.
    pub(super) fn fill(&self, arguments: &str, slots: &[(&str, &str)]) -> Result<String, HandlerError> {
        let whole = arguments.trim();
        let words = split_arguments(arguments);
        // A task may be a list or code: as a whole it stays as it was typed.
        let substitute = |text: &str| {
            let parts: Vec<String> = text.split(ALL).map(|part| substitute_arguments(part, &words)).collect();
            parts.join(whole)
        };
        let texts = words.iter().map(String::as_str).chain(slots.iter().map(|(_, text)| *text)).chain([whole]);
        let longest = texts.map(longest_run);
        let fence = "`".repeat(FENCE.len().max(longest.max().unwrap_or_default() + 1));
        let body: Vec<String> = self.body.lines().map(|line| refenced(line, &fence)).collect();
        let body = body.join("\n");
        let mut filled = String::new();
        let mut rest = body.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(&substitute(before));
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            let slot = slots.iter().find(|(slot, _)| *slot == name);
            let (_, text) = slot.ok_or_else(|| {
                HandlerError::msg(format!(
                    "{}: nothing is known of {{{{{name}}}}}; report this as a defect of tau",
                    self.info.path
                ))
            })?;
            filled.push_str(text);
            rest = after;
        }
        filled.push_str(&substitute(rest));
        Ok(filled)
    }
}

fn refenced(line: &str, fence: &str) -> String {
    line.strip_prefix(FENCE).map_or_else(|| line.to_owned(), |rest| format!("{fence}{rest}"))
}

/// The length of the longest run of back-ticks. Two arguments are never put together without a blank.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn template(body: &str) -> Template {
        Template { kind: Kind::Remember, info: TemplateInfo::default(), body: body.to_owned() }
    }

    #[test]
    fn every_file_says_what_it_is_for() {
        assert_eq!(all().len(), FILES.len());
        for Template { info, body, .. } in all() {
            assert!(!info.description.is_empty() && !info.argument_hint.is_empty(), "{info:?}");
            // What a user types stands in fences alone.
            let mut is_open = false;
            for line in body.lines() {
                if line.starts_with(FENCE) {
                    is_open = !is_open;
                } else if !is_open {
                    let arguments = ["typed".to_owned(), "typed".to_owned()];
                    assert_eq!(substitute_arguments(line, &arguments), line, "{}", info.path);
                }
            }
            assert!(!is_open, "{}", info.path);
        }
    }

    #[test]
    fn slots_and_arguments_are_put_in_once() {
        let text = template("{{a}} $1\n```text\n$ARGUMENTS\n```\n$2{{b}}");
        let filled = text.fill("'{{b}}' x", &[("a", "$1 {{b}}"), ("b", "B")]).expect("a prompt");
        assert_eq!(filled, "$1 {{b}} {{b}}\n```text\n'{{b}}' x\n```\nxB");
        assert!(template("{{c}}").fill("", &[]).is_err());
        let filled = template("```text\n$ARGUMENTS\n```").fill("a ```` b", &[]).expect("a prompt");
        assert_eq!(filled, "`````text\na ```` b\n`````");
    }

    proptest! {
        #[test]
        fn no_argument_closes_the_fence(arguments in "[`a \n\"'$]{0,40}", slot in "[`a\n]{0,20}") {
            let text = template("```text\n$ARGUMENTS\n{{slot}}\n```\nEnd.");
            let filled = text.fill(&arguments, &[("slot", &slot)]).expect("a prompt");
            let fence = filled.split("text\n").next().expect("a fence").to_owned();
            let end = format!("\n{fence}\nEnd.");
            prop_assert!(fence.len() >= 3 && filled.ends_with(&end));
            let inside = &filled[fence.len()..filled.len() - end.len()];
            prop_assert!(!inside.contains(&fence));
        }
    }
}
