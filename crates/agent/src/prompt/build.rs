//! Putting the parts together.

use std::collections::HashSet;

use super::docs;
use super::inputs::PromptInputs;
use super::part::{Author, PromptPart, Stability, SystemPrompt};
use super::wording;
use crate::resources::{PromptText, TextSource};

/// Parts that stand together, inside a tag unless `tag` is empty.
struct Section {
    tag: String,
    joint: &'static str,
    parts: Vec<PromptPart>,
}

/// Builds the prompt.
pub(crate) fn build(inputs: &PromptInputs) -> SystemPrompt {
    let mut sections = vec![preamble(inputs)];
    if inputs.custom_prompt.is_none() {
        sections.extend([tools(inputs), rules(inputs), documentation(inputs)]);
    }
    sections.extend([addendum(inputs), project_context(inputs), skills(inputs)]);
    for extra in &inputs.sections {
        let part = part(extra.name(), extra.author().clone(), extra.text(), Stability::Session);
        let replacement = Section::tagged(extra.name(), "\n\n", vec![part]);
        match sections.iter_mut().find(|section| section.tag == extra.name()) {
            Some(section) => *section = replacement,
            None => sections.push(replacement),
        }
    }
    sections.extend(inputs.segments.iter().map(|segment| {
        let name = format!("{}/{}", segment.name(), segment.author());
        let part = part(name, segment.author().clone(), segment.text(), Stability::Session);
        Section::tagged(segment.name(), "\n\n", vec![part])
    }));
    sections.push(tail(inputs));
    render(sections)
}

fn render(sections: Vec<Section>) -> SystemPrompt {
    let mut prompt = SystemPrompt::default();
    for mut section in sections {
        section.parts.retain(|part| !part.text.is_empty());
        if section.parts.is_empty() {
            continue;
        }
        let mut before = if prompt.text().is_empty() { String::new() } else { "\n\n".to_owned() };
        if !section.tag.is_empty() {
            before.push_str(&format!("<{}>\n", section.tag));
        }
        for part in section.parts {
            prompt.push(&before, part);
            section.joint.clone_into(&mut before);
        }
        if !section.tag.is_empty() {
            prompt.push_mark(&format!("\n</{}>", section.tag));
        }
    }
    prompt
}

fn preamble(inputs: &PromptInputs) -> Section {
    let part = match &inputs.custom_prompt {
        Some(custom) => part("preamble", author_of(custom), &custom.text, Stability::Session),
        None => part("preamble", Author::Core, wording::PREAMBLE, Stability::Fixed),
    };
    Section { tag: String::new(), joint: "\n\n", parts: vec![part] }
}

fn tools(inputs: &PromptInputs) -> Section {
    let mut parts: Vec<_> = inputs
        .declared()
        .filter(|tool| tool.is_listed())
        .map(|tool| {
            let line = tool.line();
            let text = if line.is_empty() { format!("- {}", tool.name) } else { format!("- {}: {line}", tool.name) };
            part(format!("tools/{}", tool.name), tool.author.clone(), text, Stability::Session)
        })
        .collect();
    if inputs.declared().next().is_none() {
        parts.push(part("tools/none", Author::Core, wording::NO_TOOLS, Stability::Session));
    }
    Section::tagged("tools", "\n", parts)
}

fn rules(inputs: &PromptInputs) -> Section {
    let mut seen = HashSet::new();
    let mut list = |name: String, author: Author, rules: &[&str]| {
        let new: Vec<_> = rules
            .iter()
            .map(|rule| rule.trim())
            .filter(|rule| !rule.is_empty() && seen.insert((*rule).to_owned()))
            .map(|rule| format!("- {rule}"))
            .collect();
        part(format!("rules/{name}"), author, new.join("\n"), Stability::Session)
    };
    let mut parts = Vec::new();
    if inputs.declares("bash") && !["grep", "find", "ls"].iter().any(|name| inputs.declares(name)) {
        parts.push(list("shell".into(), Author::Core, &[wording::SHELL_RULE]));
    }
    for tool in inputs.declared() {
        let rules: Vec<_> = tool.guidelines.iter().map(String::as_str).collect();
        parts.push(list(tool.name.clone(), tool.author.clone(), &rules));
    }
    for (index, guideline) in inputs.guidelines.iter().enumerate() {
        parts.push(list(format!("extra/{}", index + 1), guideline.author.clone(), &[&guideline.text]));
    }
    parts.push(list("always".into(), Author::Core, wording::RULES));
    Section::tagged("rules", "\n", parts)
}

