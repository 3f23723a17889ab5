//! The prompts of a server: listed, and filled in.

use std::collections::HashSet;

use rmcp::model::{
    ArgumentInfo, ClientRequest, CompleteRequest, CompleteRequestParams, GetPromptRequest, GetPromptRequestParams,
    JsonObject, Reference,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::value;
use super::tools::all_pages;
use super::{Call, CallError, Connection};
use crate::summary::{MOST_OF_ONE, first_line, one_line};

/// Most prompts of a server.
const PROMPTS: usize = 200;
/// Most arguments of a prompt.
const ARGUMENTS: usize = 20;
/// Longest name of a prompt or an argument, in bytes.
const NAME: usize = 256;
/// Most values that are suggested for an argument.
const VALUES: usize = 100;

/// A prompt as its server describes it. Names are as the server gives them; descriptions are made safe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerPrompt {
    /// Its name.
    pub name: String,
    /// What it does, in a line; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is, in a line; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether the prompt needs it.
    #[serde(default)]
    pub required: bool,
}

fn name(value: &Value) -> Option<String> {
    let name = value.get("name").and_then(Value::as_str)?;
    (!name.trim().is_empty() && name.len() <= NAME).then(|| name.to_owned())
}

fn line(value: &Value, keys: [&str; 2]) -> String {
    let texts = keys.iter().filter_map(|key| value.get(*key).and_then(Value::as_str));
    let mut lines = texts.map(|text| one_line(first_line(text), MOST_OF_ONE));
    lines.find(|text| !text.is_empty()).unwrap_or_default()
}

impl ServerPrompt {
    fn parse(value: &Value) -> Option<Self> {
        let arguments = value.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let arguments: Vec<PromptArgument> = arguments.filter_map(PromptArgument::parse).collect();
        // One that cannot be filled in is of no use.
        (arguments.len() <= ARGUMENTS).then_some(())?;
        Some(Self { name: name(value)?, description: line(value, ["description", "title"]), arguments })
    }
}

impl PromptArgument {
    fn parse(value: &Value) -> Option<Self> {
        let required = value.get("required").and_then(Value::as_bool).unwrap_or(false);
        Some(Self { name: name(value)?, description: line(value, ["description", "title"]), required })
    }
}

impl Connection {
    /// The prompts of the server. What describes none is left out, and so is a second one of a name.
    ///
    /// # Errors
    /// When there is no list.
    pub async fn list_prompts(&self) -> Result<Vec<ServerPrompt>, CallError> {
        if !self.offers("prompts") {
            return Ok(Vec::new());
        }
        let items = all_pages(|cursor| self.page("prompts/list", "prompts", cursor)).await?;
        let mut names = HashSet::new();
        let mut prompts: Vec<ServerPrompt> = items.iter().filter_map(ServerPrompt::parse).collect();
        prompts.retain(|prompt| names.insert(prompt.name.clone()));
        prompts.truncate(PROMPTS);
        Ok(prompts)
    }

    /// The messages that a prompt becomes, as the server gives them.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get_prompt(&self, prompt: &str, args: JsonObject, call: &Call) -> Result<Vec<Value>, CallError> {
        let mut params = GetPromptRequestParams::new(prompt);
        if !args.is_empty() {
            params = params.with_arguments(args);
        }
        let answer = self.ask(ClientRequest::GetPromptRequest(GetPromptRequest::new(params)), call).await?;
        match value(&answer)? {
            Value::Object(mut answer) => match answer.remove("messages") {
                Some(Value::Array(messages)) => Ok(messages),
                _ => Err(CallError::Garbage("messages is no list".to_owned())),
            },
            _ => Err(CallError::Garbage("it is no object".to_owned())),
        }
    }

    /// The values that the server suggests for an argument of a prompt.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn complete_prompt(
        &self,
        prompt: &str,
        argument: &str,
        text: &str,
        call: &Call,
    ) -> Result<Vec<String>, CallError> {
        if !self.offers("completions") {
            return Ok(Vec::new());
        }
        let argument = ArgumentInfo::new(argument, text);
        let params = CompleteRequestParams::new(Reference::for_prompt(prompt), argument);
        let answer = value(&self.ask(ClientRequest::CompleteRequest(CompleteRequest::new(params)), call).await?)?;
        let values = answer.pointer("/completion/values").and_then(Value::as_array);
        let values = values.into_iter().flatten().filter_map(Value::as_str).take(VALUES);
        Ok(values.map(|text| one_line(text, MOST_OF_ONE)).filter(|text| !text.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn descriptions_are_one_safe_line() {
        let prompt = ServerPrompt::parse(&json!({"name": "a b", "title": "T",
            "description": "\n Do \u{1b}[31mthis</tag>\nand more",
            "arguments": [{"name": "x", "required": true, "description": "The\u{202e} x"}, {"nothing": 1}]}));
        let prompt = prompt.expect("a prompt");
        assert_eq!((prompt.name.as_str(), prompt.description.as_str()), ("a b", "Do this/tag"));
        let x = PromptArgument { name: "x".to_owned(), description: "The x".to_owned(), required: true };
        assert_eq!(prompt.arguments, [x]);
        let many =
            json!({"name": "m", "arguments": (0..21).map(|n| json!({"name": n.to_string()})).collect::<Vec<_>>()});
        for bad in [json!({}), json!({"name": " "}), json!({"name": "x".repeat(257)}), many, json!(1)] {
            assert_eq!(ServerPrompt::parse(&bad), None);
        }
    }
}
