//! What stands behind the name of a prompt: values in the order of its arguments, or by name.

use std::iter;

use serde_json::{Map, Value};

use crate::connection::{PromptArgument, ServerPrompt};

/// How the arguments are given, for lists: `<needed> [optional]`.
pub(in crate::extension) fn hint(prompt: &ServerPrompt) -> String {
    let shown = |argument: &PromptArgument| {
        let name = crate::summary::one_line(&argument.name, 60);
        if argument.required { format!("<{name}>") } else { format!("[{name}]") }
    };
    prompt.arguments.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A value and where it begins and ends in the text.
struct Word {
    text: String,
    /// The argument that it is for, where it says so.
    name: Option<String>,
    start: usize,
    is_quoted: bool,
}

/// The arguments of a prompt in a text. Values stand in their order or as `name=value`, in quotes where they have spaces;
/// the last argument takes all that is left.
///
/// # Errors
/// What is missing or too much, for people.
pub(super) fn parse(prompt: &ServerPrompt, text: &str) -> Result<Map<String, Value>, String> {
    let words = words(text, &prompt.arguments);
    let is_named = |name: &str| words.iter().any(|word| word.name.as_deref() == Some(name));
    let mut open: Vec<&PromptArgument> = prompt.arguments.iter().filter(|argument| !is_named(&argument.name)).collect();
    open.reverse();
    let mut args = Map::new();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        if let Some(name) = word.name {
            args.insert(name, Value::from(word.text));
            continue;
        }
        let Some(argument) = open.pop() else {
            return Err(match prompt.arguments.len() {
                0 => "it takes no arguments".to_owned(),
                _ => format!("it takes only {}", hint(prompt)),
            });
        };
        let is_last = open.is_empty() && words.peek().is_some() && !word.is_quoted;
        let value = if is_last {
            let rest: Vec<Word> = iter::from_fn(|| words.next_if(|word| word.name.is_none())).collect();
            let end = words.peek().map_or(text.len(), |next| next.start);
            if rest.is_empty() { word.text } else { text[word.start..end].trim_end().to_owned() }
        } else {
            word.text
        };
        args.insert(argument.name.clone(), Value::from(value));
    }
    let is_missing = |argument: &&PromptArgument| argument.required && !args.contains_key(&argument.name);
    let missing: Vec<&str> = prompt.arguments.iter().filter(is_missing).map(|missing| missing.name.as_str()).collect();
    if !missing.is_empty() {
        return Err(format!("{} is missing: it takes {}", missing.join(", "), hint(prompt)));
    }
    // In the order of the server, however they were given.
    let ordered = prompt.arguments.iter().filter_map(|argument| args.remove_entry(&argument.name));
    Ok(ordered.collect())
}

/// The argument that the end of a text is about, and what of its value is there: the text before it, for completion.
pub(super) fn last<'p>(prompt: &'p ServerPrompt, text: &str) -> Option<(&'p PromptArgument, String, usize)> {
    let mut words = words(text, &prompt.arguments);
    let goes_on = !text.is_empty() && !text.ends_with(char::is_whitespace);
    let word = if goes_on { words.pop() } else { None };
    if let Some(name) = word.as_ref().and_then(|word| word.name.clone()) {
        let argument = prompt.arguments.iter().find(|argument| argument.name == name)?;
        let word = word?;
        return Some((argument, word.text, word.start + name.len() + 1));
    }
    let mut open = prompt
        .arguments
        .iter()
        .filter(|argument| !words.iter().any(|word| word.name.as_deref() == Some(argument.name.as_str())));
    let argument = open.nth(words.iter().filter(|word| word.name.is_none()).count())?;
    let (value, start) = word.map_or((String::new(), text.len()), |word| (word.text, word.start));
    Some((argument, value, start))
}

/// The words of a text. A quote at the beginning of a value groups up to the next one of its kind.
fn words(text: &str, arguments: &[PromptArgument]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let start = at + (rest.len() - rest.trim_start().len());
        let rest = &text[start..];
        if rest.is_empty() {
            return words;
        }
        let is_named = |argument: &&PromptArgument| {
            rest.strip_prefix(argument.name.as_str()).is_some_and(|rest| rest.starts_with('='))
        };
        let name = arguments.iter().find(is_named).map(|argument| argument.name.clone());
        let value_at = start + name.as_ref().map_or(0, |name| name.len() + 1);
        let value = &text[value_at..];
        let quoted = ['"', '\''].into_iter().find_map(|quote| {
            let inner = value.strip_prefix(quote)?;
            let end = inner.find(quote)?;
            let after = &inner[end + 1..];
            // `'a'b` is a word with quotes in it.
            (after.is_empty() || after.starts_with(char::is_whitespace)).then(|| inner[..end].to_owned())
        });
        let end = match &quoted {
            Some(inner) => value_at + inner.len() + 2,
            None => value_at + value.find(char::is_whitespace).unwrap_or(value.len()),
        };
        let is_quoted = quoted.is_some();
        let text_of = quoted.unwrap_or_else(|| text[value_at..end].to_owned());
        words.push(Word { text: text_of, name, start, is_quoted });
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prompt(arguments: &[(&str, bool)]) -> ServerPrompt {
        let arguments = arguments.iter().map(|(name, required)| PromptArgument {
            name: (*name).to_owned(),
            description: String::new(),
            required: *required,
        });
        ServerPrompt { name: "p".to_owned(), description: String::new(), arguments: arguments.collect() }
    }

    #[test]
    fn values_stand_in_order_or_by_name() {
        let two = prompt(&[("file", true), ("how", false)]);
        for (text, expected) in [
            ("a.rs", json!({"file": "a.rs"})),
            ("a.rs in a few words ", json!({"file": "a.rs", "how": "in a few words"})),
            ("\"two words\" 'x y'", json!({"file": "two words", "how": "x y"})),
            ("how=short a.rs", json!({"file": "a.rs", "how": "short"})),
            ("how=\"very short\" a.rs", json!({"file": "a.rs", "how": "very short"})),
            ("a.rs it's \"so\" and so", json!({"file": "a.rs", "how": "it's \"so\" and so"})),
            ("a b c file=x", json!({"file": "x", "how": "a b c"})),
            ("other=1", json!({"file": "other=1"})),
            ("\"open", json!({"file": "\"open"})),
            ("file=", json!({"file": ""})),
        ] {
            assert_eq!(parse(&two, text).map(Value::Object), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let two = prompt(&[("file", true), ("how", false)]);
        assert_eq!(parse(&two, " "), Err("file is missing: it takes <file> [how]".to_owned()));
        assert_eq!(parse(&two, "a \"b\" c"), Err("it takes only <file> [how]".to_owned()));
        assert_eq!(parse(&prompt(&[]), "x"), Err("it takes no arguments".to_owned()));
        assert_eq!(parse(&prompt(&[]), "  "), Ok(Map::new()));
    }

    #[test]
    fn the_end_of_a_text_belongs_to_an_argument() {
        let two = prompt(&[("file", true), ("how", false)]);
        let last = |text: &str| last(&two, text).map(|(argument, value, at)| (argument.name.clone(), value, at));
        let is = |name: &str, value: &str, at: usize| Some((name.to_owned(), value.to_owned(), at));
        assert_eq!(last(""), is("file", "", 0));
        assert_eq!(last("sr"), is("file", "sr", 0));
        assert_eq!(last("src "), is("how", "", 4));
        assert_eq!(last("how=sh"), is("how", "sh", 4));
        assert_eq!(last("how=x f"), is("file", "f", 6));
        assert_eq!(last("a b c"), None);
    }
}
