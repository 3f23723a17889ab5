//! Native add-ons, which cannot be loaded: what authors and users read in the place of what a package says when it does not
//! find its own.

use super::Frame;

/// Packages that look for the add-ons of others.
const FINDERS: &[&str] =
    &["@mapbox/node-pre-gyp", "bindings", "file-uri-to-path", "node-gyp-build", "node-gyp-build-optional-packages"];

/// What messages about an add-on that could not be loaded say, in lower case.
const SIGNS: &[&str] =
    &["could not locate the bindings file", "native add-on", "native binding", "native build", "native module"];

const FOLDER: &str = "node_modules/";

/// The message, or the sentence about the package whose add-on it is about, where the message and the stack show that it
/// is about one.
pub(super) fn named(message: String, frames: &[Frame]) -> String {
    if !is_about_one(&message) || message.contains(NEEDS) {
        return message;
    }
    let mut packages = frames.iter().filter_map(|frame| package_of(&frame.file));
    match packages.find(|package| !FINDERS.contains(package)) {
        Some(package) => sentence(package),
        None => message,
    }
}

const NEEDS: &str = "needs a native add-on";

/// What is said of an add-on by its file.
pub fn refused(file: &str) -> String {
    match package_of(file) {
        Some(package) => sentence(package),
        None => format!("{file} is a native add-on, which tau cannot load; {INSTEAD}"),
    }
}

const INSTEAD: &str = "use an extension that does without it, or have this one run a program instead (pi.exec)";

fn sentence(package: &str) -> String {
    format!("The package \"{package}\" {NEEDS}, which tau cannot load; {INSTEAD}")
}

fn is_about_one(message: &str) -> bool {
    let ends_a_name =
        |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '.' | '_' | '-'));
    let file = message.match_indices(".node").any(|(at, suffix)| ends_a_name(&message[at + suffix.len()..]));
    let lower = message.to_lowercase();
    file || SIGNS.iter().any(|sign| lower.contains(sign))
}

/// The npm package that a file is part of.
fn package_of(file: &str) -> Option<&str> {
    let at = file.rfind(FOLDER)? + FOLDER.len();
    let path = &file[at..];
    let names = if path.starts_with('@') { 2 } else { 1 };
    let end = path.match_indices('/').nth(names - 1)?.0;
    Some(&path[..end])
}

#[cfg(test)]
mod tests {
    use super::{is_about_one, package_of, refused};

    #[test]
    fn the_package_of_a_file_is_the_innermost() {
        assert_eq!(package_of("/a/node_modules/b/node_modules/@s/c/lib/d.js"), Some("@s/c"));
        assert_eq!(package_of("/a/node_modules/b/d.js"), Some("b"));
        assert_eq!(package_of("/a/b/d.js"), None);
        assert!(refused("/a/x.node").starts_with("/a/x.node is a native add-on"));
    }

    #[test]
    fn other_messages_stay() {
        for (message, about) in [
            ("Cannot find module './pty.node'", true),
            ("No native build was found for platform=linux", true),
            ("Cannot read app.node.js", false),
            ("connection refused", false),
        ] {
            assert_eq!(is_about_one(message), about, "{message}");
        }
    }
}
