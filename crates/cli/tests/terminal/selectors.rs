//! Lists in the place of the editor: models, sessions, the tree, settings, themes.

use serde_json::Value;
use tau_session::Session;

use super::Seat;
use crate::place::{Place, transcript};

const NOTHING: &str = "replies: []";

/// With models that can be chosen.
fn with_models() -> Place {
    let place = Place::new();
    let models = r#"{"providers": {
        "here": {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k",
                 "models": [{"id": "alpha", "name": "Alpha One"}, {"id": "beta"}]},
        "there": {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions", "apiKey": "k",
                  "models": [{"id": "gamma", "reasoning": true}]}
    }}"#;
    place.write("agent/models.json", models);
    place
}

fn setting(seat: &Seat, key: &str) -> Value {
    let text = std::fs::read_to_string(seat.place.root().join("agent/settings.json")).unwrap_or_default();
    serde_json::from_str::<Value>(&text).map(|all| all[key].clone()).unwrap_or_default()
}

/// Waits until a setting is in the user's file.
fn keeps(seat: &mut Seat, key: &str, value: &Value) {
    seat.until_true(&format!("{key} = {value}"), |seat| setting(seat, key) == *value);
}

#[test]
fn models_are_searched_marked_chosen_and_kept() {
    let mut seat = Seat::new(with_models(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/model\r");
    seat.shows("→ alpha (Alpha One) [here]");
    seat.types("\r");
    seat.shows("Model: here/alpha");
    seat.types("/model\r");
    let screen = seat.shows("→ ✓ alpha (Alpha One) [here]");
    assert!(screen.contains("gamma [there]") && screen.contains("Model Name: Alpha One"), "{screen}");
    seat.types("gm");
    seat.until("one", |screen| screen.contains("→ gamma [there]") && !screen.contains("alpha (Alpha One)"));
    seat.types("\x13");
    seat.shows("→ gamma [there] · default");
    keeps(&mut seat, "defaultModel", &"gamma".into());
    assert_eq!(setting(&seat, "defaultProvider"), Value::from("there"));
    seat.types("\r");
    seat.shows("Model: there/gamma");
    seat.types("/thinking\r");
    let screen = seat.shows("thinks as much as most tasks need");
    assert!(screen.contains("→ ✓"), "{screen}");
    seat.types("high\x13");
    keeps(&mut seat, "defaultThinkingLevel", &"high".into());
    seat.types("\r");
    seat.shows("Thinking: high");
}

#[test]
fn what_is_typed_behind_the_key_that_opens_a_list_is_for_the_list() {
    let mut seat = Seat::new(with_models(), NOTHING, &[]);
    seat.is_ready();
    seat.types("\x0cgm");
    seat.until("one", |screen| screen.contains("→ gamma [there]") && !screen.contains("alpha (Alpha One)"));
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("gamma [there]"));
    seat.types("kept");
    seat.until("only that in the editor", |screen| screen.contains("kept") && !screen.contains("gm"));
}

#[test]
fn the_models_to_cycle_through_are_chosen_and_kept() {
    let mut seat = Seat::new(with_models(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/scoped-models\r");
    seat.shows("none chosen: cycling goes through all");
    seat.types("beta");
    seat.shows("→ [ ] here/beta");
    seat.types("\r");
    seat.until("unsaved", |screen| screen.contains("→ [✓] here/beta") && screen.contains("(unsaved)"));
    seat.types("\x13");
    seat.until("saved", |screen| !screen.contains("(unsaved)"));
    keeps(&mut seat, "enabledModels", &serde_json::json!(["here/beta"]));
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("Models to cycle"));
    // Only those of the scope, until all are asked for.
    seat.types("/model\r");
    let screen = seat.shows("◉ scoped");
    assert!(screen.contains("beta [here]") && !screen.contains("gamma [there]"), "{screen}");
    seat.types("\t");
    seat.until("all", |screen| screen.contains("◉ all") && screen.contains("gamma [there]"));
}

#[test]
fn the_tree_is_searched_filtered_labelled_and_folded() {
    let script = "replies:
  - [{tool_call: {name: bash, arguments: {command: echo tooling}}}]
  - First answer.
  - Second answer.
  - Third answer.";
    let mut seat = Seat::new(Place::new(), script, &["begin here"]);
    seat.shows("First answer.");
    seat.types("take one\r");
    seat.shows("Second answer.");
    seat.types("/undo\r");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "take one"));
    seat.types(" more\r");
    seat.shows("Third answer.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));

    seat.types("/tree\r");
    let screen = seat.shows("Session tree");
    for text in ["user: begin here", "bash: tooling", "user: take one", "→", "Third answer."] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    // Without tools, then only the user, then what is searched for.
    seat.types("\x14");
    seat.until("no tools", |screen| screen.contains("without tools") && !screen.contains("bash: tooling"));
    seat.types("\x15");
    seat.until("the user", |screen| screen.contains("only what the user") && !screen.contains("assistant: First"));
    seat.types("take more");
    let found = |screen: &str| {
        let rows: Vec<&str> = screen.lines().filter(|line| line.contains("user: ")).collect();
        matches!(rows[..], [row] if row.contains("user: take one more"))
    };
    seat.until("what is searched for", found);
    seat.types(&"\x7f".repeat("take more".len()));
    seat.until("all of them", |screen| screen.contains("user: begin here"));

    // A label, which a filter finds.
    seat.types("\x1b[A\x1b[A\x1b[A\x1b[A");
    seat.types("L");
    seat.shows("Label (empty: none)");
    seat.types("mark\r");
    seat.shows("[mark]");
    seat.types("\x0c");
    seat.until("labelled", |screen| screen.contains("only with a label") && screen.matches("user: ").count() == 1);
    seat.types("\x04");
    seat.until("usual", |screen| screen.contains("assistant: Second answer."));

    // Where the conversation parts it can be folded.
    seat.types("\x1b[1;5D");
    let screen = seat.shows("→ • ⊟ assistant: First answer.");
    assert!(screen.contains("assistant: Second answer."), "{screen}");
    seat.types("\x1b[1;5D");
    seat.until("folded", |screen| screen.contains("⊞") && !screen.contains("assistant: Second answer."));
    seat.types("\x1b[1;5C");
    seat.shows("assistant: Second answer.");
}

#[test]
fn a_place_of_the_tree_is_gone_to_without_a_summary_or_with_one() {
    let mut seat = Seat::new(Place::new(), "replies: [First., Second., Summed up.]", &["one"]);
    seat.shows("First.");
    seat.types("two\r");
    seat.shows("Second.");
    seat.types("/tree\r");
    seat.shows("Session tree");
    seat.types("\r");
    seat.shows("Already at this point");
    seat.types("\x1b[A\r");
    seat.shows("Summarize the branch");
    // Back to the tree, and there again.
    seat.types("\x1b");
    seat.shows("Session tree");
    seat.types("\r");
    seat.shows("Summarize the branch");
    seat.types("\r");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "two"));
}

