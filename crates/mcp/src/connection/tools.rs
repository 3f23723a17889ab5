//! The lists of a server: read page by page, with an end.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{CallError, Connection, MOST};
use crate::summary::one_line;

/// Most pages of a list.
const PAGES: usize = 500;
/// Most tools of a server.
const TOOLS: usize = 5_000;
/// Longest name of a tool, in bytes.
const NAME: usize = 1_024;
/// How many tools that are left out are named.
const NAMED: usize = 5;

/// A tool as its server describes it. All of it is foreign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerTool {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// The schema of its arguments: an object.
    pub input_schema: Value,
    /// The schema of the structured part of its results.
    pub output_schema: Option<Value>,
    /// What it says of itself.
    pub annotations: Map<String, Value>,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// What is on it.
    pub items: Vec<Value>,
    /// Where the next one is.
    pub next: Option<String>,
}

impl ServerTool {
    /// Or why it is none, in a part of a sentence.
    fn parse(value: &Value) -> Result<Self, String> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let schema = |key: &str| value.get(key).filter(|schema| schema.is_object()).cloned();
        let name = text("name").filter(|name| !name.is_empty()).ok_or("one has no name")?;
        let shown = one_line(&name, 60);
        if name.len() > NAME {
            return Err(format!("the name of {shown} is longer than {NAME} bytes"));
        }
        let mut input_schema =
            schema("inputSchema").ok_or_else(|| format!("the inputSchema of {shown} is no object"))?;
        if let Some(schema) = input_schema.as_object_mut() {
            schema.entry("type").or_insert_with(|| "object".into());
            schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        }
        let annotations = value.get("annotations").and_then(Value::as_object).cloned().unwrap_or_default();
        let title = text("title").or_else(|| annotations.get("title")?.as_str().map(str::to_owned));
        Ok(Self {
            name,
            title,
            description: text("description"),
            input_schema,
            output_schema: schema("outputSchema"),
            annotations,
        })
    }
}

/// The page in an answer.
pub(super) fn page_of(answer: Value, key: &str) -> Result<Page, CallError> {
    let garbage = |what: &str| CallError::Garbage(format!("{key} {what}"));
    let Value::Object(mut answer) = answer else { return Err(garbage("is not there")) };
    let Some(Value::Array(items)) = answer.remove(key) else { return Err(garbage("is no list")) };
    let next = match answer.remove("nextCursor") {
        None | Some(Value::Null) => None,
        Some(Value::String(next)) => Some(next).filter(|next| !next.is_empty()),
        Some(_) => return Err(garbage("goes on at a place that is no text")),
    };
    Ok(Page { items, next })
}

/// All pages of a list; `page` gives the one at a place.
pub(super) async fn all_pages<F>(mut page: impl FnMut(Option<String>) -> F) -> Result<Vec<Value>, CallError>
where
    F: Future<Output = Result<Page, CallError>>,
{
    let (mut all, mut next, mut size) = (Vec::new(), None, 0);
    for _ in 0..PAGES {
        let found = page(next.clone()).await?;
        size += found.items.iter().map(|item| item.to_string().len()).sum::<usize>();
        if size > MOST {
            return Err(CallError::Garbage("the list is larger than 16 MiB".to_owned()));
        }
        all.extend(found.items);
        if found.next.is_none() {
            return Ok(all);
        }
        if found.next == next {
            return Err(CallError::Garbage("the list does not go on".to_owned()));
        }
        next = found.next;
    }
    Err(CallError::Garbage(format!("the list has more than {PAGES} pages")))
}

impl Connection {
    /// The tools of the server. What is no description of a tool is left out, and so is a second tool of a name.
    ///
    /// # Errors
    /// When the list cannot be had.
    pub async fn list_tools(&self) -> Result<Vec<ServerTool>, CallError> {
        if !self.offers("tools") {
            return Ok(Vec::new());
        }
        let items = all_pages(|cursor| self.page("tools/list", "tools", cursor)).await?;
        let mut tools: Vec<ServerTool> = Vec::new();
        let mut names = std::collections::HashSet::new();
        let mut left_out = Vec::new();
        for item in &items {
            match ServerTool::parse(item) {
                Ok(tool) if names.contains(&tool.name) => {
                    left_out.push(format!("{} is there twice", one_line(&tool.name, 60)));
                }
                Ok(tool) => {
                    names.insert(tool.name.clone());
                    tools.push(tool);
                }
                Err(why) => left_out.push(why),
            }
        }
        let more = left_out.len().saturating_sub(NAMED);
        left_out.truncate(NAMED);
        left_out.extend((more > 0).then(|| format!("and {more} more")));
        *self.left_out.lock() = left_out.join("; ");
        if tools.len() > TOOLS {
            return Err(CallError::Garbage(format!("the server has more than {TOOLS} tools")));
        }
        Ok(tools)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn descriptions_are_read_as_far_as_they_are_some() {
        let tool = ServerTool::parse(
            &json!({"name": "a", "inputSchema": {}, "annotations": {"title": "A", "readOnlyHint": true}}),
        );
        let tool = tool.expect("a tool");
        assert_eq!(tool.input_schema, json!({"type": "object", "properties": {}}));
        assert_eq!(tool.title.as_deref(), Some("A"));
        for bad in [json!({}), json!({"name": "a"}), json!({"name": "", "inputSchema": {}}), json!("a")] {
            assert!(ServerTool::parse(&bad).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn lists_end() {
        let same = all_pages(|_| async { Ok(Page { items: vec![], next: Some("x".to_owned()) }) }).await;
        assert_eq!(same, Err(CallError::Garbage("the list does not go on".to_owned())));
        let mut count = 0;
        let endless = all_pages(|_| {
            count += 1;
            async move { Ok(Page { items: vec![json!(1)], next: Some(count.to_string()) }) }
        });
        assert_eq!(endless.await, Err(CallError::Garbage("the list has more than 500 pages".to_owned())));
    }
}
