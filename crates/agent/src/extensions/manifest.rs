//! `package.json` and what its field `pi` lists.

use std::io;
use std::path::Path;

use serde_json::Value;
use tau_tools::read_small_text;

use crate::package_entry::texts;
use crate::resources::Diagnostic;
use crate::settings::ResourceKind;

/// The lists of a package; `None` for a kind that it does not mention.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    lists: [Option<Vec<String>>; 4],
}

impl Manifest {
    /// Reads the manifest of a folder; `None` when the folder has none. A file that is no manifest is told and counts
    /// as none.
    pub(super) fn read(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        let path = folder.join("package.json");
        let text = match read_small_text(&path) {
            Ok(text) => text,
            Err(error) => {
                if error.kind() == io::ErrorKind::FileTooLarge {
                    diagnostics.push(Diagnostic::warning(&path, error.to_string()));
                }
                return None;
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let package: Value = match serde_json::from_str(text) {
            Ok(package) => package,
            Err(error) => {
                let line = Some(error.line()).filter(|line| *line > 0);
                diagnostics.push(Diagnostic::warning(&path, error.to_string()).at_line(line));
                return None;
            }
        };
        let pi = package.get("pi").and_then(Value::as_object)?;
        let mut manifest = Self::default();
        for kind in ResourceKind::ALL {
            let Some(value) = pi.get(kind.key()) else { continue };
            match texts(value) {
                Some(list) => manifest.lists[kind as usize] = Some(list),
                None => {
                    let message = format!("`pi.{}` must be a list of texts; it is passed over", kind.key());
                    diagnostics.push(Diagnostic::warning(&path, message));
                }
            }
        }
        Some(manifest)
    }

    /// The entries for a kind.
    pub(super) fn entries(&self, kind: ResourceKind) -> Option<&[String]> {
        self.lists[kind as usize].as_deref()
    }
}
