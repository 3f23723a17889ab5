//! Where a reader finds what: the turns of each branch.

use tau_ai::{ContentBlock, Message};
use tau_session::{Entry, EntryBody, EntryKind, SessionTree};

use super::markup::Markup;
use super::parts::first_line;
use super::strands::{Strand, is_mark};

/// How much of a message stands there, in characters.
const PREVIEW: usize = 72;

/// How much of the name of a branch stands there, in characters.
const NAME: usize = 60;

/// What a branch is called: a bookmark in it, else its first message of the user, else how it begins.
pub(super) fn name(tree: &SessionTree, strand: &Strand) -> String {
    let nodes = || strand.entries.iter().map(|&at| &tree.nodes[at]).filter(|node| !is_mark(&node.entry));
    let said = |entry: &Entry| match entry.kind() {
        EntryKind::Message => match &*entry.body() {
            EntryBody::Message(body) => match &*body.message {
                Message::User(user) => Some(first_line(&user.content.text(), NAME)).filter(|line| !line.is_empty()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let begins = |entry: &Entry| match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::Assistant(answer) => answer
                .content
                .iter()
                .find_map(ContentBlock::as_text)
                .map(|text| first_line(text, NAME))
                .unwrap_or_default(),
            _ => String::new(),
        },
        EntryBody::BranchSummary(body) => first_line(&body.summary, NAME),
        _ => String::new(),
    };
    let label = nodes().find_map(|node| node.label.clone());
    let line = label.or_else(|| nodes().find_map(|node| said(&node.entry)));
    let line = line.or_else(|| nodes().map(|node| begins(&node.entry)).find(|line| !line.is_empty()));
    line.or_else(|| nodes().next().map(|node| node.entry.body().type_name().to_owned())).unwrap_or_default()
}

pub(super) fn sidebar(out: &mut Markup, tree: &SessionTree, strands: &[Strand]) {
    out.raw("<nav>\n<p><button type=\"button\" data-open=\"true\" hidden>Open all</button> ");
    out.raw("<button type=\"button\" data-open=\"false\" hidden>Close all</button></p>\n");
    for strand in strands.iter().filter(|strand| !strand.entries.is_empty()) {
        if strand.current {
            out.raw("<details open><summary>This branch</summary>\n<ul>\n");
        } else {
            out.element("<details><summary>", &name(tree, strand), "</summary>\n<ul>\n");
        }
        let mut any = false;
        for &at in &strand.entries {
            let node = &tree.nodes[at];
            let preview = preview(&node.entry);
            if preview.is_none() && node.label.is_none() {
                continue;
            }
            any = true;
            item(out, at, &preview.unwrap_or_default(), node.label.as_deref());
        }
        if let (false, Some(&first)) = (any, strand.entries.first()) {
            item(out, first, tree.nodes[first].entry.body().type_name(), None);
        }
        out.raw("</ul></details>\n");
    }
    out.raw("</nav>\n");
}

fn item(out: &mut Markup, at: usize, text: &str, label: Option<&str>) {
    out.raw("<li><a").attribute("href", format_args!("#e{at}")).raw(">");
    if let Some(label) = label {
        out.element("<span class=\"label\">", label, "</span> ");
    }
    out.text(text).raw("</a></li>\n");
}

/// How an entry is named there; `None` for those that would only fill the list.
fn preview(entry: &Entry) -> Option<String> {
    // Answers and state are many and large, and are not read for this.
    if !matches!(
        entry.kind(),
        EntryKind::Message | EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::CustomMessage
    ) {
        return None;
    }
    let line = match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::User(user) => first_line(&user.content.text(), PREVIEW),
            Message::BashExecution(bash) => format!("! {}", first_line(&bash.command, PREVIEW)),
            _ => return None,
        },
        EntryBody::Compaction(_) => "Compaction".to_owned(),
        EntryBody::BranchSummary(_) => "Summary of a branch".to_owned(),
        EntryBody::CustomMessage(body) if body.display => first_line(&body.custom_type, PREVIEW),
        _ => return None,
    };
    Some(if line.is_empty() { "(no text)".to_owned() } else { line })
}
