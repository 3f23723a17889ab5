use proptest::prelude::*;

use super::super::flags::FLAGS;
use super::*;

/// Tokens of the kinds a command line is made of.
fn token() -> impl Strategy<Value = String> {
    let long = prop::sample::select(FLAGS.iter().map(|flag| format!("--{}", flag.long)).collect::<Vec<_>>());
    let short = FLAGS.iter().filter_map(|flag| flag.short).map(|short| format!("-{short}")).collect::<Vec<_>>();
    prop_oneof![
        long.clone(),
        (long, ".{0,6}").prop_map(|(flag, value)| format!("{flag}={value}")),
        prop::sample::select(short),
        prop::sample::select(vec!["--plan", "--note", "--note=x", "--", "-", "---", "--=", "@", "@f", "", "word"])
            .prop_map(str::to_owned),
        ".{0,12}",
    ]
}

fn line() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(token(), 0..8)
}

fn extension_flags() -> [ExtensionFlag; 2] {
    [flag("plan", FlagKind::Boolean), flag("note", FlagKind::String)]
}

proptest! {
    #[test]
    fn any_line_is_understood_or_refused(line in line()) {
        match parse(line.clone(), MODES).and_then(|parsed| parsed.finish(&extension_flags())) {
            Ok(cli) => {
                for file in &cli.files {
                    prop_assert_eq!(&line[file.position], &format!("@{}", file.path));
                }
                prop_assert!(cli.messages.len() + cli.files.len() <= line.len());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn two_dashes_protect_everything(before in line(), after in prop::collection::vec(token(), 0..6)) {
        let finish = |line: Vec<String>| parse(line, MODES).and_then(|parsed| parsed.finish(&extension_flags()));
        prop_assume!(!before.iter().any(|token| token == "--"));
        let mut plain = before.clone();
        plain.push("--".to_owned());
        let all: Vec<String> = plain.iter().chain(&after).cloned().collect();
        match (finish(plain), finish(all)) {
            (Ok(mut expected), Ok(got)) => {
                expected.messages.extend(after);
                prop_assert_eq!(got, expected);
            }
            (expected, got) => prop_assert_eq!(got, expected),
        }
    }
}
