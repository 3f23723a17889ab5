//! What models behind Google's interfaces can do, by their ids: neither the interfaces nor the catalogue say it.

use std::sync::LazyLock;

use regex::Regex;

/// The number of a generation of Gemini.
static GEMINI: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^gemini(?:-live)?-(\d+)").ok());
/// Models that think by level. Earlier ones have a budget of tokens.
static THINK_BY_LEVEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"gemini-3(?:\.\d+)?-(?:pro|flash)|gemini-(?:[4-9]|[1-9]\d)|^gemini-flash(?:-lite)?-latest$|gemma-?4")
        .ok()
});

fn gemini(id: &str) -> Option<u32> {
    GEMINI.as_ref()?.captures(&id.to_lowercase())?.get(1)?.as_str().parse().ok()
}

/// Whether calls and their results carry ids. Other models tell them apart by their order.
pub(super) fn has_call_ids(id: &str) -> bool {
    id.starts_with("claude-") || id.starts_with("gpt-oss-") || gemini(id).is_some_and(|generation| generation >= 3)
}

/// Whether calls can be held to the schemas of tools.
pub(super) fn has_strict_tools(id: &str) -> bool {
    gemini(id).is_some_and(|generation| generation >= 3)
}

/// Whether the result of a tool may hold pictures.
pub(super) fn takes_images_in_results(id: &str) -> bool {
    gemini(id).is_none_or(|generation| generation >= 3)
}

/// Whether it is asked to think by level, not by budget.
pub(super) fn thinks_by_level(id: &str) -> bool {
    THINK_BY_LEVEL.as_ref().is_some_and(|pattern| pattern.is_match(&id.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_says_what_a_model_can_do() {
        for (id, ids, images, level) in [
            ("gemini-2.5-pro", false, false, false),
            ("gemini-3-pro-preview", true, true, true),
            ("gemini-3.1-flash-lite", true, true, true),
            ("gemini-3-ultra", true, true, false),
            ("gemini-live-3-x", true, true, false),
            ("Gemini-4-argon", true, true, true),
            ("gemini-12-x", true, true, true),
            ("gemini-flash-latest", false, true, true),
            ("gemini-flash-lite-latest", false, true, true),
            ("models/gemini-3-pro-preview", false, true, true),
            ("gemma-4-27b", false, true, true),
            ("claude-sonnet-5", true, true, false),
            ("gpt-oss-120b", true, true, false),
            ("gemini-flash", false, true, false),
        ] {
            let found = (has_call_ids(id), takes_images_in_results(id), thinks_by_level(id));
            assert_eq!(found, (ids, images, level), "{id}");
        }
    }
}