/// Sessions beside each other, made by runs.
fn sessions(place: &Place, prompts: &[&str]) {
    for prompt in prompts {
        let done = place.play("replies: [Yes.]", ["-p", prompt]).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    }
}

#[test]
fn sessions_are_searched_renamed_deleted_and_resumed() {
    let place = Place::new();
    sessions(&place, &["about apples", "about pears", "about plums"]);
    let mut seat = Seat::new(place, NOTHING, &[]);
    seat.is_ready();
    seat.types("/resume\r");
    let screen = seat.until("all", |screen| ["apples", "pears", "plums"].iter().all(|name| screen.contains(name)));
    assert!(screen.contains("◉ Current Folder") && screen.contains("2 msgs"), "{screen}");
    seat.types("pears");
    seat.until("one", |screen| screen.contains("about pears") && !screen.contains("apples"));
    // Another name.
    seat.types("\x12");
    seat.shows("Another name for the session");
    seat.types("Fruit\r");
    seat.shows("→ Fruit");
    seat.types(&"\x7f".repeat(5));
    seat.shows("about apples");
    seat.types("\x0e");
    seat.until("named", |screen| screen.contains("Name: Named") && !screen.contains("about apples"));
    seat.types("\x0e");
    seat.shows("about apples");
    // Deleted, after a question.
    seat.types("\"about plums\"");
    seat.shows("→ about plums");
    seat.types("\x04");
    seat.shows("Delete this session?");
    seat.types("\r");
    seat.shows("→ about plums");
    seat.types("\x04");
    seat.shows("Delete this session?");
    seat.types("\x1b[B\r");
    seat.shows("Nothing matches");
    seat.types(&"\x7f".repeat(13));
    seat.until("the others", |screen| screen.contains("about apples") && !screen.contains("plums"));
    let files = seat.place.session_files();
    assert_eq!(files.len(), 2, "{files:?}");
    let names: Vec<_> = files.iter().map(|file| Session::open(file).expect("a session").session_name()).collect();
    assert!(names.contains(&Some("Fruit".to_owned())), "{names:?}");
    // And one is continued.
    seat.types("apples");
    seat.until("one", |screen| screen.contains("→ about apples"));
    seat.types("\r");
    seat.until("it", |screen| screen.contains("Another session") && screen.contains("Yes."));
}

