//! What packages bring, and what filters leave of it.

use serde_json::{Value, json};
use tau_agent::extensions::{DiscoveryOptions, discover};
use tau_agent::resources::{LoadOptions, Provenance, Resources};

use super::discovery::{Tree, tree};
use crate::common::themes::theme;

/// Every part of the packages: kind and path, in order.
fn parts(tree: &Tree) -> Vec<String> {
    let found = tree.find();
    let root = |path: &std::path::Path| tree.short(&path.display().to_string());
    let extensions = found.extensions.iter().map(|part| format!("extensions {}", root(&part.path)));
    let others = found.resources.iter().map(|part| format!("{} {}", part.kind.key(), root(&part.path)));
    extensions.chain(others).map(|part| part.replace("pack/", "")).collect()
}

const FILES: &[&str] = &[
    "project/pack/extensions/a.ts",
    "project/pack/extensions/b/index.ts",
    "project/pack/extensions/b/helper.ts",
    "project/pack/extensions/lib/helper.ts",
    "project/pack/skills/one/SKILL.md",
    "project/pack/skills/two.md",
    "project/pack/prompts/deep/p.md",
    "project/pack/prompts/q.md",
    "project/pack/themes/dark.json",
    "project/pack/themes/notes.txt",
    "project/pack/.hidden/x.ts",
    "project/pack/node_modules/dep/extensions/d.ts",
];

const ALL: &[&str] = &[
    "extensions extensions/a.ts",
    "extensions extensions/b/index.ts",
    "skills skills/one/SKILL.md",
    "skills skills/two.md",
    "prompts prompts/deep/p.md",
    "prompts prompts/q.md",
    "themes themes/dark.json",
];

/// The package with this manifest, by the command line.
fn with_manifest(pi: Value) -> Tree {
    let manifest = format!("project/pack/package.json = {}", json!({"name": "pack", "pi": pi}));
    let mut files = FILES.to_vec();
    files.push(&manifest);
    tree(&files).args(&["pack"])
}

#[test]
fn without_a_manifest_the_names_of_folders_count() {
    assert_eq!(parts(&tree(FILES).args(&["pack"])), ALL);
    assert_eq!(parts(&tree(FILES).user(json!({"packages": ["../../../project/pack"]}))), ALL);
}

#[test]
fn a_manifest_says_all_there_is() {
    let cases: [(Value, &[&str]); 12] = [
        (json!({}), &[]),
        (json!({"extensions": []}), &[]),
        (json!({"extensions": ["./extensions"]}), &["extensions extensions/a.ts", "extensions extensions/b/index.ts"]),
        (json!({"extensions": ["extensions/a.ts"]}), &["extensions extensions/a.ts"]),
        (json!({"extensions": ["extensions/*.ts"]}), &["extensions extensions/a.ts"]),
        (
            json!({"extensions": ["./extensions/*"]}),
            &["extensions extensions/a.ts", "extensions extensions/b/index.ts", "extensions extensions/lib/helper.ts"],
        ),
        (
            json!({"extensions": ["extensions/**/*.ts", "!**/helper.ts"]}),
            &["extensions extensions/a.ts", "extensions extensions/b/index.ts"],
        ),
        (json!({"extensions": ["extensions", "-extensions/a.ts"]}), &["extensions extensions/b/index.ts"]),
        (json!({"extensions": ["extensions", "!extensions/**", "+extensions/a.ts"]}), &["extensions extensions/a.ts"]),
        (
            json!({"extensions": ["node_modules/dep/extensions/*.ts", ".hidden/x.ts"]}),
            &["extensions node_modules/dep/extensions/d.ts", "extensions .hidden/x.ts"],
        ),
        (
            json!({"extensions": ["*/x.ts"], "skills": ["./skills/one"], "themes": ["themes/dark.json"]}),
            &["skills skills/one/SKILL.md", "themes themes/dark.json"],
        ),
        (
            json!({"extensions": ["./extensions"], "prompts": ["./prompts"]}),
            &[
                "extensions extensions/a.ts",
                "extensions extensions/b/index.ts",
                "prompts prompts/deep/p.md",
                "prompts prompts/q.md",
            ],
        ),
    ];
    for (pi, expected) in cases {
        assert_eq!(parts(&with_manifest(pi.clone())), expected, "{pi}");
    }
}

#[test]
fn a_manifest_that_names_its_own_folder_comes_to_an_end() {
    let tree = tree(&[
        "project/pack/package.json = {\"pi\": {\"extensions\": [\".\", \"./sub\"]}}",
        "project/pack/index.ts",
        "project/pack/sub/package.json = {\"pi\": {\"extensions\": [\"../sub\", \"x.ts\"]}}",
        "project/pack/sub/x.ts",
    ]);
    assert_eq!(parts(&tree.args(&["pack"])), ["extensions index.ts", "extensions sub/x.ts"]);
}

