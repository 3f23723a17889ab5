//! Which hooks are found, in which order, what they are taken for, and which of two is used.

use serde_json::json;
use tau_agent::extensions::{Form, discover};
use tau_agent::hook_folders::{
    HookChoice, HookItem, HookLevel, HookMoment, HookProvider, HookRegistry, Provided, ProviderPlace, ToolNames,
};
use tau_agent::settings::{Environment, Settings};

use super::discovery::{Tree, tree};

fn short(tree: &Tree, text: &str) -> String {
    let root = tree.home.root().display();
    text.replace(&format!("{root}/home/"), "~/").replace(&format!("{root}/project/"), "")
}

/// Dialect, path; then what is not used and what is wrong.
fn lines(tree: &Tree) -> Vec<String> {
    let found = tree.find();
    let extensions = found.extensions.iter().map(|found| {
        let form = match &found.form {
            Form::Module | Form::Shell(_) => String::new(),
            Form::Unusable(reason) => format!(" ({reason})"),
        };
        format!("{}: {}{form}", found.hint.dialect.id, found.path.display())
    });
    let skipped = found.skipped.iter().map(|skipped| {
        let other = skipped.shadowed_by.as_ref().map(|other| format!(" {}", other.display())).unwrap_or_default();
        format!("skipped, {}: {}: {}{other}", skipped.source, skipped.path.display(), skipped.reason)
    });
    let absent = found.absent.iter().map(|absent| format!("absent, {}: {}", absent.origin, absent.reason));
    let wrong = found.diagnostics.iter().map(|diagnostic| format!("wrong: {diagnostic}"));
    extensions.chain(skipped).chain(absent).chain(wrong).map(|line| short(tree, &line)).collect()
}

#[test]
fn every_place_is_looked_at_in_its_order() {
    let tree = tree(&[
        "project/.pi/extensions/a.ts",
        "project/.omp/hooks/pre/bash.ts",
        "project/.omp/hooks/post/*.sh",
        "project/.omp/hooks/direct.ts",
        "home/.omp/agent/hooks/pre/read.ts",
        "home/.pisces/agent/hooks/own.js",
        "project/.pi/hooks/gate.ts",
        "home/.pi/agent/hooks/global.ts",
        "home/.claude/hooks/pre/write.sh",
        "project/.claude/hooks/pre/edit.py",
        "project/.claude/hooks/pre/.hidden.sh",
        "project/.claude/hooks/pre/lib/helper.sh",
        "home/.codex/hooks/post-read.ts",
        "project/.codex/hooks/check.js",
        "project/.codex/hooks/pre-bash.sh",
        "project/.gemini/hooks/pre/bash.sh",
        "project/listed.ts",
        "project/named.ts",
        "project/pre/bash.sh",
    ])
    .user(json!({"hooks": ["listed.ts", "~/nowhere.ts"]}))
    .args(&["named.ts", "pre/bash.sh"]);
    assert_eq!(
        lines(&tree),
        [
            "pi: .pi/extensions/a.ts",
            "omp: .omp/hooks/pre/bash.ts",
            "shell: .omp/hooks/post/*.sh",
            "omp: ~/.omp/agent/hooks/pre/read.ts",
            "shell: ~/.claude/hooks/pre/write.sh",
            "shell: .claude/hooks/pre/edit.py",
            "omp: ~/.codex/hooks/post-read.ts",
            "omp: .codex/hooks/check.js",
            "omp: .omp/hooks/direct.ts",
            "omp: ~/.pisces/agent/hooks/own.js",
            "original: ~/.pi/agent/hooks/global.ts",
            "original: .pi/hooks/gate.ts",
            "original: listed.ts",
            "pi: named.ts",
            "shell: pre/bash.sh",
            "absent, user settings: Hook path does not exist: ~/nowhere.ts",
        ]
    );
}

