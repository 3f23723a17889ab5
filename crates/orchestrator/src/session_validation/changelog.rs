//! The changelog that is part of the program.

/// The file, in the form of "Keep a Changelog".
const CHANGELOG: &str = include_str!("../../../../CHANGELOG.md");
/// What a notice ends with that is too long.
const MORE: &str = "\n… /changelog shows all of it.";

/// A version without what stands behind a dash or a plus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u64, u64, u64);

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.split(['-', '+']).next()?;
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let version = Self(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

/// All of it, without the addresses at its end that nobody reads.
pub(super) fn whole() -> String {
    without_links(CHANGELOG)
}

/// What changed behind one version, up to another one; `None` if that is nothing, or a version is none.
pub(super) fn news(before: &str, now: &str) -> Option<String> {
    news_in(CHANGELOG, before, now)
}

fn news_in(changelog: &str, before: &str, now: &str) -> Option<String> {
    let (before, now) = (Version::parse(before)?, Version::parse(now)?);
    let text = without_links(changelog);
    let mut news = Vec::new();
    // Before the first heading is the title.
    for section in text.split("\n## ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let name = title.trim_start_matches('[').split([']', ' ']).next().unwrap_or_default();
        let Some(version) = Version::parse(name) else { continue };
        if version > before && version <= now {
            let body = body.replace("### ", "");
            news.push(format!("{name}\n{}", body.trim_end()));
        }
    }
    (!news.is_empty()).then(|| news.join("\n\n"))
}

fn without_links(changelog: &str) -> String {
    let is_link = |line: &&str| line.starts_with('[') && line.contains("]: ");
    changelog.lines().filter(|line| !is_link(line)).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// At most so many characters, in whole lines as far as possible.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let room = most.saturating_sub(MORE.chars().count());
    let cut = text.char_indices().nth(room).map_or(end, |(at, _)| at);
    let kept = &text[..cut];
    let kept = kept.rfind('\n').filter(|at| *at > 0).map_or(kept, |at| &kept[..at]);
    format!("{}{MORE}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.3.0] - 2026-03-01\n\n### Added\n\n- three\n\n\
                        ## 0.2.0\n\n- two\n\n## [0.1.0]\n\n- one\n\n[0.3.0]: https://example.org/3\n";

    #[test]
    fn news_are_what_is_between_two_versions() {
        assert_eq!(news_in(TEXT, "0.1.0", "0.3.0").as_deref(), Some("0.3.0\n\nAdded\n\n- three\n\n0.2.0\n\n- two"));
        assert_eq!(news_in(TEXT, "0.1.0", "0.2.0").as_deref(), Some("0.2.0\n\n- two"));
        assert_eq!(news_in(TEXT, "0.0.1", "0.1.0-rc.1+x").as_deref(), Some("0.1.0\n\n- one"));
        for (before, now) in
            [("0.3.0", "0.3.0"), ("0.3.0", "0.4.0"), ("0.3.0", "0.1.0"), ("1", "0.3.0"), ("0.1.0", "x")]
        {
            assert_eq!(news_in(TEXT, before, now), None, "{before} {now}");
        }
    }

    #[test]
    fn the_file_of_this_version_has_an_entry_for_it() {
        let version = env!("CARGO_PKG_VERSION");
        assert!(news("0.0.0", version).is_some_and(|news| news.starts_with(version)));
        assert!(whole().starts_with("# Changelog"));
    }

    #[test]
    fn a_long_text_is_cut_at_a_line() {
        assert_eq!(shortened("ä\nb", 3), "ä\nb");
        let long = "äöü and more\n".repeat(30);
        let cut = shortened(&long, 100);
        assert!(cut.chars().count() <= 100 && cut.ends_with(&format!("more{MORE}")), "{cut}");
        let line = shortened(&"ä".repeat(200), 100);
        assert!(line.chars().count() == 100 && line.ends_with(MORE), "{line}");
    }
}
