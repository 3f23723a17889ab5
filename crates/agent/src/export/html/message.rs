//! Messages, by role.

use tau_ai::{AssistantMessage, BashExecutionMessage, ContentBlock, Message, StopReason};

use super::ansi::ansi;
use super::block::{self, Face};
use super::entry::summary;
use super::markup::Markup;
use super::parts::{badge, content, data, usage, written};
use super::tool::Calls;
use super::{Page, tool};

impl Page<'_> {
    pub(super) fn message_title(&self, out: &mut Markup, message: &Message) {
        match message {
            Message::User(_) => out.raw("User"),
            Message::Assistant(answer) if answer.model.is_empty() => out.raw("Assistant"),
            Message::Assistant(answer) => out.text(&answer.model),
            Message::ToolResult(result) => out.raw("Result of ").text(&result.tool_name),
            Message::Custom(custom) => out.text(&custom.custom_type),
            Message::BashExecution(_) => out.raw("Command of the user"),
            Message::CompactionSummary(_) => out.raw("Compaction"),
            Message::BranchSummary(_) => out.raw("Summary of a branch"),
            Message::System(system) if system.content.text().is_empty() => out.raw("Tools"),
            Message::System(_) => out.raw("System prompt"),
            Message::Other(_) => out.raw("Message of an unknown role: ").text(message.role()),
        };
    }

    pub(super) fn message(&mut self, out: &mut Markup, at: usize, message: &Message, calls: &Calls) {
        match message {
            Message::User(user) => content(out, &user.content),
            Message::Assistant(answer) => self.answer(out, at, answer, calls),
            Message::ToolResult(result) => tool::result(out, &mut self.palette, result, None),
            Message::Custom(custom) => {
                content(out, &custom.content);
                custom.details.iter().for_each(|details| data(out, "Details", details));
            }
            Message::BashExecution(bash) => self.bash(out, bash),
            Message::CompactionSummary(body) => summary(out, &body.summary),
            Message::BranchSummary(body) => summary(out, &body.summary),
            Message::System(system) => {
                let text = system.content.text();
                let about_tools = ["toolsAdded", "toolsRemoved"].iter().any(|key| system.extra.contains_key(*key));
                if !text.is_empty() || !about_tools {
                    out.raw("<details class=\"system\"><summary>Text</summary>\n");
                    out.element("<pre><code>", &text, "</code></pre></details>\n");
                }
                system.extra.get("toolsAdded").iter().for_each(|tools| data(out, "Tools added", tools));
                system.extra.get("toolsRemoved").iter().for_each(|tools| data(out, "Tools removed", tools));
            }
            Message::Other(fields) => data(out, "Message", fields),
        }
    }

    fn answer(&mut self, out: &mut Markup, at: usize, answer: &AssistantMessage, calls: &Calls) {
        for (index, block) in answer.content.iter().enumerate() {
            match block {
                ContentBlock::ToolCall(call) => self.call(out, call, calls.result_of(at, index)),
                block => written(out, block),
            }
        }
        match &answer.stop_reason {
            StopReason::Stop | StopReason::ToolUse => {}
            StopReason::Length => drop(out.raw("<p class=\"error\">The output limit was reached.</p>\n")),
            StopReason::Error | StopReason::Aborted => {
                let failed = answer.stop_reason == StopReason::Error;
                out.raw("<p class=\"error\">").raw(if failed { "Failed" } else { "Aborted" });
                if let Some(error) = &answer.error_message {
                    out.raw(": ").text(error);
                }
                out.raw("</p>\n");
            }
            StopReason::Other(reason) => drop(out.element("<p class=\"error\">Stopped: ", reason, "</p>\n")),
        }
        out.raw("<p class=\"quiet\">").text(&answer.provider).raw("/").text(&answer.model).raw(": ");
        out.text(&usage(&answer.usage)).raw("</p>\n");
    }

    fn bash(&mut self, out: &mut Markup, bash: &BashExecutionMessage) {
        out.raw("<details open class=\"tool\"><summary><code>$ ");
        block::pieces(out, &block::code(&bash.command, "bash"));
        out.raw("</code>");
        match bash.exit_code {
            Some(0) | None => {}
            Some(code) => badge(out, &format!("exit code {code}")),
        }
        let marks = [
            (bash.cancelled, "cancelled"),
            (bash.truncated, "truncated"),
            (bash.exclude_from_context == Some(true), "kept from the model"),
        ];
        marks.into_iter().filter(|(on, _)| *on).for_each(|(_, mark)| badge(out, mark));
        out.raw("</summary>\n");
        block::folded(out, Face::Output, &ansi(&mut self.palette, &bash.output));
        if let Some(path) = &bash.full_output_path {
            out.element("<p class=\"quiet\">All of it: ", path, "</p>\n");
        }
        out.raw("</details>\n");
    }
}