#[test]
fn a_program_for_the_trash_gets_the_session_that_is_deleted() {
    let place = Place::new();
    sessions(&place, &["about apples"]);
    let trash = place.root().join("trash");
    place.program("trash", &format!("exec mv \"$1\" {}", trash.display()));
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", place.root().join("bin").display());
    let mut seat = Seat::with(place, NOTHING, &[], &[("PATH", &path)]);
    seat.is_ready();
    seat.types("/resume\r");
    seat.shows("→ about apples");
    seat.types("\x04");
    seat.shows("Delete this session?");
    seat.types("\x1b[B\r");
    seat.shows("Session moved to the trash");
    assert!(seat.place.session_files().is_empty());
    assert!(std::fs::read_to_string(trash).expect("the session").contains("about apples"));
}

#[test]
fn sessions_of_all_folders_are_shown_when_asked_for() {
    let place = Place::new();
    sessions(&place, &["about home"]);
    let other = place.root().join("other");
    std::fs::create_dir(&other).expect("a folder");
    let done = place.play("replies: [Yes.]", ["-p", "about elsewhere"]).within(&other).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let mut seat = Seat::new(place, NOTHING, &["-r"]);
    let screen = seat.shows("about home");
    assert!(!screen.contains("elsewhere"), "{screen}");
    seat.types("\t");
    let screen = seat.until("all", |screen| screen.contains("about elsewhere"));
    assert!(screen.contains("◉ All") && screen.contains("about home"), "{screen}");
    seat.types("re:h.me$");
    seat.until("what it fits", |screen| screen.contains("about home") && !screen.contains("about elsewhere"));
    seat.types("\x1b");
    let (code, _) = seat.ends();
    assert_eq!(code, Some(0));
}

/// A session of another folder, about something elsewhere.
fn with_one_elsewhere() -> (Place, std::path::PathBuf) {
    let place = Place::new();
    let other = place.root().join("other");
    std::fs::create_dir(&other).expect("a folder");
    let done = place.play("replies: [Yes.]", ["-p", "about elsewhere"]).within(&other).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    (place, other)
}

#[test]
fn a_session_of_another_folder_is_forked_here_at_the_start() {
    let (place, other) = with_one_elsewhere();
    let mut seat = Seat::new(place, NOTHING, &["-r"]);
    seat.shows("All");
    seat.types("\t");
    seat.shows("→ about elsewhere");
    seat.types("\r");
    let screen = seat.shows("The session is of another project");
    assert!(screen.contains("other"), "{screen}");
    seat.types("\r");
    seat.is_ready();
    seat.shows("Yes.");
    let of_other = |file: &std::path::PathBuf| Session::open(file).expect("a session").cwd() == other;
    let files = seat.place.session_files();
    assert_eq!((files.len(), files.iter().filter(|file| of_other(file)).count()), (2, 1), "{files:?}");
}

