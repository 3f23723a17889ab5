//! Prompt templates and system prompt files.

use super::*;

#[test]
fn templates_are_found_in_order_and_expanded() {
    let place = place();
    place.write("work/app/.pi/prompts/review.md", "---\ndescription: Project review\n---\nproject $1");
    place.write("home/.pi/agent/prompts/review.md", "user $1");
    let line = "A first line that is longer than sixty characters, so it is cut.";
    place.write("home/.pi/agent/prompts/fix.md", &format!("\n{line}\n${{1:-all}} and $2\n"));
    place.write("home/.pi/agent/prompts/sub/nested.md", "not found here");
    place.write("home/.pi/agent/prompts/.hidden.md", "not found");
    place.write("home/.pi/agent/prompts/broken.md", "---\n- list\n---\n");
    place.write("home/lib/deep/nested.md", "---\nargument-hint: \"[what]\"\n---\nnested $@");
    place.write("home/lib/deep/left-out.md", "x");
    place.write("home/.pi/agent/settings.json", r#"{"prompts": ["~/lib", "!left-*"]}"#);
    place.write("work/app/my.md", "mine");
    let options = LoadOptions { prompt_template_paths: vec!["my.md".into()], ..Default::default() };

    let resources = place.load(true, options.clone());
    let found: Vec<_> = resources
        .prompt_templates
        .iter()
        .map(|template| {
            (
                template.name.as_str(),
                template.description.as_str(),
                template.argument_hint.as_deref(),
                template.provenance.clone(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("review", "Project review", None, Provenance::Project),
            ("nested", "nested $@", Some("[what]"), Provenance::User),
            ("fix", "A first line that is longer than sixty characters, so it is ...", None, Provenance::User),
            ("my", "mine", None, Provenance::Flag),
        ]
    );
    assert_eq!(
        place.diagnostics(&resources),
        [
            "home/.pi/agent/prompts/broken.md:2: the front matter must be `name: value` lines",
            "home/.pi/agent/prompts/review.md: the prompt review is not used: work/app/.pi/prompts/review.md has that name",
        ]
    );

    let expand = |text: &str| match expand_template(text, &resources.prompt_templates) {
        Expansion::Expanded { text, source } => Some((text, place.short(&source))),
        Expansion::Unchanged => None,
        Expansion::Failed { .. } => panic!("templates are in memory"),
    };
    let cases = [
        ("/review this", Some(("project this", "work/app/.pi/prompts/review.md"))),
        ("/review\nthis", Some(("project this", "work/app/.pi/prompts/review.md"))),
        ("/review", Some(("project ", "work/app/.pi/prompts/review.md"))),
        ("/nested 'a b' \"c\"", Some(("nested a b c", "home/lib/deep/nested.md"))),
        ("/my ignored", Some(("mine", "work/app/my.md"))),
        ("/unknown x", None),
        ("/ review", None),
        ("review", None),
        (" /review", None),
        ("/", None),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|(text, source): (&str, &str)| (text.to_owned(), source.to_owned()));
        assert_eq!(expand(text), expected, "{text:?}");
    }

    let names =
        |resources: Resources| resources.prompt_templates.into_iter().map(|template| template.name).collect::<Vec<_>>();
    assert_eq!(names(place.load(true, LoadOptions { no_prompt_templates: true, ..options.clone() })), ["my"]);
    assert_eq!(names(place.load(false, options)), ["nested", "fix", "review", "my"]);
}

#[test]
fn system_prompt_files_need_trust_and_flags_come_first() {
    let place = place();
    let text = |text: &str, source: TextSource| PromptText { text: text.into(), source };
    let file = |path: &str| TextSource::File(place.root.join(path));
    place.write("home/.pi/agent/SYSTEM.md", "user");
    place.write("home/.pi/agent/APPEND_SYSTEM.md", "user append");
    place.write("work/app/.pi/SYSTEM.md", "project");
    place.write("work/app/.pi/APPEND_SYSTEM.md", "project append");
    place.write("home/.pi/agent/extra.md", "from a file");
    place.write("home/.pi/agent/settings.json", r#"{"appendSystemPrompt": ["extra.md", "a literal"]}"#);
    let settings_texts = [
        text("from a file", file("home/.pi/agent/extra.md")),
        text("a literal", TextSource::Setting(place.root.join("home/.pi/agent/settings.json"))),
    ];
    let with_settings = |last: Vec<PromptText>| settings_texts.iter().cloned().chain(last).collect::<Vec<_>>();

    let untrusted = place.load(false, LoadOptions::default());
    assert_eq!(untrusted.system_prompt, Some(text("user", file("home/.pi/agent/SYSTEM.md"))));
    assert_eq!(
        untrusted.append_system_prompt,
        with_settings(vec![text("user append", file("home/.pi/agent/APPEND_SYSTEM.md"))])
    );
    let trusted = place.load(true, LoadOptions::default());
    assert_eq!(trusted.system_prompt, Some(text("project", file("work/app/.pi/SYSTEM.md"))));
    assert_eq!(
        trusted.append_system_prompt,
        with_settings(vec![text("project append", file("work/app/.pi/APPEND_SYSTEM.md"))])
    );

    place.write("work/app/p.md", "flag file");
    let options = LoadOptions {
        system_prompt: Some(String::new()),
        append_system_prompt: vec!["p.md".into(), "say hello".into(), "gone.md".into()],
        ..Default::default()
    };
    let flags = place.load(true, options);
    assert_eq!(flags.system_prompt, Some(text("", TextSource::Flag("--system-prompt"))));
    let flag = TextSource::Flag("--append-system-prompt");
    assert_eq!(
        flags.append_system_prompt,
        with_settings(vec![
            text("flag file", file("work/app/p.md")),
            text("say hello", flag.clone()),
            text("gone.md", flag)
        ])
    );
    assert_eq!(place.diagnostics(&flags), ["work/app/gone.md: no such file; its name is used as the text"]);
}

#[test]
fn a_template_that_a_built_in_command_hides_is_named() {
    let place = place();
    place.write("home/.pi/agent/prompts/tree.md", "Draw a tree.");
    place.write("home/.pi/agent/prompts/trees.md", "Draw trees.");
    let all = place.load(true, LoadOptions::default());
    let told = place.diagnostics(&all);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("prompts/tree.md: the built-in command /tree hides this prompt template"), "{told:?}");
}
