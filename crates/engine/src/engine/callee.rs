//! The words of the engine, as authors of extensions know them: what it says of a missing value in the words that other
//! engines have, and what its words "not a function" are about.
//!
//! The engine does not say what was called, and points at the last name before the call: what was called, or a call among
//! its arguments. So the names are read from the source around that place; where several may be meant, all are named.
//! Programs catch such errors and pass on what they say, so they get their words when they are thrown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use super::frame::Frame;

/// What the engine says of a call of something that is no function.
const NOT_A_FUNCTION: &str = "not a function";
/// Sources larger than this are not read again for a name.
const MOST: u64 = 4 << 20;
/// How far back the beginning of a call is looked for, in characters.
const FAR: usize = 4_000;
/// How many places are remembered: code may run into the same error again and again.
const PLACES: usize = 256;
/// Names of the language, which are there.
const THERE: &[&str] = &[
    "Array", "BigInt", "Boolean", "Buffer", "Date", "Error", "JSON", "Map", "Math", "Number", "Object", "Promise",
    "RegExp", "Set", "String", "Symbol", "catch", "console", "for", "function", "if", "process", "require", "return",
    "switch", "typeof", "while",
];

/// Says errors of the engine in other words.
#[derive(Default)]
pub(super) struct Words {
    /// What is said of a call at a place.
    places: RefCell<HashMap<Frame, Option<String>>>,
}

impl Words {
    /// The message in the words that authors know, if they are others: with the names of what may have been called, where
    /// the innermost frame shows them. `frame` is asked for only then, and is none for functions of the engine.
    pub(super) fn of(&self, message: &str, frame: impl FnOnce() -> Option<Frame>) -> Option<String> {
        if message != NOT_A_FUNCTION {
            return of_a_missing_value(message);
        }
        let frame = frame()?;
        if let Some(known) = self.places.borrow().get(&frame) {
            return known.clone();
        }
        let found = of_a_call(&frame);
        let mut places = self.places.borrow_mut();
        if places.len() >= PLACES {
            places.clear();
        }
        places.insert(frame, found.clone());
        found
    }
}

fn of_a_call(frame: &Frame) -> Option<String> {
    let source: Vec<char> = read(frame)?.chars().collect();
    let names = callees(&source, offset(&source, frame)?);
    (!names.is_empty()).then(|| format!("{} is {NOT_A_FUNCTION}", names.join(" or ")))
}

/// Whether an error of this message and stack shows a mistake in the source, and nothing that a program says on purpose.
pub fn is_mistake(message: &str, stack: &str) -> bool {
    let of_a_value = ["Cannot read properties of ", "Cannot set properties of "];
    let said = |start: &str, end: &[&str]| stack.starts_with(start) && end.iter().any(|end| message.ends_with(*end));
    said("ReferenceError", &[" is not defined", " is not initialized"])
        || said("TypeError", &[NOT_A_FUNCTION, " is not iterable"])
        || (stack.starts_with("TypeError") && of_a_value.iter().any(|start| message.starts_with(*start)))
}

/// What the engine says of a property of `undefined` or `null`, in the usual words.
fn of_a_missing_value(message: &str) -> Option<String> {
    let (verb, doing, rest) = match message.strip_prefix("cannot read property '") {
        Some(rest) => ("read", "reading", rest),
        None => ("set", "setting", message.strip_prefix("cannot set property '")?),
    };
    let (name, value) = rest.rsplit_once("' of ")?;
    if !matches!(value, "undefined" | "null") {
        return None;
    }
    Some(match name {
        "Symbol.iterator" | "Symbol.asyncIterator" => format!("{value} is not iterable"),
        name => format!("Cannot {verb} properties of {value} ({doing} '{name}')"),
    })
}

/// The source that a frame is in, if it is a file of ordinary size.
fn read(frame: &Frame) -> Option<String> {
    let path = std::path::Path::new(&frame.file);
    let meta = path.is_absolute().then(|| std::fs::metadata(path).ok())??;
    if !meta.is_file() || meta.len() > MOST {
        return None;
    }
    let mut source = String::new();
    File::open(path).ok()?.take(MOST).read_to_string(&mut source).ok()?;
    Some(source)
}

fn offset(source: &[char], frame: &Frame) -> Option<usize> {
    let line = usize::try_from(frame.line).ok()?.checked_sub(1)?;
    let column = usize::try_from(frame.column).ok()?.checked_sub(1)?;
    let start = match line.checked_sub(1) {
        None => 0,
        Some(before) => source.iter().enumerate().filter(|(_, char)| **char == '\n').nth(before)?.0 + 1,
    };
    Some(start + column).filter(|at| *at < source.len())
}

