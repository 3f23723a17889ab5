//! What a script is told, for which tools it runs, and whether it may.

use serde_json::{Value, json};
use tau_agent::settings::SettingsStore;

use super::{has_python, one, place, place_with, result_of};
use crate::common::calls;
use crate::common::scripts::FakeScripts;

const KEEP: &str = "#!/bin/sh\ncat > \"$PI_HOOK_EVENT.json\"\nenv | grep -E '^(CLAUDE_PROJECT_DIR|PI_HOOK_EVENT|PI_HOOK_TOOL|PI_SESSION_FILE)=' | sort > \"$PI_HOOK_EVENT.env\"\npwd > \"$PI_HOOK_EVENT.pwd\"\n";

#[tokio::test]
async fn a_script_is_told_the_call_in_both_spellings() {
    let place = place_with(json!([calls([("c1", "write", json!({"path": "notes.md", "content": "hi"}))]), "Done."]));
    let mut place = place.hook(".claude/hooks/pre/write.sh", KEEP).hook(".omp/hooks/post/write.sh", KEEP);
    place.world = place.world.with_builtin_tools();
    let running = place.start().await;
    running.say("Go on.").await;
    let cwd = place.world.home.cwd();
    let read = |name: &str| std::fs::read_to_string(cwd.join(name)).expect(name);
    let told = |name: &str| serde_json::from_str::<Value>(&read(name)).expect("JSON");
    let session = running.session.session();
    let file = session.file().expect("a session file").display().to_string();
    let path = |path: &str| cwd.join(path).display().to_string();
    let input = json!({"path": "notes.md", "content": "hi", "file_path": path("notes.md")});
    assert_eq!(
        told("PreToolUse.json"),
        json!({
            "session_id": session.id(), "transcript_path": file, "cwd": cwd, "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_name_native": "write", "tool_input": input,
            "tool_use_id": "c1", "hook_type": "pre", "hook_path": path(".claude/hooks/pre/write.sh"),
        })
    );
    let text = result_of(&running);
    let mut after = told("PostToolUse.json");
    let details = after["tool_response"]["details"].take();
    assert!(details.is_object() || details.is_null(), "{details}");
    assert_eq!(
        after,
        json!({
            "session_id": session.id(), "transcript_path": file, "cwd": cwd, "permission_mode": "default",
            "hook_event_name": "PostToolUse", "tool_name": "write", "tool_name_native": "write", "tool_input": input,
            "tool_use_id": "c1", "hook_type": "post", "hook_path": path(".omp/hooks/post/write.sh"),
            "tool_response": {"content": [{"type": "text", "text": text}], "text": text, "isError": false, "details": null},
            "tool_output": text,
        })
    );
    assert_eq!(
        read("PreToolUse.env"),
        format!(
            "CLAUDE_PROJECT_DIR={}\nPI_HOOK_EVENT=PreToolUse\nPI_HOOK_TOOL=write\nPI_SESSION_FILE={file}\n",
            cwd.display()
        )
    );
    let real = std::fs::canonicalize(&cwd).expect("a directory");
    assert_eq!(read("PreToolUse.pwd").trim(), real.display().to_string());
}

/// Which of several scripts run for which calls.
#[tokio::test]
async fn names_of_files_stand_for_tools_under_either_name() {
    let note = "#!/bin/sh\necho \"${0##*/} $PI_HOOK_TOOL\" >> asked\n";
    let mut place = place_with(json!([
        calls([("1", "work", json!({})), ("2", "ls", json!({})), ("3", "find", json!({"pattern": "*.md"}))]),
        "Done."
    ]));
    for name in ["*.sh", "WORK.sh", "LS.sh", "Glob.bash", "bash.sh", "security-check.sh", "web_search.sh"] {
        place = place.hook(&format!(".claude/hooks/pre/{name}"), note);
    }
    if has_python() {
        place.file(
            ".claude/hooks/pre/ls.py",
            "import os\nopen('asked', 'a').write('ls.py ' + os.environ['PI_HOOK_TOOL'] + '\\n')\n",
        );
    }
    place.world = place.world.with_builtin_tools();
    place.world.tools.also = vec!["ls".to_owned(), "find".to_owned()];
    let running = place.start().await;
    running.say("Go on.").await;
    let asked = std::fs::read_to_string(place.world.home.cwd().join("asked")).expect("scripts that were asked");
    let mut expected = vec!["*.sh work", "WORK.sh work", "*.sh ls", "LS.sh ls"];
    expected.extend(has_python().then_some("ls.py ls"));
    expected.extend(["*.sh find", "Glob.bash find"]);
    assert_eq!(asked.lines().collect::<Vec<_>>(), expected);
    let told =
        "there is no tool `security-check`, so this hook never runs: name its file after a tool, such as bash.sh";
    assert_eq!(place.reports(), one("pre/security-check.sh", "tool_call", told));
}

#[tokio::test]
async fn scripts_of_a_project_need_trust() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\nexit 2\n");
    let user = place.world.home.home().join(".claude/hooks/pre");
    std::fs::create_dir_all(&user).expect("a folder");
    std::fs::write(user.join("work.bash"), "touch user-was-asked\n").expect("a script");
    place.world.home.write_agent("settings.json", "{}");
    let env = place.world.env();
    let extensions = tau_agent::extensions::Extensions::new(
        env.clone(),
        std::sync::Arc::clone(&place.world.hooks),
        tau_agent::extensions::DiscoveryOptions::default(),
        Some(FakeScripts::new(false).maker()),
        Vec::new(),
    );
    let decision =
        extensions.start(&SettingsStore::open(&env, false), None, place.world.mode).await.expect("a decision");
    assert!(!decision.trusted);
    let notice = decision.notice().expect("a notice");
    assert!(notice.contains(".claude/hooks"), "{notice}");
    let running = place.world.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "did x");
    assert!(place.world.home.cwd().join("user-was-asked").exists());
}

#[tokio::test]
async fn folders_without_hooks_need_no_trust() {
    let place = place();
    place.file(".claude/hooks/format.sh", "#!/bin/sh\n");
    place.file(".claude/hooks/pre/notes.txt", "no script");
    place.file(".codex/hooks/readme.md", "");
    assert_eq!(tau_agent::trust::resources_needing_trust(&place.world.env()), Vec::<std::path::PathBuf>::new());
    for folder in [
        ".pi/hooks/a.ts",
        ".omp/hooks/pre/bash.sh",
        ".pisces/hooks/b.js",
        ".claude/hooks/post/x.py",
        ".codex/hooks/pre-bash.ts",
    ] {
        let place = super::place();
        place.file(folder, "");
        let cwd = std::fs::canonicalize(place.world.home.cwd()).expect("a directory");
        let hooks = cwd.join(folder.split_once("/hooks").expect("a folder of hooks").0).join("hooks");
        assert_eq!(tau_agent::trust::resources_needing_trust(&place.world.env()), [hooks], "{folder}");
    }
}

#[tokio::test]
async fn the_environment_of_the_session_reaches_a_script() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho \"$LEVEL\" >&2; exit 2\n");
    place.world.hooks.variables.set("LEVEL", Some("orange"));
    assert_eq!(place.result().await, "orange");
}
