//! The reader.

use std::collections::HashSet;

use super::{Field, Node, Value};
use crate::rules::problem::Fault;
use crate::site::Span;

/// How deep lists and objects may stand in each other.
const DEPTH: usize = 64;

/// Reads a text.
pub(crate) fn read(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    reader.skip()?;
    if reader.peek().is_none() {
        return Err(Fault::new(reader.at, "the file is empty; write {} into it, or remove it"));
    }
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(Fault::new(reader.at, "the text continues after its end: remove a bracket, or add a comma")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn takes(&mut self, what: char) -> bool {
        let is_next = self.peek() == Some(what);
        if is_next {
            self.at += what.len_utf8();
        }
        is_next
    }

    /// Passes blanks and comments.
    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = rest.get(blanks..).unwrap_or_default();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let end = inside.find("*/");
                end.ok_or_else(|| Fault::new(self.at + blanks, "the comment has no end; add */"))? + 4
            } else {
                0
            };
            self.at += blanks + comment;
            if comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        let start = self.at;
        if depth > DEPTH {
            return Err(Fault::new(start, "too many brackets in each other"));
        }
        let value = match self.peek() {
            Some('{') => self.fields(depth)?,
            Some('[') => self.items(depth)?,
            Some('"') => Value::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { span: Span { start, end: self.at }, value })
    }

    fn items(&mut self, depth: usize) -> Result<Value, Fault> {
        self.takes('[');
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.takes(']') {
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.skip()?;
            if !self.takes(',') && self.peek() != Some(']') {
                return Err(self.expected("a comma or a closing bracket ]"));
            }
        }
    }

    fn fields(&mut self, depth: usize) -> Result<Value, Fault> {
        self.takes('{');
        let mut fields: Vec<Field> = Vec::new();
        let mut keys = HashSet::new();
        loop {
            self.skip()?;
            if self.takes('}') {
                return Ok(Value::Object(fields));
            }
            let at = self.at;
            if self.peek() != Some('"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Fault::new(at, format!("the key \"{key}\" is there twice; remove one of them")));
            }
            self.skip()?;
            if !self.takes(':') {
                return Err(self.expected("a colon after the key"));
            }
            self.skip()?;
            let node = self.value(depth + 1)?;
            fields.push(Field { key, at, node });
            self.skip()?;
            if !self.takes(',') && self.peek() != Some('}') {
                return Err(self.expected("a comma or a closing brace }"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.takes('"');
        let mut is_escaped = false;
        let end = self.rest().char_indices().find_map(|(at, ch)| {
            let is_end = ch == '"' && !is_escaped;
            is_escaped = ch == '\\' && !is_escaped;
            is_end.then_some(at)
        });
        let end = end.ok_or_else(|| Fault::new(start, "the text has no closing quotation mark"))?;
        self.at += end + 1;
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|error| {
            let what = match error.to_string() {
                message if message.contains("control character") => {
                    "holds a line break or a control character; write \\n for a line break"
                }
                _ => "holds a backslash with something unknown after it; write \\\\ for a backslash",
            };
            Fault::new(start, format!("the text {what}"))
        })
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let rest = self.rest();
        let end = rest.find(|ch: char| !ch.is_ascii_alphanumeric() && !"+-._".contains(ch)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => match serde_json::from_str::<f64>(word) {
                Ok(number) => Value::Number(number),
                Err(_) => {
                    return Err(
                        self.expected("a value: a text in double quotes, a number, true, false, null, {…} or […]")
                    );
                }
            },
        };
        self.at += end;
        Ok(value)
    }

    fn expected(&self, what: &str) -> Fault {
        match self.peek() {
            None => Fault::new(self.at, format!("the text ends too early: expected {what}")),
            Some(_) => Fault::new(self.at, format!("expected {what}")),
        }
    }
}
