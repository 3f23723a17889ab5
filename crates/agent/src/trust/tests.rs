use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::settings::{Environment, Settings};

struct Home {
    _dir: TempDir,
    env: Environment,
}

/// A home with an agent folder and a project that has settings and a shared skill folder one level up.
fn home() -> Home {
    let dir = tempfile::tempdir().expect("temp dir");
    let root = fs::canonicalize(dir.path()).expect("real path");
    let env = Environment::new(root.join("home"), root.join("work/app"));
    for folder in ["home/.pi/agent", "home/.agents/skills", "work/app/.pi/extensions", "work/.agents/skills"] {
        fs::create_dir_all(root.join(folder)).expect("folder");
    }
    fs::write(env.project_dir().join("settings.json"), "{}").expect("settings");
    Home { _dir: dir, env }
}

impl Home {
    fn trust_json(&self) -> PathBuf {
        self.env.agent_dir().join("trust.json")
    }

    fn remember(&self, value: serde_json::Value) {
        fs::write(self.trust_json(), value.to_string()).expect("trust.json");
    }

    fn remembered(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.trust_json()).expect("trust.json")).expect("json")
    }

    fn decide(&self, flag: Option<bool>, default: DefaultTrust) -> Decision {
        match TrustQuestion::new(&self.env, flag).decide(None, default, false) {
            Verdict::Decided(decision) => decision,
            Verdict::Ask(_) => panic!("there is no user interface"),
        }
    }
}

#[test]
fn without_an_answer_the_project_is_not_trusted_and_the_files_are_named() {
    let home = home();
    let decision = home.decide(None, DefaultTrust::Ask);
    assert!(!decision.trusted);
    assert_eq!(decision.why, Reason::NobodyToAsk);
    let shared = home.env.cwd.parent().expect("parent").join(".agents/skills");
    assert_eq!(
        decision.notice().expect("a notice"),
        format!(
            "Project files not loaded (the folder is not trusted yet): .pi/settings.json, .pi/extensions, {}. \
             Start with --approve to load them for this run.",
            shared.display()
        )
    );
}

#[test]
fn answers_count_in_order() {
    let home = home();
    let cwd = home.env.cwd.clone();
    let parent = cwd.parent().expect("parent").to_path_buf();

    let decided = |flag, default| {
        let decision = home.decide(flag, default);
        (decision.trusted, decision.why)
    };
    assert_eq!(decided(None, DefaultTrust::Always), (true, Reason::Default));
    assert_eq!(decided(None, DefaultTrust::Never), (false, Reason::Default));

    home.remember(json!({ parent.to_str().expect("utf-8"): true, "/elsewhere": null }));
    assert_eq!(decided(None, DefaultTrust::Never), (true, Reason::Remembered(parent.clone())));

    home.remember(json!({ parent.to_str().expect("utf-8"): true, cwd.to_str().expect("utf-8"): false }));
    assert_eq!(decided(None, DefaultTrust::Always), (false, Reason::Remembered(cwd.clone())));
    assert_eq!(decided(Some(true), DefaultTrust::Never), (true, Reason::Flag));
    assert_eq!(decided(Some(false), DefaultTrust::Always), (false, Reason::Flag));

    // `null` means no answer: the folder above counts.
    home.remember(json!({ parent.to_str().expect("utf-8"): true, cwd.to_str().expect("utf-8"): null }));
    assert_eq!(decided(None, DefaultTrust::Ask), (true, Reason::Remembered(parent)));
}

#[test]
fn a_project_without_such_files_needs_no_answer() {
    let home = home();
    let env = Environment { cwd: home.env.home.clone(), ..home.env.clone() };
    fs::remove_dir_all(home.env.home.join(".pi/agent")).expect("remove");
    let question = TrustQuestion::new(&env, None);
    assert!(!question.needs_decision());
    let Verdict::Decided(decision) = question.decide(None, DefaultTrust::Never, true) else { panic!("decided") };
    assert_eq!((decision.trusted, &decision.why, decision.notice()), (true, &Reason::NothingToTrust, None));
}

#[test]
fn a_handler_answers_and_may_be_remembered() {
    let home = home();
    let question = TrustQuestion::new(&home.env, None);
    assert!(question.needs_decision());
    let answer = HandlerAnswer { trusted: true, remember: true };
    let Verdict::Decided(decision) = question.decide(Some(answer), DefaultTrust::Never, false) else {
        panic!("decided")
    };
    assert_eq!((decision.trusted, decision.why, decision.not_saved), (true, Reason::Handler, None));
    assert_eq!(home.remembered(), json!({ home.env.cwd.to_str().expect("utf-8"): true }));
}

#[test]
fn the_user_chooses_and_the_choice_is_kept() {
    let home = home();
    let cwd = home.env.cwd.to_str().expect("utf-8").to_owned();
    home.remember(json!({ "/other": false }));
    let question = TrustQuestion::new(&home.env, None);
    let Verdict::Ask(options) = question.decide(None, DefaultTrust::Ask, true) else { panic!("the user is asked") };
    let parent = home.env.cwd.parent().expect("parent").display().to_string();
    let labels: Vec<_> = options.iter().map(|option| option.label.clone()).collect();
    assert_eq!(
        labels,
        [
            "Trust".to_owned(),
            format!("Trust parent folder ({parent})"),
            "Trust (this session only)".to_owned(),
            "Do not trust".to_owned(),
            "Do not trust (this session only)".to_owned(),
        ]
    );
    assert!(!question.chosen(Some(&options[4])).trusted);
    assert_eq!(home.remembered(), json!({ "/other": false }));
    assert!(!question.chosen(Some(&options[3])).trusted);
    assert_eq!(home.remembered(), json!({ "/other": false, cwd.as_str(): false }));
    assert!(question.chosen(Some(&options[1])).trusted);
    assert_eq!(home.remembered(), json!({ "/other": false, parent.as_str(): true }));
    assert!(!question.chosen(None).trusted);
}

#[test]
fn a_damaged_store_means_no_and_is_left_alone() {
    let home = home();
    for text in ["{\"/work\": ", "[]", "{\"/work\": \"yes\"}"] {
        fs::write(home.trust_json(), text).expect("write");
        let decision = home.decide(None, DefaultTrust::Always);
        assert!(!decision.trusted, "{text}");
        assert!(matches!(decision.why, Reason::Unreadable(TrustError::Malformed { .. })), "{text}");
        let question = TrustQuestion::new(&home.env, None);
        let answer = HandlerAnswer { trusted: true, remember: true };
        let Verdict::Decided(decision) = question.decide(Some(answer), DefaultTrust::Ask, false) else {
            panic!("decided")
        };
        assert!(decision.trusted && decision.not_saved.is_some(), "{text}");
        assert_eq!(fs::read_to_string(home.trust_json()).expect("read"), text);
    }
}

#[test]
fn only_the_users_file_sets_the_default() {
    let env = Environment::new("/h", "/w");
    let of = |global, project| DefaultTrust::from_settings(&Settings::in_memory(&env, global, project));
    assert_eq!(of(json!({}), json!({"defaultProjectTrust": "always"})), DefaultTrust::Ask);
    assert_eq!(of(json!({"defaultProjectTrust": "never"}), json!({"defaultProjectTrust": "always"})), {
        DefaultTrust::Never
    });
}
