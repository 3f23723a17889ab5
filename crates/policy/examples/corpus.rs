//! Judges every command of the READMEs and the CI files below some folders, and prints each that is not simply allowed.
//!
//! ```sh
//! cargo run --release -p tau-policy --example corpus -- ~/.cargo/registry/src conformance/node_modules
//! ```
//!
//! Nothing is filtered: a block of a README that is marked as a shell's is one command, or, where its lines have prompts, each
//! of those is one; in CI files every `run` and `script` is one, with a word in place of
//! the forge's own `${{ … }}`.
#![allow(clippy::disallowed_methods, reason = "it measures this system")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tau_policy::{Action, Machine, Policy, evaluate};

/// Where commands come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Readme,
    Ci,
}

fn main() {
    let mut commands: BTreeMap<Kind, BTreeSet<String>> = BTreeMap::new();
    for folder in std::env::args_os().skip(1) {
        collect(Path::new(&folder), &mut commands, 0);
    }
    let empty = std::env::temp_dir().join("tau-corpus");
    if let Err(error) = std::fs::create_dir_all(&empty) {
        eprintln!("{}: {error}", empty.display());
        std::process::exit(1);
    }
    let machine = Machine::new(&empty, std::env::vars().collect());
    let policy = Policy::shipped();
    for (kind, commands) in &commands {
        let mut by_rule: BTreeMap<String, usize> = BTreeMap::new();
        let mut opaque = 0_usize;
        let mut times: Vec<Duration> = Vec::new();
        for command in commands {
            let verdict = policy.judge(evaluate(command, &machine), &machine);
            if command.len() < 1_024 {
                times.push(time(&policy, command, &empty));
            }
            opaque += usize::from(!verdict.evaluation.opaque.is_empty());
            for one in &verdict.evaluation.opaque {
                let script = verdict.evaluation.scripts.get(one.site.script);
                let text = script.and_then(|script| script.text.get(one.site.span.start..one.site.span.end));
                println!("OPAQUE {kind:?} {} at {:?}", one.reason, text.unwrap_or_default());
            }
            if verdict.action == Action::Allow {
                continue;
            }
            let rules: BTreeSet<&str> = verdict.findings.iter().map(|finding| finding.rule.as_str()).collect();
            for rule in &rules {
                *by_rule.entry((*rule).to_owned()).or_default() += 1;
            }
            println!("=== {kind:?} {:?} {rules:?}", verdict.action);
            println!("{command}");
            for finding in &verdict.findings {
                println!("  -> {}: {}", finding.rule, finding.message);
            }
        }
        println!("### {kind:?}: {} commands, {opaque} opaque", commands.len());
        for (rule, count) in by_rule {
            println!("### {kind:?}: {count:5} {rule}");
        }
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 1_000).copied().unwrap_or_default();
        println!("### {kind:?}: a verdict on less than 1 kB takes {:?} (median), {:?} (p99)", at(500), at(990));
    }
}

/// What a verdict takes, with everything that is asked anew each time.
fn time(policy: &Policy, command: &str, folder: &Path) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..9 {
        let machine = Machine::new(folder, std::env::vars().collect());
        let begun = Instant::now();
        std::hint::black_box(policy.judge(evaluate(command, &machine), &machine));
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

fn collect(folder: &Path, commands: &mut BTreeMap<Kind, BTreeSet<String>>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if depth < 12 {
                collect(&path, commands, depth + 1);
            }
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
        let is_ci =
            path.components().any(|part| matches!(part.as_os_str().to_str(), Some(".github" | ".circleci" | "ci")))
                || matches!(name.as_str(), ".travis.yml" | ".gitlab-ci.yml" | "appveyor.yml" | ".cirrus.yml");
        let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if name.starts_with("readme") {
            commands.entry(Kind::Readme).or_default().extend(blocks(&text));
        } else if is_ci && is_yaml {
            let found = serde_yaml_ng::from_str::<serde_yaml_ng::Value>(&text).ok();
            if let Some(found) = found {
                steps(&found, commands.entry(Kind::Ci).or_default());
            }
        }
    }
}

/// The commands of the blocks of a README.
fn blocks(text: &str) -> Vec<String> {
    const SHELLS: &[&str] =
        &["sh", "bash", "shell", "console", "shell-session", "sh-session", "zsh", "terminal", "shellscript"];
    // Sessions show what programs answer, too: of those only lines with prompts are commands.
    const SESSIONS: &[&str] = &["console", "shell-session", "sh-session"];
    let mut all = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        let fence: String = trimmed.chars().take_while(|ch| matches!(ch, '`' | '~')).collect();
        if fence.len() < 3 {
            continue;
        }
        let info = trimmed[fence.len()..].trim().to_ascii_lowercase();
        let language = info.split(|ch: char| ch == ',' || ch.is_whitespace() || ch == '{').next().unwrap_or_default();
        let mut block = Vec::new();
        for line in lines.by_ref() {
            if line.trim_start().starts_with(&fence) {
                break;
            }
            block.push(line.get(indent..).filter(|_| line[..indent.min(line.len())].trim().is_empty()).unwrap_or(line));
        }
        if SHELLS.contains(&language) {
            all.extend(of_block(&block, SESSIONS.contains(&language)));
        }
    }
    all
}

fn of_block(lines: &[&str], is_session: bool) -> Vec<String> {
    let prompt = |line: &str| line.trim_start().strip_prefix("$ ").map(str::to_owned);
    if !is_session && !lines.iter().any(|line| prompt(line).is_some()) {
        let whole = lines.join("\n").trim().to_owned();
        return if whole.is_empty() { Vec::new() } else { vec![whole] };
    }
    let mut all: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match prompt(line) {
            Some(command) => {
                goes_on = command.trim_end().ends_with('\\');
                all.push(command.trim_end().to_owned());
            }
            None if goes_on => {
                goes_on = line.trim_end().ends_with('\\');
                if let Some(last) = all.last_mut() {
                    last.push('\n');
                    last.push_str(line.strip_prefix("> ").unwrap_or(line));
                }
            }
            None => {}
        }
    }
    all
}

/// The commands of a CI file, wherever they stand in it.
fn steps(value: &serde_yaml_ng::Value, all: &mut BTreeSet<String>) {
    const KEYS: &[&str] = &["run", "script", "before_script", "after_script", "install", "before_install", "command"];
    match value {
        serde_yaml_ng::Value::Mapping(map) => {
            for (key, value) in map {
                let is_step = key.as_str().is_some_and(|key| KEYS.contains(&key));
                match value {
                    serde_yaml_ng::Value::String(text) if is_step => {
                        all.insert(expanded(text));
                    }
                    serde_yaml_ng::Value::Sequence(items) if is_step => {
                        all.extend(items.iter().filter_map(|item| item.as_str()).map(expanded));
                    }
                    other => steps(other, all),
                }
            }
        }
        serde_yaml_ng::Value::Sequence(items) => items.iter().for_each(|item| steps(item, all)),
        _ => {}
    }
}

/// A command as its shell gets it: the forge has put values in place of `${{ … }}`.
fn expanded(text: &str) -> String {
    let mut new = String::new();
    let mut rest = text.trim();
    while let Some((before, after)) = rest.split_once("${{") {
        let Some((_, after)) = after.split_once("}}") else { break };
        new.push_str(before);
        new.push_str("value");
        rest = after;
    }
    new.push_str(rest);
    new
}
