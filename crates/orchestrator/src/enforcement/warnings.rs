//! What a rule warns of stands in the result of the call.

use std::collections::VecDeque;

use tau_ai::ContentBlock;

/// The most warnings that wait for their results: a call that another gate blocks has none.
const MOST: usize = 64;

/// Warnings of calls that run, by the id of the call.
#[derive(Debug, Default)]
pub(super) struct Warnings(VecDeque<(String, String)>);

impl Warnings {
    /// Keeps the warning of a call.
    pub(super) fn add(&mut self, call: &str, text: String) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((call.to_owned(), text));
    }

    /// The content of a result with the warning of its call behind it; `None` if there is none.
    pub(super) fn added(&mut self, call: &str, content: &[ContentBlock]) -> Option<Vec<ContentBlock>> {
        let at = self.0.iter().position(|(other, _)| other == call)?;
        let (_, text) = self.0.remove(at)?;
        Some(content.iter().cloned().chain([ContentBlock::text(text)]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_stands_behind_the_result_of_its_call_once() {
        let mut warnings = Warnings::default();
        warnings.add("a", "careful".to_owned());
        let content = [ContentBlock::text("done")];
        assert_eq!(warnings.added("b", &content), None);
        let expected = vec![ContentBlock::text("done"), ContentBlock::text("careful")];
        assert_eq!(warnings.added("a", &content), Some(expected));
        assert_eq!(warnings.added("a", &content), None);
    }

    #[test]
    fn what_never_gets_a_result_is_forgotten() {
        let mut warnings = Warnings::default();
        for call in 0..=MOST {
            warnings.add(&call.to_string(), "careful".to_owned());
        }
        assert_eq!((warnings.0.len(), warnings.added("0", &[])), (MOST, None));
    }
}
