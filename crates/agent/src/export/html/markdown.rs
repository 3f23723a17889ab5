//! Markdown as HTML. Markup in the text is text, pictures become links, and links lead to pages and mail only.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::block::{self, Face};
use super::links::is_allowed;
use super::markup::Markup;

/// Adds the text of a message.
pub(super) fn markdown(out: &mut Markup, text: &str) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer =
        Writer { out, links: Vec::new(), lists: Vec::new(), table: Vec::new(), cell: 0, head: false, code: None };
    Parser::new_ext(text, options).for_each(|event| writer.event(event));
}

struct Writer<'a> {
    out: &'a mut Markup,
    /// For each link and picture that is open: whether there is an element for it.
    links: Vec<bool>,
    /// For each list that is open: whether it is numbered.
    lists: Vec<bool>,
    table: Vec<Alignment>,
    cell: usize,
    head: bool,
    /// The language and the text of a code block that is open.
    code: Option<(String, String)>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.code.is_some() => {
                self.code.iter_mut().for_each(|(_, code)| code.push_str(&text));
            }
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                self.out.text(&text);
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.element("<code>", &text, "</code>");
            }
            Event::SoftBreak => {
                self.out.raw("\n");
            }
            Event::HardBreak => {
                self.out.raw("<br>");
            }
            Event::Rule => {
                self.out.raw("<hr>\n");
            }
            Event::TaskListMarker(done) => {
                self.out.raw(if done { "☑ " } else { "☐ " });
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.out.raw(heading(level).0),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
                &mut *self.out
            }
            Tag::List(start) => {
                self.lists.push(start.is_some());
                match start {
                    Some(start) => self.out.raw("<ol").attribute("start", start).raw(">\n"),
                    None => self.out.raw("<ul>\n"),
                }
            }
            Tag::Table(alignments) => {
                self.table = alignments;
                self.out.raw("<table>\n")
            }
            Tag::TableHead => {
                (self.cell, self.head) = (0, true);
                self.out.raw("<thead><tr>")
            }
            Tag::TableRow => {
                self.cell = 0;
                self.out.raw("<tr>")
            }
            Tag::TableCell => {
                let alignment = self.table.get(self.cell).copied().unwrap_or(Alignment::None);
                self.cell += 1;
                self.out.raw(if self.head { "<th" } else { "<td" }).raw(match alignment {
                    Alignment::None => ">",
                    Alignment::Left => " class=\"left\">",
                    Alignment::Center => " class=\"center\">",
                    Alignment::Right => " class=\"right\">",
                })
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                // A link inside of another one would end it.
                let shown = is_allowed(&dest_url) && !self.links.contains(&true);
                self.links.push(shown);
                if !shown {
                    return;
                }
                self.out.raw("<a rel=\"noopener noreferrer\"").attribute("href", &dest_url).raw(">")
            }
            Tag::MetadataBlock(_) | Tag::HtmlBlock => self.out.raw("<p>"),
            tag => self.out.raw(plain(&tag.to_end()).0),
        };
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.out.raw(heading(level).1),
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    block::block(self.out, Face::Code(&language), &block::code(&code, &language));
                }
                &mut *self.out
            }
            TagEnd::List(_) => self.out.raw(if self.lists.pop().unwrap_or_default() { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Table => self.out.raw("</tbody></table>\n"),
            TagEnd::TableHead => {
                self.head = false;
                self.out.raw("</tr></thead>\n<tbody>\n")
            }
            TagEnd::TableRow => self.out.raw("</tr>\n"),
            TagEnd::TableCell => self.out.raw(if self.head { "</th>" } else { "</td>" }),
            TagEnd::Link | TagEnd::Image => {
                self.out.raw(if self.links.pop().unwrap_or_default() { "</a>" } else { "" })
            }
            TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock => self.out.raw("</p>\n"),
            tag => self.out.raw(plain(&tag).1),
        };
    }
}

/// Headings of messages stand below those of the page.
fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h3>", "</h3>\n"),
        HeadingLevel::H2 => ("<h4>", "</h4>\n"),
        HeadingLevel::H3 => ("<h5>", "</h5>\n"),
        _ => ("<h6>", "</h6>\n"),
    }
}

/// Elements that need nothing but their tags.
fn plain(tag: &TagEnd) -> (&'static str, &'static str) {
    match tag {
        TagEnd::Paragraph => ("<p>", "</p>\n"),
        TagEnd::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
        TagEnd::Item => ("<li>", "</li>\n"),
        TagEnd::Emphasis => ("<em>", "</em>"),
        TagEnd::Strong => ("<strong>", "</strong>"),
        TagEnd::Strikethrough => ("<del>", "</del>"),
        // Kinds of Markdown that are not switched on.
        _ => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut out = Markup::default();
        markdown(&mut out, text);
        out.finish()
    }

    #[test]
    fn markdown_is_rendered() {
        let text = "# A *b*\n\n1. one\n2. two `x<y`\n\n- [x] done\n\n| a | b |\n|--:|---|\n| 1 | ~~2~~ |\n\n```rust\nfn f<T>() {}\n```\n> q\n";
        insta::assert_snapshot!(html(text));
    }

    #[test]
    fn markup_is_text_and_links_are_chosen() {
        let text = "<b onclick=x>a</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://e.org/\"a) \
                    [![p](https://e.org/p.png)](https://e.org) ![q](data:text/html,x) <javascript:x> <https://e.org>";
        insta::assert_snapshot!(html(text));
    }
}
