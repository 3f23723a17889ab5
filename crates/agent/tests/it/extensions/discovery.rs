//! Which files are extensions, and in which order. Each case is a small tree of files.

use serde_json::{Value, json};
use tau_agent::extensions::{DiscoveryOptions, Found, discover};
use tau_agent::settings::{Environment, Settings};
use tau_testkit::TempHome;

/// Files below the root; a text that ends in a slash makes a folder.
pub struct Tree {
    pub home: TempHome,
    user: Value,
    project: Value,
    trusted: bool,
    pub options: DiscoveryOptions,
}

pub fn tree(files: &[&str]) -> Tree {
    let home = TempHome::new();
    for file in files {
        let (path, text) = file.split_once(" = ").unwrap_or((file, ""));
        let path = home.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }
    let options = DiscoveryOptions::default();
    Tree { home, user: json!({}), project: json!({}), trusted: true, options }
}

impl Tree {
    pub fn user(mut self, settings: Value) -> Self {
        self.user = settings;
        self
    }

    pub fn project(mut self, settings: Value) -> Self {
        self.project = settings;
        self
    }

    pub fn untrusted(mut self) -> Self {
        self.trusted = false;
        self
    }

    pub fn args(mut self, paths: &[&str]) -> Self {
        self.options.paths = paths.iter().map(|path| (*path).to_owned()).collect();
        self
    }

    pub fn no_extensions(mut self) -> Self {
        self.options.no_extensions = true;
        self
    }

    pub fn env(&self) -> Environment {
        let mut env = Environment::new(self.home.home(), self.home.cwd());
        env.vars = self.home.vars();
        env
    }

    pub fn settings(&self) -> Settings {
        self.home.write_agent("settings.json", self.user.to_string());
        self.home.write(".pi/settings.json", self.project.to_string());
        Settings::load(&self.env(), self.trusted)
    }

    pub fn find(&self) -> Found {
        discover(&self.env(), &self.settings(), &self.options)
    }

    /// Origin and path of each extension, what is absent, and what else is wrong.
    fn lines(&self) -> Vec<String> {
        let found = self.find();
        let extensions = found.extensions.iter().map(|found| format!("{}: {}", found.origin, found.path.display()));
        let absent = found.absent.iter().map(|absent| format!("absent, {}: {}", absent.origin, absent.reason));
        let diagnostics = found.diagnostics.iter().map(|diagnostic| format!("wrong: {diagnostic}"));
        extensions.chain(absent).chain(diagnostics).map(|line| self.short(&line)).collect()
    }

    pub fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.home.root().display()), "")
            .replace("home/.pi/agent/", "~/")
            .replace("project/", "")
    }
}

const PACKAGE: &str = r#" = {"pi": {"extensions": ["./main.ts"]}}"#;

#[test]
fn the_order_is_project_then_user_then_command_line() {
    let tree = tree(&[
        "project/listed.ts",
        "project/.pi/extensions/b.ts",
        "project/.pi/extensions/a.ts",
        "project/pack/extensions/p.ts",
        "project/cli.ts",
        "home/.pi/agent/mine/listed.ts",
        "home/.pi/agent/extensions/auto.ts",
        "home/.pi/agent/pack/extensions/u.ts",
    ])
    .project(json!({"extensions": ["../listed.ts"], "packages": ["../pack"]}))
    .user(json!({"extensions": ["mine"], "packages": [{"source": "./pack"}]}))
    .args(&["cli.ts"]);
    let all = [
        "project settings: listed.ts",
        "project folder: .pi/extensions/a.ts",
        "project folder: .pi/extensions/b.ts",
        "project package: pack/extensions/p.ts",
        "user settings: ~/mine/listed.ts",
        "user folder: ~/extensions/auto.ts",
        "user package: ~/pack/extensions/u.ts",
        "command line: cli.ts",
    ];
    assert_eq!(tree.lines(), all);
    let tree = tree.untrusted();
    assert_eq!(tree.lines(), all[4..]);
    assert_eq!(tree.no_extensions().lines(), all[7..]);
}

