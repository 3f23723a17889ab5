//! One command, as far as it is the same as another one.

use tau_policy::{Arg, Evaluation, Invocation, RedirectKind};

/// A command that runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::enforcement) struct Run {
    pub(super) key: Key,
    /// Whether it runs tests: nobody wonders when these run again.
    pub(super) is_test: bool,
    /// Whether it changes something that another command may see.
    pub(super) is_change: bool,
}

/// What two commands that are the same have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// Their programs with all arguments and redirections.
    Programs(Vec<Vec<String>>),
    /// Their text, where not all of that is known.
    Text(String),
}

/// Programs that do nothing by themselves.
const NOTHING: &[&str] = &["true", ":"];

/// The words that commands which run tests begin with, without options.
const TESTS: &[&[&str]] = &[
    &["cargo", "test"],
    &["cargo", "nextest"],
    &["pytest"],
    &["py.test"],
    &["python", "pytest"],
    &["python3", "pytest"],
    &["uv", "run", "pytest"],
    &["tox"],
    &["nox"],
    &["npm", "test"],
    &["npm", "t"],
    &["npm", "run", "test"],
    &["yarn", "test"],
    &["yarn", "run", "test"],
    &["pnpm", "test"],
    &["pnpm", "run", "test"],
    &["bun", "test"],
    &["bun", "run", "test"],
    &["deno", "test"],
    &["npx", "jest"],
    &["npx", "vitest"],
    &["npx", "mocha"],
    &["npx", "playwright", "test"],
    &["jest"],
    &["vitest"],
    &["mocha"],
    &["node"],
    &["go", "test"],
    &["make", "test"],
    &["make", "check"],
    &["just", "test"],
    &["ctest"],
    &["meson", "test"],
    &["ninja", "test"],
    &["bazel", "test"],
    &["mvn", "test"],
    &["gradle", "test"],
    &["gradlew", "test"],
    &["dotnet", "test"],
    &["swift", "test"],
    &["zig", "build", "test"],
    &["mix", "test"],
    &["rspec"],
    &["bundle", "exec", "rspec"],
    &["rake", "test"],
    &["phpunit"],
    &["composer", "test"],
    &["stack", "test"],
    &["cabal", "test"],
    &["dart", "test"],
    &["flutter", "test"],
    &["prove"],
    &["bats"],
];

/// Programs that run tests only with one of these options.
const TEST_OPTIONS: &[(&str, &[&str])] = &[("node", &["--test"])];

/// Programs that change files.
const CHANGES: &[&str] = &[
    "cp",
    "mv",
    "rm",
    "rmdir",
    "mkdir",
    "touch",
    "tee",
    "ln",
    "install",
    "patch",
    "chmod",
    "chown",
    "truncate",
    "dd",
    "rsync",
    "unzip",
    "make",
    "ninja",
    "cmake",
    "kill",
    "pkill",
    "systemctl",
];

impl Run {
    /// A command, by its text and what it does.
    pub(in crate::enforcement) fn of(text: &str, evaluation: &Evaluation) -> Self {
        let all = &evaluation.invocations;
        let is_test = all.iter().any(is_test);
        let is_change = all.iter().any(is_change);
        let key = match programs(evaluation) {
            Some(programs) if !programs.is_empty() => Key::Programs(programs),
            _ => Key::Text(plain(text)),
        };
        Self { key, is_test, is_change }
    }
}

/// The programs with what they get, but for those that do nothing and the folder that the command goes to first; `None` where
/// something is not known.
fn programs(evaluation: &Evaluation) -> Option<Vec<Vec<String>>> {
    if !evaluation.opaque.is_empty() {
        return None;
    }
    let is_something = |one: &&Invocation| one.program().is_none_or(|name| !NOTHING.contains(&name));
    let mut all = evaluation.invocations.iter().filter(is_something).peekable();
    all.next_if(|first| first.program() == Some("cd"));
    all.map(|one| {
        let words = one.argv.iter().map(|arg| arg.known().map(str::to_owned));
        let redirects = one.redirects.iter().map(|redirect| {
            redirect.target.known().map(|target| format!("{}{:?} {target}", redirect.fd, redirect.kind))
        });
        words.chain(redirects).collect()
    })
    .collect()
}