#[test]
fn of_two_with_the_same_key_the_first_is_used() {
    let tree = tree(&[
        "project/.omp/hooks/pre/bash.sh",
        "project/.omp/hooks/pre/bash.ts",
        "home/.claude/hooks/pre/bash.sh",
        "project/.claude/hooks/pre/bash.sh",
        "project/.claude/hooks/post/bash.sh",
    ]);
    assert_eq!(
        lines(&tree),
        [
            "shell: .omp/hooks/pre/bash.sh",
            "omp: .omp/hooks/pre/bash.ts",
            "shell: .claude/hooks/post/bash.sh",
            "skipped, Claude Code, user: ~/.claude/hooks/pre/bash.sh: another one of the same name comes first \
             .omp/hooks/pre/bash.sh",
            "skipped, Claude Code, project: .claude/hooks/pre/bash.sh: another one of the same name comes first \
             .omp/hooks/pre/bash.sh",
            "wrong: ~/.claude/hooks/pre/bash.sh: this hook of yours is not used: the project has one of the same name, \
             .omp/hooks/pre/bash.sh",
        ]
    );
}

#[test]
fn of_several_names_of_one_folder_the_first_with_hooks_counts_alone() {
    let tree = tree(&[
        "project/.omp/rules/style.md",
        "project/.pi/hooks/pre/bash.sh",
        "project/.pisces/hooks/pre/read.sh",
        "home/.pisces/agent/hooks/pre/ls.sh",
    ]);
    assert_eq!(
        lines(&tree),
        [
            "shell: .pi/hooks/pre/bash.sh",
            "shell: ~/.pisces/agent/hooks/pre/ls.sh",
            "skipped, tau: .pisces/hooks/pre/read.sh: hooks of .pi/hooks come first, and alone",
            "wrong: native: [tau] hooks in .pisces/hooks are not used: hooks of .pi/hooks come first, and alone",
        ]
    );
}

#[test]
fn what_is_neither_module_nor_script_is_named() {
    let tree = tree(&[
        "project/.omp/hooks/pre/notes.md = text",
        "project/.omp/hooks/pre/tool = #!/bin/sh",
        "project/script.sh",
        "project/pre-bash.sh",
        "project/plain = export default () => {}",
        "project/node-tool = #!/usr/bin/env node",
    ])
    .args(&["script.sh", "pre-bash.sh", "plain", "node-tool"]);
    assert_eq!(
        lines(&tree),
        [
            "omp: .omp/hooks/pre/notes.md (it is neither a module nor a script: a script begins with #!, is executable or \
             has a known extension)",
            "shell: .omp/hooks/pre/tool",
            "pi: script.sh (nothing says when this script runs: put it in a folder called pre or post, or call it pre-TOOL \
             or post-TOOL)",
            "shell: pre-bash.sh",
            "pi: plain",
            "pi: node-tool",
        ]
    );
}

#[test]
fn links_are_followed_and_one_script_may_serve_several_tools() {
    let tree = tree(&["project/guard.sh = #!/bin/sh", "project/module.ts"]);
    let folder = tree.home.cwd().join(".omp/hooks/pre");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (from, to) in [
        ("guard.sh", "bash.sh"),
        ("guard.sh", "write.sh"),
        ("module.ts", "bash.ts"),
        ("module.ts", "write.ts"),
        ("gone.sh", "ls.sh"),
    ] {
        std::os::unix::fs::symlink(tree.home.cwd().join(from), folder.join(to)).expect("a link");
    }
    assert_eq!(
        lines(&tree),
        [
            "shell: .omp/hooks/pre/bash.sh",
            "omp: .omp/hooks/pre/bash.ts",
            "shell: .omp/hooks/pre/ls.sh",
            "shell: .omp/hooks/pre/write.sh",
        ]
    );
}

