//! Calls without a result and results without a call, on every branch.
//!
//! A result that is not there gets an entry, below the call and what follows it, and above what continues the conversation:
//! each branch has a way through it. A result that nobody waits for stays where it is, and what hung on it hangs on the entry
//! above, so that no branch has a way through it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::value::to_raw_value;
use tau_ai::{ContentBlock, Message, Sources, StopReason, ToolResultMessage};

use super::report::Unplaced;
use crate::json::{RawFields, mending};
use crate::{Entry, EntryBody, EntryId, EntryKind, LEAF_MARKER, MessageRole, SessionTree};

/// What stands in the result of a call that has none.
const NO_RESULT: &str = "The session ended before this call had a result.";

/// What to do. Entries are meant by their place in the file, from 0.
#[derive(Default)]
pub(super) struct Plan {
    /// The new lines behind an entry.
    pub(super) behind: BTreeMap<usize, Vec<String>>,
    /// The new parents of entries.
    pub(super) parents: BTreeMap<usize, EntryId>,
    /// A new last line.
    pub(super) last: Option<String>,
    /// The same for people.
    pub(super) fixes: Vec<Unplaced>,
}

/// The calls that wait for a result at a place of a branch.
#[derive(Clone, Default)]
struct Waiting {
    /// Id and name of the tool.
    calls: Vec<(String, String)>,
    /// The model sees the calls, so each needs a result.
    is_due: bool,
    timestamp: i64,
}

/// What an entry is for the calls above it.
enum Part {
    /// The result of one; the others wait on.
    Result(Waiting),
    /// A result that nobody waits for.
    Extra,
    /// Something the model does not see.
    Unseen,
    /// What continues the conversation, with the calls in it.
    Next(Waiting),
}

/// Says what to do about the calls of a session whose ids are unique. `leaf` is where it continues.
pub(super) fn plan(tree: &SessionTree, leaf: Option<&EntryId>, sources: &Sources) -> Result<Plan, serde_json::Error> {
    let mut parents = vec![None; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        node.children.iter().for_each(|child| parents[*child] = Some(at));
    }
    let taken = tree.nodes.iter().map(|node| node.entry.id().clone()).collect();
    let (plan, results, aside) = (Plan::default(), HashMap::new(), BTreeSet::new());
    let leaf = leaf.and_then(|leaf| tree.nodes.iter().position(|node| node.entry.id() == leaf));
    let mut work = Work { tree, leaf, parents, sources, taken, plan, results, aside };
    for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| is_result(&node.entry)) {
        if let Some(call) = call_of(&node.entry) {
            work.results.entry(call).or_default().push(at);
        }
    }
    let mut open: Vec<(usize, Waiting)> = tree.roots.iter().rev().map(|&at| (at, work.begin(at))).collect();
    while let Some((at, waiting)) = open.pop() {
        work.visit(at, &waiting, &mut open)?;
    }
    work.plan.fixes.extend(work.aside.into_iter().map(|entry| Unplaced::Aside { entry }));
    Ok(work.plan)
}

struct Work<'a> {
    tree: &'a SessionTree,
    leaf: Option<usize>,
    parents: Vec<Option<usize>>,
    sources: &'a Sources,
    taken: HashSet<EntryId>,
    plan: Plan,
    /// The results of a call, by its id.
    results: HashMap<String, Vec<usize>>,
    /// Results that nobody waits for and that were in the way.
    aside: BTreeSet<usize>,
}

