//! The inputs of the prompt in the form in which extensions see and change them.
//!
//! Extensions of the pi dialect get an object `systemPromptOptions` and may change it in place. [`to_options`] makes it,
//! [`apply_options`] reads it back. What an extension did not change keeps its author.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::inputs::{ExtraSection, Guideline, PromptInputs, PromptTool};
use super::part::Author;
use crate::resources::{ContextFile, PromptText, Skill, TextSource};

/// The inputs as an object with the keys `customPrompt`, `selectedTools`, `toolSnippets`, `toolGuidelines`,
/// `promptGuidelines`, `appendSystemPrompt`, `sections`, `cwd`, `contextFiles`, `skills` and `hiddenTools`.
pub(crate) fn to_options(inputs: &PromptInputs) -> Value {
    let mut options = Map::new();
    if let Some(custom) = &inputs.custom_prompt {
        options.insert("customPrompt".into(), custom.text.clone().into());
    }
    let sections: Map<_, _> =
        inputs.sections.iter().map(|section| (section.name().to_owned(), section.text().into())).collect();
    let listed = inputs.tools.iter().filter(|tool| tool.is_listed());
    let snippets: Map<_, _> = listed.map(|tool| (tool.name.clone(), tool.line().into())).collect();
    // A tool without any is not listed.
    let advised = inputs.tools.iter().filter(|tool| !tool.guidelines.is_empty());
    let guidelines: Map<_, _> = advised.map(|tool| (tool.name.clone(), tool.guidelines.clone().into())).collect();
    let fields = [
        ("selectedTools", inputs.tools.iter().map(|tool| tool.name.clone()).collect()),
        ("hiddenTools", inputs.hidden.iter().cloned().collect()),
        ("toolSnippets", snippets.into()),
        ("toolGuidelines", guidelines.into()),
        ("promptGuidelines", inputs.guidelines.iter().map(|guideline| guideline.text.clone()).collect()),
        ("appendSystemPrompt", appended(inputs).into()),
        ("sections", sections.into()),
        ("cwd", inputs.cwd.display().to_string().into()),
        ("contextFiles", inputs.context_files.iter().map(context_file).collect()),
        ("skills", inputs.skills.iter().map(skill).collect()),
    ];
    options.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
    options.into()
}

/// The inputs after `author` changed the object that [`to_options`] made. A key that is missing or has the wrong type
/// leaves its field as it was, except that an object without `customPrompt` removes the custom prompt. The working
/// directory and the hidden tools stay.
///
/// Also returns what to report: names that sections cannot have. Those sections are left out.
pub(crate) fn apply_options(inputs: &PromptInputs, options: &Value, author: &Author) -> (PromptInputs, Vec<String>) {
    let mut result = inputs.clone();
    let mut refused = Vec::new();
    let before = to_options(inputs);
    let changed = |key: &str| options.get(key).filter(|value| before.get(key) != Some(*value));
    let by_author = |text: &str| PromptText { text: text.to_owned(), source: source_of(author) };

    if options.is_object() && options.get("customPrompt").is_none_or(Value::is_null) {
        result.custom_prompt = None;
    } else if let Some(text) = changed("customPrompt").and_then(Value::as_str) {
        result.custom_prompt = Some(by_author(text));
    }
    tools(&mut result, options, author);
    if let Some(list) = changed("promptGuidelines").and_then(texts) {
        let known = |text: &String| inputs.guidelines.iter().find(|guideline| guideline.text == *text).cloned();
        let guideline = |text: String| known(&text).unwrap_or(Guideline { text, author: author.clone() });
        result.guidelines = list.into_iter().map(guideline).collect();
    }
    if let Some(text) = changed("appendSystemPrompt").and_then(Value::as_str) {
        let old = appended(inputs);
        match text.strip_prefix(&old).filter(|_| !old.is_empty()) {
            Some(added) => result.append.push(by_author(added.trim_start_matches('\n'))),
            None => result.append = vec![by_author(text)],
        }
    }
    if let Some(sections) = changed("sections").and_then(Value::as_object) {
        let known = |name: &str, text: &str| {
            inputs.sections.iter().find(|section| section.name() == name && section.text() == text).cloned()
        };
        result.sections.clear();
        for (name, text) in sections.iter().filter_map(|(name, text)| Some((name, text.as_str()?))) {
            match known(name, text).map_or_else(|| ExtraSection::new(name, text, author.clone()), Ok) {
                Ok(section) => result.sections.push(section),
                Err(error) => refused.push(error.to_string()),
            }
        }
    }
    if let Some(files) = changed("contextFiles").and_then(Value::as_array) {
        let read = |value: &Value| serde_json::from_value::<ContextFile>(value.clone()).ok();
        result.context_files = files.iter().filter_map(read).collect();
    }
    if let Some(list) = changed("skills").and_then(Value::as_array) {
        result.skills = list.iter().filter_map(|value| read_skill(inputs, value, author)).collect();
    }
    (result, refused)
}

fn tools(result: &mut PromptInputs, options: &Value, author: &Author) {
    let old = result.tools.clone();
    let selected = options.get("selectedTools").and_then(texts);
    let names = selected.unwrap_or_else(|| old.iter().map(|tool| tool.name.clone()).collect());
    let snippet = |name: &str| options.get("toolSnippets")?.get(name)?.as_str();
    let guidelines = |name: &str| texts(options.get("toolGuidelines")?.get(name)?);
    result.tools = names
        .into_iter()
        .map(|name| {
            let known = old.iter().find(|tool| tool.name == name).cloned();
            let mut tool = known.unwrap_or_else(|| PromptTool {
                name: name.clone(),
                snippet: None,
                description: String::new(),
                guidelines: Vec::new(),
                author: author.clone(),
            });
            if let Some(snippet) = snippet(&name).filter(|snippet| *snippet != tool.line()) {
                tool.snippet = Some(snippet.to_owned());
                tool.author = author.clone();
            }
            if let Some(rules) = guidelines(&name).filter(|rules| *rules != tool.guidelines) {
                tool.guidelines = rules;
                tool.author = author.clone();
            }
            tool
        })
        .collect();
}

fn appended(inputs: &PromptInputs) -> String {
    inputs.append.iter().map(|text| text.text.trim_end()).collect::<Vec<_>>().join("\n\n")
}

fn texts(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn context_file(file: &ContextFile) -> Value {
    json!({ "path": file.path.display().to_string(), "content": file.content })
}

fn skill(skill: &Skill) -> Value {
    json!({
        "name": skill.name,
        "description": skill.description,
        "filePath": skill.file_path.display().to_string(),
        "baseDir": skill.base_dir.display().to_string(),
        "disableModelInvocation": skill.disable_model_invocation,
    })
}

fn read_skill(inputs: &PromptInputs, value: &Value, author: &Author) -> Option<Skill> {
    if let Some(known) = inputs.skills.iter().find(|known| skill(known) == *value) {
        return Some(known.clone());
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let file_path = PathBuf::from(text("filePath")?);
    Some(Skill {
        name: text("name")?.to_owned(),
        description: text("description")?.to_owned(),
        base_dir: text("baseDir").map(PathBuf::from).or_else(|| file_path.parent().map(Into::into))?,
        file_path,
        disable_model_invocation: value.get("disableModelInvocation").and_then(Value::as_bool).unwrap_or(false),
        provenance: crate::resources::Provenance::Extension(author.to_string()),
    })
}

fn source_of(author: &Author) -> TextSource {
    TextSource::Extension(author.to_string())
}
