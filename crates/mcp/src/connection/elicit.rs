//! Questions of servers to the user.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::inbox::Forms;
use super::limits::problem;

/// Most fields of a form.
const FIELDS: usize = 20;

/// Who asks the user.
#[async_trait]
pub trait Elicit: Send + Sync {
    /// Asks for one field of a form. Fires `cancel` when the server does not want to know any more.
    async fn ask(&self, field: &Field, cancel: &CancellationToken) -> Reply;
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The server that asks.
    pub server: String,
    /// Why it asks: foreign text, in one line.
    pub message: String,
    /// The name of the field: foreign text, in one line.
    pub title: String,
    /// What the server says of the field: foreign text, in one line.
    pub about: String,
    /// What to answer.
    pub kind: FieldKind,
    /// What the server wants of the answer, as a schema.
    pub schema: Value,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// Whether the server asks again during one call, so that the user may want no more of it.
    pub is_again: bool,
}

impl Field {
    /// What is wrong with an answer, for the user; nothing when it fits what the server wants.
    pub fn problem(&self, answer: &Value) -> Option<String> {
        problem(answer, &self.schema)
    }

    /// The answer that the server expects, if it says so.
    pub fn default(&self) -> Option<&Value> {
        self.schema.get("default")
    }
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// Text.
    Text,
    /// A number; only whole ones where that is `true`.
    Number(bool),
    /// Yes or no.
    Switch,
    /// One of these: value and label.
    Choice(Vec<(String, String)>),
    /// Several of these: at least and at most so many.
    Choices(Vec<(String, String)>, usize, usize),
    /// Nothing to fill in: only yes or no to the message.
    Consent,
}

/// What the user said.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An answer.
    Value(Value),
    /// Nothing, where the field may be left out.
    Nothing,
    /// The server shall not know.
    Decline,
    /// The server shall not know, and not ask any more.
    Refuse,
    /// The user left.
    Cancel,
}

/// Asks the user all that a request wants to know; `None` when it cannot be asked.
pub(super) async fn answer(
    server: &str,
    request: &Value,
    elicit: &dyn Elicit,
    forms: &Forms,
    cancel: &CancellationToken,
) -> Option<Value> {
    // A form to fill in; anything else, such as a page to open, is not offered.
    if request.get("mode").and_then(Value::as_str).is_some_and(|mode| mode != "form") {
        return None;
    }
    let message = crate::summary::one_line(request.get("message").and_then(Value::as_str).unwrap_or_default(), 500);
    let schema = request.get("requestedSchema").unwrap_or(&Value::Null);
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if properties.len() > FIELDS {
        return None;
    }
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let decline = || Some(json!({ "action": "decline" }));
    let Some(form) = forms.begin() else { return decline() };
    let _turn = tokio::select! {
        biased;
        () = cancel.cancelled() => return Some(json!({ "action": "cancel" })),
        turn = forms.turn() => turn,
    };
    if forms.is_refused() {
        return decline();
    }
    let refuse = || {
        forms.refuse();
        decline()
    };
    let mut is_again = form.before > 0;
    let mut content = Map::new();
    let consent = Field {
        server: server.to_owned(),
        message: message.clone(),
        title: String::new(),
        about: String::new(),
        kind: FieldKind::Consent,
        schema: Value::Null,
        is_optional: false,
        is_again,
    };
    if properties.is_empty() {
        return match elicit.ask(&consent, cancel).await {
            Reply::Value(_) | Reply::Nothing => Some(json!({ "action": "accept", "content": {} })),
            Reply::Decline => decline(),
            Reply::Refuse => refuse(),
            Reply::Cancel => Some(json!({ "action": "cancel" })),
        };
    }
    // Nobody is asked half of a form.
    let kinds: Option<Vec<FieldKind>> = properties.values().map(kind_of).collect();
    for ((name, property), kind) in properties.iter().zip(kinds?) {
        let title = property.get("title").and_then(Value::as_str).unwrap_or(name);
        let is_optional = !required.contains(&name.as_str());
        let about = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let field = Field {
            title: crate::summary::one_line(title, 100),
            about: crate::summary::one_line(about, 200),
            kind,
            schema: property.clone(),
            is_optional,
            is_again,
            ..consent.clone()
        };
        is_again = false;
        match elicit.ask(&field, cancel).await {
            Reply::Value(value) => drop(content.insert(name.clone(), value)),
            Reply::Nothing => {}
            Reply::Decline => return decline(),
            Reply::Refuse => return refuse(),
            Reply::Cancel => return Some(json!({ "action": "cancel" })),
        }
    }
    Some(json!({ "action": "accept", "content": content }))
}

