//! The lines of a damaged file that can be read.

use serde_json::value::to_raw_value;
use tau_ai::json::replace_lone_surrogates;

use super::{Fix, salvage};
use crate::json::{RawFields, mending};
use crate::line::Envelope;
use crate::lines::{Line, lines};
use crate::{EntryId, ProblemReason};

/// A line that stays.
pub(super) struct Row {
    /// Its number in the file, from 1.
    pub(super) line: usize,
    /// Without the end of the line.
    pub(super) text: String,
    /// The line before it, when that one cannot be read.
    lost: Option<Vec<u8>>,
}

/// The rows of a text, the header first, which is in this line. What has to be left out or changed is added to `fixes`.
pub(super) fn read(text: &[u8], header: usize, fixes: &mut Vec<Fix>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut lost, mut returns) = (None, Vec::new());
    for line in lines(text).filter(|line| !line.is_blank()) {
        let wrong = match line.number {
            number if number < header => Some(unreadable(&line).unwrap_or(ProblemReason::NotAnObject)),
            number if number == header => None,
            _ => unreadable(&line),
        };
        if let Some(reason) = wrong {
            let entries = if line.number > header {
                salvage::entries(&line.text, |one| incomplete(one).is_none())
            } else {
                Vec::new()
            };
            if entries.is_empty() {
                fixes.push(Fix::Removed(line.problem(reason)));
                lost = Some(line.original.to_vec());
                continue;
            }
            fixes.push(Fix::Salvaged { line: line.number, entries: entries.len() });
            let mut before = lost.take().or_else(|| Some(line.original.to_vec()));
            rows.extend(entries.into_iter().map(|text| Row { line: line.number, text, lost: before.take() }));
            continue;
        }
        if !line.is_utf8() {
            fixes.push(Fix::Characters { line: line.number });
        }
        if line.original.ends_with(b"\r") {
            returns.push(line.number);
        }
        if !line.ends_with_newline {
            fixes.push(Fix::Newline { line: line.number });
        }
        let text = line.text.trim_end_matches('\r').to_owned();
        rows.push(Row { line: line.number, text, lost: lost.take() });
    }
    if let Some(&first) = returns.first() {
        fixes.push(Fix::LineEnds { line: first, count: returns.len() });
    }
    rows
}

/// Why a line behind the header is no entry.
fn unreadable(line: &Line<'_>) -> Option<ProblemReason> {
    let error = match serde_json::from_str::<Envelope<'_>>(&line.text) {
        Ok(envelope) => return incomplete(&envelope),
        Err(error) => error,
    };
    let fixed = replace_lone_surrogates(&line.text);
    match fixed.as_deref().map(serde_json::from_str::<Envelope<'_>>) {
        Some(Ok(envelope)) => incomplete(&envelope),
        _ => Some(line.bad(&error).reason),
    }
}

fn incomplete(envelope: &Envelope<'_>) -> Option<ProblemReason> {
    match (envelope.kind.as_deref(), envelope.id.as_deref()) {
        (None, _) => Some(ProblemReason::Incomplete("type")),
        (Some("session"), _) => Some(ProblemReason::SecondHeader),
        (Some(_), None) => Some(ProblemReason::Incomplete("id")),
        (Some(_), Some(_)) => None,
    }
}

impl Row {
    /// Puts the entry below another one; `None`: it begins a tree.
    pub(super) fn set_parent(&mut self, parent: Option<&EntryId>) -> Result<(), serde_json::Error> {
        let parent = to_raw_value(&parent)?;
        self.text = mending(&self.text, |text| RawFields::parse(text)?.with(&[("parentId", parent.clone())]))?;
        Ok(())
    }

    /// Whether the line before it cannot be read and may be the entry of this id: it has the id, or ends before it says what
    /// it hangs on.
    pub(super) fn is_behind(&self, id: &str) -> bool {
        let has = |lost: &[u8], text: &str| memchr::memmem::find(lost, text.as_bytes()).is_some();
        self.lost.as_deref().is_some_and(|lost| has(lost, &format!("\"{id}\"")) || !has(lost, "\"parentId\""))
    }
}
