//! Each shipped rule, with what it is about and what it is not.

use tau_policy::rules::Action;
use tau_policy::{Opaque, Policy, Reason, Site, Source, Stdin, Text, catalogue};

use crate::support::{Scene, said};

/// Asks the shipped rules about calls; all differences are shown at once.
pub fn check(scene: &Scene, rows: &[(&str, &str)]) {
    let found: Vec<(&str, String)> = rows.iter().map(|(command, _)| (*command, scene.says(command))).collect();
    let expected: Vec<(&str, String)> = rows.iter().map(|(command, says)| (*command, (*says).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn python_and_pip_run_through_uv() {
    check(
        &Scene::new(),
        &[
            ("python x.py", "python: block"),
            ("/usr/bin/python3 x.py", "python: block"),
            ("python3.11 -m venv x", "python: block"),
            ("pip install y", "python: block"),
            ("pip3.12 install y", "python: block"),
            ("<shell:bash> python x.py", "python: block"),
            ("uv run python x.py;<wrapper:uv> python x.py", ""),
            ("uv pip install y", ""),
            ("<elsewhere:ssh> python x.py", ""),
            ("pythonic x", ""),
            ("echo python", ""),
            ("Python x", ""),
        ],
    );
}

#[test]
fn a_rule_that_needs_a_missing_program_asks_and_says_so() {
    let mut scene = Scene::new();
    scene.programs.clear();
    check(&scene, &[("python x.py", "python: ask"), ("pre-commit run", "pre-commit: ask")]);
    let verdict = scene.judge("pip install x");
    assert_eq!(
        verdict.findings[0].message,
        "Direct python/pip forbidden. Use: uv run python3 / uv run script.py / uvx tool / uv add pkg. This rule needs the \
         program uv, which is missing here."
    );
}

#[test]
fn pre_commit_and_containers_have_substitutes() {
    let mut scene = Scene::new();
    check(
        &scene,
        &[("pre-commit run -a", "pre-commit: block"), ("prek run", ""), ("docker ps", ""), ("podman ps", "")],
    );
    scene.facts.insert("container".to_owned());
    check(
        &scene,
        &[
            ("docker ps", "containers: block"),
            ("/usr/bin/podman run x", "containers: block"),
            ("docker-safe ps", ""),
            ("<wrapper:docker-safe> docker ps", ""),
            ("echo docker", ""),
        ],
    );
}

#[test]
fn long_waits_are_blocked() {
    check(
        &Scene::new(),
        &[
            ("sleep 30", ""),
            ("sleep 31", "sleep: block"),
            ("sleep 1m", "sleep: block"),
            ("sleep 0.5h", "sleep: block"),
            ("sleep 20 20", "sleep: block"),
            ("sleep infinity", "sleep: block"),
            ("sleep $n", "sleep: ask"),
            ("sleep $n 1h", "sleep: block"),
            ("sleep x", ""),
            ("<loop> sleep 5", ""),
            ("<loop> sleep 6", "sleep-loop: block"),
            ("<loop> sleep $n", "sleep-loop: ask"),
            ("watch -n 60 ls", "sleep-loop: block"),
            ("watch -n60 ls", "sleep-loop: block"),
            ("watch --interval=0.1m ls", "sleep-loop: block"),
            ("watch -n 2 ls", ""),
            ("read -t 60 x", "sleep: block"),
            ("read -t 5 x", ""),
            ("sleeper 100", ""),
        ],
    );
    let verdict = Scene::new().judge("sleep 2m");
    assert!(verdict.findings[0].message.starts_with("⚠️ sleep 120s blocked — too long."), "{verdict:?}");
}

#[test]
fn a_poll_for_reviews_loses_its_timeout() {
    let scene = Scene::new();
    let verdict = scene.judge("uv run myk-pi-tools pr reviews poll 5");
    assert_eq!((said(&verdict).as_str(), verdict.drops_timeout), ("poll-timeout: rewrite", true));
    let verdict = scene.judge("myk-pi-tools pr reviews list");
    assert_eq!((said(&verdict).as_str(), verdict.drops_timeout), ("", false));
}

#[test]
fn what_is_downloaded_is_not_run() {
    let scene = Scene::new();
    let of = |command: &str, stdin: Text| {
        let mut evaluation = scene.evaluation(command);
        evaluation.invocations[0].stdin = Stdin::Text(stdin);
        said(&Policy::shipped().judge(evaluation, &scene))
    };
    let remote = || Text::unknown(Source::Remote);
    assert_eq!(of("bash", remote()), "remote-code: block");
    assert_eq!(of("bash -s x", remote()), "remote-code: block");
    assert_eq!(of("node -", remote()), "remote-code: block");
    assert_eq!(of("node -e code", remote()), "");
    assert_eq!(of("node", Text::unknown(Source::Local)), "");
    assert_eq!(of("jq .", remote()), "");

    let opaque = |is_remote| {
        let reason = Reason::Script { shell: "bash".to_owned() };
        let mut evaluation = scene.evaluation("true");
        evaluation.opaque.push(Opaque { reason, site: Site::default(), is_remote, via: Vec::new() });
        let verdict = Policy::shipped().judge(evaluation, &scene);
        (said(&verdict), verdict.findings[0].message.clone())
    };
    assert_eq!(opaque(true).0, "remote-code: block");
    let message = "This cannot be checked before it runs: bash runs a text that is only known when the command runs.";
    assert_eq!(opaque(false), ("opaque: ask".to_owned(), message.to_owned()));
}

#[test]
fn temporary_files_are_made_in_the_project() {
    check(
        &Scene::new(),
        &[
            ("mktemp", "mktemp: block"),
            ("mktemp -d", "mktemp: block"),
            ("mktemp -p /tmp", "mktemp: block"),
            ("mktemp -p .pi/tmp", ""),
            ("mktemp --tmpdir=.pi/tmp x", ""),
            ("mktemp .pi/tmp/x", ""),
            ("mktemp .pi/tmp/../../x", "mktemp: block"),
            ("mktemp -p $x", "mktemp: ask"),
        ],
    );
}

#[test]
fn agents_without_questions_ask() {
    let mut rows = vec![
        ("claude --dangerously-skip-permissions -p x", "agent-bypass: ask"),
        ("claude --permission-mode bypassPermissions", "agent-bypass: ask"),
        ("codex --dangerously-bypass-approvals-and-sandbox", "agent-bypass: ask"),
        ("codex exec --yolo x", "agent-bypass: ask"),
        ("codex --full-auto", "agent-bypass: ask"),
        ("gemini --yolo", "agent-bypass: ask"),
        ("gemini -y", "agent-bypass: ask"),
        ("aider --yes-always", "agent-bypass: ask"),
        ("cursor-agent --force", "agent-bypass: ask"),
        ("amp --dangerously-allow-all", "agent-bypass: ask"),
        ("copilot --allow-all-tools", "agent-bypass: ask"),
        ("claude -p x", ""),
        ("codex exec x", ""),
        ("gemini -p x", ""),
    ];
    rows.extend([
        ("tau -ne -p x", "own-bypass: ask"),
        ("tau --no-extensions", "own-bypass: ask"),
        ("pi --approve", "own-bypass: ask"),
        ("tau config set x y", "own-bypass: ask"),
        ("tau remove x", "own-bypass: ask"),
        ("tau policy undo", "own-bypass: ask"),
        ("tau policy test x", ""),
        ("tau -p hello", ""),
        ("tau config list", ""),
    ]);
    check(&Scene::new(), &rows);
    let scene = Scene::new();
    let mut evaluation = scene.evaluation("tau -p x");
    evaluation.invocations[0].environment = vec![("PI_SUBAGENT_CHILD".to_owned(), None)];
    assert_eq!(said(&Policy::shipped().judge(evaluation, &scene)), "own-bypass: ask");
}

#[test]
fn every_rule_says_what_it_catches_and_what_it_cannot() {
    let rules = catalogue();
    let without: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.catches.is_empty() || rule.misses.is_empty() || rule.description.is_empty())
        .map(|rule| rule.id.as_str())
        .collect();
    assert_eq!(without, Vec::<&str>::new());
    let session: Vec<&str> =
        rules.iter().filter(|rule| rule.id == "repetition").map(|rule| rule.message.as_str()).collect();
    assert!(session[0].starts_with("⛔ Same command executed {count} times in a row."), "{session:?}");
}

#[test]
fn the_strongest_finding_decides() {
    let verdict = Scene::new().judge("rm -rf src;python x;ls");
    assert_eq!((said(&verdict).as_str(), verdict.action), ("python: block, rm-recursive: ask", Action::Block));
    assert_eq!(Scene::new().judge("ls").action, Action::Allow);
}