fn kind_of(property: &Value) -> Option<FieldKind> {
    if let Some(all) = choices(property) {
        return Some(FieldKind::Choice(all));
    }
    match property.get("type").and_then(Value::as_str)? {
        "string" => Some(FieldKind::Text),
        "number" => Some(FieldKind::Number(false)),
        "integer" => Some(FieldKind::Number(true)),
        "boolean" => Some(FieldKind::Switch),
        "array" => {
            let all = choices(property.get("items")?)?;
            let count = |key: &str| property.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
            let most = count("maxItems").unwrap_or(all.len()).min(all.len());
            Some(FieldKind::Choices(all, count("minItems").unwrap_or(0).min(most), most))
        }
        _ => None,
    }
}

/// The values that a schema allows, with their labels, where it lists them.
fn choices(schema: &Value) -> Option<Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let line = |label: &str| crate::summary::one_line(label, 100);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let labels = schema.get("enumNames").and_then(Value::as_array);
        let label =
            |at: usize, value: &str| labels.and_then(|all| text(all.get(at)?)).unwrap_or_else(|| value.to_owned());
        let all = values.iter().enumerate().filter_map(|(at, value)| {
            let value = text(value)?;
            let label = line(&label(at, &value));
            Some((value, label))
        });
        return Some(all.collect());
    }
    let values = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key)?.as_array())?;
    let all = values.iter().filter_map(|one| {
        let value = text(one.get("const")?)?;
        let label = line(one.get("title").and_then(Value::as_str).unwrap_or(&value));
        Some((value, label))
    });
    Some(all.collect())
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[derive(Default)]
    struct Asked(Mutex<Vec<FieldKind>>);

    #[async_trait]
    impl Elicit for Asked {
        async fn ask(&self, field: &Field, _: &CancellationToken) -> Reply {
            self.0.lock().push(field.kind.clone());
            Reply::Nothing
        }
    }

    async fn asked(properties: Value) -> (Option<Value>, Vec<FieldKind>) {
        let asked = Asked::default();
        let request = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": properties } });
        let answer = answer("s", &request, &asked, &Forms::new(), &CancellationToken::new()).await;
        (answer, asked.0.into_inner())
    }

    #[tokio::test]
    async fn several_of_a_list_can_be_chosen() {
        let titled = json!({ "anyOf": [{ "const": "a", "title": "A" }, { "const": "b" }] });
        let (answer, kinds) = asked(json!({
            "plain": { "type": "array", "items": { "type": "string", "enum": ["x", "y", "z"] }, "minItems": 1, "maxItems": 2 },
            "titled": { "type": "array", "items": titled },
        }))
        .await;
        let pair = |value: &str, label: &str| (value.to_owned(), label.to_owned());
        let plain = ["x", "y", "z"].map(|name| pair(name, name)).to_vec();
        assert_eq!(
            kinds,
            [FieldKind::Choices(plain, 1, 2), FieldKind::Choices(vec![pair("a", "A"), pair("b", "b")], 0, 2)]
        );
        assert_eq!(answer, Some(json!({ "action": "accept", "content": {} })));
    }

    #[tokio::test]
    async fn nobody_is_asked_half_of_a_form() {
        let (answer, kinds) = asked(json!({ "a": { "type": "string" }, "b": { "type": "object" } })).await;
        assert_eq!((answer, kinds), (None, vec![]));
    }
}
