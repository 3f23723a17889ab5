use std::collections::HashMap;
use std::fs;

use tau_ai::ContentBlock;
use tau_examples::InputShortcuts;
use tau_hooks::FlagValue;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::{Input, SessionStart};
use tau_hooks::payload::{InputEvent, InputResult, InputSource, SessionStartEvent, SessionStartReason};
use tau_testkit::{Stage, StaticHost};

fn input(text: &str) -> InputEvent {
    InputEvent { text: text.into(), images: None, source: InputSource::Interactive, streaming_behavior: None }
}

fn shortcuts(pairs: &[(&str, &str)]) -> InputShortcuts {
    let shortcuts = pairs.iter().map(|(word, text)| ((*word).to_owned(), (*text).to_owned()));
    InputShortcuts { shortcuts: shortcuts.collect() }
}

fn stage() -> Stage {
    let stage = Stage::new();
    stage.load(&shortcuts(&[("lgtm", "Looks good."), (";t", "Run the tests.")])).expect("it can be loaded");
    stage
}

async fn rewritten(stage: &Stage, text: &str) -> String {
    stage.fold::<Input>(input(text)).await.text
}

async fn start(stage: &Stage) {
    stage
        .fire::<SessionStart>(SessionStartEvent { reason: SessionStartReason::Startup, previous_session_file: None })
        .await;
}

#[tokio::test]
async fn whole_words_are_expanded() {
    let stage = stage();
    for (typed, meant) in [
        ("lgtm", "Looks good."),
        ("lgtm ;t", "Looks good. Run the tests."),
        ("one\n\t;t  two\n", "one\n\tRun the tests.  two\n"),
        ("lgtmx x;t LGTM", "lgtmx x;t LGTM"),
        ("", ""),
    ] {
        assert_eq!(rewritten(&stage, typed).await, meant);
    }
}

#[tokio::test]
async fn a_question_mark_asks_for_an_answer_only() {
    let stage = stage();
    let question = |text: &str| format!("Answer this question. Do not change any files.\n\n{text}");
    assert_eq!(rewritten(&stage, "?why").await, question("why"));
    assert_eq!(rewritten(&stage, "?  why ;t").await, question("why Run the tests."));
    assert_eq!(rewritten(&stage, "why?").await, "why?");
    assert_eq!(rewritten(&stage, "?").await, "?", "nobody is there to be shown the list");
}

#[tokio::test]
async fn a_lone_question_mark_shows_the_list() {
    let stage = stage();
    let user = stage.user(|_| None);
    assert_eq!(stage.fire::<Input>(input(" ? ")).await.output, Some(InputResult::Handled));
    tokio::task::yield_now().await;
    let list = "?…  answers only\n;t  Run the tests.\nlgtm  Looks good.";
    assert_eq!(user.notices(), [(NotifyLevel::Info, list.to_owned())]);
}

#[tokio::test]
async fn images_and_the_text_of_other_extensions_stay() {
    let stage = stage();
    let images = Some(vec![ContentBlock::image("AA==", "image/png")]);
    let event = InputEvent { images: images.clone(), ..input("lgtm") };
    let expected = InputEvent { images, ..input("Looks good.") };
    assert_eq!(stage.fold::<Input>(event).await, expected);
    let foreign = InputEvent { source: InputSource::Extension, ..input("lgtm") };
    assert_eq!(stage.fold::<Input>(foreign.clone()).await, foreign);
    assert_eq!(stage.fire::<Input>(input("nothing to do")).await.output, None);
}

#[tokio::test]
async fn a_file_adds_more_of_them() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("my.json"), r#"{"lgtm": "Ship it.", "pls": "Please"}"#).expect("a file");
    let stage = Stage::with_host(StaticHost::in_dir(dir.path()));
    stage.load(&shortcuts(&[("lgtm", "Looks good."), (";t", "Run the tests.")])).expect("it can be loaded");
    let file = FlagValue::String("my.json".into());
    stage.hooks.set_flags(HashMap::from([("shortcuts".to_owned(), file)]));
    start(&stage).await;
    assert_eq!(rewritten(&stage, "pls lgtm ;t").await, "Please Ship it. Run the tests.");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_reported() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("broken.json");
    fs::write(&file, "[]").expect("a file");
    for (name, why) in
        [(file.clone(), "invalid type: sequence, expected a map"), (dir.path().join("missing"), "No such file")]
    {
        let stage = stage();
        let value = FlagValue::String(name.display().to_string());
        stage.hooks.set_flags(HashMap::from([("shortcuts".to_owned(), value)]));
        start(&stage).await;
        let reports = stage.take_report_texts();
        let expected = format!("Extension error (<native:input-shortcuts>): {}: {why}", name.display());
        assert!(matches!(&reports[..], [report] if report.starts_with(&expected)), "{reports:?}");
        assert_eq!(rewritten(&stage, "lgtm").await, "Looks good.");
    }
}
