use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::settings::{Environment, Settings};
use crate::trust::store::{TrustError, TrustStore};

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
            other => panic!("there is no user interface: {other:?}"),
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
             Start with --approve to load them for this run, or trust the project with `tau -p \"/trust yes\"`.",
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
fn a_yes_is_for_the_folder_of_that_name_itself() {
    let home = home();
    let cwd = home.env.cwd.clone();
    let link = home.env.home.join("ok");
    std::os::unix::fs::symlink(&cwd, &link).expect("a link");
    let around = home.env.home.join("around");
    std::os::unix::fs::symlink(cwd.parent().expect("a parent"), &around).expect("a link");
    for key in [link.to_str(), around.to_str(), Some("."), Some(""), Some("../app")].into_iter().flatten() {
        home.remember(json!({ key: true }));
        assert!(!home.decide(None, DefaultTrust::Ask).trusted, "{key}");
    }
    // A refusal holds for what it leads to.
    let known = cwd.to_str().expect("utf-8");
    home.remember(json!({ known: true, link.to_str().expect("utf-8"): false }));
    assert!(!home.decide(None, DefaultTrust::Always).trusted);
    home.remember(json!({ format!("{known}/"): true }));
    assert!(home.decide(None, DefaultTrust::Ask).trusted);
}

#[test]
fn an_answer_that_is_there_twice_trusts_nothing() {
    let home = home();
    let cwd = home.env.cwd.display().to_string();
    let text = format!("{{\"{cwd}\": false, \"{cwd}\": true}}");
    fs::write(home.trust_json(), &text).expect("trust.json");
    let decision = home.decide(None, DefaultTrust::Always);
    assert!(!decision.trusted);
    let why = decision.why.to_string();
    assert!(why.contains("trust.json") && why.contains(&format!("the field `{cwd}` is there twice")), "{why}");
    TrustStore::new(&home.env.agent_dir()).update(&[(home.env.cwd.clone(), Some(true))]).expect_err("unreadable");
    assert_eq!(fs::read_to_string(home.trust_json()).expect("trust.json"), text);
}

