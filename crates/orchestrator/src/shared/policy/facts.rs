//! What rules depend on, by the names that they have in rules.

use crate::shared::container::is_container;

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether somebody can be asked.
    pub ui: bool,
    /// Whether commits name the agent as an author.
    pub co_author: bool,
    /// Whether tasks work in git worktrees of their own.
    pub use_worktrees: bool,
    /// Whether this is a child session.
    pub child: bool,
    /// The modules that are on, without `builtin:`.
    pub modules: Vec<String>,
}

impl Facts {
    /// The names. Looks at the machine, so it may block.
    pub fn names(&self) -> Vec<String> {
        let switches = [
            ("container", is_container()),
            ("ui", self.ui),
            ("child", self.child),
            ("setting:co_author", self.co_author),
            ("setting:use_worktrees", self.use_worktrees),
        ];
        let on = switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.to_owned());
        on.chain(self.modules.iter().map(|module| format!("module:{module}"))).collect()
    }
}

/// What a commit says about the agent, which a model of this name drives.
pub fn trailer(model: &str) -> String {
    // A name is foreign text; only what stands in names of models goes into a command.
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || " .-_:/@+".contains(*c);
    let name: String = model.chars().filter(is_plain).take(100).collect();
    let name = if name.trim().is_empty() { "unknown model" } else { name.trim() };
    format!("Co-authored-by: PI ({name}) <noreply@pi.dev>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fact_has_its_name() {
        let facts =
            Facts { ui: true, co_author: true, use_worktrees: true, child: true, modules: vec!["agents".to_owned()] };
        let mut names = facts.names();
        names.retain(|name| name != "container");
        assert_eq!(names, ["ui", "child", "setting:co_author", "setting:use_worktrees", "module:agents"]);
        let mut none = Facts::default().names();
        none.retain(|name| name != "container");
        assert!(none.is_empty(), "{none:?}");
    }

    #[test]
    fn a_trailer_holds_nothing_that_a_shell_or_git_reads() {
        assert_eq!(trailer("claude-4.5"), "Co-authored-by: PI (claude-4.5) <noreply@pi.dev>");
        assert_eq!(trailer("a'$(x)`\n<b>"), "Co-authored-by: PI (axb) <noreply@pi.dev>");
        assert_eq!(trailer("\u{1b}"), "Co-authored-by: PI (unknown model) <noreply@pi.dev>");
    }
}
