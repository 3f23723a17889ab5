//! Small things that many entries have.

use jiff::Timestamp;
use serde::Serialize;
use tau_ai::{ContentBlock, MessageContent, Usage};

use super::block::{self, Face};
use super::links;
use super::markdown::markdown;
use super::markup::Markup;

/// The first line that says something, cut to `limit` characters.
pub(super) fn first_line(text: &str, limit: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut characters = line.chars();
    let mut cut: String = characters.by_ref().take(limit).collect();
    if characters.next().is_some() {
        cut.push('…');
    }
    cut
}

/// A time as people write it; what is no time is left as it is.
pub(super) fn time(text: &str) -> String {
    match text.parse::<Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => text.to_owned(),
    }
}

/// Data that no reader of this program understands, folded.
pub(super) fn data(out: &mut Markup, title: &'static str, value: &impl Serialize) {
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    out.raw("<details class=\"data\"><summary>").raw(title).raw("</summary>\n");
    block::block(out, Face::Code(""), &block::code(&json, "json"));
    out.raw("</details>\n");
}

/// A remark of the page.
pub(super) fn badge(out: &mut Markup, text: &str) {
    out.element(" <span class=\"badge\">", text, "</span>");
}

/// Content that people or models wrote.
pub(super) fn content(out: &mut Markup, content: &MessageContent) {
    match content {
        MessageContent::Text(text) => markdown(out, text),
        MessageContent::Blocks(blocks) => blocks.iter().for_each(|block| written(out, block)),
    }
}

/// A block of such content, as far as it is no tool call.
pub(super) fn written(out: &mut Markup, block: &ContentBlock) {
    match block {
        ContentBlock::Text(block) => markdown(out, &block.text),
        ContentBlock::Image(image) => links::image(out, image),
        ContentBlock::Thinking(block) => {
            out.raw("<details class=\"thinking\"><summary>Thinking</summary>\n");
            if block.thinking.is_empty() {
                out.raw("<p class=\"quiet\">The provider did not show it.</p>\n");
            }
            markdown(out, &block.thinking);
            out.raw("</details>\n");
        }
        ContentBlock::ToolCall(call) => data(out, "Tool call", call),
        ContentBlock::Other(block) => data(out, "Content of an unknown type", block),
    }
}

/// Tokens and money, in a few words.
pub(super) fn usage(usage: &Usage) -> String {
    let Usage { input, output, cache_read, cache_write, .. } = usage;
    let mut text = format!("{input} in, {output} out");
    for (count, what) in [(cache_read, "from cache"), (cache_write, "to cache")] {
        if *count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text.push_str(&format!(", ${:.4}", usage.cost.total));
    text
}
