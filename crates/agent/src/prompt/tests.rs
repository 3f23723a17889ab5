use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::prompt::inputs::{Guideline, InvalidSectionName};
use crate::prompt::part::Stability;
use crate::resources::{ContextFile, PromptText, Provenance, Skill, TextSource};

fn tool(name: &str, snippet: Option<&str>, guidelines: &[&str]) -> PromptTool {
    PromptTool {
        name: name.into(),
        snippet: snippet.map(Into::into),
        description: format!("Describes {name}.\n\n  On two  lines."),
        guidelines: guidelines.iter().map(|rule| (*rule).to_owned()).collect(),
        author: Author::Core,
    }
}

fn skill(name: &str, description: &str) -> Skill {
    Skill {
        name: name.into(),
        description: description.into(),
        file_path: format!("/home/ada/skills/{name}/SKILL.md").into(),
        base_dir: format!("/home/ada/skills/{name}").into(),
        disable_model_invocation: false,
        provenance: Provenance::User,
    }
}

fn bare() -> PromptInputs {
    PromptInputs::new(jiff::civil::date(2026, 3, 1), "/proj/app")
}

fn full() -> PromptInputs {
    let mut hidden = skill("hidden", "Not for the model.");
    hidden.disable_model_invocation = true;
    let todo = PromptTool { author: Author::Extension("todo".into()), ..tool("todo", None, &["Keep the list short."]) };
    PromptInputs {
        tools: vec![
            tool("read", Some("Read a file"), &["Read before you edit."]),
            tool("bash", Some("Run a command"), &[]),
            tool("edit", Some("Change a\n file"), &["Read before you edit.", " "]),
            todo,
        ],
        guidelines: vec![Guideline { text: "Be kind.".into(), author: Author::Extension("manners".into()) }],
        docs_dir: Some("/home/ada/.pi/agent/tau-docs/1".into()),
        append: vec![
            PromptText { text: "Speak plainly.\n".into(), source: TextSource::Flag("--append-system-prompt") },
            PromptText {
                text: "From a file.".into(),
                source: TextSource::File("/proj/app/.pi/APPEND_SYSTEM.md".into()),
            },
        ],
        context_files: vec![
            ContextFile { path: "/home/ada/.pi/agent/AGENTS.md".into(), content: "Use spaces.\n".into() },
            ContextFile { path: "/proj/\"app\"/AGENTS.md".into(), content: "Use tabs.".into() },
        ],
        skills: vec![skill("pdf", "Read <PDF> & \"more\"."), hidden, skill("git", "History.")],
        sections: vec![ExtraSection::new("weather", "Rain.", Author::Extension("weather".into())).expect("a name")],
        ..bare()
    }
}

fn custom(text: &str) -> PromptText {
    PromptText { text: text.into(), source: TextSource::File("/proj/app/.pi/SYSTEM.md".into()) }
}

/// The text without what it says about the manual: which pages that names depends on the pages there are.
fn without_manual(prompt: &SystemPrompt) -> String {
    let mut text = prompt.text().to_owned();
    if let Some((range, _)) = prompt.spans().find(|(_, part)| part.name == "docs") {
        text.replace_range(range, "[about the manual]");
    }
    text
}

#[test]
fn everything() {
    insta::assert_snapshot!(without_manual(&build(&full())));
}

#[test]
fn the_manual() {
    insta::assert_snapshot!(wording::docs(Path::new("/manual"), |path| path != "docs/events.md"));
}

#[test]
fn nothing_but_tau() {
    insta::assert_snapshot!(build(&bare()).text());
}

#[test]
fn a_custom_prompt_keeps_what_was_added() {
    let inputs = PromptInputs { custom_prompt: Some(custom("You are a pirate.")), ..full() };
    insta::assert_snapshot!(build(&inputs).text());
}

#[test]
fn tools_of_servers_are_listed_only_when_somebody_wrote_a_line_for_them() {
    let with = |tools: Vec<PromptTool>| PromptInputs { tools, ..bare() };
    let read = || tool("read", Some("Read files"), &[]);
    let prompt = build(&with(vec![read(), tool("mcp__s__echo", None, &[]), tool("mcp__s__sum", Some("Adds"), &[])]));
    assert!(prompt.text().contains("- read: Read files\n- mcp__s__sum: Adds\n"), "{}", prompt.text());
    assert!(!prompt.text().contains("mcp__s__echo"));
    let only = with(vec![tool("mcp__s__echo", None, &[])]);
    assert!(!build(&only).text().contains("<tools>"));
    assert_eq!(to_options(&only)["toolSnippets"], json!({}));
    assert_eq!(to_options(&only)["selectedTools"], json!(["mcp__s__echo"]));
}

