//! The editor: what is typed, pasted, taken back.

use super::Seat;
use super::blocks::{LONG, SMALL};
use super::screen::has_line;
use crate::place::{Place, transcript};

const ANSWER: &str = "replies: [First., Second., Third.]";

/// A run that goes on until it is stopped.
const SLOW: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";

fn ready(script: &str) -> Seat {
    let mut seat = Seat::new(Place::new(), script, &[]);
    seat.is_ready();
    seat
}

/// A search path that begins with the programs of the place.
fn path(place: &Place) -> String {
    format!("{}:{}", place.root().join("bin").display(), std::env::var("PATH").expect("a path"))
}

#[test]
fn earlier_prompts_come_back_with_the_draft_behind_them() {
    let mut seat = ready(ANSWER);
    seat.submits("alpha");
    seat.shows("First.");
    seat.submits("beta");
    seat.shows("Second.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("draft");
    seat.shows("draft");
    // At the start of the text.
    seat.types("\x01\x1b[A");
    seat.until("the last prompt", |screen| has_line(screen, "beta"));
    seat.types("\x1b[A");
    seat.until("the one before", |screen| has_line(screen, "alpha"));
    seat.types("\x1b[B\x1b[B");
    seat.until("the draft", |screen| has_line(screen, "draft"));
}

#[test]
fn a_text_that_was_cleared_is_among_the_earlier_prompts() {
    let mut seat = ready(ANSWER);
    seat.types("by mistake");
    seat.shows("by mistake");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("by mistake") && screen.contains("Press again to exit"));
    seat.types("\x1b[A");
    seat.until("the text", |screen| has_line(screen, "by mistake"));
}

#[test]
fn earlier_prompts_are_searched() {
    let mut seat = ready(ANSWER);
    seat.submits("paint the fence");
    seat.shows("First.");
    seat.submits("wash the car");
    seat.shows("Second.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x12");
    seat.shows("→ wash the car");
    seat.types("fence");
    seat.shows("→ paint the fence");
    seat.types("\r");
    seat.until("the editor", |screen| has_line(screen, "paint the fence") && !screen.contains('→'));
}

#[test]
fn a_long_paste_is_one_block_that_is_sent_whole() {
    let mut seat = ready(ANSWER);
    let long = (1..=12).map(|line| format!("line {line}\n")).collect::<String>();
    seat.types(&format!("\x1b[200~{long}\x1b[201~"));
    let screen = seat.shows("[paste #1 +13 lines]");
    assert!(!screen.contains("line 7"), "{screen}");
    // One key takes it away, another brings it back.
    seat.types("\x7f");
    seat.until("an empty editor", |screen| !screen.contains("[paste"));
    seat.types("\x1f");
    seat.shows("[paste #1 +13 lines]");
    seat.types("\r");
    seat.shows("First.");
    seat.types("\x04");
    seat.ends();
    assert_eq!(transcript(&seat.place.session())[0].trim_end(), format!("user: {}", long.trim_end()));
}

#[test]
fn the_clipboard_gives_a_picture_as_a_file_or_text_or_says_why_not() {
    let place = Place::new();
    let types = place.write("types", "image/png\n");
    place.write("picture", b"not really a picture");
    let root = place.root().display();
    let script = format!(
        "case \"$*\" in *TARGETS*) cat {root}/types;; *image/png*) cat {root}/picture;; \
         *uri-list*) printf 'file:///a/one.png\\r\\nfile:///a/the%%20other.txt\\r\\n';; *) printf 'some text';; esac"
    );
    place.program("xclip", &script);
    let path = path(&place);
    let mut seat = Seat::with(place, ANSWER, &[], &[("PATH", &path), ("DISPLAY", ":9")]);
    seat.is_ready();
    seat.types("\x16");
    let screen = seat.until("a file", |screen| screen.contains("pi-clipboard-") && screen.contains(".png"));
    let file = screen.lines().find(|line| line.contains("pi-clipboard-")).expect("the file").trim();
    assert_eq!(std::fs::read(file).expect("the picture"), b"not really a picture");
    std::fs::remove_file(file).expect("it goes");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("pi-clipboard-"));
    std::fs::write(&types, "UTF8_STRING\n").expect("written");
    seat.types("\x16");
    seat.until("the text", |screen| has_line(screen, "some text"));
    // Files come first.
    std::fs::write(&types, "image/png\ntext/uri-list\n").expect("written");
    seat.types("\x15");
    seat.until("an empty editor", |screen| !has_line(screen, "some text"));
    seat.types("\x16");
    seat.until("the paths", |screen| has_line(screen, "/a/one.png \"/a/the other.txt\""));

    // Nothing here knows a clipboard.
    let mut seat = ready(ANSWER);
    seat.types("\x16");
    seat.shows("no program for the clipboard is installed");
}

