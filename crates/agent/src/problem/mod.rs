//! What a user reads of an error: what is wrong, where, and what to do next.
//!
//! Errors of all crates become a [`Problem`] by [`ToProblem`]. It is shown as one text, which is what the error itself says,
//! and front ends that have room for more show its parts.

mod errors;

use std::fmt;

use serde_json::{Map, Value};

/// Something that is wrong, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    text: String,
    place: Option<String>,
    next: Option<String>,
}

/// An error that users read.
pub trait ToProblem {
    /// What they read of it.
    fn to_problem(&self) -> Problem;
}

impl Problem {
    /// A problem in one text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self { text: text.to_string(), place: None, next: None }
    }

    /// Says where it is, as the text does.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Says what to do next, in the words with which the text ends.
    #[must_use]
    pub fn next(mut self, step: impl fmt::Display) -> Self {
        self.next = Some(step.to_string()).filter(|step| !step.trim().is_empty());
        self
    }

    /// What is wrong: the text without the place before it and the step after it; all of it when it is only a step.
    pub fn what(&self) -> &str {
        let text = self.text.as_str();
        let place = self.place.as_deref();
        let text = place.and_then(|place| text.strip_prefix(place)?.strip_prefix(": ")).unwrap_or(text);
        let without = self.next.as_deref().and_then(|step| text.strip_suffix(step));
        let what = without.map_or(text, |text| text.trim_end().trim_end_matches([';', ':', '-']).trim_end());
        if what.is_empty() { text } else { what }
    }

    /// Where it is: a file, with line and column where they are known, an address, or what was asked for.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// What to do next.
    pub fn next_step(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// The parts besides the text, for protocols whose errors carry data; nothing when there are none.
    pub fn data(&self) -> Option<Value> {
        let parts = [("where", self.place()), ("nextStep", self.next_step())];
        let data: Map<String, Value> =
            parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?.into()))).collect();
        (!data.is_empty()).then(|| Value::Object(data))
    }
}

/// One text for all of it.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ToProblem for Problem {
    fn to_problem(&self) -> Problem {
        self.clone()
    }
}

impl ToProblem for str {
    fn to_problem(&self) -> Problem {
        Problem::new(self)
    }
}

impl ToProblem for String {
    fn to_problem(&self) -> Problem {
        Problem::new(self)
    }
}

impl ToProblem for std::io::Error {
    fn to_problem(&self) -> Problem {
        Problem::new(self)
    }
}

impl<E: ToProblem + ?Sized> ToProblem for &E {
    fn to_problem(&self) -> Problem {
        (**self).to_problem()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_parts_are_cut_out_of_the_text() {
        let problem =
            Problem::new("a/b.json:3: it is no object; correct it first").at("a/b.json:3").next("correct it first");
        assert_eq!(problem.what(), "it is no object");
        assert_eq!(problem.to_string(), "a/b.json:3: it is no object; correct it first");
        assert_eq!(problem.data(), Some(json!({"where": "a/b.json:3", "nextStep": "correct it first"})));
        let sentence = Problem::new("No model selected. Choose one with --model.").next("Choose one with --model.");
        assert_eq!((sentence.what(), sentence.place()), ("No model selected.", None));
        let inside = Problem::new("there is nothing at /x").at("/x");
        assert_eq!(
            (inside.what(), inside.next_step(), inside.data()),
            ("there is nothing at /x", None, Some(json!({"where": "/x"})))
        );
        assert_eq!(Problem::new("plain").data(), None);
    }
}