/// The names that are called around a place, outermost first: those of the calls that it is an argument of, up to the
/// function it is in, and the one it is part of.
fn callees(source: &[char], at: usize) -> Vec<String> {
    let mut end = at;
    while source.get(end).is_some_and(|&char| is_part(char)) {
        end += 1;
    }
    let mut names: Vec<String> = Vec::new();
    names.extend(name_before(source, end).filter(|_| source.get(end) == Some(&'(')));
    let mut open = 0_u32;
    // Whether a comma stands between the place and here, so that an arrow before it belongs to another argument.
    let mut is_apart = false;
    let mut here = at;
    while here > at.saturating_sub(FAR) {
        here -= 1;
        match source[here] {
            ')' | ']' | '}' => open += 1,
            '(' | '[' | '{' if open > 0 => open -= 1,
            '{' if begins_a_body(source, here) => break,
            '(' => {
                names.extend(name_before(source, here));
                is_apart = false;
            }
            ';' if open == 0 => break,
            ',' if open == 0 => is_apart = true,
            '>' if open == 0 && !is_apart && source[..here].ends_with(&['=']) => break,
            quote @ ('"' | '\'' | '`') => {
                let string = source[..here].iter().rposition(|&char| char == quote || char == '\n');
                here = string.filter(|start| source[*start] == quote).unwrap_or(here);
            }
            _ => {}
        }
    }
    names.retain(|name| !THERE.contains(&name.split('.').next().unwrap_or_default()));
    names.reverse();
    names
}

/// Whether a brace begins the body of a function and not an object.
fn begins_a_body(source: &[char], at: usize) -> bool {
    source[..at]
        .iter()
        .rev()
        .find(|char| !char.is_whitespace())
        .is_none_or(|char| matches!(char, '>' | ')' | ';' | '}'))
}

/// The members, joined by dots, that end before a place.
fn name_before(source: &[char], end: usize) -> Option<String> {
    let length = source[..end].iter().rev().take_while(|char| is_part(**char)).count();
    // What is made says that it is no constructor.
    if source[..end - length].ends_with(&['n', 'e', 'w', ' ']) {
        return None;
    }
    let text: String = source[end - length..end].iter().filter(|char| **char != '?').collect();
    let text = text.trim_end_matches('.');
    let is_name = |name: &str| name.chars().next().is_some_and(|first| is_word(first) && !first.is_ascii_digit());
    text.split('.').all(is_name).then(|| text.to_owned())
}

fn is_part(char: char) -> bool {
    is_word(char) || char == '.' || char == '?'
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

#[cfg(test)]
mod tests {
    use super::{Words, callees, is_mistake};

    /// The names at the place of a mark.
    fn at(source: &str) -> Vec<String> {
        let place = source.chars().position(|char| char == '¦').expect("a mark");
        let source: Vec<char> = source.chars().filter(|char| *char != '¦').collect();
        callees(&source, place)
    }

    #[test]
    fn what_is_called_is_named_up_to_the_function_it_is_in() {
        assert_eq!(at("f(1); const x = await pi.¦registerThing(1);"), ["pi.registerThing"]);
        assert_eq!(at("pi.on('x', async (e) => { ctx.ui?.¦custom?.(1) })"), ["ctx.ui.custom"]);
        assert_eq!(at("pi.on('x', ¦x)"), ["pi.on"]);
        assert_eq!(at("pi.foo({\n  a: f(2),\n  b: Type.¦Object({}),\n})"), ["pi.foo", "Type.Object"]);
        assert_eq!(at("pi.foo(')', { a: 1, b: ¦String(2) })"), ["pi.foo"]);
        assert_eq!(at("attempt(() => pi.¦foo(1))"), ["pi.foo"]);
        assert_eq!(at("attempt((x) => x, pi.¦foo(1))"), ["attempt", "pi.foo"]);
    }

    #[test]
    fn missing_values_are_told_in_the_usual_words() {
        for (engine, usual) in [
            ("cannot read property 'bar' of undefined", "Cannot read properties of undefined (reading 'bar')"),
            ("cannot read property 'a' of ' of null", "Cannot read properties of null (reading 'a' of ')"),
            ("cannot set property 'x' of null", "Cannot set properties of null (setting 'x')"),
            ("cannot read property 'Symbol.iterator' of undefined", "undefined is not iterable"),
        ] {
            assert_eq!(Words::default().of(engine, || None).as_deref(), Some(usual));
        }
        for other in ["cannot read property 'x' of mine", "something else", "not a function"] {
            assert_eq!(Words::default().of(other, || None), None);
        }
    }

    #[test]
    fn a_mistake_is_told_from_what_is_thrown_on_purpose() {
        for mistake in ["p.foo is not a function", "Cannot read properties of null (reading 'a')", "x is not iterable"]
        {
            assert!(is_mistake(mistake, "TypeError: x") && !is_mistake(mistake, "Error: x"), "{mistake}");
        }
        assert!(is_mistake("x is not defined", "ReferenceError: x is not defined"));
        assert!(!is_mistake("fetch failed", "TypeError: fetch failed"));
    }

    #[test]
    fn what_is_no_plain_name_is_left_out() {
        assert!(at("(a || b¦)(1)").is_empty());
        assert!(at("list[¦0](1)").is_empty());
        assert!(at("¦x").is_empty());
        assert!(at("new ¦Thing(1)").is_empty());
    }
}