impl Work<'_> {
    fn entry(&self, at: usize) -> &Entry {
        &self.tree.nodes[at].entry
    }

    /// What waits at the beginning of a tree.
    fn begin(&self, at: usize) -> Waiting {
        match self.part(at, &Waiting::default()) {
            Part::Next(waiting) => waiting,
            Part::Result(_) | Part::Extra | Part::Unseen => Waiting::default(),
        }
    }

    fn part(&self, at: usize, waiting: &Waiting) -> Part {
        let entry = self.entry(at);
        match (entry.kind(), entry.role()) {
            (EntryKind::Message, Some(MessageRole::System)) => Part::Unseen,
            (EntryKind::Message, Some(MessageRole::ToolResult)) => {
                let Some(call) = call_of(entry) else { return Part::Unseen };
                match waiting.calls.iter().position(|(id, _)| *id == call) {
                    Some(found) => {
                        let mut rest = waiting.clone();
                        rest.calls.remove(found);
                        Part::Result(rest)
                    }
                    None => Part::Extra,
                }
            }
            (EntryKind::Message, Some(MessageRole::Assistant)) => Part::Next(calls_of(entry)),
            (EntryKind::Message | EntryKind::CustomMessage | EntryKind::BranchSummary | EntryKind::Compaction, _) => {
                Part::Next(Waiting::default())
            }
            _ => Part::Unseen,
        }
    }

    /// Whether an entry only says that the session once continued above it.
    fn is_old_marker(&self, at: usize) -> bool {
        let node = &self.tree.nodes[at];
        node.entry.marks().moves_leaf && node.children.is_empty() && at + 1 < self.tree.nodes.len()
    }

    /// What hangs on an entry once results that nobody waits for are no part of any way; with whether it moves for that.
    fn below(&mut self, at: usize, waiting: &Waiting) -> Result<Vec<(usize, bool)>, serde_json::Error> {
        let mut found = Vec::new();
        let mut open: Vec<usize> = self.tree.nodes[at].children.iter().rev().copied().collect();
        while let Some(child) = open.pop() {
            if self.is_old_marker(child) {
                continue;
            }
            if !matches!(self.part(child, waiting), Part::Extra) {
                let above = std::iter::successors(self.parents[child], |above| self.parents[*above]);
                let extras: Vec<usize> = above.take_while(|above| *above != at).collect();
                found.push((child, !extras.is_empty()));
                self.aside.extend(extras);
                continue;
            }
            let below = &self.tree.nodes[child].children;
            if self.leaf == Some(child) && below.iter().all(|at| self.is_old_marker(*at)) {
                // The session continues above it.
                let marker = EntryBody::custom(LEAF_MARKER, None);
                let (id, parent) = (self.new_id(), self.entry(at).id().clone());
                let time = self.entry(child).timestamp().to_owned();
                self.plan.last = Some(Entry::new(id, Some(parent), time, marker).json()?.into_owned());
                self.aside.insert(child);
            }
            open.extend(below.iter().rev());
        }
        Ok(found)
    }

    fn visit(
        &mut self,
        at: usize,
        waiting: &Waiting,
        open: &mut Vec<(usize, Waiting)>,
    ) -> Result<(), serde_json::Error> {
        let had_last = self.plan.last.is_some();
        let below = self.below(at, waiting)?;
        // The session continues here, beside what hangs here already.
        let continues = !had_last && self.plan.last.is_some();
        let own = self.entry(at).id().clone();
        let (mut next, ends) = (Vec::new(), below.is_empty());
        for (child, moves) in below {
            match self.part(child, waiting) {
                Part::Next(calls) => next.push((child, moves, calls)),
                Part::Result(rest) => open.push((child, rest)),
                Part::Unseen | Part::Extra => open.push((child, waiting.clone())),
            }
            if moves {
                self.plan.parents.insert(child, own.clone());
            }
        }
        let is_left = waiting.is_due && !waiting.calls.is_empty();
        if is_left && (ends || continues || !next.is_empty()) {
            let stops: Vec<usize> = next.iter().map(|(child, ..)| *child).collect();
            let last = self.answer(at, waiting, &stops)?;
            for child in stops {
                self.plan.parents.insert(child, last.clone());
            }
            // The mark that was just planned stands below what is new.
            if continues && let Some(line) = &mut self.plan.last {
                let parent = to_raw_value(&last)?;
                *line = RawFields::parse(line)?.with(&[("parentId", parent)])?;
            }
        }
        open.extend(next.into_iter().map(|(child, _, calls)| (child, calls)));
        Ok(())
    }

    /// Adds the results that are not there behind an entry, above these ones. Gives the last of them.
    fn answer(&mut self, at: usize, waiting: &Waiting, above: &[usize]) -> Result<EntryId, serde_json::Error> {
        let mut last = self.entry(at).id().clone();
        for (call, tool) in &waiting.calls {
            let late = self.late(call, above);
            let id = self.new_id();
            let line = match late {
                Some(late) => {
                    let changes = [("id", to_raw_value(&id)?), ("parentId", to_raw_value(&last)?)];
                    mending(&self.entry(late).json()?, |text| RawFields::parse(text)?.with(&changes))?
                }
                None => {
                    let body = no_result(call, tool, waiting.timestamp);
                    let time = self.entry(at).timestamp().to_owned();
                    Entry::new(id.clone(), Some(last), time, body).json()?.into_owned()
                }
            };
            self.plan.behind.entry(at).or_default().push(line);
            let (tool, is_late) = (tool.clone(), late.is_some());
            self.plan.fixes.push(Unplaced::Answered { entry: at, tool, is_late });
            last = id;
        }
        Ok(last)
    }

    /// A result of a call that stands too far down, below one of these entries.
    fn late(&self, call: &str, below: &[usize]) -> Option<usize> {
        let is_late = |at: &usize| {
            let mut way = std::iter::successors(Some(*at), |at| self.parents[*at]);
            let calls_again = |at: &usize| self.entry(*at).tool_calls() > 0 && calls_of(self.entry(*at)).has(call);
            way.find(|at| below.contains(at) || calls_again(at))
                .is_some_and(|at| below.contains(&at) && !calls_again(&at))
        };
        self.results.get(call)?.iter().copied().find(is_late)
    }

    fn new_id(&mut self) -> EntryId {
        let id = EntryId::unused(self.sources, |id| self.taken.contains(id));
        self.taken.insert(id.clone());
        id
    }
}

impl Waiting {
    fn has(&self, call: &str) -> bool {
        self.calls.iter().any(|(id, _)| id == call)
    }
}

fn is_result(entry: &Entry) -> bool {
    entry.role() == Some(MessageRole::ToolResult)
}

/// The call that a result belongs to.
fn call_of(entry: &Entry) -> Option<String> {
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::ToolResult(result) => Some(result.tool_call_id.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The calls of an answer. Those of one that was cut off are none for the model.
fn calls_of(entry: &Entry) -> Waiting {
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::Assistant(answer) => Waiting {
                calls: answer.tool_calls().map(|call| (call.id.clone(), call.name.clone())).collect(),
                is_due: !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted),
                timestamp: answer.timestamp,
            },
            _ => Waiting::default(),
        },
        _ => Waiting::default(),
    }
}

fn no_result(call: &str, tool: &str, timestamp: i64) -> EntryBody {
    EntryBody::message(Message::ToolResult(ToolResultMessage {
        tool_call_id: call.to_owned(),
        tool_name: tool.to_owned(),
        content: vec![ContentBlock::text(NO_RESULT)],
        details: None,
        usage: None,
        is_error: true,
        timestamp,
        extra: tau_ai::JsonMap::new(),
    }))
}
