//! Permissions of Claude Code.

use std::path::Path;

use tau_policy::rules::RuleFile;
use tau_policy::{FileUse, Policy, UseKind};

use crate::support::{Scene, said};

fn policy(scene: &Scene, permissions: &str) -> Policy {
    let path = scene.project().join(".claude/settings.json");
    let text = format!("{{\"model\": \"x\", \"permissions\": {permissions}}}");
    Policy::with_layers(None, None, vec![RuleFile::claude(&path, &text).expect("permissions")], None)
}

fn rows(scene: &Scene, policy: &Policy, rows: &[(&str, &str)]) {
    let found: Vec<_> = rows.iter().map(|(command, _)| (*command, said(&scene.judge_by(policy, command)))).collect();
    let expected: Vec<_> = rows.iter().map(|(command, says)| (*command, (*says).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_denied_is_blocked_and_what_asks_asks() {
    let scene = Scene::new();
    let policy = policy(
        &scene,
        r#"{"deny": ["Bash(git push:*)", "Bash(npm run test *)", "Bash(make)", "WebFetch"], "ask": ["Bash(npm * x)"], "defaultMode": "plan"}"#,
    );
    rows(
        &scene,
        &policy,
        &[
            ("git push", "claude:deny:bash(git push:*): block"),
            ("git push origin x", "claude:deny:bash(git push:*): block"),
            ("<wrapper:time> git push", "claude:deny:bash(git push:*): block"),
            ("git pushy", ""),
            ("git $x", "claude:deny:bash(git push:*): ask"),
            ("npm run test", "claude:deny:bash(npm run test *): block"),
            ("npm run test a", "claude:deny:bash(npm run test *): block"),
            ("npm run tests", ""),
            ("make", "claude:deny:bash(make): block"),
            ("make x", ""),
            ("npm ci x", "claude:ask:bash(npm * x): ask"),
        ],
    );
}

#[test]
fn what_is_allowed_counts_only_for_a_whole_command() {
    let scene = Scene::new();
    let policy = policy(
        &scene,
        r#"{"allow": ["Bash(rm -rf src)", "Bash(ls *)"], "ask": ["Bash(ls secret)"], "deny": ["Bash(ls never)"]}"#,
    );
    rows(
        &scene,
        &policy,
        &[
            ("rm -rf src", ""),
            ("rm -rf src;ls x", ""),
            ("rm -rf src;cat x", "rm-recursive: ask"),
            ("<wrapper:xargs> rm -rf src", "rm-recursive: ask, xargs-rm: ask"),
            ("rm -rf src $x", "rm-recursive: ask"),
            ("ls secret", "claude:ask:bash(ls secret): ask"),
            ("ls never", "claude:deny:bash(ls never): block"),
        ],
    );
}

#[test]
fn an_allowed_python_stays_blocked() {
    let scene = Scene::new();
    let policy = policy(&scene, r#"{"allow": ["Bash"]}"#);
    rows(&scene, &policy, &[("python x", "python: block"), ("rm -rf src", "")]);
}

#[test]
fn files_are_patterns_as_git_ignores_them() {
    let scene = Scene::new();
    let home = scene.home_folder();
    let policy = policy(
        &scene,
        r#"{"deny": ["Read(.env)", "Read(~/.ssh/**)", "Edit(/src/gen/)", "Write(//opt/x/**)", "Read(docs/*.md)"]}"#,
    );
    let of = |path: &str, kind| {
        let path = path.replace('~', &home.to_string_lossy());
        let file = FileUse { tool: "x".to_owned(), path: path.into(), kind };
        policy.judge_file(&file, &scene).findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>().join(" ")
    };
    let rows = [
        ("src/deep/.env", UseKind::Read, "claude:deny:Read(.env)"),
        ("src/.envrc", UseKind::Read, ""),
        ("~/.ssh/id", UseKind::Read, "claude:deny:Read(~/.ssh/**)"),
        ("src/gen/a/b", UseKind::Write, "claude:deny:Edit(/src/gen/)"),
        ("gen/a", UseKind::Write, ""),
        ("/opt/x/a", UseKind::Write, "claude:deny:Write(//opt/x/**) outside"),
        ("docs/a.md", UseKind::Read, "claude:deny:Read(docs/*.md)"),
        ("docs/deep/a.md", UseKind::Read, ""),
    ];
    assert_eq!(rows.map(|(path, kind, _)| of(path, kind)), rows.map(|(_, _, rule)| rule.to_owned()));
    assert_eq!(said(&scene.judge_by(&policy, "cat src/.env")), "claude:deny:read(.env): block");
}

#[test]
fn what_is_not_understood_is_a_problem_with_its_place() {
    let of = |permissions: &str| {
        let text = format!("{{\n\"permissions\": {permissions}}}");
        match RuleFile::claude(Path::new("settings.json"), &text) {
            Ok(_) => "no problem".to_owned(),
            Err(problem) => problem.to_string(),
        }
    };
    let problems = [
        of(r#"{"alow": []}"#),
        of(r#"{"deny": ["Bsh(x)"]}"#),
        of(r#"{"deny": ["Bash(x"]}"#),
        of(r#"{"deny": ["Bash()"]}"#),
        of(r#"{"deny": ["Read(!x)"]}"#),
        of(r#"{"deny": [1]}"#),
        of(r#"{"deny": "Bash"}"#),
        of("[]"),
        of(r#"{"allow": ["mcp__x__y", "WebFetch(domain:x.org)"]}"#),
    ];
    insta::assert_snapshot!(problems.join("\n"));
}
