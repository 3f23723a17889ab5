use std::time::Duration;

use insta::assert_snapshot;

use super::{at_widths, look, pictures, plain};
use crate::blocks::{
    Group, Header, Hint, Listing, Note, NoteKind, Section, SessionRule, Summary, SummaryKind, UserCommand,
    UserCommandState, earlier_messages,
};
use crate::screen::Content;

#[test]
fn summaries_are_boxes() {
    let compaction = SummaryKind::Compaction { tokens: 123_456 };
    assert_snapshot!("compaction", pictures(&Summary::new(look(), compaction, "# Goal\n\ntext", false, "ctrl+o")));
    assert_snapshot!(
        "compaction_expanded",
        pictures(&Summary::new(look(), compaction, "# Goal\n\ntext", true, "ctrl+o"))
    );
    assert_snapshot!("branch", pictures(&Summary::new(look(), SummaryKind::Branch, "text", false, "ctrl+o")));
}

#[test]
fn notes_say_how_bad_they_are() {
    let note = |kind, text: &str| plain(&Note::new(look(), kind, text).lines(30));
    assert_eq!(note(NoteKind::Status, "Model: a\nLevel: high\n"), "\n Model: a\n Level: high\n");
    assert_eq!(note(NoteKind::Warning, "no fd\x1b]0;x\x07"), "\n Warning: no fd\n");
    assert_eq!(
        note(NoteKind::Error, "a long line that has to be wrapped"),
        "\n Error: a long line that has\n to be wrapped\n"
    );
    let retry = Note::retry(look(), 1, 3, Duration::from_millis(1500), "429 too\nmany");
    assert_eq!(plain(&retry.lines(60)), "\n Retrying (1/3) in 2s: 429 too many\n");
}

#[test]
fn what_is_above_is_counted() {
    let line = |count, key: &str, width| earlier_messages(&look().get(), count, key, width).plain();
    assert_eq!(line(4_812, "ctrl+home", 60), " 4,812 earlier messages — pager (ctrl+home)");
    assert_eq!(line(1, "", 60), " 1 earlier message — pager");
    assert_eq!(line(4_812, "ctrl+home", 20), " 4,812 earlier mes…");
}

#[test]
fn another_session_begins_below_a_rule() {
    assert_snapshot!(pictures(&SessionRule::new(look(), "New session: the parser")));
}

fn command() -> UserCommand {
    let output = (1..=32).map(|line| format!("line {line}\n")).collect();
    UserCommand { output, expand_key: "ctrl+o".into(), ..UserCommand::new(look(), "seq 32 | sed 's/^/line /'", false) }
}

#[test]
fn a_command_of_the_user_shows_the_end_of_its_output() {
    let running = UserCommandState::Running { frame: "⠋".into(), cancel_keys: "escape/ctrl+c".into() };
    assert_snapshot!("command_runs", pictures(&UserCommand { state: running, ..command() }));
    let failed = UserCommand {
        state: UserCommandState::Done { exit_code: Some(2) },
        truncated: true,
        full_output: Some("/tmp/x.log".into()),
        ..command()
    };
    assert_snapshot!("command_failed", plain(&failed.lines(60)));
    let hidden = UserCommand {
        hidden: true,
        output: "\x1b[31mred\x1b[0m plain\x1b[2J\n".into(),
        state: UserCommandState::Cancelled,
        ..command()
    };
    assert_snapshot!("command_hidden", super::styled(&hidden.lines(30)));
}

#[test]
fn a_command_of_the_user_can_show_everything() {
    let done = UserCommandState::Done { exit_code: Some(0) };
    let lines = UserCommand { state: done, expanded: true, ..command() }.lines(60);
    assert_eq!(lines.len(), 1 + 2 + 1 + 32);
    assert_eq!(lines[3].plain(), "line 1");
}

fn header() -> Header {
    let hints = vec![
        Hint::new("escape", "interrupt"),
        Hint::new("ctrl+c/ctrl+d", "clear/exit"),
        Hint::new("/", "commands"),
        Hint::new("!", "bash"),
        Hint::new("ctrl+o", "more"),
    ];
    let all_hints = vec![Hint::new("escape", "to interrupt"), Hint::new("ctrl+shift+up", "to the prompt before")];
    let notes = vec!["Scrolls with the terminal; --tui-mode fullscreen takes the whole screen".into()];
    Header { look: look(), version: "1.2.3".into(), hints, all_hints, notes, expanded: false }
}

#[test]
fn the_header_names_the_keys() {
    assert_snapshot!("header", pictures(&header()));
    assert_snapshot!("header_expanded", pictures(&Header { expanded: true, ..header() }));
}

fn listing(expanded: bool) -> Listing {
    let group = |name: &str, items: &[&str]| Group {
        name: name.into(),
        items: items.iter().map(|item| (*item).to_owned()).collect(),
    };
    let section = |title: &str, groups: Vec<Group>| Section { title: title.into(), groups, wrong: false };
    let sections = vec![
        section("Context", vec![group("", &["AGENTS.md", "~/AGENTS.md"])]),
        section("Skills", vec![group("project", &["release"]), group("user", &["review", "a-skill-with-a-long-name"])]),
        section("Prompts", vec![]),
        section("Extensions", vec![group("user", &["gate"])]),
        Section { wrong: true, ..section("Skill conflicts", vec![group("", &["\"review\" is there twice: a, b"])]) },
    ];
    Listing { look: look(), sections, expanded }
}

#[test]
fn what_was_found_is_listed() {
    assert_snapshot!("listing", pictures(&listing(false)));
    assert_snapshot!("listing_expanded", at_widths(|width| listing(true).lines(width)));
}
