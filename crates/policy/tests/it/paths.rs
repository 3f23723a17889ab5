//! Files that matter, in commands and in tools.

use std::os::unix::fs::symlink;

use tau_policy::rules::FileVerdict;
use tau_policy::{FileUse, Policy, UseKind};

use crate::support::Scene;

fn check(scene: &Scene, rows: &[(&str, &str)]) {
    let found: Vec<(&str, String)> = rows.iter().map(|(command, _)| (*command, scene.says(command))).collect();
    let expected: Vec<(&str, String)> = rows.iter().map(|(command, says)| (*command, (*says).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn commands_that_write_to_guarded_files_ask() {
    check(
        &Scene::new(),
        &[
            ("echo x >.git/hooks/pre-commit", "paths: ask"),
            ("cp hook .git/hooks/", "paths: ask"),
            ("tee -a HOME/.bashrc", "paths: ask"),
            ("sed -i s/a/b/ HOME/.zshrc", "paths: ask"),
            ("sed s/a/b/ HOME/.zshrc", ""),
            ("cat HOME/.bashrc", ""),
            ("cat HOME/.ssh/config >copy", ""),
            ("ls HOME/.ssh", ""),
            ("mv HOME/.ssh x", "paths: ask"),
            ("curl -o HOME/.ssh/authorized_keys u", "paths: ask"),
            ("curl -oHOME/.npmrc u", "paths: ask"),
            ("curl --output=HOME/.npmrc u", "paths: ask"),
            ("cp x HOME/.config/systemd/user/x.service", "paths: ask"),
            ("cp x HOME/.config/autostart", "paths: ask"),
            ("cp x /etc/cron.d/x", "paths: ask"),
            ("cp x HOME/.ssh/$y", "paths: ask"),
            ("touch HOME/.bash*", "paths: ask"),
            ("cp HOME/.ssh/config copy", ""),
            ("cp -t HOME/.ssh key", "paths: ask"),
            ("cp -a key HOME/.ssh", "paths: ask"),
            ("cp a $b", ""),
            ("cp x src/.gitconfig", ""),
            ("cp x .git/info/exclude", ""),
            ("<elsewhere:ssh> tee HOME/.bashrc", ""),
        ],
    );
}

#[test]
fn files_of_agents_are_guarded() {
    let mut scene = Scene::new();
    check(
        &scene,
        &[
            ("echo x >.pi/settings.json", "guard: ask"),
            ("echo x >.pi/policy.json", "guard: ask"),
            ("echo x >.claude/settings.local.json", "guard: ask"),
            ("rm HOME/.pi/agent/trust.json", "guard: ask"),
            ("cp x .pi/agents/a.md", "guard: ask"),
            ("cp x .pi/tmp/a", ""),
            ("cat .pi/settings.json", ""),
            ("cp x HOME/.codex/config.toml", "guard: ask"),
        ],
    );
    let agent = scene.root().join("elsewhere");
    scene.variables.insert("PI_CODING_AGENT_DIR".to_owned(), agent.display().to_string());
    assert_eq!(scene.says(&format!("cp x {}/settings.json", agent.display())), "guard: ask");
}

fn file(scene: &Scene, path: &str, kind: UseKind) -> String {
    let path = path.replace("HOME", &scene.home_folder().to_string_lossy()).into();
    let file = FileUse { tool: "write".to_owned(), path, kind };
    let FileVerdict { findings, .. } = Policy::shipped().judge_file(&file, scene);
    findings.iter().map(|finding| format!("{}: {:?}", finding.rule, finding.action).to_lowercase()).collect()
}

#[test]
fn tools_that_write_ask_for_the_same_files() {
    let scene = Scene::new();
    symlink(scene.home_folder().join(".ssh"), scene.project().join("link")).expect("a link");
    let rows = [
        (".git/hooks/pre-commit", UseKind::Write, "paths: ask"),
        ("src/../.git/config", UseKind::Write, "paths: ask"),
        ("link/authorized_keys", UseKind::Write, "paths: ask"),
        ("~/.bashrc", UseKind::Write, "paths: ask"),
        ("~/.bashrc", UseKind::Unknown, "paths: ask"),
        ("~/.bashrc", UseKind::Read, ""),
        ("HOME/.pi/agent/settings.json", UseKind::Write, "guard: ask"),
        (".pi/settings.json", UseKind::Write, "guard: ask"),
        (".claude/settings.json", UseKind::Write, "guard: ask"),
        ("src/main.rs", UseKind::Write, ""),
    ];
    let found: Vec<_> = rows.iter().map(|(path, kind, _)| (*path, *kind, file(&scene, path, *kind))).collect();
    assert_eq!(found, rows.map(|(path, kind, says)| (path, kind, says.to_owned())));
}