#[test]
fn a_session_of_another_folder_is_continued_there() {
    let (place, _) = with_one_elsewhere();
    let mut seat = Seat::new(place, NOTHING, &[]);
    seat.is_ready();
    // This folder has none.
    seat.types("/resume\r");
    seat.shows("◉ Current Folder");
    seat.types("\t");
    seat.shows("→ about elsewhere");
    seat.types("\r");
    seat.until("its folder in the footer", |screen| {
        screen.contains("Another session") && screen.lines().any(|line| line.trim_end().ends_with("/other"))
    });
    seat.types("!pwd\r");
    seat.until("its folder", |screen| {
        screen.lines().any(|line| line.trim().ends_with("/other") && !line.contains('~'))
    });
}

#[test]
fn an_argument_that_is_typed_to_its_end_needs_one_key() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/thinking off");
    seat.shows("→ off");
    seat.types("\r");
    seat.shows("Thinking: off");
}

#[test]
fn settings_are_changed_at_once_in_the_file_that_sets_them() {
    let place = Place::new();
    place.write("work/.pi/settings.json", r#"{"outputPad": 0}"#);
    let mut seat = Seat::new(place, NOTHING, &["--approve"]);
    seat.is_ready();
    seat.types("/settings\r");
    let screen = seat.shows("→ Auto-compact");
    assert!(screen.contains("(default)"), "{screen}");
    seat.types(" ");
    seat.until("the change", |screen| screen.contains("compaction.enabled = false (user settings"));
    keeps(&mut seat, "compaction", &serde_json::json!({"enabled": false}));
    // What a project sets is changed there.
    seat.types("output pad");
    seat.shows("outputPad = 0 (project settings");
    seat.types("\r");
    seat.shows("outputPad = 1 (project settings");
    assert_eq!(seat.place.read("work/.pi/settings.json").replace(char::is_whitespace, ""), r#"{"outputPad":1}"#);
    assert_eq!(setting(&seat, "outputPad"), Value::Null);
}

#[test]
fn a_prompt_is_chosen_for_a_fork_and_returns_to_the_editor() {
    let mut seat = Seat::new(Place::new(), "replies: [First., Second., Third.]", &["one"]);
    seat.shows("First.");
    seat.types("two\r");
    seat.shows("Second.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("/fork\r");
    // The newest is selected.
    let screen = seat.shows("Message 2 of 2");
    assert!(screen.contains("→ two") && screen.contains("  one"), "{screen}");
    seat.types("\x1b[A");
    let screen = seat.shows("Message 1 of 2");
    assert!(screen.contains("→ one"), "{screen}");
    seat.types("\x1b[B");
    seat.shows("Message 2 of 2");
    seat.types("\r");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "two") && screen.contains("First."));
    seat.types(" more\r");
    seat.shows("Third.");
    seat.types("\x04");
    assert_eq!(seat.ends().0, Some(0));
    let mut said: Vec<_> =
        seat.place.session_files().iter().map(|file| transcript(&Session::open(file).expect("a session"))).collect();
    said.sort();
    let both = ["user: one", "assistant: First."];
    let fork = [&both[..], &["user: two more", "assistant: Third."]].concat();
    let before = [&both[..], &["user: two", "assistant: Second."]].concat();
    assert_eq!(said, [before, fork]);
}

#[test]
fn a_new_session_begins_below_a_rule_and_what_was_above_stays() {
    let mut seat = Seat::new(Place::new(), "replies: [First., Second.]", &["one"]);
    seat.shows("First.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("/new\r");
    let screen = seat.shows("New session");
    assert!(screen.contains("First."), "{screen}");
    seat.types("two\r");
    seat.shows("Second.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x04");
    assert_eq!(seat.ends().0, Some(0));
    let said: Vec<_> = seat.place.session_files();
    let mut said: Vec<_> = said.iter().map(|file| transcript(&Session::open(file).expect("a session"))).collect();
    said.sort();
    assert_eq!(said, [["user: one", "assistant: First."], ["user: two", "assistant: Second."]]);
}

#[test]
fn a_fork_without_a_prompt_says_so() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/fork\r");
    seat.shows("There is no message to fork at.");
}
