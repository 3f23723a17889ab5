//! Showing what an edit changed.

use std::time::Duration;

use similar::{Algorithm, DiffOp, TextDiff, group_diff_ops};

/// Unchanged lines that the edit tool shows around a change.
pub(super) const CONTEXT: usize = 4;
/// Two large texts with nothing in common would take very long to align; past this it need not be minimal.
const PATIENCE: Duration = Duration::from_secs(2);

/// What changed, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Lines as `+N text`, `-N text` and ` N text`, with ` ...` where unchanged lines are left out.
    pub diff: String,
    /// A unified patch.
    pub patch: String,
    /// The first line of the new text that differs, counted from 1.
    pub first_changed_line: Option<usize>,
}

/// Compares two texts line by line and shows `context` unchanged lines around each change.
pub fn changes(path: &str, before: &str, after: &str, context: usize) -> Changes {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_slices(&old, &new);
    let width = before.split('\n').count().max(after.split('\n').count()).to_string().len();
    Changes {
        diff: numbered(diff.ops(), &old, &new, width, context),
        patch: patch(path, diff.ops(), &old, &new, context),
        first_changed_line: diff.ops().iter().find(|op| !is_equal(op)).map(|op| op.new_range().start + 1),
    }
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

fn numbered(ops: &[DiffOp], old: &[&str], new: &[&str], width: usize, context: usize) -> String {
    let show = |sign: char, index: usize, line: &str| {
        format!("{sign}{:>width$} {}", index + 1, line.strip_suffix('\n').unwrap_or(line))
    };
    let mut out = Vec::new();
    for (position, op) in ops.iter().enumerate() {
        let from = op.old_range();
        if !is_equal(op) {
            out.extend(from.map(|line| show('-', line, old[line])));
            out.extend(op.new_range().map(|line| show('+', line, new[line])));
            continue;
        }
        // Only lines near a change are shown, and no gap where there is nothing to leave out.
        let lead = if position > 0 { context } else { 0 };
        let trail = if position + 1 < ops.len() { context } else { 0 };
        if from.len() <= lead.saturating_add(trail) {
            out.extend(from.map(|line| show(' ', line, old[line])));
            continue;
        }
        out.extend((from.start..from.start + lead).map(|line| show(' ', line, old[line])));
        out.push(format!(" {:width$} ...", ""));
        out.extend((from.end - trail..from.end).map(|line| show(' ', line, old[line])));
    }
    out.join("\n")
}

fn patch(path: &str, ops: &[DiffOp], old: &[&str], new: &[&str], context: usize) -> String {
    let mut out = format!("--- {path}\n+++ {path}\n");
    for hunk in group_diff_ops(ops.to_vec(), context) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let from = first.old_range().start..last.old_range().end;
        let to = first.new_range().start..last.new_range().end;
        // An empty range is named by the line before it.
        let start = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
        out.push_str(&format!("@@ -{},{} +{},{} @@\n", start(&from), from.len(), start(&to), to.len()));
        for op in &hunk {
            let mut show = |sign: char, line: &str| {
                out.push(sign);
                out.push_str(line);
                if !line.ends_with('\n') {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            };
            if is_equal(op) {
                op.old_range().for_each(|line| show(' ', old[line]));
            } else {
                op.old_range().for_each(|line| show('-', old[line]));
                op.new_range().for_each(|line| show('+', new[line]));
            }
        }
    }
    out
}
