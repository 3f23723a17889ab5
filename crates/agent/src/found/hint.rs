//! The dialect that the place of a module speaks for.

use std::path::Path;

use serde::{Serialize, Serializer};
use tau_hooks::dialect::{Dialect, OMP, ORIGINAL, PI, SHELL};

use crate::settings::{CONFIG_DIR, Environment};

/// The name of folders of hooks, whoever they belong to.
pub(crate) const HOOKS: &str = "hooks";

/// Folders whose hooks are those of oh-my-pi, as far as they are modules.
const OMP_FOLDERS: &[&str] = &[".omp", ".pisces", ".claude", ".codex", ".gemini", ".cursor"];

/// A dialect, and why a place speaks for it. What stands in the module itself outranks it.
#[derive(Debug, Clone, Copy)]
pub struct Hint {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// What speaks for it, to be read behind "because".
    pub why: &'static str,
    /// Whether what a source does with its API may speak for another dialect, although it imports nothing: it is not in a
    /// folder of this one.
    pub open: bool,
}

impl PartialEq for Hint {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.dialect, other.dialect) && self.why == other.why
    }
}

impl Eq for Hint {}

impl Default for Hint {
    fn default() -> Self {
        Self { dialect: &PI, why: "it is an extension", open: false }
    }
}

/// The dialect alone.
impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.dialect.id)
    }
}

impl Hint {
    /// A hook of oh-my-pi.
    pub(crate) const OMP: Self = Self { dialect: &OMP, why: "it is in a folder of oh-my-pi hooks", open: false };
    /// A hook of the original pi.
    pub(crate) const ORIGINAL: Self =
        Self { dialect: &ORIGINAL, why: "it is in a folder of original pi hooks", open: false };
    /// An entry of the setting `hooks`.
    pub(crate) const LISTED: Self = Self { dialect: &ORIGINAL, why: "the setting `hooks` names it", open: false };
    /// An argument of `--hook`.
    pub(crate) const NAMED: Self = Self { dialect: &OMP, why: "--hook names it", open: true };

    /// A script.
    pub(crate) const SHELL: Self = Self { dialect: &SHELL, why: "it is a script", open: false };

    /// Whether nothing but the default speaks.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What the folder of a file says, else `otherwise`.
    pub(crate) fn of(path: &Path, env: &Environment, otherwise: Self) -> Self {
        let is_hooks = |folder: &Path| folder.file_name().is_some_and(|name| name == HOOKS);
        let of_pi = |folder: &Path| {
            is_hooks(folder)
                && folder.parent().is_some_and(|above| {
                    *above == env.agent_dir() || above.file_name().is_some_and(|name| name == CONFIG_DIR)
                })
        };
        let of_kind = |folder: &Path| folder.file_name().is_some_and(|name| name == "pre" || name == "post");
        let parent = path.parent();
        if parent.is_some_and(of_pi) {
            return Self::ORIGINAL;
        }
        if parent.filter(|folder| of_kind(folder)).and_then(Path::parent).is_some_and(of_pi) {
            return Self::OMP;
        }
        let of_omp = |folder: &Path| {
            let above = || folder.ancestors().skip(1).take(2).filter_map(Path::file_name);
            is_hooks(folder) && above().any(|name| OMP_FOLDERS.iter().any(|known| name == *known))
        };
        if path.ancestors().skip(1).any(of_omp) { Self::OMP } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_speak_for_a_dialect() {
        let env = Environment::new("/home/ada", "/project").with_var("PI_CODING_AGENT_DIR", "/agent");
        let cases = [
            ("/project/.pi/hooks/a.ts", "original"),
            ("/agent/hooks/a.ts", "original"),
            ("/project/.pi/hooks/pre/a.ts", "omp"),
            ("/project/.omp/hooks/a.ts", "omp"),
            ("/home/ada/.omp/agent/hooks/pre/a.ts", "omp"),
            ("/project/.claude/hooks/pre/a.ts", "omp"),
            ("/project/hooks/a.ts", "pi"),
            ("/project/.pi/extensions/a.ts", "pi"),
        ];
        for (path, dialect) in cases {
            assert_eq!(Hint::of(Path::new(path), &env, Hint::default()).dialect.id, dialect, "{path}");
        }
    }
}