#[test]
fn a_folder_of_extensions() {
    let cases: [(&[&str], &[&str]); 12] = [
        (&["a.ts", "b.js", "c.mjs", "d.tsx", "e.cts", "f.md"], &["a.ts", "b.js"]),
        (&["Z.ts", "a.ts", "_.ts", "é.ts"], &["Z.ts", "_.ts", "a.ts", "é.ts"]),
        (&["index.ts", "index.js", "other.ts"], &["index.ts"]),
        (&["index.js", "other.ts"], &["index.js"]),
        (&[".hidden.ts", "node_modules/index.ts", ".git/index.ts"], &[]),
        (&["one/index.ts", "two/index.js", "none/helper.ts", "deep/er/index.ts"], &["one/index.ts", "two/index.js"]),
        (&[&format!("a/package.json{PACKAGE}"), "a/main.ts", "a/index.ts"], &["a/main.ts"]),
        (&[&format!("a/package.json{PACKAGE}"), "a/index.ts"], &["a/index.ts"]),
        (&[&format!("package.json{PACKAGE}"), "main.ts", "other.ts"], &["main.ts"]),
        (&["a/package.json = {}", "a/main.ts", "a/index.js"], &["a/index.js"]),
        (
            &[".gitignore = gone.ts\n/old/", ".ignore = draft*", "gone.ts", "old/index.ts", "draft1.ts", "kept.ts"],
            &["kept.ts"],
        ),
        (&[".fdignore = *.ts\n!kept.ts", "gone.ts", "kept.ts"], &["kept.ts"]),
    ];
    for (files, expected) in cases {
        let files: Vec<String> = files.iter().map(|file| format!("project/.pi/extensions/{file}")).collect();
        let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let found = tree.find();
        let names = found.extensions.iter().map(|found| tree.short(&found.path.display().to_string()));
        let expected: Vec<String> = expected.iter().map(|name| format!(".pi/extensions/{name}")).collect();
        assert_eq!(names.collect::<Vec<_>>(), expected, "{files:?}");
    }
}

#[test]
fn patterns_choose_among_listed_and_standard_files() {
    let files = ["project/.pi/extensions/a.ts", "project/.pi/extensions/b.ts", "project/.pi/more/c.ts"];
    let cases: [(&[&str], &[&str]); 8] = [
        (&["more"], &["more/c.ts", "extensions/a.ts", "extensions/b.ts"]),
        (&["!extensions/a.ts"], &["extensions/b.ts"]),
        (&["!*.ts", "+extensions/b.ts", "more"], &["extensions/b.ts"]),
        (&["-extensions/b.ts", "+extensions/b.ts"], &["extensions/a.ts"]),
        (&["!**", "more/c.ts", "+more/c.ts"], &["more/c.ts"]),
        (&["extensions/b.ts"], &["extensions/b.ts", "extensions/a.ts"]),
        (&["more", "*x*"], &["extensions/a.ts", "extensions/b.ts"]),
        // What a list leaves out stays out, also where the folder has it again.
        (&["extensions", "*b.ts"], &["extensions/b.ts"]),
    ];
    for (entries, expected) in cases {
        let tree = tree(&files).project(json!({"extensions": entries}));
        let found = tree.find();
        let names = found.extensions.iter().map(|found| tree.short(&found.path.display().to_string()));
        let expected: Vec<String> = expected.iter().map(|name| format!(".pi/{name}")).collect();
        assert_eq!(names.collect::<Vec<_>>(), expected, "{entries:?}");
    }
}

#[test]
fn a_file_counts_once_and_where_it_was_found_first() {
    let tree = tree(&["project/.pi/extensions/a.ts", "home/.pi/agent/extensions/b.ts"])
        .project(json!({"extensions": ["linked.ts"]}))
        .user(json!({"extensions": ["./extensions/b.ts", "~/.pi/agent/extensions/../extensions/b.ts"]}))
        .args(&["./.pi/extensions/a.ts", ".pi/linked.ts"]);
    std::os::unix::fs::symlink(tree.home.cwd().join(".pi/extensions/a.ts"), tree.home.cwd().join(".pi/linked.ts"))
        .expect("a link");
    assert_eq!(tree.lines(), ["project settings: .pi/linked.ts", "user settings: ~/extensions/b.ts"]);
    // What the settings switch off is there when the command line asks for it.
    let tree = tree.project(json!({"extensions": ["-extensions/a.ts"]})).user(json!({"extensions": ["!**"]}));
    assert_eq!(tree.lines(), ["command line: .pi/extensions/a.ts"]);
}