#[test]
fn another_editor_changes_the_prompt_and_wipes_nothing() {
    let place = Place::new();
    let path = place.program("changes", "echo ' and more' >> \"$1\"");
    let mut seat = Seat::with(place, ANSWER, &[], &[("VISUAL", &path.display().to_string())]);
    seat.is_ready();
    seat.submits("alpha");
    seat.shows("First.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("a draft");
    seat.shows("a draft");
    seat.types("\x07");
    seat.shows(" and more");
    let all = seat.all_rows().join("\n");
    assert!(all.contains("First.") && all.contains("escape interrupt"), "{all}");
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[3J"));
    std::fs::write(&path, "#!/bin/sh\nexit 3\n").expect("written");
    seat.types("\x07");
    let screen = seat.shows("the text is as it was");
    assert!(screen.contains("3"), "{screen}");
    seat.shows(" and more");
}

#[test]
fn waiting_prompts_say_when_they_are_sent_and_come_back_together() {
    let mut seat = Seat::new(Place::new(), SLOW, &["Go"]);
    seat.shows("$ sleep 1000");
    seat.submits("sooner");
    seat.shows("Steering: sooner");
    seat.types("later");
    seat.shows("later");
    seat.types("\x1b\r");
    let screen = seat.shows("Follow-up: later");
    assert!(screen.contains("↳ alt+up to edit all queued messages"), "{screen}");
    seat.types("\x1b[1;3A");
    seat.shows("Restored 2 queued messages to the editor");
    let screen = seat.until("the end of the queue", |screen| !screen.contains("Steering:"));
    assert!(has_line(&screen, "sooner") && has_line(&screen, "later"), "{screen}");
}

#[test]
fn a_prompt_during_a_compaction_is_sent_after_it() {
    let place = Place::new();
    place.write("agent/settings.json", SMALL);
    let script = format!("replies: [\"{LONG}\", First., [{{delay_ms: 5000}}, {{text: A summary.}}], Second.]");
    let mut seat = Seat::new(place, &script, &["zero", "one"]);
    seat.shows("First.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("/compact\r");
    seat.shows("Compacting context (escape to cancel)");
    seat.submits("two");
    seat.shows("Steering: two");
    seat.shows("Compacted from");
    seat.shows("Second.");
}

#[test]
fn escape_brings_back_what_waits_and_a_prompt_that_nothing_was_answered_to() {
    let mut seat = ready("replies: [[{delay_ms: 600000}, {text: Never.}]]");
    seat.submits("the prompt");
    seat.shows("Working");
    seat.submits("sooner");
    seat.shows("Steering: sooner");
    seat.types("\x1b");
    seat.until("both in the editor", |screen| {
        !screen.contains("Working") && has_line(screen, "the prompt") && has_line(screen, "sooner")
    });
}

#[test]
fn escape_twice_on_an_empty_editor_opens_what_is_set() {
    for (action, shown) in [("fork", "Fork in front of a prompt"), ("tree", "alpha")] {
        let place = Place::new();
        place.write("agent/settings.json", format!("{{\"doubleEscapeAction\": \"{action}\"}}"));
        let mut seat = Seat::new(place, ANSWER, &["alpha"]);
        seat.shows("First.");
        seat.until("the end of the run", |screen| !screen.contains("Working"));
        seat.types("\x1b");
        // One that comes by itself is no beginning of a sequence.
        std::thread::sleep(std::time::Duration::from_millis(150));
        seat.types("\x1b");
        seat.until("the list", |screen| screen.contains('→') && screen.contains(shown));
    }
}

#[test]
fn commands_of_the_user_show_their_end_and_how_they_ended() {
    let mut seat = Seat::of_size(Place::new(), ANSWER, &[], (100, 50));
    seat.is_ready();
    seat.types("!seq 101 132; exit 3");
    seat.until("the colour of commands", |_| true);
    seat.shows("seq 101 132");
    seat.types("\r");
    let screen = seat.shows("(exit 3)");
    assert!(screen.contains("... 12 more lines (ctrl+o to expand)"), "{screen}");
    assert!(has_line(&screen, "113") && has_line(&screen, "132") && !has_line(&screen, "112"), "{screen}");

    seat.submits("!!echo for me");
    seat.shows("(not sent to the model)");
    seat.until("its end", |screen| has_line(screen, "for me") && !screen.contains("Running..."));

    seat.submits("!sleep 1000");
    seat.shows("Running... (escape to cancel)");
    seat.submits("!echo second");
    seat.shows("A command is running");
    // It is in the editor again.
    seat.until("the second command", |screen| has_line(screen, "!echo second"));
    seat.types("\x1b");
    seat.shows("(cancelled)");
    // Nothing runs: escape leaves the command that is written.
    seat.types("\x1b");
    seat.until("an empty editor", |screen| !has_line(screen, "!echo second"));
}

#[test]
fn thinking_models_and_tools_are_changed_by_keys() {
    let script = "model: {reasoning: true}\nreplies: [First.]";
    let mut seat = ready(script);
    seat.types("\x1b[Z");
    seat.shows("Thinking level: ");
    seat.types("\x10");
    seat.shows("There is only one model");
    seat.types("\x14");
    seat.shows("Thinking: hidden");
    seat.until_true("the setting", |seat| seat.place.contains("agent/settings.json", "\"hideThinkingBlock\": true"));
    seat.types("\x14");
    seat.shows("Thinking: shown");
    seat.submits("Say");
    seat.shows("First.");
    seat.types("\x18");
    seat.shows("Sent to the terminal");
    // `First.` in base64.
    assert!(String::from_utf8_lossy(&seat.bytes).contains("\x1b]52;c;Rmlyc3Qu"));
}

#[test]
fn a_list_of_commands_is_counted_and_completed() {
    let place = Place::new();
    place.write("agent/prompts/review.md", "---\ndescription: looks at changes\n---\nReview it.");
    place.write("agent/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: reads documents\n---\n\nRead it.\n");
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.is_ready();
    seat.types("/");
    let screen = seat.shows("(1/");
    let list = screen.split_once("→ ").expect("the list").1;
    assert_eq!(list.lines().position(|line| line.contains("(1/")), Some(5), "{screen}");
    seat.types("rev");
    let screen = seat.shows("→ review");
    assert!(screen.contains("looks at changes") && screen.contains("[u]"), "{screen}");
    seat.types("\t");
    seat.until("the command", |screen| has_line(screen, "/review") && !screen.contains('→'));
    seat.types("\x15/pd");
    seat.shows("→ skill:pdf");
    // Escape closes the list first, and says so.
    seat.types("\x1b");
    seat.until("the text", |screen| !screen.contains('→') && has_line(screen, "/pd"));
}

#[test]
fn keys_and_commands_of_extensions_come_before_those_of_tau_but_for_a_few() {
    let place = Place::new();
    place.write(
        "agent/extensions/keys.ts",
        "export default (pi) => {
            for (const key of ['ctrl+r', 'ctrl+t', 'f7'])
                pi.registerShortcut(key, { description: 'own', handler: (ctx) => ctx.ui.notify('it took ' + key) });
            pi.registerCommand('exit', { description: 'own', handler: (_, ctx) => ctx.ui.notify('it took /exit') });
        };",
    );
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.is_ready();
    seat.shows("keys.ts takes the command /exit, which is one of tau");
    let screen = seat.shows("keys.ts takes the key ctrl+r, which is one of app.history.search");
    assert!(!screen.contains("takes the key ctrl+t") && !screen.contains("takes the key f7"), "{screen}");
    seat.shows("keys.ts cannot have the key ctrl+t, which stays with app.thinking.toggle");
    seat.types("\x12");
    seat.shows("it took ctrl+r");
    seat.types("\x1b[18~");
    seat.shows("it took f7");
    seat.types("\x14");
    let screen = seat.shows("Thinking: hidden");
    assert!(!screen.contains("it took ctrl+t"), "{screen}");
    seat.types("/exit\r");
    seat.shows("it took /exit");
}

#[test]
fn a_handler_that_takes_long_is_named_with_the_key_that_goes_on_without_it() {
    let place = Place::new();
    place.write("agent/extensions/slow.ts", "export default (pi) => pi.on('tool_call', () => new Promise(() => {}));");
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.";
    let mut seat = Seat::new(place, script, &["Go"]);
    let screen = seat.shows("Waiting for slow.ts (");
    assert!(!screen.contains("Elapsed"), "{screen}");
    seat.shows("escape to continue without slow.ts");
    seat.types("\x1b");
    let screen = seat.shows("Done.");
    assert!(screen.contains("slow.ts was skipped during tool_call"), "{screen}");
    // A gate that was skipped is shut.
    assert!(!seat.place.work().join("ran").exists());
}

#[test]
fn a_prompt_that_a_handler_keeps_is_in_sight_with_its_name() {
    let place = Place::new();
    place.write(
        "agent/extensions/keeps.ts",
        "export default (pi) => pi.on('input', async () => {
            const { existsSync } = await import('node:fs');
            while (!existsSync('go')) await new Promise((done) => setTimeout(done, 10));
        });",
    );
    let mut seat = Seat::new(place, ANSWER, &["Go"]);
    seat.shows("↳ waiting for keeps.ts");
    let screen = seat.shows("> Go");
    assert!(!screen.contains("Working"), "{screen}");
    seat.place.write("work/go", "");
    let screen = seat.shows("First.");
    assert!(!screen.contains("> Go"), "{screen}");
}
