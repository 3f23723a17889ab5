//! Comparing texts line by line.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Diff, Kind};

/// How many lines of both texts together are aligned as well as possible; of more, only those that are in each text
/// once are looked for first.
const MAX_ALIGNED: usize = 4000;

/// A run of lines: in both texts, or in one of them in place of what the other has.
struct Run {
    equal: bool,
    old: Range<usize>,
    new: Range<usize>,
}

pub(super) fn compare(old: &str, new: &str, context: usize, diff: &mut Diff) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let runs = runs(&old, &new);
    for (position, run) in runs.iter().enumerate() {
        if !run.equal {
            run.old.clone().for_each(|line| diff.push(Kind::Removed, Some(line + 1), old[line]));
            run.new.clone().for_each(|line| diff.push(Kind::Added, Some(line + 1), new[line]));
            continue;
        }
        let lead = if position > 0 { context } else { 0 };
        let trail = if position + 1 < runs.len() { context } else { 0 };
        let mut show = |lines: Range<usize>| {
            lines.for_each(|line| diff.push(Kind::Context, Some(line + 1), new[line]));
        };
        if run.new.len() <= lead.saturating_add(trail) {
            show(run.new.clone());
            continue;
        }
        show(run.new.start..run.new.start + lead);
        let trail = run.new.end - trail..run.new.end;
        if runs.len() > 1 {
            diff.push(Kind::Gap, None, "...");
        }
        trail.for_each(|line| diff.push(Kind::Context, Some(line + 1), new[line]));
    }
}

fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let (old, new) = numbered(old, new);
    let mut runs = Runs::default();
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    runs.push(true, 0..head, 0..head);
    if old_end - head + (new_end - head) <= MAX_ALIGNED {
        runs.align(&old, &new, head..old_end, head..new_end);
    } else {
        let (mut from, mut to) = (head, head);
        for (at, other) in anchors(&old[head..old_end], &new[head..new_end]) {
            let (at, other) = (head + at, head + other);
            runs.align(&old, &new, from..at, to..other);
            runs.push(true, at..at + 1, other..other + 1);
            (from, to) = (at + 1, other + 1);
        }
        runs.align(&old, &new, from..old_end, to..new_end);
    }
    runs.push(true, old_end..old.len(), new_end..new.len());
    runs.0
}

/// Equal lines as equal numbers.
fn numbered(old: &[&str], new: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = HashMap::new();
    let mut number = |line: &&str| {
        let next = numbers.len();
        // Past the limits of a row, lines are still compared whole.
        *numbers.entry((*line).to_owned()).or_insert(next)
    };
    (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect())
}

#[derive(Default)]
struct Runs(Vec<Run>);

impl Runs {
    fn push(&mut self, equal: bool, old: Range<usize>, new: Range<usize>) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.equal == equal => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => self.0.push(Run { equal, old, new }),
        }
    }

    fn align(&mut self, old: &[usize], new: &[usize], from: Range<usize>, to: Range<usize>) {
        if from.len() + to.len() > MAX_ALIGNED || from.is_empty() || to.is_empty() {
            return self.push(false, from, to);
        }
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        for op in capture_diff_slices(Algorithm::Myers, &old[from.clone()], &new[to.clone()]) {
            let equal = matches!(op, DiffOp::Equal { .. });
            self.push(equal, shift(op.old_range(), from.start), shift(op.new_range(), to.start));
        }
    }
}

/// Lines that are in each text once, as many as are in the same order.
fn anchors(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let unique = |lines: &[usize]| {
        let mut places: HashMap<usize, Option<usize>> = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            places.entry(*line).and_modify(|place| *place = None).or_insert(Some(place));
        }
        places
    };
    let others = unique(new);
    let places = unique(old);
    let pairs: Vec<(usize, usize)> = old
        .iter()
        .enumerate()
        .filter(|(_, line)| places.get(line).is_some_and(Option::is_some))
        .filter_map(|(place, line)| Some((place, (*others.get(line)?)?)))
        .collect();
    // The longest run of pairs whose places rise in the new text too; `ends[n]` ends the best run of n + 1 pairs.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, other)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *other);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut found: Vec<_> = std::iter::successors(ends.last().copied(), |index| before[*index]).collect();
    found.reverse();
    found.into_iter().map(|index| pairs[index]).collect()
}
