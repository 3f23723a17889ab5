//! Files that were copied in a file manager.

use std::path::PathBuf;

use super::programs::{Reader, TYPE};
use super::{Clipboard, LIST, run};

/// What a list of files is called.
const FILES: &str = "text/uri-list";

/// The longest list of files, in bytes.
const LONGEST: usize = 1 << 20;

/// What asks macOS for the file; it fails where there is none.
const ASK_MACOS: &[&str] = &["-e", "POSIX path of (the clipboard as «class furl»)"];

impl Clipboard {
    /// The files of the clipboard. None where there are none, or where nothing tells: then it is asked for something else.
    pub async fn files(&self) -> Vec<PathBuf> {
        let path = &self.environment.path;
        if self.environment.macos {
            let said = run::read("osascript", ASK_MACOS, path, LONGEST, self.patience).await.unwrap_or_default();
            let said = String::from_utf8_lossy(&said).into_owned();
            return allowed(said.trim_end_matches('\n')).into_iter().collect();
        }
        for reader in Reader::of(&self.environment) {
            let Some(list) = reader.types else { continue };
            let Ok(types) = run::read(reader.name, list, path, LONGEST, LIST.min(self.patience)).await else {
                continue;
            };
            if !String::from_utf8_lossy(&types).lines().any(|line| line.trim() == FILES) {
                return Vec::new();
            }
            let args: Vec<&str> = reader.image.iter().map(|arg| if *arg == TYPE { FILES } else { arg }).collect();
            let held = run::read(reader.name, &args, path, LONGEST, self.patience).await.unwrap_or_default();
            return String::from_utf8_lossy(&held).lines().filter_map(local).collect();
        }
        Vec::new()
    }
}

/// The path of a file of this machine, by its address.
fn local(address: &str) -> Option<PathBuf> {
    let rest = address.trim().strip_prefix("file://")?;
    allowed(&decoded(rest.strip_prefix("localhost").unwrap_or(rest))?)
}

/// A path that names one file and nothing that a terminal obeys.
fn allowed(path: &str) -> Option<PathBuf> {
    (path.starts_with('/') && !path.chars().any(char::is_control)).then(|| PathBuf::from(path))
}

/// A part of an address without `%`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_machine_have_a_path() {
        let path = |address: &str| local(address).map(|path| path.display().to_string());
        assert_eq!(path("file:///a/b%20c%C3%A9.png").as_deref(), Some("/a/b cé.png"));
        assert_eq!(path("file://localhost/a\r").as_deref(), Some("/a"));
        for other in ["# comment", "https://x/y", "file://host/a", "file:///a%1b]0;x", "file:///a%", "file:///%ff", ""]
        {
            assert_eq!(path(other), None, "{other:?}");
        }
    }
}