#[test]
fn a_project_without_such_files_is_undecided_unless_an_answer_is_there() {
    let home = home();
    let env = Environment { cwd: home.env.home.clone(), ..home.env.clone() };
    fs::remove_dir_all(home.env.home.join(".pi/agent")).expect("remove");
    let question = TrustQuestion::new(&env, None);
    assert!(!question.needs_decision());
    let decided = |default| {
        let Verdict::Decided(decision) = question.decide(None, default, true) else { panic!("decided") };
        assert_eq!((decision.is_undecided(), decision.notice()), (decision.why == Reason::NothingToTrust, None));
        (decision.trusted, decision.why)
    };
    assert_eq!(decided(DefaultTrust::Ask), (false, Reason::NothingToTrust));
    assert_eq!(decided(DefaultTrust::Never), (false, Reason::Default));
    assert_eq!(decided(DefaultTrust::Always), (true, Reason::Default));
    fs::create_dir_all(env.agent_dir()).expect("a folder");
    for trusted in [true, false] {
        home.remember(json!({ env.cwd.to_str().expect("utf-8"): trusted }));
        assert_eq!(decided(DefaultTrust::Ask), (trusted, Reason::Remembered(env.cwd.clone())));
    }
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

/// The question for a project that is asked about again when its files change.
fn watched(home: &Home) -> TrustQuestion {
    TrustQuestion::new(&home.env, None).watching(Fingerprint::of(&home.env, &[]))
}

fn decided(home: &Home) -> (bool, String) {
    match watched(home).decide(None, DefaultTrust::Ask, false) {
        Verdict::Decided(decision) => (decision.trusted, decision.why.to_string()),
        other => panic!("there is no user interface: {other:?}"),
    }
}

fn write(home: &Home, path: &str, text: &str) {
    let path = home.env.cwd.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

#[test]
fn a_remembered_yes_holds_for_the_files_as_they_were() {
    let home = home();
    let cwd = home.env.cwd.to_str().expect("utf-8").to_owned();
    let yes = (true, format!("remembered for {cwd}"));
    write(&home, ".pi/extensions/a/index.ts", "one");
    write(&home, ".pi/skills/s/SKILL.md", "one");
    home.remember(json!({ cwd.as_str(): true }));
    // The first look is what later ones are compared with.
    assert_eq!((decided(&home), decided(&home)), (yes.clone(), yes.clone()));
    // What neither runs nor instructs may change.
    write(&home, ".pi/memory/note.md", "x");
    write(&home, "src/main.rs", "x");
    assert_eq!(decided(&home), yes);

    write(&home, ".pi/extensions/a/index.ts", "two");
    write(&home, ".pi/extensions/a/node_modules/dep/index.js", "new");
    write(&home, ".pi/rules/90-style.md", "new");
    write(&home, ".pi/tau-lock.json", "{}");
    write(&home, "../.agents/skills/new/SKILL.md", "new");
    fs::remove_file(home.env.cwd.join(".pi/skills/s/SKILL.md")).expect("removed");
    let changes = "changed since the folder was trusted: .pi/extensions/a/index.ts (changed), \
                   .pi/extensions/a/node_modules/dep/index.js (new), .pi/rules/90-style.md (new), \
                   .pi/skills/s/SKILL.md (gone), .pi/tau-lock.json (new) and 1 more"
        .to_owned();
    assert_eq!(decided(&home), (false, changes));

    // A user is asked, and what they say is kept with the files of now.
    let question = watched(&home);
    let Verdict::AskAgain(options, changes) = question.decide(None, DefaultTrust::Ask, true) else { panic!("asked") };
    assert_eq!(changes.len(), 6);
    assert!(question.chosen(Some(&options[2])).trusted);
    assert!(!decided(&home).0);
    assert!(question.chosen(Some(&options[0])).trusted);
    assert_eq!(decided(&home), yes);
}

#[test]
fn what_tau_itself_changes_is_followed_and_a_new_answer_counts_for_the_files_of_now() {
    let home = home();
    let cwd = home.env.cwd.clone();
    let now = || Fingerprint::of(&home.env, &[]);
    // A project that nobody recorded is not recorded by the way.
    write(&home, ".pi/tau-lock.json", "[]");
    let by_flag = TrustQuestion::new(&home.env, Some(true));
    by_flag.watching(Fingerprint::default()).handler_failed("x", "y").follow(&now()).expect("nothing to do");
    let record = home.env.agent_dir().join("tau-trust.json");
    assert!(!record.exists());
    home.remember(json!({ cwd.to_str().expect("utf-8"): true }));
    assert!(decided(&home).0);
    let decision = match watched(&home).decide(None, DefaultTrust::Ask, false) {
        Verdict::Decided(decision) => decision,
        other => panic!("there is no user interface: {other:?}"),
    };
    write(&home, ".pi/tau-lock.json", "{}");
    decision.follow(&now()).expect("written");
    assert!(decided(&home).0);
    // Whoever answers anew, wherever that is, trusts what is there.
    write(&home, ".pi/settings.json", "{ }");
    assert!(!decided(&home).0);
    TrustStore::new(&home.env.agent_dir()).update(&[(cwd, Some(true))]).expect("written");
    assert!(decided(&home).0);
    // A record that cannot be read may well say that something changed.
    fs::write(&record, "[").expect("written");
    let (trusted, why) = decided(&home);
    assert!(!trusted && why.contains("tau-trust.json"), "{why}");
}

#[test]
fn named_folders_count_unless_they_hold_the_project() {
    let home = home();
    write(&home, "ext/a.ts", "one");
    let (inside, around) = (home.env.cwd.join("ext"), home.env.cwd.parent().expect("a parent").to_path_buf());
    let before = Fingerprint::of(&home.env, &[inside.clone(), around.clone()]);
    write(&home, "ext/a.ts", "two");
    write(&home, "other.ts", "new");
    let after = Fingerprint::of(&home.env, &[inside, around, home.env.cwd.clone()]);
    assert_eq!(after.changes_since(&before), [FileChange::Changed("ext/a.ts".to_owned())]);
}
