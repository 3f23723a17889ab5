//! The tables of options beside what git itself says.

use crate::git::commands;
use crate::git::options::{End, Parsed};

use super::support::Machine;

/// Commands that say nothing about their options, or not in every installation.
const SILENT: &[&str] = &[
    "quiltimport",
    "cvsimport",
    "archimport",
    "citool",
    "gui",
    "subtree",
    "filter-branch",
    "filter-repo",
    "svn",
    "p4",
    "cvsexportcommit",
    "history",
    "fast-import",
    "receive-pack",
    "fetch-pack",
    "unpack-objects",
    "http-push",
    "difftool",
    "mergetool",
    "merge-index",
    "shell",
    "remote-ext",
    "remote-fd",
    "submodule",
];

/// Options that take a value if there is one, which git does not say of them.
const TAKE_THE_LAST: &[&str] = &[
    "--cacheinfo",
    "--file",
    "--contains",
    "--no-contains",
    "--with",
    "--without",
    "--merged",
    "--no-merged",
    "--points-at",
];

/// What git says about options: long names, with `=` if they take a value.
fn helped(machine: &Machine, words: &[&str]) -> Vec<String> {
    let said = machine.git(&[words, &["--git-completion-helper-all"]].concat());
    said.split_whitespace().filter(|word| word.starts_with("--") && *word != "--").map(str::to_owned).collect()
}

#[test]
fn options_of_every_command_take_values_as_they_do_for_git() {
    let machine = Machine::new();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for row in commands::rows() {
        for name in row.names.iter().filter(|name| !SILENT.contains(name)) {
            for option in helped(&machine, &[name]) {
                let plain = option.strip_suffix('=').unwrap_or(&option);
                let takes = option.ends_with('=') || TAKE_THE_LAST.contains(&plain);
                let words = machine.call(&[plain, "operand"]).argv;
                let parsed = Parsed::new(&words, row.options, End::Dashes);
                compared += 1;
                // A value that must follow is no operand.
                let found = (parsed.is_unknown, parsed.operands.is_empty());
                if found != (false, takes) {
                    wrong.push(format!("{name} {option}: {found:?}"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 800, "{compared}");
}

proptest::proptest! {
    /// However the options of a commit are written, they are read in the same way.
    #[test]
    fn clusters_and_abbreviations_mean_the_same(
        letters in "[avqse]{0,3}",
        length in 8_usize..12,
        message in "[a-z-]{1,8}",
        is_attached: bool,
    ) {
        let machine = Machine::empty();
        let long = "--no-verify".get(..length).expect("a beginning");
        let cluster = format!("-{letters}m{}", if is_attached { message.as_str() } else { "" });
        let mut words = vec![long, &cluster];
        if !is_attached {
            words.push(&message);
        }
        let row = commands::row("commit").expect("a row");
        let parsed = Parsed::new(&machine.call(&words).argv, row.options, row.end);
        proptest::prop_assert_eq!(parsed.value("message").map(|text| text.shown()), Some(message));
        // `--no-ve` begins two options.
        proptest::prop_assert_eq!(parsed.on("no-verify").is_some(), length > 8);
        proptest::prop_assert_eq!(parsed.on("all").is_some(), letters.contains('a'));
        proptest::prop_assert_eq!(parsed.operands, vec![]);
    }

    #[test]
    fn any_words_are_read(words in proptest::collection::vec("[-a-z=:+$~*]{0,6}", 0..6)) {
        let machine = Machine::empty();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let argv = machine.call(&[&["git", "commit"], words.as_slice()].concat()).argv;
        for row in commands::rows() {
            let parsed = Parsed::new(&argv, row.options, row.end);
            proptest::prop_assert!(parsed.operands.len() <= argv.len());
        }
    }
}
