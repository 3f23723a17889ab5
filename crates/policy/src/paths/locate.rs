//! Where a word points to, as far as it is known.

use std::path::{Component, Path, PathBuf};

use super::places::Scene;
use crate::text::Text;

/// Where a word points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// Without `.` and `..`, links not followed.
    pub(crate) lexical: PathBuf,
    /// With links followed.
    pub(crate) resolved: PathBuf,
    pub(crate) rest: Rest,
}

/// What follows the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing: it is the file.
    Nothing,
    /// This pattern, for names in the folder.
    Pattern(String),
    /// Anything.
    Unknown,
}

impl Located {
    /// The ways to write the path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        [self.lexical.as_path(), self.resolved.as_path()].into_iter()
    }

    /// Whether it is the file itself.
    pub(crate) fn is_whole(&self) -> bool {
        self.rest == Rest::Nothing
    }
}

/// Where a word points to from a folder; `None` if nothing of it is known.
pub(crate) fn locate(text: &Text, base: Option<&Path>, scene: &Scene<'_>) -> Option<Located> {
    let (known, rest) = match (text.known(), text.pattern()) {
        (Some(known), _) => (known.to_owned(), Rest::Nothing),
        (None, Some(pattern)) => {
            let prefix = folder(text.prefix());
            let rest = pattern.get(prefix.len()..).unwrap_or_default().to_owned();
            (prefix.to_owned(), Rest::Pattern(rest))
        }
        (None, None) => match folder(text.prefix()) {
            "" => return None,
            prefix => (prefix.to_owned(), Rest::Unknown),
        },
    };
    if known.contains('\0') || (known.is_empty() && rest == Rest::Nothing) {
        return None;
    }
    let path = match (Path::new(&known).is_absolute(), base) {
        (true, _) => PathBuf::from(known),
        (false, Some(base)) => base.join(known),
        (false, None) => return None,
    };
    let resolved = plain(&scene.places.resolved(scene.world, &path));
    Some(Located { lexical: plain(&path), resolved, rest })
}

/// The part up to the last slash.
fn folder(text: &str) -> &str {
    text.rfind('/').and_then(|at| text.get(..=at)).unwrap_or_default()
}

/// A path without `.` and `..`, by its letters alone.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    plain
}
