//! Where a reader finds what: the turns of each branch.

use tau_ai::Message;
use tau_session::{Entry, EntryBody, EntryKind, SessionTree};

use super::markup::Markup;
use super::parts::first_line;
use super::strands::Strand;

/// How much of a message stands there, in characters.
const PREVIEW: usize = 72;

pub(super) fn sidebar(out: &mut Markup, tree: &SessionTree, strands: &[Strand]) {
    out.raw("<nav>\n<p><button type=\"button\" data-open=\"true\" hidden>Open all</button> ");
    out.raw("<button type=\"button\" data-open=\"false\" hidden>Close all</button></p>\n");
    for strand in strands.iter().filter(|strand| !strand.entries.is_empty()) {
        out.raw(if strand.current {
            "<details open><summary>This branch</summary>\n<ul>\n"
        } else {
            "<details><summary>Another branch</summary>\n<ul>\n"
        });
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
    let line = match entry.body() {
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
