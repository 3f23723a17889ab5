//! The files of a folder of hooks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::found::{HookItem, HookLevel, HookMoment, MODULES, SCRIPTS, ToolNames, has_interpreter};

/// What names of files end in that only declare types: there is nothing to run in them.
const DECLARATIONS: &[&str] = &[".d.ts", ".d.mts", ".d.cts"];
/// Extensions of modules with elements in them, which are loaded when somebody names them.
const ELEMENTS: &[&str] = &["tsx", "jsx"];
/// What the name of a file ends in when that says that the file is no code: `txt`, `json`.
pub(crate) fn foreign_extension(path: &Path) -> Option<&str> {
    let extension = path.extension()?.to_str()?;
    let is_code = MODULES.contains(&extension) || ELEMENTS.contains(&extension) || has_interpreter(path);
    (!is_code).then_some(extension)
}

/// The files of a folder in the order of their names' bytes, links followed, without hidden ones and declarations. None
/// when there is no such folder.
///
/// # Errors
/// When the folder is there and cannot be read.
pub(super) fn files_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.retain(|name| {
        let name = name.as_encoded_bytes();
        !name.starts_with(b".") && !DECLARATIONS.iter().any(|ending| name.ends_with(ending.as_bytes()))
    });
    names.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    // A link that leads nowhere is listed: it was meant to be a hook.
    Ok(names.into_iter().map(|name| folder.join(name)).filter(|path| !path.is_dir()).collect())
}

/// How names of files become names of tools.
pub(super) type ToolOf = fn(&str) -> &str;

/// The name without its last extension.
pub(super) fn without_extension(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The name without the extension of a module or a script; any other stays.
pub(super) fn without_kind(name: &str) -> &str {
    let is_kind = |ending: &str| MODULES.contains(&ending) || SCRIPTS.iter().any(|(known, _)| *known == ending);
    match name.rsplit_once('.') {
        Some((stem, ending)) if is_kind(ending) => stem,
        _ => name,
    }
}

/// The hooks in `pre` and `post` of a folder.
pub(super) fn pre_and_post(
    folder: &Path,
    level: HookLevel,
    tool_of: ToolOf,
    names: ToolNames,
) -> Result<Vec<HookItem>, String> {
    let mut items = Vec::new();
    for moment in [HookMoment::Pre, HookMoment::Post] {
        for path in files_of(&folder.join(moment.as_str()))? {
            let name = name_of(&path);
            let tool = tool_of(&name).to_owned();
            items.push(HookItem { tool, ..item(name, path, moment, level, names) });
        }
    }
    Ok(items)
}

/// A hook that the registry and its provider have not written anything into yet.
pub(super) fn item(name: String, path: PathBuf, moment: HookMoment, level: HookLevel, names: ToolNames) -> HookItem {
    HookItem {
        tool: without_extension(&name).to_owned(),
        name,
        path,
        moment,
        level,
        provider: String::new(),
        provider_name: String::new(),
        names,
        plugin: None,
    }
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