#[test]
fn the_user_chooses_providers_and_hooks_and_a_project_does_not() {
    let files = [
        "project/.omp/hooks/pre/bash.sh",
        "home/.claude/hooks/pre/read.sh",
        "home/.claude/hooks/post/read.sh",
        "project/.gemini/hooks/pre/ls.sh",
        "project/.cursor/hooks/post/ls.sh",
    ];
    let users = json!({
        "disabledProviders": ["native"],
        "discovery": {"disabledExtensions": ["hook:post:read:read.sh"]},
        "tau": {"shellHooks": {"providers": ["cursor", "gemini"]}},
    });
    let tree_of_user = tree(&files).user(users.clone());
    assert_eq!(
        lines(&tree_of_user),
        [
            "shell: ~/.claude/hooks/pre/read.sh",
            "shell: .gemini/hooks/pre/ls.sh",
            "shell: .cursor/hooks/post/ls.sh",
            "skipped, Claude Code, user: ~/.claude/hooks/post/read.sh: the setting discovery.disabledExtensions names \
             hook:post:read:read.sh",
        ]
    );
    let tree_of_project = tree(&files).project(users);
    assert_eq!(
        lines(&tree_of_project),
        ["shell: .omp/hooks/pre/bash.sh", "shell: ~/.claude/hooks/pre/read.sh", "shell: ~/.claude/hooks/post/read.sh",]
    );
}

#[test]
fn plugins_bring_hooks_unless_they_are_switched_off() {
    let tree = tree(&[
        "home/plugins/one/hooks/pre/bash.sh",
        "home/plugins/two/hooks/pre/bash.sh",
        "home/plugins/off/hooks/pre/read.sh",
        "home/plugins/other/hooks/pre/ls.sh",
        "home/.claude/settings.json = {\"enabledPlugins\": {\"off@shop\": false, \"one@shop\": true}}",
        "home/.claude/plugins/installed_plugins.json = {}",
    ]);
    let cwd = tree.home.cwd();
    let list = json!({"version": 2, "plugins": {
        "one@shop": [{"scope": "user", "installPath": "~/plugins/one"}],
        "off@shop": {"installPath": "~/plugins/off"},
        "two@shop": [{"scope": "project", "projectPath": cwd, "installPath": "~/plugins/two"}],
        "other@shop": [{"scope": "project", "projectPath": "/elsewhere", "installPath": "~/plugins/other"}],
    }});
    std::fs::write(tree.home.home().join(".claude/plugins/installed_plugins.json"), list.to_string()).expect("a list");
    assert_eq!(
        lines(&tree),
        [
            "shell: ~/plugins/two/hooks/pre/bash.sh",
            "skipped, Claude Code plugins: ~/plugins/off: the plugin off@shop is switched off",
            "skipped, Claude Code plugins, user: ~/plugins/one/hooks/pre/bash.sh: another one of the same name comes \
             first ~/plugins/two/hooks/pre/bash.sh",
            "wrong: ~/plugins/one/hooks/pre/bash.sh: this hook of yours is not used: the project has one of the same \
             name, ~/plugins/two/hooks/pre/bash.sh",
        ]
    );
    let untrusted = lines(&tree.untrusted());
    assert_eq!(untrusted[0], "shell: ~/plugins/one/hooks/pre/bash.sh", "{untrusted:?}");
    assert!(untrusted.iter().all(|line| !line.contains("plugins/two")), "{untrusted:?}");
}

#[test]
fn nothing_of_an_untrusted_project_counts() {
    let tree = tree(&[
        "project/.omp/hooks/pre/bash.sh",
        "project/.claude/hooks/pre/read.sh",
        "project/.codex/hooks/pre-ls.ts",
        "project/.pi/hooks/a.ts",
        "project/.pisces/hooks/b.ts",
        "project/mine.ts",
        "home/.claude/hooks/pre/read.sh",
    ])
    .user(json!({"hooks": ["mine.ts", "./mine.ts"], "tau": {"shellHooks": {"claudeSettings": true}}}))
    .project(json!({"hooks": ["other.ts"]}))
    .untrusted();
    assert_eq!(
        lines(&tree),
        [
            "shell: ~/.claude/hooks/pre/read.sh",
            "skipped, the setting `hooks`: mine.ts: its path is relative, so it is in the project, which is not trusted",
            "skipped, the setting `hooks`: mine.ts: its path is relative, so it is in the project, which is not trusted",
        ]
    );
}

