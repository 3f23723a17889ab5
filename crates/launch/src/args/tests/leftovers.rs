use super::*;

fn flags() -> Vec<ExtensionFlag> {
    let with_default = |name: &str, kind, default| ExtensionFlag { default: Some(default), ..flag(name, kind) };
    vec![
        flag("plan", FlagKind::Boolean),
        flag("note", FlagKind::String),
        with_default("fast", FlagKind::Boolean, FlagValue::Boolean(true)),
        with_default("level", FlagKind::String, FlagValue::String("low".to_owned())),
    ]
}

/// Values of the flags that are not at their default, then the messages.
fn read(args: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
    let cli = cli_with(args, &flags()).map_err(|error| error.to_string())?;
    let defaults = cli_with(&[], &flags()).expect("no arguments").extension_flags;
    let changed = cli.extension_flags.iter().filter(|(name, value)| defaults.get(*name) != Some(value));
    let shown = changed.map(|(name, value)| match value {
        FlagValue::Boolean(value) => format!("{name}: {value}"),
        FlagValue::String(value) => format!("{name}: {value:?}"),
    });
    Ok((shown.collect(), cli.messages))
}

#[test]
fn defaults_hold_until_a_flag_is_given() {
    let given = cli_with(&[], &flags()).expect("no arguments").extension_flags;
    let expected =
        [("fast".to_owned(), FlagValue::Boolean(true)), ("level".to_owned(), FlagValue::String("low".to_owned()))];
    assert_eq!(given, expected.into());
}

#[test]
fn leftovers_are_read_by_their_kind() {
    for (args, values, messages) in [
        (&["--plan", "do it"][..], &["plan: true"][..], &["do it"][..]),
        (&["--plan=false", "do it"], &["plan: false"], &["do it"]),
        (&["--fast=false"], &["fast: false"], &[]),
        (&["--note", "a", "b"], &["note: \"a\""], &["b"]),
        (&["--note=a=b", "--note=", "c"], &["note: \"\""], &["c"]),
        (&["--plan", "--level", "high", "-p", "x"], &["level: \"high\"", "plan: true"], &["x"]),
        (&["--note", "", "x"], &["note: \"\""], &["x"]),
        (&["--", "--plan"], &[], &["--plan"]),
    ] {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(read(args), Ok((owned(values), owned(messages))), "{args:?}");
    }
}

#[test]
fn what_is_nobodys_or_bad_is_an_error() {
    let lines: &[&[&str]] = &[
        &["--plam"],
        &["--plan=maybe"],
        &["--note"],
        &["--note", "--plan"],
        &["--note", "-p", "x"],
        &["--note", "@file"],
        &["--note", "--", "x"],
        &["--unheard-of", "x"],
    ];
    let report: String =
        lines.iter().map(|line| format!("{}\n  {}\n", line.join(" "), read(line).expect_err("bad"))).collect();
    insta::assert_snapshot!(report);
}

#[test]
fn a_flag_of_tau_stays_tau_s() {
    let cli = cli_with(&["--print", "x"], &[flag("print", FlagKind::String)]).expect("valid");
    assert_eq!((cli.args.print, cli.messages, cli.extension_flags.len()), (true, vec!["x".to_owned()], 0));
}
