//! What the conversation looks like.

use super::Seat;
use crate::place::{Place, transcript};

/// Settings with which a conversation of two prompts can be compacted, and an answer that is long enough.
pub(super) const SMALL: &str = r#"{"compaction": {"keepRecentTokens": 5}}"#;
pub(super) const LONG: &str = "A long answer of many words that are certainly more than the few tokens to keep.";

fn answered(place: Place, script: &str, size: (u16, u16)) -> Seat {
    let mut seat = Seat::of_size(place, script, &["Go"], size);
    seat.shows("Done.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat
}

#[test]
fn a_long_command_shows_its_end_while_it_runs_and_how_long_it_took() {
    let command = "seq 101 130; while [ ! -e go ]; do sleep 0.01; done";
    let script =
        format!("replies:\n  - [{{tool_call: {{name: bash, arguments: {{command: '{command}'}}}}}}]\n  - Done.");
    let mut seat = Seat::new(Place::new(), &script, &["Go"]);
    let screen = seat.shows("Elapsed ");
    assert!(screen.contains("▸ $ seq 101 130"), "{screen}");
    let screen = seat.shows("\n130\n");
    assert!(screen.contains("... (25 earlier lines, ctrl+o to expand)\n126\n"), "{screen}");
    seat.place.write("work/go", "");
    let screen = seat.shows("Took ");
    assert!(screen.contains("✓ $ seq 101 130"), "{screen}");
    // What was written is folded; the pager unfolds it.
    seat.shows("Done.");
    seat.types("\x0f");
    seat.shows("Transcript ·");
    seat.shows("\n101 ");
}

#[test]
fn a_block_that_is_longer_than_the_screen_shows_its_end_and_is_written_whole() {
    let lines = (1..=40).map(|line| format!("+{line}\\n")).collect::<String>();
    let edit = format!("{{path: new.txt, content: \"{lines}\"}}");
    let place = Place::new();
    place.write(
        "agent/extensions/gate.ts",
        "export default (pi) => pi.on('tool_call', async (event, ctx) => {
            if (!await ctx.ui.confirm('Write it?', event.input.path)) return { block: true, reason: 'no' };
        });",
    );
    let script = format!("replies:\n  - [{{tool_call: {{name: write, arguments: {edit}}}}}]\n  - Done.");
    let mut seat = Seat::of_size(place, &script, &["Go"], (40, 20));
    seat.shows("Write it?");
    seat.types("y");
    seat.shows("Done.");
    let all = seat.all_rows().join("\n");
    assert!(all.contains("write new.txt") && all.contains("... (30 more lines, ctrl+o to expand)"), "{all}");
    assert_eq!(all.matches("write new.txt").count(), 1, "{all}");
}

#[test]
fn thinking_is_shown_or_stands_behind_a_label() {
    let script = "replies: [[{thinking: Let me see.}, {text: Done.}]]";
    let seat = answered(Place::new(), script, (100, 30));
    assert!(seat.rows().iter().any(|row| row == " Let me see."), "{:?}", seat.rows());
    let place = Place::new();
    place.write("agent/settings.json", r#"{"hideThinkingBlock": true}"#);
    let seat = answered(place, script, (100, 30));
    let rows = seat.rows();
    assert!(rows.iter().any(|row| row == " Thinking...") && !rows.iter().any(|row| row.contains("Let me see")));
}

#[test]
fn an_answer_says_why_it_ended_early() {
    let mut seat = Seat::new(Place::new(), "replies: [[{text: Cut}, {stop_reason: length}]]", &["Go"]);
    seat.shows("Response was truncated before completion.");
}

#[test]
fn a_request_that_fails_for_a_moment_is_repeated_in_sight() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"retry": {"baseDelayMs": 1500}}"#);
    let script = "replies: [[{error: {message: overloaded, status: 529}}], Done.]";
    let mut seat = Seat::new(place, script, &["Go"]);
    let screen = seat.shows("Retrying (1/3) in");
    assert!(screen.contains("overloaded"), "{screen}");
    seat.shows("escape to cancel");
    seat.shows("Done.");
}

