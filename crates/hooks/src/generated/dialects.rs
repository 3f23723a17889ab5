//! `docs/dialects.md`.

use std::fmt::Write;

use crate::dialect::{ClosedDialog, Commands, Counts, DIALECTS, Dialect, Part, Rule, SkipRestore, ToolInput};
use crate::events::{EventId, TABLE};
use crate::table::{Deadline, EventRow, Failure, Fold, FoldRule};

const INTRODUCTION: &str = "<!-- Generated from the dialect table: do not edit. -->

# Dialects

Hooks have been written for tau's extension API and for two older ones, and as scripts for a shell. Each kind is a
*dialect*: a set of rules for the same moments. Modules of all of them run unmodified, side by side in one session, each by
its own rules.

";

const GROUPS: &str = "
## How dialects work together

The hooks of a dialect form a group. Within one, handlers are called in load order and, within a module, in the order of
registration, and their results add up by the rules of the dialect. Groups nest like wrappers around a tool:

- Before something happens they are asked from left to right in the table above; each group sees what the ones before it
  made of the event. A block or a cancel of any group ends the round.
- After a tool they are asked from right to left, and each takes what the one inside made of the result as what the tool
  returned.
- `before_agent_start`: the messages of all groups go into the run. `context`: one group after the other.
- Before a session changes (`session_before_*`): of what the groups return, the last field that says something counts.

A failing handler is reported with its file, the event and the error, and the others are called all the same; a gate
stays shut.

";

const EDITS: &str = "
## The arguments of `edit`

`edit` takes a list of changes in `edits`. Hooks that know its older form also find `oldText` and `newText`: the texts of all
edits, joined by newlines, so that a gate that looks at `newText` sees everything that would be written. Where the tool gets
changes of its input, it gets one made in either form:

- With one edit, a changed `oldText` or `newText` is the edit's.
- With several, a changed `edits` is taken. A changed `oldText` or `newText` does not say which edit is meant: the call is
  blocked, naming the hook.
- Both may be changed if they say the same; otherwise the call is blocked as well.

## Sessions and branches in original pi hooks

`session` stands for every start: `reason` is `start` when the program starts or extensions are reloaded, `clear` after
`/new`, and `switch` after everything else that opens another session, also after a branch. `entries` is the branch that is
open as a list: the header first, entries in order with their ids, and `firstKeptEntryIndex` in compactions.

`branch` fires before a fork. `targetTurnIndex` is the place of the chosen message in `entries`, so that
`entries[targetTurnIndex]` is that message; `targetEntryId` is its id. It counts entries, not turns. A hook that keeps a
checkpoint by the `turnIndex` of `turn_start` and asks for the one of `targetTurnIndex` therefore finds none, or that of
another turn: `turnIndex` begins at 0 with every prompt. To find the checkpoint of a prompt, count prompts at `agent_start`,
keep the checkpoints when `agent_end` comes, and count the messages of the user in `entries` before `targetTurnIndex`.

## From Rust

An extension in Rust is loaded under a dialect by `Hooks::load_as`. Its handlers may take the types of the events, by which
all dialects are the same; payloads as in this page are those of `Registrar::on_json`. `HookRunner` runs hooks of one dialect
without a session of tau:

```rust
use std::sync::Arc;

use tau_hooks::dialect::ORIGINAL;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{Extension, HandlerError, HookRunner, Host, Registrar};
use tau_tools::Tool;

struct Careful;

impl Extension for Careful {
    fn name(&self) -> &str {
        \"careful\"
    }

    fn register(&self, hooks: &mut Registrar) -> Result<(), HandlerError> {
        hooks.on::<ToolCall>(|call, _| async move {
            let command = call.input[\"command\"].as_str().unwrap_or_default();
            command.contains(\"rm -rf\").then(|| ToolCallResult::block(\"not today\"))
        });
        Ok(())
    }
}

/// The tools, guarded by the hook.
fn guarded(tools: Vec<Arc<dyn Tool>>, host: Arc<dyn Host>) -> Result<Vec<Arc<dyn Tool>>, tau_hooks::LoadError> {
    let runner = HookRunner::new(&ORIGINAL, host);
    runner.on_error(|error| eprintln!(\"{} failed at {}: {}\", error.hook_path, error.event, error.error));
    runner.load(&Careful)?;
    Ok(tools.into_iter().map(|tool| runner.wrap(tool)).collect())
}
```

`has_handlers`, `emit` and `emit_tool_call` are the steps of which `wrap` is made, for programs whose tools are something
else.
";

/// The example of the page must compile.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/dialects.md")]
struct Examples;

