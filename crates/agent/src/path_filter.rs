//! The patterns in resource lists: which of the found files to use.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The file that makes a folder a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Patterns of one resource list.
///
/// `!glob` leaves files out, `+path` puts one back, `-path` leaves one out for good. Entries with `*` or `?` and no
/// such sign choose among the files that the list's plain paths lead to. A skill can be named by its folder.
#[derive(Debug, Clone)]
pub(crate) struct PathFilter {
    include: Option<GlobSet>,
    exclude: GlobSet,
    force_include: Vec<String>,
    force_exclude: Vec<String>,
}

impl PathFilter {
    /// Whether an entry of a resource list is a pattern, not a path.
    pub(crate) fn is_pattern(entry: &str) -> bool {
        entry.starts_with(['!', '+', '-']) || entry.contains(['*', '?'])
    }

    /// The filter made of the patterns among `entries`; plain paths are left alone. Globs that cannot be understood
    /// match nothing.
    pub(crate) fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of_patterns(entries.into_iter().filter(|entry| Self::is_pattern(entry)))
    }

    /// As [`PathFilter::new`], for lists without paths: every entry without a sign is a pattern.
    pub(crate) fn of_patterns<'a>(entries: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut include, mut exclude) = (Vec::new(), Vec::new());
        let (mut force_include, mut force_exclude) = (Vec::new(), Vec::new());
        for entry in entries {
            if let Some(glob) = entry.strip_prefix('!') {
                exclude.push(glob);
            } else if let Some(path) = entry.strip_prefix('+') {
                force_include.push(without_dot(path).to_owned());
            } else if let Some(path) = entry.strip_prefix('-') {
                force_exclude.push(without_dot(path).to_owned());
            } else {
                include.push(entry);
            }
        }
        let include = (!include.is_empty()).then(|| glob_set(&include));
        Self { include, exclude: glob_set(&exclude), force_include, force_exclude }
    }

    /// Whether to use a file that one of the list's paths leads to. `base` is where relative patterns start.
    pub(crate) fn chooses(&self, path: &Path, base: &Path) -> bool {
        let names = Names::of(path, base);
        let included = self.include.as_ref().is_none_or(|globs| names.any_matches(globs));
        self.decide(included, &names)
    }

    /// Whether to use a file that was found in a standard folder; patterns without a sign do not count for those.
    pub(crate) fn allows(&self, path: &Path, base: &Path) -> bool {
        self.decide(true, &Names::of(path, base))
    }

    fn decide(&self, included: bool, names: &Names) -> bool {
        let mut enabled = included && !names.any_matches(&self.exclude);
        enabled |= names.any_is(&self.force_include);
        enabled && !names.any_is(&self.force_exclude)
    }
}

/// What a pattern can call a file.
struct Names {
    /// Relative and absolute, of the file and, for a skill, of its folder.
    paths: Vec<String>,
    /// The last parts alone.
    short: Vec<String>,
}

impl Names {
    fn of(path: &Path, base: &Path) -> Self {
        let mut names = Self { paths: Vec::new(), short: Vec::new() };
        names.add(path, base);
        if path.file_name().is_some_and(|name| name == SKILL_FILE)
            && let Some(folder) = path.parent()
        {
            names.add(folder, base);
        }
        names
    }

    fn add(&mut self, path: &Path, base: &Path) {
        let text = |path: &Path| path.to_string_lossy().replace('\\', "/");
        self.paths.push(text(&relative(path, base)));
        self.paths.push(text(path));
        self.short.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }

    fn any_matches(&self, globs: &GlobSet) -> bool {
        self.paths.iter().chain(&self.short).any(|name| globs.is_match(name))
    }

    fn any_is(&self, exact: &[String]) -> bool {
        exact.iter().any(|wanted| self.paths.contains(wanted))
    }
}

/// The way from a folder to a path, through parent folders where it must.
fn relative(path: &Path, base: &Path) -> PathBuf {
    let shared = path.components().zip(base.components()).take_while(|(one, other)| one == other).count();
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

fn without_dot(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn glob_set(patterns: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = GlobBuilder::new(without_dot(pattern)).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let cases: [(&[&str], &str, bool); 17] = [
            (&[], "skills/a/SKILL.md", true),
            (&["skills"], "skills/a/SKILL.md", true),
            (&["!skills/a"], "skills/a/SKILL.md", false),
            (&["!a"], "skills/a/SKILL.md", false),
            (&["!skills/*"], "skills/a/SKILL.md", false),
            (&["!skills/*"], "skills/deep/a/SKILL.md", true),
            (&["!skills/**"], "skills/deep/a/SKILL.md", false),
            (&["!a.md"], "prompts/a.md", false),
            (&["!**", "+prompts/a.md"], "prompts/a.md", true),
            (&["!**", "+a.md"], "prompts/a.md", false),
            (&["+./prompts/a.md", "-prompts/a.md"], "prompts/a.md", false),
            (&["-/base/prompts/a.md"], "prompts/a.md", false),
            (&["prompts/b*"], "prompts/a.md", false),
            (&["prompts/a*"], "prompts/a.md", true),
            (&["![", "!b.md"], "prompts/a.md", true),
            (&["-../elsewhere/a.ts"], "/elsewhere/a.ts", false),
            (&["!**", "+../elsewhere/a.ts"], "/elsewhere/a.ts", true),
        ];
        for (entries, path, expected) in cases {
            let base = Path::new("/base");
            let filter = PathFilter::new(entries.iter().copied());
            assert_eq!(filter.chooses(&base.join(path), base), expected, "{entries:?} on {path}");
        }
        let filter = PathFilter::new(["only*"]);
        assert!(filter.allows(Path::new("/base/prompts/a.md"), Path::new("/base")));
    }
}