fn documentation(inputs: &PromptInputs) -> Section {
    let parts = inputs
        .docs_dir
        .iter()
        .map(|dir| part("docs", Author::Core, wording::docs(dir, docs::is_embedded), Stability::Fixed));
    Section::tagged("docs", "\n", parts.collect())
}

fn addendum(inputs: &PromptInputs) -> Section {
    let parts = inputs.append.iter().enumerate().map(|(index, appended)| {
        let name = format!("addendum/{}", index + 1);
        part(name, author_of(appended), appended.text.trim_end(), Stability::Session)
    });
    Section::tagged("addendum", "\n\n", parts.collect())
}

fn project_context(inputs: &PromptInputs) -> Section {
    let mut parts = Vec::new();
    if !inputs.context_files.is_empty() {
        parts.push(part("project_context", Author::Core, wording::CONTEXT_INTRO, Stability::Fixed));
    }
    for file in &inputs.context_files {
        let path = file.path.display().to_string();
        let text = format!(
            "<project_instructions path=\"{}\">\n{}\n</project_instructions>",
            escape(&path),
            file.content.trim_end()
        );
        let name = format!("project_context/{path}");
        parts.push(part(name, Author::File(file.path.clone()), text, Stability::Session));
    }
    Section::tagged("project_context", "\n\n", parts)
}

fn skills(inputs: &PromptInputs) -> Section {
    let mut parts = Vec::new();
    let listed: Vec<_> = inputs.skills.iter().filter(|skill| !skill.disable_model_invocation).collect();
    let readers = ["read", "bash"];
    if readers.iter().any(|tool| inputs.has_tool(tool)) && !listed.is_empty() {
        // A reader that requests do not declare can still be called through another tool.
        let reader = readers.into_iter().find(|tool| inputs.declares(tool));
        let intro = format!("{}\n\n<available_skills>", wording::skills_intro(reader));
        parts.push(part("skills", Author::Core, intro, Stability::Fixed));
        for skill in listed {
            let text = format!(
                "  <skill>\n    <name>{}</name>\n    <description>{}</description>\n    <location>{}</location>\n  \
                 </skill>",
                escape(&skill.name),
                escape(&skill.description),
                escape(&skill.file_path.display().to_string()),
            );
            let name = format!("skills/{}", skill.name);
            parts.push(part(name, Author::File(skill.file_path.clone()), text, Stability::Session));
        }
        parts.push(part("skills/end", Author::Core, "</available_skills>", Stability::Fixed));
    }
    Section::tagged("skills", "\n", parts)
}

fn tail(inputs: &PromptInputs) -> Section {
    let cwd = inputs.cwd.display().to_string().replace('\\', "/");
    let parts = vec![
        part("date", Author::Core, format!("Current date: {}", inputs.date), Stability::Volatile),
        part("cwd", Author::Core, format!("Current working directory: {cwd}"), Stability::Volatile),
    ];
    Section { tag: String::new(), joint: "\n", parts }
}

impl Section {
    fn tagged(tag: &str, joint: &'static str, parts: Vec<PromptPart>) -> Self {
        Self { tag: tag.to_owned(), joint, parts }
    }
}

fn part(name: impl Into<String>, author: Author, text: impl Into<String>, stability: Stability) -> PromptPart {
    PromptPart { name: name.into(), author, text: text.into(), stability }
}

fn author_of(text: &PromptText) -> Author {
    match &text.source {
        TextSource::Flag(flag) => Author::Flag((*flag).to_owned()),
        TextSource::Setting(path) => Author::Setting(path.clone()),
        TextSource::File(path) => Author::File(path.clone()),
        TextSource::Extension(id) => Author::Extension(id.clone()),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}