/// The dialects for people: what they are, and what differs.
pub fn dialects_markdown() -> String {
    let mut page = INTRODUCTION.to_owned();
    rules(&mut page);
    page.push_str(GROUPS);
    page.push_str("## Events\n\n");
    page.push_str(
        "What an event carries and what its results mean is in [`events.md`](events.md); here stands what differs. A cell\n\
         begins with the name that the event has in the dialect. A name of two words is an event and a reason: handlers of\n\
         the event are called for it when their source mentions the reason.\n\n",
    );
    events(&mut page);
    page.push_str(EDITS);
    page
}

/// A rule and what a dialect makes of it.
type Row = (&'static str, fn(&Dialect) -> String);

/// The rules that hold for all events of a dialect.
const RULES: &[Row] = &[
    ("Short name", |dialect| {
        let names = std::iter::once(&dialect.id).chain(dialect.aliases).map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    }),
    ("Results of `tool_call`", |dialect| of(dialect, EventId::ToolCall, |rule| fold(rule.fold))),
    ("Time for `tool_call`", |dialect| of(dialect, EventId::ToolCall, |rule| deadline(rule.deadline).to_owned())),
    ("Text of a block without a reason, before the name", |dialect| dialect.default_block_reason.to_owned()),
    ("A changed `input` of a tool", |dialect| {
        match dialect.tool_input {
            ToolInput::Live => "reaches the tool",
            ToolInput::Copy => "has no effect",
        }
        .to_owned()
    }),
    ("Older form of the arguments of `edit`", |dialect| yes(dialect.older_input.is_some())),
    ("Results of `tool_result`", |dialect| of(dialect, EventId::ToolResult, |rule| fold(rule.fold))),
    ("`tool_result` of a tool that failed", |dialect| {
        of(dialect, EventId::ToolResult, |rule| part(rule.on_failure).to_owned())
    }),
    ("Returned `isError`", |dialect| {
        of(dialect, EventId::ToolResult, |rule| {
            if rule.counts("isError") { "counts" } else { "has no effect" }.to_owned()
        })
    }),
    ("Results of `before_agent_start`", |dialect| of(dialect, EventId::BeforeAgentStart, |rule| fold(rule.fold))),
    ("Time for other events", |dialect| of(dialect, EventId::AgentStart, |rule| deadline(rule.deadline).to_owned())),
    ("`skipConversationRestore`", |dialect| {
        of(dialect, EventId::SessionBeforeFork, |_| {
            match dialect.skip_restore {
                SkipRestore::Fork => "forks and leaves the conversation as it is",
                SkipRestore::Abort => "nothing is forked",
            }
            .to_owned()
        })
    }),
    ("When another session is opened", |dialect| {
        of_modules(dialect, if dialect.stays { "modules stay" } else { "modules begin anew" })
    }),
    ("A dialog without an answer gives", |dialect| {
        of_modules(
            dialect,
            match dialect.closed_dialog {
                ClosedDialog::Undefined => "`undefined`",
                ClosedDialog::Null => "`null`",
            },
        )
    }),
    ("`hasUI` with a client over RPC", |dialect| of_modules(dialect, &format!("`{}`", dialect.ui_in_rpc))),
    ("Commands of one name", |dialect| {
        of_modules(
            dialect,
            match dialect.commands {
                Commands::Numbered => "get numbers",
                Commands::First => "the first is used",
            },
        )
    }),
    ("A module exports", |dialect| {
        let or = if dialect.default_export_only { "" } else { ", or is one" };
        of_modules(dialect, &format!("its factory as default{or}"))
    }),
    ("Before the session is ready, sending", |dialect| {
        of_modules(dialect, if dialect.script.sends_early { "does nothing" } else { "throws" })
    }),
    ("`killed` in the result of `exec`", |dialect| of_modules(dialect, &yes(dialect.script.tells_killed))),
    ("Modules see `Bun`, for files and programs", |dialect| of_modules(dialect, &yes(dialect.script.bun))),
    ("A handler for a name that is no event", |dialect| {
        of_modules(dialect, if dialect.any_event { "is taken and never called" } else { "is reported" })
    }),
    ("A failure is told as", |dialect| {
        format!("`{} (<path>): <text>`; over RPC as `{}`", dialect.failures.label(), dialect.failures.record())
    }),
];

/// The dialects side by side.
fn rules(page: &mut String) {
    let heads = DIALECTS.iter().map(|dialect| dialect.title).collect::<Vec<_>>();
    let _ = writeln!(page, "|  | {} |", heads.join(" | "));
    let _ = writeln!(page, "|---|{}", "---|".repeat(heads.len()));
    for (name, cell) in RULES {
        let cells = DIALECTS.iter().map(|dialect| cell(dialect)).collect::<Vec<_>>();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
}

/// A row for each event that a dialect has other than the event table.
fn events(page: &mut String) {
    let others = || DIALECTS.iter().filter(|dialect| TABLE.iter().any(|row| differs(dialect, row)));
    let heads = others().map(|dialect| dialect.title).collect::<Vec<_>>();
    let _ = writeln!(page, "| Event | {} |", heads.join(" | "));
    let _ = writeln!(page, "|---|{}", "---|".repeat(heads.len()));
    for row in TABLE.iter().filter(|row| others().any(|dialect| differs(dialect, row) && knows(dialect, row))) {
        let cells = others().map(|dialect| event(dialect, row)).collect::<Vec<_>>();
        let _ = writeln!(page, "| [`{}`](events.md#{}) | {} |", row.name, row.name.replace('.', ""), cells.join(" | "));
    }
    let same = TABLE.iter().filter(|row| others().any(|dialect| knows(dialect, row) && !differs(dialect, row)));
    let same = same.filter(|row| !others().any(|dialect| differs(dialect, row) && knows(dialect, row)));
    let names = same.map(|row| format!("`{}`", row.name)).collect::<Vec<_>>();
    if !names.is_empty() {
        let _ = write!(page, "\nAs in `events.md`, where a dialect has them: {}.\n", names.join(", "));
    }
}

fn knows(dialect: &Dialect, row: &EventRow) -> bool {
    (dialect.rule)(row.id).is_some()
}

fn differs(dialect: &Dialect, row: &EventRow) -> bool {
    (dialect.rule)(row.id).is_none_or(|rule| rule.name != row.name || !notes(&rule, row).is_empty())
}

fn event(dialect: &Dialect, row: &EventRow) -> String {
    let Some(rule) = (dialect.rule)(row.id) else { return "–".to_owned() };
    let notes = notes(&rule, row);
    let name = format!("`{}`", rule.name);
    if notes.is_empty() { name } else { format!("{name}: {}", notes.join("; ")) }
}

/// What differs from the event table.
fn notes(rule: &Rule, row: &EventRow) -> Vec<String> {
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut notes = Vec::new();
    if rule.fold.rule() != row.fold.rule() {
        notes.push(fold(rule.fold));
    }
    if rule.deadline != row.deadline {
        notes.push(deadline(rule.deadline).to_owned());
    }
    if rule.failure != row.failure {
        notes.push(
            match rule.failure {
                Failure::Block => "a handler that fails blocks",
                Failure::Report => "a handler that fails is reported",
            }
            .to_owned(),
        );
    }
    if rule.on_failure != Part::Full {
        notes.push(format!("a failure: {}", part(rule.on_failure)));
    }
    if rule.on_renewal != Part::Full {
        notes.push("not told when another session takes the place of this one".to_owned());
    }
    if rule.on_trigger != Part::Full {
        notes.push("not called when an extension's message starts the run".to_owned());
    }
    if let Counts::Only(fields) = rule.counts
        && rule.fold.takes_results()
    {
        notes.push(format!("of a result {} count", list(fields)));
    }
    if !rule.hidden.is_empty() {
        notes.push(format!("without {}", list(rule.hidden)));
    }
    for (from, to) in rule.copied {
        notes.push(format!("`{to}` besides `{from}`"));
    }
    if rule.project.is_some() {
        notes.push("another payload, see below".to_owned());
    }
    notes
}

/// What a dialect says about an event, if it has it.
fn of(dialect: &Dialect, event: EventId, say: impl Fn(&Rule) -> String) -> String {
    (dialect.rule)(event).map_or_else(|| "–".to_owned(), |rule| say(&rule))
}

/// What a dialect says about modules, if its extensions are modules.
fn of_modules(dialect: &Dialect, say: &str) -> String {
    if dialect.modules { say } else { "–" }.to_owned()
}

fn yes(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Full => "told; results count",
        Part::Observe => "told; results have no effect",
        Part::Skip => "not told",
    }
}

fn fold(fold: Fold) -> String {
    let rule = match fold.rule() {
        FoldRule::Observe => "results have no effect",
        FoldRule::Transform | FoldRule::Merge => "each sees what the one before made",
        FoldRule::Collect => "all results are put together",
        FoldRule::Last => "the last result counts",
        FoldRule::LastWhole => "the last result counts as a whole, and all see the original",
        FoldRule::First => "the first result counts",
        FoldRule::FirstKept => "the first message counts",
    };
    let stop = fold.stop().map(|said| format!("; `{said}` ends the round")).unwrap_or_default();
    let how = fold.how().map(|how| format!("; {how}")).unwrap_or_default();
    format!("{rule}{how}{stop}")
}

fn deadline(deadline: Deadline) -> String {
    let setting = deadline.setting().map(|setting| format!("`{setting}`"));
    match (deadline, setting) {
        (Deadline::Shutdown, Some(setting)) => format!("{setting} for all"),
        (Deadline::Hook, Some(setting)) => format!("{setting} for each handler"),
        (_, Some(setting)) => setting,
        (_, None) => "no limit".to_owned(),
    }
}
