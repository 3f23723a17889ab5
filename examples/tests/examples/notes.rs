use std::sync::Arc;

use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Environment, SettingsStore};
use tau_examples::Notes;
use tau_hooks::{CliCall, Finding, FindingLevel, PromptSight};
use tau_testkit::{Stage, StaticHost, TempHome};

/// A stage with the extension in a home of its own, and settings in the user's file.
fn stage(home: &TempHome, settings: &str) -> Stage {
    home.write_agent("settings.json", settings);
    let mut env = Environment::new(home.home(), home.cwd());
    env.vars = home.vars();
    let stage = Stage::with_host(StaticHost::new());
    stage.hooks.serve(ExtensionServices::new(Arc::new(SettingsStore::open(&env, true))));
    stage.load(&Notes).expect("it loads");
    stage
}

/// What the model reads.
fn prompt(stage: &Stage, home: &TempHome) -> Option<String> {
    let all = stage.hooks.prompt_segments();
    let [(_, segment)] = &all[..] else { panic!("one piece") };
    (segment.text)(&PromptSight { cwd: home.cwd(), tools: Vec::new() })
}

async fn tau_notes(stage: &Stage, home: &TempHome, args: &[&str]) -> u8 {
    let all = stage.hooks.subcommands();
    let [(owner, subcommand)] = &all[..] else { panic!("one subcommand") };
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let call = CliCall { args, cwd: home.cwd(), agent_dir: home.agent_dir(), api: stage.hooks.api(owner) };
    (subcommand.run)(call).await.expect("it runs")
}

#[tokio::test]
async fn notes_stay_and_the_model_reads_the_last_ones() {
    let home = TempHome::new();
    let first = stage(&home, "{}");
    assert_eq!(prompt(&first, &home), None);
    for note in ["build with just", "no new tests in tests/old"] {
        assert_eq!(tau_notes(&first, &home, &["add", note]).await, 0);
    }
    // Another start, with a setting.
    let second = stage(&home, r#"{"tau": {"extensions": {"notes": {"limit": 1}}}}"#);
    let text = "What the user noted about this project:\n- no new tests in tests/old";
    assert_eq!(prompt(&second, &home).as_deref(), Some(text));
    let completions = second.hooks.complete("name", "bui").await;
    assert_eq!(completions.iter().map(|one| one.value.as_str()).collect::<Vec<_>>(), ["build with just"]);
    assert_eq!(second.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn a_damaged_file_is_found_by_the_check_and_the_prompt_does_without() {
    let home = TempHome::new();
    let stage = stage(&home, "{}");
    tau_notes(&stage, &home, &["add", "one"]).await;
    let found = stage.hooks.run_checks().await;
    let [(_, name, findings)] = &found[..] else { panic!("{found:?}") };
    let [Finding { level: FindingLevel::Fine, place: Some(place), .. }] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(name, "notes");
    std::fs::write(place, "{").expect("a file");
    let found = stage.hooks.run_checks().await;
    let [(_, _, findings)] = &found[..] else { panic!("one check") };
    assert_eq!(findings[0].level, FindingLevel::Problem);
    assert!(findings[0].what.contains("notes.json: the file is damaged"), "{findings:?}");
    assert_eq!(prompt(&stage, &home), None);
}