#[test]
fn hidden_tools_are_left_out_with_their_rules() {
    let inputs = PromptInputs { hidden: vec!["read".into(), "todo".into()], ..full() };
    let (all, prompt) = (build(&full()), build(&inputs));
    let names = |prompt: &SystemPrompt| -> Vec<String> {
        prompt.parts().iter().filter(|part| !part.text.is_empty()).map(|part| part.name.clone()).collect()
    };
    let gone: Vec<String> = names(&all).into_iter().filter(|name| !names(&prompt).contains(name)).collect();
    assert_eq!(gone, ["tools/read", "tools/todo", "rules/read", "rules/todo"]);
    assert!(prompt.text().contains("print its file with bash"));
    let unread = build(&PromptInputs { hidden: vec!["read".into(), "bash".into()], ..full() });
    assert!(unread.text().contains("load its file") && !unread.text().contains("with the read tool"));
    assert!(!unread.text().contains("print its file with bash"));
}

#[test]
fn an_empty_custom_prompt_is_a_real_one() {
    let inputs = PromptInputs { custom_prompt: Some(custom("")), tools: full().tools, ..bare() };
    assert_eq!(build(&inputs).text(), "Current date: 2026-03-01\nCurrent working directory: /proj/app");
}

#[test]
fn every_part_has_its_author_and_its_place() {
    let prompt = build(&full());
    let list: Vec<_> = prompt
        .spans()
        .map(|(range, part)| {
            assert_eq!(&prompt.text()[range], part.text);
            format!("{} ({}, {:?})", part.name, part.author, part.stability)
        })
        .collect();
    insta::assert_snapshot!(list.join("\n"), @r#"
    preamble (core, Fixed)
    tools/read (core, Session)
    tools/bash (core, Session)
    tools/edit (core, Session)
    tools/todo (todo, Session)
    rules/shell (core, Session)
    rules/read (core, Session)
    rules/todo (todo, Session)
    rules/extra/1 (manners, Session)
    rules/always (core, Session)
    docs (core, Fixed)
    addendum/1 (--append-system-prompt, Session)
    addendum/2 (/proj/app/.pi/APPEND_SYSTEM.md, Session)
    project_context (core, Fixed)
    project_context//home/ada/.pi/agent/AGENTS.md (/home/ada/.pi/agent/AGENTS.md, Session)
    project_context//proj/"app"/AGENTS.md (/proj/"app"/AGENTS.md, Session)
    skills (core, Fixed)
    skills/pdf (/home/ada/skills/pdf/SKILL.md, Session)
    skills/git (/home/ada/skills/git/SKILL.md, Session)
    skills/end (core, Fixed)
    weather (weather, Session)
    date (core, Volatile)
    cwd (core, Volatile)
    "#);
}

#[test]
fn tomorrow_only_the_tail_differs() {
    let (today, tomorrow) = (full(), PromptInputs { date: jiff::civil::date(2026, 3, 2), ..full() });
    let (today, tomorrow) = (build(&today), build(&tomorrow));
    let tail = "Current date: 2026-03-01\nCurrent working directory: /proj/app";
    let stable = today.text().strip_suffix(tail).expect("the tail is last");
    assert!(tomorrow.text().starts_with(stable));
    let volatile = today.parts().iter().position(|part| part.stability == Stability::Volatile).expect("a tail");
    assert!(today.parts()[volatile..].iter().all(|part| part.stability == Stability::Volatile));
}

#[test]
fn skills_need_a_tool_that_reads() {
    let with = |tools: &[&str]| {
        let tools = tools.iter().map(|name| tool(name, None, &[])).collect();
        build(&PromptInputs { tools, skills: full().skills, ..bare() }).text().to_owned()
    };
    assert!(with(&["read", "bash"]).contains("load its file with the read tool"));
    assert!(with(&["bash"]).contains("print its file with bash"));
    assert!(!with(&["edit", "grep"]).contains("available_skills"));
    let hidden: Vec<_> = full().skills.into_iter().filter(|skill| skill.disable_model_invocation).collect();
    let inputs = PromptInputs { tools: vec![tool("read", None, &[])], skills: hidden, ..bare() };
    assert!(!build(&inputs).text().contains("available_skills"));
}

#[test]
fn the_shell_is_for_looking_around_only_without_better_tools() {
    let rule = |tools: &[&str]| {
        let tools = tools.iter().map(|name| tool(name, None, &[])).collect();
        build(&PromptInputs { tools, ..bare() }).parts().iter().any(|part| part.name == "rules/shell")
    };
    assert!(rule(&["bash"]));
    assert!(!rule(&["bash", "grep"]) && !rule(&["bash", "find"]) && !rule(&["ls", "bash"]) && !rule(&["read"]));
}

#[test]
fn sections_of_extensions_replace_or_follow() {
    let author = || Author::Extension("x".into());
    let section = |name: &str, text: &str| ExtraSection::new(name, text, author()).expect("a name");
    let inputs = PromptInputs {
        tools: vec![tool("read", Some("Read"), &[])],
        sections: vec![section("rules", "One rule."), section("tools", ""), section("own", "Own text.")],
        ..bare()
    };
    let prompt = build(&inputs);
    let (_, rest) = prompt.text().split_once("\n\n").expect("a preamble");
    insta::assert_snapshot!(rest, @r"
    <rules>
    One rule.
    </rules>

    <own>
    Own text.
    </own>

    Current date: 2026-03-01
    Current working directory: /proj/app
    ");
    for name in ["", "preamble", "Upper", "1st", "a b", "-a", "<x>"] {
        assert_eq!(ExtraSection::new(name, "", author()), Err(InvalidSectionName(name.into())), "{name:?}");
    }
}

#[test]
fn rewriting_keeps_authors_of_text_that_was_only_added_to() {
    let prompt = build(&bare());
    let author = || Author::Extension("x".into());
    let longer = format!("{}\n\nMore.", prompt.text());
    let added = prompt.rewritten(&longer, author());
    assert_eq!(added.text(), longer);
    assert_eq!(added.parts().len(), prompt.parts().len() + 1);
    assert_eq!(added.parts().last().map(|part| &part.author), Some(&author()));
    assert_eq!(prompt.rewritten(prompt.text(), author()), prompt);
    assert_eq!(prompt.rewritten("Other.", author()), SystemPrompt::from_text("Other.", author()));
    assert_eq!(prompt.rewritten("", author()), SystemPrompt::default());
}

#[test]
fn options_are_what_extensions_expect() {
    let inputs = PromptInputs { custom_prompt: Some(custom("Arr.")), skills: vec![skill("pdf", "PDFs.")], ..full() };
    insta::assert_json_snapshot!(to_options(&inputs));
}

#[test]
fn unchanged_options_change_nothing() {
    let inputs = full();
    let (same, refused) = apply_options(&inputs, &to_options(&inputs), &Author::Extension("x".into()));
    assert_eq!((same, refused), (inputs, Vec::<String>::new()));
    let (same, _) = apply_options(&full(), &json!(null), &Author::Core);
    assert_eq!(same, full());
}

#[test]
fn changed_options_have_a_new_author() {
    let inputs = full();
    let author = Author::Extension("x".into());
    let mut options = to_options(&inputs);
    options["customPrompt"] = json!("New.");
    options["selectedTools"] = json!(["bash", "read", "new"]);
    // What requests declare is not the prompt's to choose.
    options["hiddenTools"] = json!(["bash"]);
    options["toolSnippets"]["new"] = json!("A new tool");
    options["toolGuidelines"]["bash"] = json!(["Be careful."]);
    options["promptGuidelines"] = json!(["Be kind.", "Be quick."]);
    options["appendSystemPrompt"] =
        json!(format!("{}\n\nAnd more.", options["appendSystemPrompt"].as_str().expect("text")));
    options["sections"] = json!({"weather": "Rain.", "Bad Name": "x", "news": "None."});
    options["contextFiles"] = json!([{"path": "/other", "content": "Other."}, "nonsense"]);
    options["skills"] =
        json!([options["skills"][2], {"name": "own", "description": "Own.", "filePath": "/x/own/SKILL.md"}]);
    let (changed, refused) = apply_options(&inputs, &options, &author);

    let by_author = |text: &str| PromptText { text: text.into(), source: TextSource::Extension("x".into()) };
    let mut expected = inputs.clone();
    expected.custom_prompt = Some(by_author("New."));
    expected.tools = vec![
        PromptTool { guidelines: vec!["Be careful.".into()], author: author.clone(), ..inputs.tools[1].clone() },
        inputs.tools[0].clone(),
        PromptTool {
            name: "new".into(),
            snippet: Some("A new tool".into()),
            description: String::new(),
            guidelines: vec![],
            author: author.clone(),
        },
    ];
    expected.guidelines.push(Guideline { text: "Be quick.".into(), author: author.clone() });
    expected.append.push(by_author("And more."));
    expected.sections.push(ExtraSection::new("news", "None.", author).expect("a name"));
    expected.context_files = vec![ContextFile { path: "/other".into(), content: "Other.".into() }];
    let own = Skill {
        base_dir: PathBuf::from("/x/own"),
        file_path: "/x/own/SKILL.md".into(),
        provenance: Provenance::Extension("x".into()),
        ..skill("own", "Own.")
    };
    expected.skills = vec![inputs.skills[2].clone(), own];
    assert_eq!(changed, expected);
    assert_eq!(refused.len(), 1, "{refused:?}");
}

#[test]
fn the_manual_that_the_prompt_names_is_there() {
    let dir = tempfile::tempdir().expect("temp dir");
    let target = docs_dir(dir.path());
    unpack_docs(&target).expect("unpacked");
    let prompt = build(&PromptInputs { docs_dir: Some(target.clone()), ..bare() });
    let docs = prompt.parts().iter().find(|part| part.name == "docs").expect("a part about the manual");
    let named: Vec<_> = docs
        .text
        .split_whitespace()
        .filter(|word| word.starts_with(&target.display().to_string()))
        .map(|word| word.trim_end_matches([',', '.']))
        .collect();
    assert!(named.len() >= 6, "{named:?}");
    for path in named {
        assert!(Path::new(path).exists(), "{path}");
    }
}
