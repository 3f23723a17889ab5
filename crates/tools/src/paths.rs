//! From the path a model wrote to the path it meant.

use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// Makes `path` absolute. A leading `@` (as in a mention) is dropped, typographic spaces become plain ones,
/// `~` is the home directory, `file://` URLs are paths, and the rest is relative to `cwd`. `.` and `..` are
/// resolved by name only.
pub fn resolve_to_cwd(path: &str, cwd: &Path) -> PathBuf {
    let spaced: String = path.chars().map(|c| if is_typographic_space(c) { ' ' } else { c }).collect();
    let path = spaced.strip_prefix('@').unwrap_or(&spaced);
    if let Some(home) = std::env::home_dir() {
        if path == "~" {
            return normalize(&home);
        }
        if let Some(rest) = path.strip_prefix("~/") {
            return normalize(&home.join(rest.trim_start_matches('/')));
        }
    }
    if let Some(rest) = path.strip_prefix("file://") {
        let local = rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest);
        return normalize(&cwd.join(percent_decode(local)));
    }
    normalize(&cwd.join(path))
}

/// Spellings under which macOS may have stored the file that `resolved` names, to be tried in this order when
/// `resolved` itself does not exist: a narrow space before AM or PM, decomposed letters, a curly apostrophe,
/// and the last two together.
pub(crate) fn spelling_variants(resolved: &Path) -> Vec<PathBuf> {
    let Some(original) = resolved.to_str() else { return Vec::new() };
    let decomposed: String = original.nfd().collect();
    let candidates = [
        narrow_space_before_am_pm(original),
        decomposed.clone(),
        original.replace('\'', "\u{2019}"),
        decomposed.replace('\'', "\u{2019}"),
    ];
    let mut variants: Vec<PathBuf> = Vec::new();
    for candidate in candidates {
        let candidate = PathBuf::from(candidate);
        if candidate != resolved && !variants.contains(&candidate) {
            variants.push(candidate);
        }
    }
    variants
}

/// Resolves `.` and `..` by name, without asking the file system.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// `path` relative to `base` with `/` between the parts; `None` outside of `base` or for `base` itself.
pub(crate) fn relative_posix(path: &Path, base: &Path) -> Option<String> {
    let relative = path.strip_prefix(base).ok()?;
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn is_typographic_space(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}')
}

fn narrow_space_before_am_pm(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 2);
    let mut rest = path;
    while let Some(at) = rest.find(' ') {
        let after = &rest[at + 1..];
        out.push_str(&rest[..at]);
        let marker = after.get(..3).map(str::to_ascii_lowercase);
        out.push(if matches!(marker.as_deref(), Some("am." | "pm.")) { '\u{202F}' } else { ' ' });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Decodes `%20` and the like; what is no such pair stays.
pub(crate) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = (bytes[index] == b'%').then(|| text.get(index + 1..index + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                index += 3;
            }
            None => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_mean_what_the_model_meant() {
        let cwd = Path::new("/work/dir");
        let home = std::env::home_dir().unwrap();
        for (written, meant) in [
            ("a.txt", PathBuf::from("/work/dir/a.txt")),
            ("@a.txt", "/work/dir/a.txt".into()),
            ("@@a.txt", "/work/dir/@a.txt".into()),
            ("./x/../a.txt", "/work/dir/a.txt".into()),
            ("../a.txt", "/work/a.txt".into()),
            ("/etc/../etc/hosts/", "/etc/hosts".into()),
            ("my\u{A0}file\u{202F}1", "/work/dir/my file 1".into()),
            ("~", home.clone()),
            ("~/x", home.join("x")),
            ("~x", "/work/dir/~x".into()),
            ("file:///tmp/a%20b", "/tmp/a b".into()),
            (".", "/work/dir".into()),
            ("/../..", "/".into()),
        ] {
            assert_eq!(resolve_to_cwd(written, cwd), meant, "{written}");
        }
    }

    #[test]
    fn macos_spellings() {
        let variants = spelling_variants(Path::new("/x/Shot 9.41 AM.png"));
        assert_eq!(variants, [PathBuf::from("/x/Shot 9.41\u{202F}AM.png")]);
        let variants = spelling_variants(Path::new("/x/d'\u{e9}t\u{e9} pm.txt"));
        assert_eq!(
            variants,
            [
                PathBuf::from("/x/d'\u{e9}t\u{e9}\u{202F}pm.txt"),
                PathBuf::from("/x/d'e\u{301}te\u{301} pm.txt"),
                PathBuf::from("/x/d\u{2019}\u{e9}t\u{e9} pm.txt"),
                PathBuf::from("/x/d\u{2019}e\u{301}te\u{301} pm.txt"),
            ]
        );
        assert_eq!(spelling_variants(Path::new("/x/plain.txt")), Vec::<PathBuf>::new());
    }
}
