//! What a session puts in front of a command, and which shell reads it.

use std::path::Path;

use tau_policy::rules::Edit;

/// Shells whose language is read.
const POSIX: [&str; 8] = ["sh", "bash", "dash", "ash", "busybox", "ksh", "mksh", "zsh"];

/// Whether a shell reads the language that rules understand.
pub fn is_posix(shell: &Path) -> bool {
    let name = shell.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    POSIX.contains(&name)
}

/// A command as the shell gets it: behind what the setting `shellCommandPrefix` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixed {
    /// The whole text.
    pub text: String,
    /// How much of it stands in front of the command.
    before: usize,
}

impl Prefixed {
    /// The text that is run.
    pub fn new(prefix: Option<&str>, command: &str) -> Self {
        match prefix.filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => Self { text: format!("{prefix}\n{command}"), before: prefix.len() + 1 },
            None => Self { text: command.to_owned(), before: 0 },
        }
    }

    /// The command with changes made in it; `None` if one of them is not in the command itself, or they do not fit.
    pub fn edited(&self, edits: &[Edit]) -> Option<String> {
        let mut text = self.text.clone();
        let mut end = text.len();
        // From the last to the first, so that the places of the others stay.
        for edit in edits.iter().rev() {
            let span = edit.span;
            let fits = self.before <= span.start && span.start <= span.end && span.end <= end;
            if !fits || !text.is_char_boundary(span.start) || !text.is_char_boundary(span.end) {
                return None;
            }
            text.replace_range(span.start..span.end, &edit.text);
            end = span.start;
        }
        text.get(self.before..).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tau_policy::Span;

    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit { span: Span { start, end }, text: text.to_owned() }
    }

    #[test]
    fn edits_are_made_behind_the_prefix() {
        let bare = Prefixed::new(None, "git commit -m x");
        assert_eq!(bare.edited(&[edit(10, 10, " --trailer 't'")]).as_deref(), Some("git commit --trailer 't' -m x"));
        let both = [edit(0, 3, "hub"), edit(14, 15, "yes")];
        assert_eq!(bare.edited(&both).as_deref(), Some("hub commit -m yes"));
        assert_eq!(Prefixed::new(Some(""), "ls"), Prefixed::new(None, "ls"));
        let behind = Prefixed::new(Some("set -e"), "ls");
        assert_eq!(behind.text, "set -e\nls");
        assert_eq!(behind.edited(&[edit(7, 9, "pwd")]).as_deref(), Some("pwd"));
        assert_eq!(behind.edited(&[edit(0, 3, "x")]), None);
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        let text = Prefixed::new(None, "aä");
        for edits in
            [vec![edit(2, 3, "")], vec![edit(1, 9, "")], vec![edit(2, 1, "")], vec![edit(0, 3, ""), edit(1, 3, "")]]
        {
            assert_eq!(text.edited(&edits), None, "{edits:?}");
        }
    }

    #[test]
    fn shells_are_known_by_their_names() {
        assert!(is_posix(Path::new("/bin/bash")) && is_posix(Path::new("zsh")));
        assert!(!is_posix(Path::new("/usr/bin/fish")) && !is_posix(Path::new("/")));
    }

    proptest! {
        #[test]
        fn no_edit_panics(text in ".{0,12}", prefix in ".{0,4}", spans in proptest::collection::vec((0_usize..20, 0_usize..20), 0..3)) {
            let edits: Vec<Edit> = spans.into_iter().map(|(start, end)| edit(start, end, "x")).collect();
            let prefixed = Prefixed::new(Some(&prefix), &text);
            prop_assert_eq!(prefixed.edited(&[]), Some(text));
            prefixed.edited(&edits);
        }
    }
}