#[test]
fn no_extensions_means_no_hooks_but_those_that_are_named() {
    let tree =
        tree(&["project/.omp/hooks/pre/bash.sh", "project/.pi/hooks/a.ts"]).args(&[".pi/hooks/a.ts"]).no_extensions();
    assert_eq!(lines(&tree), ["original: .pi/hooks/a.ts"]);
}

#[test]
fn a_file_behind_the_flag_for_hooks_is_one_of_oh_my_pi_unless_something_else_speaks() {
    let mut tree =
        tree(&["project/a.ts", "project/b.ts", "project/.pi/hooks/c.ts"]).args(&["a.ts", "b.ts", ".pi/hooks/c.ts"]);
    tree.options.hooks = vec![1];
    // The folder is looked at before the command line.
    assert_eq!(lines(&tree), ["original: .pi/hooks/c.ts", "pi: a.ts", "omp: b.ts"]);
}

#[test]
fn the_agent_folder_may_be_elsewhere() {
    let tree = tree(&["home/.pi/agent/hooks/old.ts", "elsewhere/hooks/new.ts", "elsewhere/hooks/pre/bash.sh"]);
    let folder = tree.home.root().join("elsewhere");
    let env = tree.env().with_var("PI_CODING_AGENT_DIR", folder.display().to_string());
    let found = discover(&env, &Settings::load(&env, true), &tree.options);
    let paths: Vec<String> = found
        .extensions
        .iter()
        .map(|found| {
            format!("{}: {}", found.hint.dialect.id, found.path.strip_prefix(&folder).expect("below").display())
        })
        .collect();
    assert_eq!(paths, ["shell: hooks/pre/bash.sh", "original: hooks/new.ts"]);
}

fn provider(id: &'static str, priority: i32, names: &'static [(&'static str, &'static str)]) -> HookProvider {
    let load = move |_: ProviderPlace<'_>| {
        let item = |(tool, name): &(&str, &str)| HookItem {
            name: (*name).to_owned(),
            path: format!("/{id}/{name}").into(),
            moment: HookMoment::Pre,
            tool: (*tool).to_owned(),
            level: HookLevel::User,
            provider: String::new(),
            provider_name: String::new(),
            names: ToolNames::Native,
            plugin: None,
        };
        Ok(Provided { items: names.iter().map(item).collect(), ..Provided::default() })
    };
    HookProvider { id, name: id, priority, opt_in: false, load: Box::new(load) }
}

#[test]
fn providers_are_asked_by_priority_and_one_that_fails_is_a_warning() {
    let mut registry = HookRegistry::default();
    registry.register(provider("low", 1, &[("bash", "bash.sh"), ("", "odd.sh"), ("ls", "ls.sh")]));
    registry.register(provider("high", 9, &[("bash", "bash.sh"), ("", "odd.sh")]));
    registry.register(provider("second", 9, &[("read", "read.sh")]));
    let failing = |id: &'static str, load: fn() -> Result<Provided, String>| HookProvider {
        id,
        name: id,
        priority: 5,
        opt_in: false,
        load: Box::new(move |_| load()),
    };
    registry.register(failing("broken", || Err("no disk".to_owned())));
    registry.register(failing("crashing", || panic!("a bug")));
    let env = Environment::new("/home", "/work");
    let all = registry.load(ProviderPlace { env: &env, project: true }, &HookChoice::default());
    let path = |item: &HookItem| item.path.display().to_string();
    assert_eq!(all.items.iter().map(path).collect::<Vec<_>>(), ["/high/bash.sh", "/second/read.sh", "/low/ls.sh"]);
    assert_eq!(all.providers, ["high", "second", "broken", "crashing", "low"]);
    // One that is of no use itself stands in the place of the next one all the same.
    let skipped: Vec<String> =
        all.skipped.iter().map(|skipped| format!("{}: {}", skipped.path.display(), skipped.reason)).collect();
    assert_eq!(
        skipped,
        [
            "/high/odd.sh: its name stands for no tool",
            "/low/bash.sh: another one of the same name comes first",
            "/low/odd.sh: another one of the same name comes first",
        ]
    );
    let warnings: Vec<&str> = all.warnings.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        warnings,
        [
            "this hook is not used: its name stands for no tool",
            "[broken] failed to load: no disk",
            "[crashing] failed to load: it crashed",
        ]
    );
}

