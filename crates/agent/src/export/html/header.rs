//! The head of a page: whose session it is, when it was, and what it cost.

use std::collections::BTreeSet;

use tau_ai::{Message, Usage};
use tau_session::{EntryBody, EntryKind, Session, SessionTree};

use super::markup::Markup;
use super::parts::{time, usage};
use super::strands::Strand;
use super::{HtmlOptions, ToolInfo};

/// The session's name, or its id.
pub(super) fn title(session: &Session) -> String {
    let name = session.session_name().filter(|name| !name.trim().is_empty());
    name.unwrap_or_else(|| format!("Session {}", session.id()))
}

pub(super) fn header(
    out: &mut Markup,
    session: &Session,
    tree: &SessionTree,
    strands: &[Strand],
    options: &HtmlOptions,
) {
    let sums = Sums::of(tree);
    out.raw("<header>\n").element("<h1>", &title(session), "</h1>\n<dl>\n");
    let mut row = |name: &'static str, value: &str| {
        if !value.is_empty() {
            out.raw("<dt>").raw(name).element("</dt><dd>", value, "</dd>\n");
        }
    };
    row("Session", session.id());
    row("Folder", &session.cwd().to_string_lossy());
    row("Started", &time(&session.header().timestamp));
    row("Last entry", &tree.nodes.last().map(|node| time(node.entry.timestamp())).unwrap_or_default());
    row("Models", &sums.models.into_iter().collect::<Vec<_>>().join(", "));
    let Sums { user, assistant, tool_results, .. } = sums;
    row("Messages", &format!("{user} user, {assistant} assistant, {tool_results} tool results"));
    row("Tokens and cost", &usage(&sums.usage));
    let branches = strands.iter().filter(|strand| !strand.entries.is_empty()).count();
    row("Branches", &branches.to_string());
    row("Forked from", session.header().parent_session.as_deref().unwrap_or_default());
    out.raw("</dl>\n");
    if let Some(prompt) = options.system_prompt.as_deref().filter(|prompt| !prompt.is_empty()) {
        out.raw("<details class=\"system\"><summary>System prompt</summary>\n");
        out.element("<pre><code>", prompt, "</code></pre></details>\n");
    }
    if !options.tools.is_empty() {
        out.raw("<details class=\"system\"><summary>Tools (").show(options.tools.len()).raw(")</summary>\n<dl>\n");
        for ToolInfo { name, description } in &options.tools {
            out.element("<dt><code>", name, "</code></dt>").element("<dd>", description, "</dd>\n");
        }
        out.raw("</dl></details>\n");
    }
    out.raw("</header>\n");
}

/// What the whole tree amounts to.
#[derive(Default)]
struct Sums {
    models: BTreeSet<String>,
    user: usize,
    assistant: usize,
    tool_results: usize,
    usage: Usage,
}

impl Sums {
    fn of(tree: &SessionTree) -> Self {
        let mut sums = Self::default();
        let counted = |kind| {
            matches!(kind, EntryKind::Message | EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::Usage)
        };
        for entry in tree.nodes.iter().map(|node| &node.entry).filter(|entry| counted(entry.kind())) {
            match &*entry.body() {
                EntryBody::Message(body) => sums.message(&body.message),
                EntryBody::Compaction(body) => sums.add(body.usage.as_ref()),
                EntryBody::BranchSummary(body) => sums.add(body.usage.as_ref()),
                EntryBody::Usage(body) => sums.add(Some(&body.usage)),
                _ => {}
            }
        }
        sums
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::User(_) => self.user += 1,
            Message::Assistant(answer) => {
                self.assistant += 1;
                self.add(Some(&answer.usage));
                if !answer.model.is_empty() {
                    self.models.insert(format!("{}/{}", answer.provider, answer.model));
                }
            }
            Message::ToolResult(result) => {
                self.tool_results += 1;
                self.add(result.usage.as_ref());
            }
            _ => {}
        }
    }

    fn add(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage else { return };
        // A file may say anything.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.usage.input, usage.input);
        add(&mut self.usage.output, usage.output);
        add(&mut self.usage.cache_read, usage.cache_read);
        add(&mut self.usage.cache_write, usage.cache_write);
        self.usage.cost.total += usage.cost.total;
    }
}
