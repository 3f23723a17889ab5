//! One entry of the tree.

use tau_session::EntryBody;

use super::Page;
use super::markdown::markdown;
use super::markup::Markup;
use super::parts::{badge, content, data, time, usage};
use super::tool::Calls;

impl Page<'_> {
    pub(super) fn entry(&mut self, out: &mut Markup, at: usize, calls: &Calls) {
        // The result of a call stands with its call, and a mark of the place shows as a badge there.
        if calls.is_shown(at) || self.is_mark(at) {
            return;
        }
        let tree = self.tree;
        let node = &tree.nodes[at];
        let body = &*node.entry.body();
        out.raw("<article").attribute("id", format_args!("e{at}")).raw(class(body)).raw(">\n<p class=\"head\">");
        out.raw("<a").attribute("href", format_args!("#e{at}")).raw(">");
        self.title(out, body);
        out.raw("</a>");
        if let Some(label) = &node.label {
            out.element(" <span class=\"label\">", label, "</span>");
        }
        if self.leaf == Some(at) {
            badge(out, "current position");
        }
        out.element(" <time>", &time(node.entry.timestamp()), "</time></p>\n");
        self.body(out, at, body, calls);
        out.raw("</article>\n");
    }

    fn title(&self, out: &mut Markup, body: &EntryBody) {
        match body {
            EntryBody::Message(body) => self.message_title(out, &body.message),
            EntryBody::ThinkingLevelChange(_) => drop(out.raw("Thinking level")),
            EntryBody::ModelChange(_) => drop(out.raw("Model")),
            EntryBody::Compaction(_) => drop(out.raw("Compaction")),
            EntryBody::BranchSummary(_) => drop(out.raw("Summary of a branch")),
            EntryBody::Custom(body) => drop(out.raw("State of ").text(&body.custom_type)),
            EntryBody::CustomMessage(body) => drop(out.text(&body.custom_type)),
            EntryBody::Label(_) => drop(out.raw("Label")),
            EntryBody::SessionInfo(_) => drop(out.raw("Session name")),
            EntryBody::Usage(body) => drop(out.raw("Tokens for ").text(&body.kind)),
            EntryBody::ContextEdit(_) => drop(out.raw("Change of the context")),
            other => drop(out.raw("Entry of an unknown type: ").text(other.type_name())),
        }
    }

    fn body(&mut self, out: &mut Markup, at: usize, body: &EntryBody, calls: &Calls) {
        match body {
            EntryBody::Message(body) => self.message(out, at, &body.message, calls),
            EntryBody::ThinkingLevelChange(body) => drop(out.element("<p>", &body.thinking_level, "</p>\n")),
            EntryBody::ModelChange(body) => {
                out.raw("<p>").text(&body.provider).raw("/").text(&body.model_id).raw("</p>\n");
            }
            EntryBody::Compaction(body) => {
                out.raw("<p class=\"quiet\">From about ").show(body.tokens_before).raw(" tokens");
                if let Some(first) = body.first_kept_entry_id.as_deref() {
                    out.raw(", kept from ");
                    self.link(out, first);
                }
                out.raw(".");
                if let Some(spent) = &body.usage {
                    badge(out, &usage(spent));
                }
                out.raw("</p>\n");
                summary(out, &body.summary);
                body.details.iter().for_each(|details| data(out, "Details", details));
            }
            EntryBody::BranchSummary(body) => {
                out.raw("<p class=\"quiet\">Left at ");
                self.link(out, &body.from_id);
                out.raw(".");
                if let Some(spent) = &body.usage {
                    badge(out, &usage(spent));
                }
                out.raw("</p>\n");
                summary(out, &body.summary);
                body.details.iter().for_each(|details| data(out, "Details", details));
            }
            EntryBody::Custom(body) => body.data.iter().for_each(|value| data(out, "Data", value)),
            EntryBody::CustomMessage(body) => {
                if !body.display {
                    out.raw("<p class=\"quiet\">Not shown on the screen.</p>\n");
                }
                content(out, &body.content);
                body.details.iter().for_each(|details| data(out, "Details", details));
            }
            EntryBody::Label(body) => {
                out.raw("<p>");
                match &body.label {
                    Some(label) => out.element("<span class=\"label\">", label, "</span> on "),
                    None => out.raw("Cleared on "),
                };
                self.link(out, &body.target_id);
                out.raw("</p>\n");
            }
            EntryBody::SessionInfo(body) => {
                out.element("<p>", body.name.as_deref().unwrap_or_default(), "</p>\n");
            }
            EntryBody::Usage(body) => {
                out.raw("<p>").text(&body.provider).raw("/").text(&body.model).raw(": ").text(&usage(&body.usage));
                if let Some(note) = &body.note {
                    out.raw(", ").text(note);
                }
                out.raw("</p>\n");
            }
            EntryBody::ContextEdit(body) => {
                out.raw("<p>The model ");
                out.raw(if body.replacement.is_some() {
                    "sees something else in place of "
                } else {
                    "no longer sees "
                });
                self.link(out, &body.target_id);
                out.raw("</p>\n");
                body.replacement.iter().for_each(|replacement| content(out, &replacement.content));
            }
            EntryBody::Unknown(fields) => data(out, "Entry", fields),
            _ => {}
        }
    }
}

/// A summary, which can be long.
pub(super) fn summary(out: &mut Markup, text: &str) {
    out.raw("<details open><summary>Summary</summary>\n");
    markdown(out, text);
    out.raw("</details>\n");
}

fn class(body: &EntryBody) -> &'static str {
    match body {
        EntryBody::Message(body) => match body.message.role() {
            "user" => " class=\"user\"",
            "assistant" => " class=\"assistant\"",
            "bashExecution" => " class=\"bash\"",
            _ => " class=\"other\"",
        },
        EntryBody::CustomMessage(_) => " class=\"custom\"",
        EntryBody::Compaction(_) | EntryBody::BranchSummary(_) => " class=\"summary\"",
        _ => " class=\"note\"",
    }
}
