//! Skills.

use super::*;

#[test]
fn skills_are_found_everywhere_in_order() {
    let place = place();
    place.write("work/app/.git/HEAD", "ref");
    place.skill("work/.agents/skills/outside-the-repository", "outside");
    place.skill("work/app/.agents/skills/shared", "shared");
    place.write("work/app/.agents/skills/loose.md", "---\ndescription: not at the top of a shared folder\n---\n");
    place.write("work/app/.agents/skills/group/single.md", "---\nname: single\ndescription: In a group.\n---\n");
    place.skill("work/app/.pi/skills/project", "project");
    place.skill("work/app/extra/listed", "listed");
    place.write("work/app/.pi/settings.json", r#"{"skills": ["../extra"]}"#);
    place.skill("home/.pi/agent/skills/user", "user");
    place.write("home/.pi/agent/skills/root.md", "---\nname: root\ndescription: A single file.\n---\n");
    place.write("home/.pi/agent/skills/README.md", "no skill, no complaint");
    place.skill("home/.agents/skills/home-shared", "home-shared");
    place.skill("home/more/from-settings", "from-settings");
    place.write("home/.pi/agent/settings.json", r#"{"skills": ["~/more", "!user"]}"#);
    place.skill("work/app/flagged", "flagged");
    place.skill("elsewhere/found", "found");
    let options = LoadOptions {
        skill_paths: vec!["flagged".into()],
        discovered_skills: vec![DiscoveredPath {
            path: place.root.join("elsewhere").display().to_string(),
            extension: "finder".into(),
        }],
        ..Default::default()
    };

    let trusted = place.load(true, options.clone());
    assert_eq!(
        place.skills(&trusted),
        pairs(&[
            ("listed", "work/app/extra/listed/SKILL.md"),
            ("project", "work/app/.pi/skills/project/SKILL.md"),
            ("single", "work/app/.agents/skills/group/single.md"),
            ("shared", "work/app/.agents/skills/shared/SKILL.md"),
            ("from-settings", "home/more/from-settings/SKILL.md"),
            ("root", "home/.pi/agent/skills/root.md"),
            ("home-shared", "home/.agents/skills/home-shared/SKILL.md"),
            ("flagged", "work/app/flagged/SKILL.md"),
            ("found", "elsewhere/found/SKILL.md"),
        ])
    );
    assert_eq!(place.diagnostics(&trusted), [""; 0]);
    assert_eq!(trusted.skills[8].provenance, Provenance::Extension("finder".into()));

    let names = |resources: &Resources| resources.skills.iter().map(|skill| skill.name.clone()).collect::<Vec<_>>();
    let untrusted = place.load(false, options.clone());
    assert_eq!(names(&untrusted), ["from-settings", "root", "home-shared", "flagged", "found"]);
    let none = place.load(true, LoadOptions { no_skills: true, ..options });
    assert_eq!(names(&none), ["flagged", "found"]);
}

#[test]
fn a_skill_folder_is_a_leaf_and_ignore_files_count() {
    let place = place();
    let base = "home/.pi/agent/skills";
    place.skill(&format!("{base}/a"), "a");
    place.skill(&format!("{base}/a/nested"), "nested");
    place.skill(&format!("{base}/group/deep/b"), "b");
    place.skill(&format!("{base}/ignored"), "ignored");
    place.skill(&format!("{base}/group/dropped"), "dropped");
    place.skill(&format!("{base}/group/kept"), "kept");
    place.skill(&format!("{base}/.hidden"), "hidden");
    place.skill(&format!("{base}/node_modules/pkg"), "pkg");
    place.write(&format!("{base}/.gitignore"), "ignored/\nkept/\n");
    place.write(&format!("{base}/group/.fdignore"), "dropped\n!kept/\n");
    let resources = place.load(false, LoadOptions::default());
    let names: Vec<_> = resources.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "kept"]);
}