#[test]
fn what_the_command_line_may_name() {
    let files = [
        "project/plain",
        "project/module.mts",
        "project/indexed/index.ts",
        "project/indexed/skills/a/SKILL.md",
        "project/several/b.ts",
        "project/several/a.ts",
        "project/several/sub/index.js",
        "project/laid-out/extensions/x.ts",
        "project/laid-out/index.ts",
        "project/empty/readme.md",
        "home/.pi/agent/npm/node_modules/@me/tool/extensions/t.ts",
        "home/.pi/agent/git/github.com/me/repo/extensions/r.ts",
    ];
    let cases: [(&str, &[&str]); 12] = [
        ("plain", &["command line: plain"]),
        ("./module.mts", &["command line: module.mts"]),
        ("indexed", &["command line: indexed/index.ts"]),
        (
            "several",
            &["command line: several/a.ts", "command line: several/b.ts", "command line: several/sub/index.js"],
        ),
        ("laid-out", &["command line: laid-out/extensions/x.ts"]),
        ("empty", &["absent, command line: there is no extension in this folder"]),
        (
            "/dev/null",
            &["absent, command line: this is neither a file nor a folder; an extension is loaded from a file"],
        ),
        ("gone.ts", &["absent, command line: Extension path does not exist: gone.ts"]),
        ("~/none", &["absent, command line: Extension path does not exist: home/none"]),
        ("npm:@me/tool@1.0.0", &["command line: ~/npm/node_modules/@me/tool/extensions/t.ts"]),
        ("git:github.com/me/repo", &["command line: ~/git/github.com/me/repo/extensions/r.ts"]),
        ("npm:other", &["absent, command line: the package \"npm:other\" is not installed"]),
    ];
    for (path, expected) in cases {
        assert_eq!(tree(&files).args(&[path]).lines(), expected, "{path}");
    }
}

#[test]
fn names_and_isolation() {
    let tree = tree(&[
        "project/.pi/extensions/guard/index.ts",
        "project/.pi/extensions/note.ts",
        "project/pack/package.json = {\"pi\": {\"extensions\": [\"src/index.ts\"]}}",
        "project/pack/src/index.ts",
    ])
    .args(&["pack"]);
    let of = |isolate: Value| {
        let found = discover(
            &tree.env(),
            &Settings::in_memory(&tree.env(), json!({"tau": {"isolate": isolate}}), json!({})),
            &DiscoveryOptions { paths: vec!["pack".to_owned()], ..DiscoveryOptions::default() },
        );
        found.extensions.iter().map(|found| (found.name.clone(), found.isolated)).collect::<Vec<_>>()
    };
    let pairs = |isolated: [bool; 3]| {
        let names = ["guard", "note", "pack"];
        names.map(str::to_owned).into_iter().zip(isolated).collect::<Vec<_>>()
    };
    assert_eq!(of(json!(false)), pairs([false, false, false]));
    assert_eq!(of(json!(true)), pairs([true, true, true]));
    assert_eq!(of(json!(["guard", "note.ts"])), pairs([true, true, false]));
    assert_eq!(of(json!(["pack"])), pairs([false, false, true]));
    let whole = tree.home.cwd().join("pack/src/index.ts").display().to_string();
    assert_eq!(of(json!([whole, "uard"])), pairs([false, false, true]));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let tree = tree(&[
        "project/pack/package.json = {\"pi\": {\"extensions\": [\"./gone.ts\", \"./here.ts\"], \"skills\": \"all\"}}",
        "project/pack/here.ts",
        "project/.pi/extensions/broken/package.json = {oops",
        "project/.pi/extensions/broken/index.ts",
    ])
    .project(json!({"packages": ["../pack", 7, {"extensions": []}, {"source": "npm:x", "skills": "all"}, "npm:gone"]}))
    .user(json!({"extensions": ["missing.ts", "!nothing"]}));
    insta::assert_snapshot!(tree.lines().join("\n"));
}

#[test]
fn what_was_found_can_be_printed() {
    let tree = tree(&["project/pack/extensions/a.ts", "project/pack/prompts/p.md"]).args(&["pack", "gone.ts"]);
    let found = serde_json::to_string_pretty(&tree.find()).expect("JSON");
    insta::assert_snapshot!(tree.short(&found));
}