#[test]
fn a_compaction_keeps_what_is_above() {
    let place = Place::new();
    place.write("agent/settings.json", SMALL);
    let script = format!("replies: [\"{LONG}\", The second answer., \"## Goal\\n\\nA summary.\", Done.]");
    let mut seat = Seat::new(place, &script, &["One", "Two"]);
    seat.shows("The second answer.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("/compact\r");
    let screen = seat.shows("Compacted from");
    assert!(screen.contains("[compaction]") && screen.contains("The second answer."), "{screen}");
    // The pager shows the summary.
    seat.types("\x1b[1;5H");
    seat.shows("Transcript ·");
    seat.types("\x0f");
    seat.shows("A summary.");
}

#[test]
fn a_message_that_a_hook_replaced_is_written_again_with_its_author() {
    let place = Place::new();
    place.write(
        "agent/extensions/redacts.ts",
        "export default (pi) => pi.on('message_end', (event) => {
            if (event.message.role !== 'assistant') return;
            return { message: { ...event.message, content: [{ type: 'text', text: 'Redacted. Done.' }] } };
        });",
    );
    let mut seat = Seat::new(place, "replies: ['The secret is 42.']", &["Go"]);
    let screen = seat.shows("Redacted. Done.");
    assert!(screen.contains("changed by redacts.ts"), "{screen}");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(at("The secret is 42.") < at("changed by redacts.ts"), "{screen}");
    assert!(at("changed by redacts.ts") < at("Redacted."), "{screen}");
    seat.types("\x04");
    seat.ends();
    assert_eq!(transcript(&seat.place.session()), ["user: Go", "assistant: Redacted. Done."]);
}

#[test]
fn the_instructions_of_a_skill_fold_away() {
    let place = Place::new();
    place.write(
        "agent/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: reads documents\n---\n\nOpen it with care.\n",
    );
    let mut seat = Seat::new(place, "replies: [Done.]", &[]);
    seat.is_ready();
    seat.types("/skill:pdf the last page\r");
    let screen = seat.shows("Done.");
    assert!(screen.contains("[skill] pdf") && screen.contains("the last page"), "{screen}");
    assert!(!screen.contains("Open it with care") && !screen.contains("<skill"), "{screen}");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x1b[1;5H");
    seat.shows("Transcript ·");
    seat.types("\x0f");
    seat.shows("Open it with care");
}

#[test]
fn the_footer_says_where_how_much_and_which_model() {
    let place = Place::new();
    place.write("work/.git/HEAD", "ref: refs/heads/topic\n");
    let script = "model: {id: big, reasoning: true}\nreplies: [[{usage: {input: 12345, output: 678}}, {text: Done.}]]";
    let mut seat = answered(place, script, (100, 30));
    let screen = seat.shows("(topic)");
    let footer = screen.trim_end().lines().next_back().expect("a line").to_owned();
    assert!(footer.starts_with("↑12k ↓678 "), "{footer}");
    assert!(footer.contains("/200k (auto)") && footer.contains("big • "), "{footer}");
    // There is only one provider.
    assert!(!footer.contains("(scripted)"), "{footer}");
    seat.types("/name parser\r");
    seat.shows("(topic) • parser");
    seat.until_true("the title", |seat| String::from_utf8_lossy(&seat.bytes).contains("]0;τ - parser - work"));
    seat.place.write("work/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    seat.shows("(detached)");
}

#[test]
fn the_footer_says_that_a_login_pays() {
    let place = Place::new();
    let login = r#"{"scripted": {"type": "oauth", "access": "a", "refresh": "r", "expires": 9000000000000000}}"#;
    place.write("agent/auth.json", login);
    let mut seat = answered(place, "model: {id: big}\nreplies: [Done.]", (100, 30));
    let screen = seat.shows("$0.000 (sub)");
    assert!(screen.trim_end().ends_with(" big"), "{screen}");
}

#[test]
fn terminals_show_that_work_is_under_way_when_the_user_wants_that() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";
    for wanted in [true, false] {
        let place = Place::new();
        place.write("agent/settings.json", format!("{{\"terminal\": {{\"showTerminalProgress\": {wanted}}}}}"));
        let mut seat = Seat::new(place, script, &["Go"]);
        seat.shows("$ sleep 1000");
        seat.types("\x1b");
        seat.until("the end of the run", |screen| !screen.contains("Working"));
        seat.types("\x04");
        seat.ends();
        let written = String::from_utf8_lossy(&seat.bytes).into_owned();
        let (begins, ends) = (written.find("\x1b]9;4;3"), written.find("\x1b]9;4;0"));
        assert_eq!((begins.is_some(), ends.is_some()), (wanted, wanted), "{written:?}");
        assert!(begins <= ends);
    }
}

#[test]
fn calls_of_one_answer_stay_in_their_order() {
    let call = |command: &str| format!("{{tool_call: {{name: bash, arguments: {{command: '{command}'}}}}}}");
    let script = format!("replies:\n  - [{}, {}]\n  - Done.", call("sleep 0.2; echo one"), call("echo two"));
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"toolExecution": "parallel"}}"#);
    let seat = answered(place, &script, (100, 30));
    let screen = seat.rows().join("\n");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(at("$ sleep 0.2") < at("\none\n") && at("\none\n") < at("$ echo two"), "{screen}");
    assert!(at("$ echo two") < at("\ntwo\n"), "{screen}");
}
