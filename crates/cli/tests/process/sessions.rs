//! Which file a session is in, and going on with one.

use std::path::PathBuf;

use tau_session::Session;

use crate::support::{Done, Place, files_below, transcript};

const FIRST: &str = "replies: [The first answer]";

/// Answers only a request that holds the first conversation.
const SECOND: &str = r#"
replies:
  - - expect: {messages: 3, contains: [first question, The first answer], last_user: second question}
    - The second answer
"#;

const WHOLE: [&str; 4] =
    ["user: first question", "assistant: The first answer", "user: second question", "assistant: The second answer"];

fn first(place: &Place) -> PathBuf {
    assert_eq!(place.play(FIRST, ["-p", "first question"]).run(), Done::ok("The first answer\n"));
    place.session_files().remove(0)
}

#[test]
fn continue_goes_on_with_the_latest_session() {
    let place = Place::new();
    first(&place);
    assert_eq!(place.play(SECOND, ["-c", "-p", "second question"]).run(), Done::ok("The second answer\n"));
    assert_eq!(transcript(&place.session()), WHOLE);
}

#[test]
fn continue_without_a_session_begins_one() {
    let place = Place::new();
    assert_eq!(place.play(FIRST, ["-c", "-p", "first question"]).run(), Done::ok("The first answer\n"));
    assert_eq!(transcript(&place.session()), WHOLE[..2]);
}

#[test]
fn sessions_of_other_directories_are_not_continued() {
    let place = Place::new();
    first(&place);
    let other = place.root().join("other");
    std::fs::create_dir(&other).expect("a directory");
    let script = "replies: [[{expect: {messages: 1}}, {text: Alone}]]";
    assert_eq!(place.play(script, ["-c", "-p", "x"]).within(&other).run(), Done::ok("Alone\n"));
    assert_eq!(place.session_files().len(), 2);
}

#[test]
fn a_session_is_found_by_path_and_by_the_beginning_of_its_id() {
    for by_path in [true, false] {
        let place = Place::new();
        let file = first(&place);
        let text = if by_path {
            file.display().to_string()
        } else {
            Session::open(&file).expect("a session").id()[..13].to_owned()
        };
        let done = place.play(SECOND, ["--session", &text, "-p", "second question"]).run();
        assert_eq!(done, Done::ok("The second answer\n"));
        assert_eq!(transcript(&place.session()), WHOLE);
    }
}

#[test]
fn an_id_that_fits_none_or_several_is_refused() {
    let place = Place::new();
    let run = |text: &str| place.play(FIRST, ["--session", text, "-p", "x"]).run();
    assert_eq!(run("nope"), Done::failed("Error: No session found matching 'nope'"));
    first(&place);
    first(&place);
    let ids: Vec<String> =
        place.session_files().iter().map(|file| Session::open(file).expect("a session").id().to_owned()).collect();
    let done = run("0");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.starts_with("Error: Several sessions match '0': "), "{done:?}");
    assert_eq!(ids.iter().filter(|id| done.stderr.contains(&**id)).count(), 2, "{done:?}");
}

#[test]
fn a_path_without_a_file_is_where_the_new_session_goes() {
    let place = Place::new();
    let done = place.play(FIRST, ["--session", "./mine.jsonl", "-p", "first question"]).run();
    let file = place.work().join("mine.jsonl");
    let begins = format!("Warning: there is no session {} yet; it begins there\n", file.display());
    assert_eq!(done, Done { stderr: begins, ..Done::ok("The first answer\n") });
    let session = Session::open(&file).expect("a session");
    assert_eq!(transcript(&session), WHOLE[..2]);
    assert_eq!(place.session_files(), [] as [PathBuf; 0]);
}

#[test]
fn without_a_session_nothing_is_kept() {
    let place = Place::new();
    assert_eq!(place.play(FIRST, ["--no-session", "-p", "x"]).run(), Done::ok("The first answer\n"));
    assert_eq!(place.session_files(), [] as [PathBuf; 0]);
}

#[test]
fn the_flag_then_the_variable_then_the_setting_say_where_files_go() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"sessionDir": "~/from-setting"}"#);
    let dirs = ["work/from-flag", "home/from-variable", "home/from-setting"].map(|dir| place.root().join(dir));
    let counts = || dirs.each_ref().map(|dir| files_below(dir).len());
    let run = || place.play(FIRST, ["-p", "x"]);
    assert_eq!(run().run().code, Some(0));
    assert_eq!(counts(), [0, 0, 1]);
    assert_eq!(run().env("PI_CODING_AGENT_SESSION_DIR", "~/from-variable").run().code, Some(0));
    assert_eq!(counts(), [0, 1, 1]);
    let flag = place.play(FIRST, ["--session-dir", "from-flag", "-p", "x"]);
    assert_eq!(flag.env("PI_CODING_AGENT_SESSION_DIR", "~/from-variable").run().code, Some(0));
    assert_eq!(counts(), [1, 1, 1]);
    let done = place.play(
        SECOND.replace("first question", "x").as_str(),
        ["--session-dir", "from-flag", "-c", "-p", "second question"],
    );
    assert_eq!(done.run(), Done::ok("The second answer\n"));
    assert_eq!(place.session_files(), [] as [PathBuf; 0]);
}

#[test]
fn a_name_is_kept() {
    let place = Place::new();
    assert_eq!(place.play(FIRST, ["--name", " Kettle ", "-p", "x"]).run().code, Some(0));
    assert_eq!(place.session().session_name().as_deref(), Some("Kettle"));
    let kinds: Vec<String> =
        place.session().entries().iter().map(|entry| entry.body().type_name().to_owned()).collect();
    assert_eq!(kinds, ["session_info", "model_change", "thinking_level_change", "message", "message"]);
}

#[test]
fn a_session_goes_on_with_its_model() {
    let place = Place::new();
    place.write(
        "agent/models.json",
        r#"{"providers": {"near": {"baseUrl": "http://127.0.0.1:1/v1", "apiKey": "k", "api": "openai-completions",
            "models": [{"id": "small"}, {"id": "large"}]}}}"#,
    );
    let file = place.write(
        "work/old.jsonl",
        concat!(
            r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#,
            "\n",
            r#"{"type":"model_change","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":"near","modelId":"large"}"#,
            "\n",
        ),
    );
    let done = place.tau(["--session", &file.display().to_string(), "-p", "/model"]).run();
    assert_eq!(done, Done::ok("Model: near/large\n"));
}

/// Somewhere else the session would work on other files than the user thinks.
#[test]
fn a_session_whose_folder_is_gone_is_not_opened_without_a_word() {
    let place = Place::new();
    let header =
        r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/gone/garden"}"#;
    let entry = r#"{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"Go","timestamp":1}}"#;
    let text = format!("{header}\n{entry}\n");
    let file = place.write("work/gone.jsonl", &text);
    let name = file.display().to_string();
    let done = place.play("replies: [Never]", ["--session", &name, "-p", "Go on"]).run();
    let expected = format!(
        "Error: Stored session working directory does not exist: /gone/garden\nSession file: {name}\n\
         Current working directory: {}\n\
         To continue a copy of it here: tau --fork \"{name}\", or in a session: /import \"{name}\" here\n",
        place.work().display()
    );
    assert_eq!((done.code, done.stdout.as_str(), done.stderr), (Some(1), "", expected));
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), text);
    // A copy of it may go on here.
    let done = place.play("replies: [Here]", ["--fork", &name, "-p", "Go on"]).run();
    assert_eq!(done, Done::ok("Here\n"));
}