#[test]
fn the_ending_of_a_module_or_a_script_is_no_part_of_the_tool() {
    let tree = tree(&[
        "project/.omp/hooks/pre/bash.ts",
        "project/.omp/hooks/pre/bash.py",
        "project/.claude/hooks/pre/bash.ts",
        "home/.claude/hooks/pre/bash.py",
    ]);
    assert_eq!(
        lines(&tree),
        [
            "shell: .omp/hooks/pre/bash.py",
            "omp: .omp/hooks/pre/bash.ts",
            "skipped, Claude Code, user: ~/.claude/hooks/pre/bash.py: another one of the same name comes first \
             .omp/hooks/pre/bash.py",
            "skipped, Claude Code, project: .claude/hooks/pre/bash.ts: another one of the same name comes first \
             .omp/hooks/pre/bash.ts",
            "wrong: ~/.claude/hooks/pre/bash.py: this hook of yours is not used: the project has one of the same name, \
             .omp/hooks/pre/bash.py",
        ]
    );
}

#[test]
fn declarations_are_no_hooks() {
    let tree = tree(&[
        "project/.omp/hooks/pre/types.d.ts",
        "project/.omp/hooks/types.d.ts",
        "project/.pi/hooks/types.d.mts",
        "project/.pi/hooks/plain.js",
        "home/.codex/hooks/pre-bash.d.ts",
        "home/.claude/hooks/pre/x.d.cts",
    ]);
    assert_eq!(lines(&tree), ["original: .pi/hooks/plain.js"]);
}

#[test]
fn a_file_that_is_no_code_is_not_run_as_code() {
    let mut tree =
        tree(&["project/foo.txt = hello", "project/b.json = {}", "project/c.tsx = ", "project/listed.md = x"])
            .user(json!({"hooks": ["listed.md"]}))
            .args(&["foo.txt", "b.json", "c.tsx"]);
    tree.options.hooks = vec![0];
    let why = |ending: &str| {
        format!(
            "(a file that ends in .{ending} is no extension and no hook; modules end in .ts or .js, and scripts in .sh, .py \
             and the like or begin with #!)"
        )
    };
    assert_eq!(
        lines(&tree),
        [
            format!("original: listed.md {}", why("md")),
            format!("omp: foo.txt {}", why("txt")),
            format!("pi: b.json {}", why("json")),
            "pi: c.tsx".to_owned(),
        ]
    );
}

#[test]
fn misspelt_names_in_settings_are_reported() {
    let tree = tree(&["project/.claude/hooks/pre/Bash.sh", "home/.codex/hooks/pre-ls.ts"]).user(json!({
        "disabledProviders": ["codx", "windsurf"],
        "tau": {"shellHooks": {"providers": ["gemini", "curser", "elsewhere"]}},
        "discovery": {"disabledExtensions": ["hook:pre:bash:Bash.sh", "skill:mine", "hook:pre:far:away.sh"]},
    }));
    assert_eq!(
        lines(&tree),
        [
            "shell: .claude/hooks/pre/Bash.sh",
            "omp: ~/.codex/hooks/pre-ls.ts",
            "wrong: disabledProviders: names `codx`, which is no provider of hooks; did you mean `codex`?",
            "wrong: tau.shellHooks.providers: names `curser`, which is no provider of hooks; did you mean `cursor`?",
            "wrong: tau.shellHooks.providers: names `elsewhere`, which is no provider of hooks; there are native, claude, \
             claude-plugins, codex, gemini, cursor",
            "wrong: discovery.disabledExtensions: names `hook:pre:bash:Bash.sh`, and there is no such hook; did you mean \
             `hook:pre:Bash:Bash.sh`?",
        ]
    );
}