fn is_test(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else { return false };
    let arguments = || invocation.argv.iter().skip(1).filter_map(Arg::known);
    let needed = TEST_OPTIONS.iter().find(|(name, _)| *name == program);
    if needed.is_some_and(|(_, options)| !arguments().any(|argument| options.contains(&argument))) {
        return false;
    }
    let words: Vec<&str> =
        [program].into_iter().chain(arguments().filter(|word| !word.starts_with(['-', '+']))).collect();
    // `npm run test:unit` is a test, too.
    let same = |word: &&str, wanted: &&str| word == wanted || word.split(':').next() == Some(*wanted);
    TESTS.iter().any(|row| row.len() <= words.len() && words.iter().zip(*row).all(|(word, wanted)| same(word, wanted)))
}

fn is_change(invocation: &Invocation) -> bool {
    let writes = |kind: RedirectKind| kind != RedirectKind::Read;
    let redirected = invocation.redirects.iter();
    let redirected = redirected.filter(|redirect| writes(redirect.kind));
    let to_file = redirected.filter(|redirect| redirect.target.known().is_none_or(|path| !path.starts_with("/dev/")));
    let in_place = invocation.program() == Some("sed")
        && invocation.argv.iter().any(|arg| arg.text.prefix().starts_with("-i") || arg.text.prefix() == "--in-place");
    to_file.count() > 0
        || in_place
        || invocation.git.as_ref().is_some_and(|usage| !usage.effects.is_empty())
        || invocation.program().is_some_and(|name| CHANGES.contains(&name))
}

/// The text with one blank where there are several outside of quotes, and without the folder that it goes to first.
fn plain(text: &str) -> String {
    let (mut plain, mut quote, mut gap) = (String::with_capacity(text.len()), None, false);
    for c in text.trim().chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if matches!(c, ' ' | '\t') => {
                gap = true;
                continue;
            }
            _ => {}
        }
        if std::mem::take(&mut gap) {
            plain.push(' ');
        }
        plain.push(c);
    }
    let behind = plain.strip_prefix("cd ").and_then(|rest| rest.split_once("&&"));
    match behind {
        Some((folder, rest)) if !folder.contains([';', '|', '\n', '"', '\'']) => rest.trim_start().to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use tau_policy::{Machine, evaluate};

    use super::*;

    fn run(text: &str) -> Run {
        Run::of(text, &evaluate(text, &Machine::new("/work", BTreeMap::new())))
    }

    #[test]
    fn commands_that_do_the_same_are_the_same() {
        for same in ["ls -a", " ls   -a ", "cd /x && ls -a", "true; ls -a", "ls -a #2", "ls '-a'"] {
            assert_eq!(run(same), run("ls -a"), "{same}");
        }
        for other in ["ls", "ls -a -l", "ls -a; pwd", "ls -a > x", "ls $x"] {
            assert_ne!(run(other), run("ls -a"), "{other}");
        }
        assert_ne!(run("echo 'a  b'"), run("echo 'a b'"));
        assert_eq!(run("cat   $A"), run("cat $A"));
    }

    #[test]
    fn tests_and_changes_are_known() {
        for test in [
            "cargo test -p x",
            "cargo +nightly test",
            "npm run test:unit",
            "/usr/bin/pytest -x",
            "node --test",
            "ls; ctest",
        ] {
            assert!(run(test).is_test, "{test}");
        }
        for other in ["cargo build", "npm run build", "node x.js", "echo cargo test", "git log"] {
            assert!(!run(other).is_test, "{other}");
        }
        for (command, is_change) in [
            ("touch x", true),
            ("echo a > b", true),
            ("sed -i s/a/b/ x", true),
            ("echo a > /dev/null", false),
            ("sed s/a/b/ x", false),
        ] {
            assert_eq!(run(command).is_change, is_change, "{command}");
        }
    }

    #[test]
    fn a_text_is_compared_without_what_does_not_matter() {
        for (text, expected) in [
            ("  a \t b  ", "a b"),
            ("a  'b  c' \"d  e\"", "a 'b  c' \"d  e\""),
            ("cd x && ls  $y", "ls $y"),
            ("cd x; ls && y", "cd x; ls && y"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    proptest! {
        #[test]
        fn blanks_around_do_not_matter(text in ".{0,30}") {
            prop_assert_eq!(plain(&format!("  {text} ")), plain(&text));
        }
    }
}