#[test]
fn broken_skills_are_reported_with_their_place() {
    let place = place();
    let base = "home/.pi/agent/skills";
    place.write(&format!("{base}/bad-yaml/SKILL.md"), "---\nname: x\ndescription: a: b\n---\n");
    place.write(&format!("{base}/no-description/SKILL.md"), "Just text");
    place.write(&format!("{base}/not-text/SKILL.md"), "---\ndescription: 5\n---\n");
    place.write(&format!("{base}/Odd--Name-/SKILL.md"), "---\ndescription: Loads all the same.\n---\n");
    let long = format!("---\nname: {}\ndescription: {}\n---\n", "n".repeat(65), "d".repeat(1025));
    place.write(&format!("{base}/long/SKILL.md"), &long);
    place.write("work/app/plain.md", "no front matter");
    place.write("work/app/notes.txt", "");
    let options = LoadOptions {
        skill_paths: vec!["missing".into(), "plain.md".into(), "notes.txt".into()],
        ..Default::default()
    };
    let resources = place.load(false, options);
    insta::assert_snapshot!(place.diagnostics(&resources).join("\n"), @r#"
    work/app/missing: no such file or folder
    work/app/notes.txt: not a Markdown file
    home/.pi/agent/skills/Odd--Name-/SKILL.md: the name "Odd--Name-" has characters other than a-z, 0-9 and hyphens
    home/.pi/agent/skills/Odd--Name-/SKILL.md: the name "Odd--Name-" starts or ends with a hyphen
    home/.pi/agent/skills/Odd--Name-/SKILL.md: the name "Odd--Name-" has two hyphens in a row
    home/.pi/agent/skills/bad-yaml/SKILL.md:3: the front matter is not valid YAML: mapping values are not allowed in this context
    home/.pi/agent/skills/long/SKILL.md: the name has 65 characters, more than 64
    home/.pi/agent/skills/long/SKILL.md: the description has 1025 characters, more than 1024
    home/.pi/agent/skills/no-description/SKILL.md: the skill has no description
    home/.pi/agent/skills/not-text/SKILL.md: the skill has no description
    work/app/plain.md: the file has no description in its front matter
    "#);
    let names: Vec<_> = resources.skills.iter().map(|skill| skill.name.clone()).collect();
    assert_eq!(names, ["Odd--Name-".to_owned(), "n".repeat(65)]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_name_clashes_are_reported() {
    use std::os::unix::fs::symlink;
    let place = place();
    let base = "home/.pi/agent/skills";
    place.skill(&format!("{base}/a"), "same");
    place.skill(&format!("{base}/b"), "same");
    symlink(place.root.join(base).join("a"), place.root.join(base).join("link")).expect("link");
    symlink(place.root.join(base), place.root.join(base).join("circle")).expect("link");
    let resources = place.load(false, LoadOptions::default());
    assert_eq!(place.skills(&resources), pairs(&[("same", "home/.pi/agent/skills/a/SKILL.md")]));
    assert_eq!(
        place.diagnostics(&resources),
        [
            "home/.pi/agent/skills/b/SKILL.md: the skill same is not used: home/.pi/agent/skills/a/SKILL.md has that name"
        ]
    );
}

#[test]
fn skill_expansion() {
    let place = place();
    let file =
        place.write("home/.pi/agent/skills/pdf/SKILL.md", "---\ndescription: PDFs.\n---\n\n# How\n\nRead it.\n\n");
    let skills = place.load(false, LoadOptions::default()).skills;
    let base = file.parent().expect("folder").display();
    let block = format!(
        "<skill name=\"pdf\" location=\"{}\">\nReferences are relative to {base}.\n\n# How\n\nRead it.\n</skill>",
        file.display()
    );
    let expanded = |text: String| Expansion::Expanded { text, source: file.clone() };
    assert_eq!(expand_skill("/skill:pdf", &skills), expanded(block.clone()));
    assert_eq!(expand_skill("/skill:pdf  get text \n", &skills), expanded(format!("{block}\n\nget text")));
    assert_eq!(expand_skill("/skill:pdf \t ", &skills), expanded(block));
    for unchanged in ["/skill:other x", "/skill:", " /skill:pdf", "skill:pdf", "/skill:pdf\nx"] {
        assert_eq!(expand_skill(unchanged, &skills), Expansion::Unchanged, "{unchanged:?}");
    }
    fs::remove_file(&file).expect("remove");
    let Expansion::Failed { path, .. } = expand_skill("/skill:pdf", &skills) else { panic!("the file is gone") };
    assert_eq!(path, file);
}
