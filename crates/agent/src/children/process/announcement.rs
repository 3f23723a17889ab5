//! What a session says about itself to the programs that it starts.

use std::path::Path;

use super::VARIABLE;
use crate::settings::Environment;

/// How deep sessions nest, in this process and across processes: an extension that opens a child for each call of a child must
/// not fill the memory.
pub(crate) const DEEPEST: usize = 8;

/// What the file of the socket is called, up to the level.
const NAME: &str = "gates-";
/// How the name ends when nothing may be trusted.
const DISTRUSTS: &str = "-no-approve";

/// Where a session stands that another one started, and what holds for it. The name of the socket says it: who changes that
/// finds no gates, which then are shut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Announcement {
    /// How many sessions stand above.
    pub(crate) level: usize,
    /// No project is trusted, as with `--no-approve`.
    pub(crate) distrusts: bool,
}

impl Announcement {
    /// What the session says that started this program; nothing stands above when it was none.
    pub(crate) fn of(env: &Environment) -> Self {
        let Some(socket) = env.vars.get(VARIABLE) else { return Self::default() };
        let name = Path::new(socket).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (level, distrusts) = match name.strip_suffix(DISTRUSTS) {
            Some(rest) => (rest, true),
            None => (name, false),
        };
        let level = level.strip_prefix(NAME).and_then(|level| level.parse().ok());
        // Deeper than the deepest is all the same, and a number can be any.
        Self { level: level.unwrap_or(1).min(DEEPEST + 1), distrusts }
    }

    /// What a session at this place says to the programs that it starts.
    pub(crate) fn below(self) -> Self {
        Self { level: self.level + 1, ..self }
    }

    /// The name of its socket.
    pub(super) fn file_name(self) -> String {
        format!("{NAME}{}{}", self.level, if self.distrusts { DISTRUSTS } else { "" })
    }
}

/// Why no session can begin here: too many stand above it.
pub fn too_deep(env: &Environment) -> Option<String> {
    let deep = Announcement::of(env).level > DEEPEST;
    deep.then(|| format!("child sessions are limited to {DEEPEST} levels, and {DEEPEST} sessions stand above this one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_tells_what_holds_below() {
        for level in [1, 3, DEEPEST, DEEPEST + 1] {
            for distrusts in [false, true] {
                let announcement = Announcement { level, distrusts };
                let mut env = Environment::new("/home/ada", "/work");
                assert_eq!(Announcement::of(&env), Announcement::default());
                env.vars.insert(VARIABLE.to_owned(), format!("/tmp/x/{}", announcement.file_name()));
                assert_eq!(Announcement::of(&env), announcement);
                assert_eq!(too_deep(&env).is_some(), level > DEEPEST);
                env.vars.insert(VARIABLE.to_owned(), format!("/tmp/gates-{}", usize::MAX));
                assert_eq!(Announcement::of(&env).below().level, DEEPEST + 2);
                env.vars.insert(VARIABLE.to_owned(), "/tmp/other".to_owned());
                assert_eq!(Announcement::of(&env), Announcement { level: 1, distrusts: false });
            }
        }
    }
}
