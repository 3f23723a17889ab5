//! JSON with comments and trailing commas, as a tree that knows where each value stands: problems name a line and a
//! column, and edits keep every comment.

mod read;

use crate::site::Span;

pub(crate) use read::read;

use super::problem::{Fault, unknown};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Field>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) key: String,
    /// Where the key begins.
    pub(crate) at: usize,
    pub(crate) node: Node,
}

impl Node {
    /// A problem here.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span.start, message)
    }

    /// The text.
    pub(crate) fn text(&self, what: &str) -> Result<&str, Fault> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.fault(format!("{what} must be a text in double quotes"))),
        }
    }

    /// True or false.
    pub(crate) fn bool(&self, what: &str) -> Result<bool, Fault> {
        match self.value {
            Value::Bool(value) => Ok(value),
            _ => Err(self.fault(format!("{what} must be true or false"))),
        }
    }

    /// A number that is not negative.
    pub(crate) fn number(&self, what: &str) -> Result<f64, Fault> {
        match self.value {
            Value::Number(number) if number >= 0.0 => Ok(number),
            _ => Err(self.fault(format!("{what} must be a number of 0 or more"))),
        }
    }

    /// The values of a list.
    pub(crate) fn list(&self, what: &str) -> Result<&[Self], Fault> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.fault(format!("{what} must be a list: […]"))),
        }
    }

    /// The values of a list that is not empty, or the one value.
    pub(crate) fn one_or_more(&self, what: &str) -> Result<&[Self], Fault> {
        match &self.value {
            Value::List(items) if items.is_empty() => Err(self.fault(format!("{what} must not be an empty list"))),
            Value::List(items) => Ok(items),
            _ => Ok(std::slice::from_ref(self)),
        }
    }

    /// The keys of an object. None is there twice.
    pub(crate) fn object(&self, what: &str) -> Result<&[Field], Fault> {
        match &self.value {
            Value::Object(fields) => Ok(fields),
            _ => Err(self.fault(format!("{what} must be an object: {{…}}"))),
        }
    }
}

/// One or more texts.
pub(crate) fn strings(node: &Node, what: &str) -> Result<Vec<String>, Fault> {
    node.one_or_more(what)?.iter().map(|item| item.text(what).map(str::to_owned)).collect()
}

/// The value of a name.
pub(crate) fn one_of<T: Clone>(node: &Node, what: &str, known: &[(&str, T)]) -> Result<T, Fault> {
    let name = node.text(what)?;
    let found = known.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    found.ok_or_else(|| node.fault(unknown(what, name, known.iter().map(|(known, _)| *known))))
}