#[test]
fn a_filter_chooses() {
    let cases: [(Value, &[&str]); 7] = [
        (json!({}), ALL),
        (json!({"extensions": [], "skills": [], "prompts": [], "themes": []}), &[]),
        (json!({"skills": [], "prompts": [], "themes": []}), &ALL[..2]),
        (
            json!({"extensions": ["extensions/a.ts"], "skills": ["!two.md"], "prompts": ["q*"], "themes": ["none"]}),
            &["extensions extensions/a.ts", "skills skills/one/SKILL.md", "prompts prompts/q.md"],
        ),
        (json!({"autoload": false}), &[]),
        (
            json!({"autoload": false, "extensions": ["+extensions/a.ts"], "skills": ["*", "-skills/two.md"]}),
            &["extensions extensions/a.ts", "skills skills/one/SKILL.md"],
        ),
        (
            json!({"extensions": ["!**", "+extensions/b/index.ts"], "skills": [], "prompts": [], "themes": []}),
            &["extensions extensions/b/index.ts"],
        ),
    ];
    for (mut filter, expected) in cases {
        filter["source"] = json!("../pack");
        assert_eq!(parts(&tree(FILES).project(json!({"packages": [filter]}))), expected, "{filter}");
    }
}

#[test]
fn a_filter_of_a_package_with_a_manifest_sees_what_the_manifest_leaves() {
    let tree = with_manifest(json!({"extensions": ["extensions", "!extensions/a.ts"]})).args(&[]);
    let filter = json!({"source": "../pack", "extensions": ["**"], "prompts": [], "themes": []});
    let tree = tree.project(json!({"packages": [filter]}));
    assert_eq!(
        parts(&tree),
        ["extensions extensions/b/index.ts", "skills skills/one/SKILL.md", "skills skills/two.md"]
    );
}

#[test]
fn the_project_s_entry_takes_the_place_of_the_user_s_or_changes_it() {
    let files: Vec<String> =
        FILES.iter().map(|file| file.replace("project/pack", "home/.pi/agent/npm/node_modules/pack")).collect();
    let files: Vec<&str> =
        files.iter().map(String::as_str).chain(["project/.pi/npm/node_modules/pack/extensions/p.ts"]).collect();
    let user = json!({"packages": ["npm:pack@2", "npm:pack"]});
    let parts = |project: Value| {
        let tree = tree(&files).user(user.clone()).project(project);
        let found = tree.find();
        let lines = found
            .extensions
            .iter()
            .map(|part| format!("{}: {}", part.origin, tree.short(&part.path.display().to_string())));
        lines.map(|line| line.replace("npm/node_modules/pack/extensions/", "")).collect::<Vec<_>>()
    };
    assert_eq!(parts(json!({})), ["user package: ~/a.ts", "user package: ~/b/index.ts"]);
    assert_eq!(parts(json!({"packages": ["npm:pack"]})), ["project package: .pi/p.ts"]);
    let change = json!({"packages": [{"source": "npm:pack", "autoload": false, "extensions": ["-extensions/a.ts"]}]});
    assert_eq!(parts(change), ["user package: ~/b/index.ts"]);
}

#[test]
fn what_packages_bring_is_loaded() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: About {name}.\n---\nBody");
    let files = [
        format!("project/pack/skills/one/SKILL.md = {}", skill("one")),
        "project/pack/prompts/review.md = Review it.".to_owned(),
        format!("project/pack/themes/dark.json = {}", theme("deep", 1)),
        format!("project/cli/skills/one/SKILL.md = {}", skill("one")),
        format!("project/cli/skills/extra/SKILL.md = {}", skill("extra")),
        format!("home/.pi/agent/skills/mine/SKILL.md = {}", skill("mine")),
        format!("home/.pi/agent/themes/light.json = {}", theme("bright", 2)),
    ];
    let tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let tree = tree.project(json!({"packages": ["../pack"]})).args(&["cli"]);
    let options =
        DiscoveryOptions { paths: vec!["cli".to_owned()], no_extensions: true, ..DiscoveryOptions::default() };
    let load = |no_skills: bool| {
        let packages = discover(&tree.env(), &tree.settings(), &options).resources;
        let load = LoadOptions { packages, no_skills, ..LoadOptions::default() };
        Resources::load(&tree.env(), &tree.settings(), &load)
    };
    let resources = load(false);
    let from = |provenance: &Provenance| match provenance {
        Provenance::Package(root) => tree.short(&root.display().to_string()),
        other => format!("{other:?}"),
    };
    let skills = |resources: &Resources| {
        resources
            .skills
            .iter()
            .map(|skill| format!("{} of {}", skill.name, from(&skill.provenance)))
            .collect::<Vec<_>>()
    };
    assert_eq!(skills(&resources), ["one of pack", "mine of User", "extra of cli"]);
    let templates = resources.prompt_templates.iter().map(|template| template.name.as_str()).collect::<Vec<_>>();
    assert_eq!(templates, ["review"]);
    let themes = resources.themes.iter().map(|theme| tree.short(&theme.file_path.display().to_string()));
    assert_eq!(themes.collect::<Vec<_>>(), ["pack/themes/dark.json", "~/themes/light.json"]);
    assert_eq!(skills(&load(true)), ["extra of cli", "one of cli"]);
}
