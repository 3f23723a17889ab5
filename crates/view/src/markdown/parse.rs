//! Markdown to blocks.

use std::cell::RefCell;
use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

use super::autolink;
use super::document::{Block, Inline, Item, List, Table};
use super::math::{self, Formulas};
use super::outline::{Kind, Outline};
use super::references::{Definition, Definitions, Label, Lookup, Use};

/// How deep quotes and lists may nest; what lies deeper is shown as it is written. Reading, laying out and dropping a
/// document recurse as deep as it nests.
const MAX_CONTAINERS: usize = 32;

/// How deep emphasis, links and images may nest in one text; what lies deeper is shown as it is written.
const MAX_SPANS: usize = 64;

/// Reads a document; never fails, because everything is Markdown.
pub(super) fn parse(source: &str) -> Vec<Block> {
    let (text, formulas) = math::extract(source);
    let mut blocks = parse_part(&text, &formulas, &Definitions::default()).blocks;
    if text.starts_with('\n') && !blocks.is_empty() {
        blocks.insert(0, Block::Space);
    }
    blocks
}

/// What [`parse_part`] finds.
pub(super) struct Part {
    pub(super) blocks: Vec<Block>,
    pub(super) outline: Outline,
    /// The definitions of link targets in it.
    pub(super) definitions: Vec<Definition>,
    /// Links by a label.
    pub(super) uses: Vec<Use>,
}

/// Reads a part of a document; `known` are the link targets that the document defines before it.
pub(super) fn parse_part(text: &str, formulas: &Formulas, known: &Definitions) -> Part {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let unresolved = RefCell::default();
    let parser = Parser::new_with_broken_link_callback(text, options, Some(Lookup { known, unresolved: &unresolved }));
    let definitions = parser
        .reference_definitions()
        .iter()
        .map(|(label, link)| Definition {
            label: Label::new(label),
            url: link.dest.to_string(),
            start: link.span.start,
        })
        .collect();
    let mut reader = Reader {
        source: text,
        formulas,
        events: parser.into_offset_iter().peekable(),
        depth: 0,
        spans: 0,
        tasks: Vec::new(),
        outline: Outline::default(),
        uses: Vec::new(),
    };
    let mut blocks = reader.blocks();
    let Reader { outline, mut uses, .. } = reader;
    uses.extend(unresolved.take());
    trim_partial_fence(&mut blocks, text);
    Part { blocks, outline, definitions, uses }
}

struct Reader<'a> {
    source: &'a str,
    formulas: &'a Formulas,
    events: Peekable<OffsetIter<'a, Lookup<'a>>>,
    /// How many containers are open.
    depth: usize,
    /// How many spans are open.
    spans: usize,
    /// The checkboxes of the open list items.
    tasks: Vec<Option<bool>>,
    outline: Outline,
    uses: Vec<Use>,
}

/// Blocks of one container, with the blank lines between them.
#[derive(Default)]
struct Blocks {
    blocks: Vec<Block>,
    /// Where the last block ends, without the line breaks after it.
    end: Option<usize>,
    /// How many blocks have begun, without the blank lines.
    begun: usize,
}

impl Blocks {
    fn push(&mut self, source: &str, block: Block, range: &Range<usize>) {
        self.space(source, range.start);
        let text = &source[range.clone()];
        let swallows_blank_lines = match &block {
            Block::Html(html) => ends_by_itself(html),
            Block::Code { fence: Some(_), .. } => is_open_fence(text),
            _ => false,
        };
        // Inside a quote, the empty lines after a block have marks; those of the quote itself are its own.
        let marks = !matches!(block, Block::Quote(_));
        let end = range.start + text.trim_end_matches(|ch: char| ch.is_whitespace() || (marks && ch == '>')).len();
        self.end = (!swallows_blank_lines).then_some(end);
        self.blocks.push(block);
    }

    fn space(&mut self, source: &str, next: usize) {
        let blank = self.end.is_some_and(|end| {
            source.get(end..next).is_some_and(|gap| gap.bytes().filter(|&byte| byte == b'\n').count() >= 2)
        });
        if blank {
            self.blocks.push(Block::Space);
        }
    }
}

impl<'a> Reader<'a> {
    /// Reads blocks up to the end of the container they are in, and past it.
    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Blocks::default();
        loop {
            match self.events.peek() {
                None => {
                    blocks.space(self.source, self.source.len());
                    return blocks.blocks;
                }
                Some((Event::End(_), _)) => {
                    self.events.next();
                    return blocks.blocks;
                }
                Some((Event::Start(tag), _)) if is_block(tag) => {
                    if let Some((Event::Start(tag), range)) = self.events.next() {
                        self.block(tag, &range, &mut blocks);
                    }
                }
                Some((Event::Rule, _)) => {
                    if let Some((_, range)) = self.events.next() {
                        self.begin(Kind::Rule, &range, &mut blocks);
                        blocks.push(self.source, Block::Rule, &range);
                    }
                }
                Some((_, range)) => {
                    let start = range.start;
                    let range = range.clone();
                    self.begin(Kind::Paragraph, &range, &mut blocks);
                    let (inlines, end) = self.inlines(start);
                    self.text(inlines, Block::Text, start..end, &mut blocks);
                }
            }
        }
    }

    fn begin(&mut self, kind: Kind, range: &Range<usize>, blocks: &mut Blocks) {
        self.outline.begin(kind, range, blocks.begun);
        blocks.begun += 1;
    }

    fn block(&mut self, tag: Tag<'a>, range: &Range<usize>, blocks: &mut Blocks) {
        let kind = match &tag {
            Tag::Paragraph => Kind::Paragraph,
            Tag::CodeBlock(_) => Kind::Code,
            Tag::Table(_) => Kind::Table,
            Tag::Heading { .. } | Tag::HtmlBlock => Kind::Other,
            _ if self.depth >= MAX_CONTAINERS => Kind::Other,
            Tag::List(_) => Kind::List,
            _ => Kind::Quote,
        };
        self.begin(kind, range, blocks);
        let block = match tag {
            Tag::Paragraph => {
                let inlines = self.inlines(range.start).0;
                self.events.next();
                return self.text(inlines, Block::Paragraph, range.clone(), blocks);
            }
            Tag::Heading { level, .. } => {
                let text = self.inlines(range.start).0;
                self.events.next();
                Block::Heading { level: level_number(level), text }
            }
            Tag::CodeBlock(kind) => {
                let fenced = matches!(kind, CodeBlockKind::Fenced(_));
                let fence = opening_fence(&self.source[range.clone()]).map(|(mark, _)| mark).filter(|_| fenced);
                Block::Code { language: language(kind), text: self.code(), fence }
            }
            Tag::HtmlBlock => Block::Html(self.code()),
            Tag::Table(_) => Block::Table(self.table(range)),
            _ if self.depth >= MAX_CONTAINERS => Block::Text(vec![Inline::Text(self.as_written(range))]),
            Tag::List(start) => Block::List(self.list(start)),
            // Every other container shows its content; only quotes are asked for.
            _ => {
                self.depth += 1;
                self.outline.enter();
                let inner = self.blocks();
                self.outline.leave();
                self.depth -= 1;
                Block::Quote(inner)
            }
        };
        blocks.push(self.source, block, range);
    }

    /// Skips the rest of what has just begun, and gives its source.
    fn as_written(&mut self, range: &Range<usize>) -> String {
        let mut open = 1;
        while open > 0 {
            match self.events.next() {
                Some((Event::Start(_), _)) => open += 1,
                Some((Event::End(_), _)) => open -= 1,
                Some(_) => {}
                None => break,
            }
        }
        self.formulas.restore(self.source[range.clone()].trim_end())
    }

    /// Adds text, with formulas that stand on lines of their own as blocks.
    fn text(&self, inlines: Vec<Inline>, block: fn(Vec<Inline>) -> Block, range: Range<usize>, blocks: &mut Blocks) {
        let is_display = |inline: &Inline| matches!(inline, Inline::Formula(formula) if formula.display);
        if !inlines.iter().any(is_display) {
            return blocks.push(self.source, block(inlines), &range);
        }
        let mut text = Vec::new();
        let flush = |text: &mut Vec<Inline>, blocks: &mut Blocks| {
            trim_line_breaks(text);
            if !text.is_empty() {
                blocks.blocks.push(block(std::mem::take(text)));
            }
        };
        blocks.space(self.source, range.start);
        blocks.end = None;
        for inline in inlines {
            match inline {
                Inline::Formula(formula) if formula.display => {
                    flush(&mut text, blocks);
                    blocks.blocks.push(Block::Formula(formula));
                }
                inline => text.push(inline),
            }
        }
        flush(&mut text, blocks);
        blocks.end = Some(range.start + self.source[range].trim_end().len());
    }

    /// The text of a code or HTML block.
    fn code(&mut self) -> String {
        let mut code = String::new();
        for (event, _) in self.events.by_ref() {
            match event {
                Event::End(_) => break,
                Event::Text(text) | Event::Html(text) | Event::Code(text) => code.push_str(&text),
                _ => {}
            }
        }
        self.formulas.restore(code.strip_suffix('\n').unwrap_or(&code))
    }

    fn list(&mut self, start: Option<u64>) -> List {
        let mut list = List { start, loose: false, items: Vec::new() };
        self.depth += 1;
        self.outline.enter();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::End(TagEnd::List(_)) => break,
                Event::Start(Tag::Item) => {
                    self.tasks.push(None);
                    self.outline.begin(Kind::Item, &range, list.items.len());
                    self.outline.enter();
                    let blocks = self.blocks();
                    self.outline.leave();
                    let checked = self.tasks.pop().flatten();
                    list.loose |= blocks.iter().any(|block| matches!(block, Block::Paragraph(_)));
                    let marker = self.source[range].split_whitespace().next().unwrap_or_default().to_owned();
                    list.items.push(Item { marker, checked, blocks });
                }
                _ => {}
            }
        }
        self.outline.leave();
        self.depth -= 1;
        list
    }

    fn table(&mut self, range: &Range<usize>) -> Table {
        let raw = self.formulas.restore(self.source[range.clone()].trim_end_matches('\n'));
        let mut table = Table { header: Vec::new(), rows: Vec::new(), raw };
        let mut in_header = false;
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::End(TagEnd::Table) => break,
                Event::Start(Tag::TableHead) => in_header = true,
                Event::Start(Tag::TableRow) => {
                    in_header = false;
                    table.rows.push(Vec::new());
                }
                Event::Start(Tag::TableCell) => {
                    let cell = self.inlines(range.start).0;
                    self.events.next();
                    match table.rows.last_mut() {
                        Some(row) if !in_header => row.push(cell),
                        _ => table.header.push(cell),
                    }
                }
                _ => {}
            }
        }
        table
    }

    /// Reads inline content up to, not past, the next block or end; with where it ends.
    fn inlines(&mut self, start: usize) -> (Vec<Inline>, usize) {
        let mut inlines = Inlines { formulas: self.formulas, parts: Vec::new(), text: String::new() };
        let mut end = start;
        let mut after_break = false;
        loop {
            match self.events.peek() {
                None | Some((Event::End(_) | Event::Rule, _)) => break,
                Some((Event::Start(tag), _)) if is_block(tag) => break,
                Some(_) => {}
            }
            let Some((event, range)) = self.events.next() else { break };
            let gap = self.source.get(end..range.start).unwrap_or_default();
            // Markdown drops the indentation of continued lines; shown text keeps it where no container's own
            // indentation can be meant.
            if after_break && self.depth == 0 && !gap.is_empty() && gap.bytes().all(|byte| byte == b' ') {
                inlines.text.push_str(gap);
            }
            after_break = matches!(event, Event::SoftBreak | Event::HardBreak);
            let escaped = gap.ends_with('\\');
            end = range.end;
            match event {
                Event::Text(text) => {
                    let written = &self.source[range];
                    // Entities stay as written, like everything else that is not Markdown.
                    let text = if written.starts_with('&') { written } else { &*text };
                    let mut chars = text.chars();
                    match chars.next().filter(|ch| escaped && ch.is_ascii_punctuation()) {
                        Some(ch) => {
                            inlines.push(Inline::Escape(ch));
                            inlines.text.push_str(chars.as_str());
                        }
                        None => inlines.text.push_str(text),
                    }
                }
                Event::SoftBreak => inlines.text.push('\n'),
                Event::HardBreak => inlines.push(Inline::Break),
                Event::Code(code) => inlines.push(Inline::Code(self.formulas.restore(&code))),
                Event::InlineHtml(html) | Event::Html(html) => inlines.push_verbatim(&self.formulas.restore(&html)),
                Event::TaskListMarker(checked) => {
                    if let Some(task) = self.tasks.last_mut() {
                        *task = Some(checked);
                    }
                }
                Event::Start(tag) => self.span(tag, range, &mut inlines),
                _ => {}
            }
        }
        inlines.flush();
        (inlines.parts, end)
    }

    fn span(&mut self, tag: Tag<'a>, range: Range<usize>, inlines: &mut Inlines<'a>) {
        if self.spans >= MAX_SPANS {
            let text = self.as_written(&range);
            return inlines.push_verbatim(&text);
        }
        self.spans += 1;
        let (children, end) = self.inlines(range.start);
        self.spans -= 1;
        self.events.next();
        self.uses.extend(Use::of(&tag, range.start));
        match tag {
            Tag::Emphasis => inlines.push(Inline::Emphasis(children)),
            Tag::Strong => inlines.push(Inline::Strong(children)),
            Tag::Strikethrough if self.source[range.clone()].starts_with("~~") => {
                inlines.push(Inline::Strikethrough(children));
            }
            Tag::Strikethrough => {
                inlines.text.push('~');
                inlines.append(children);
                inlines.text.push('~');
            }
            Tag::Link { link_type, dest_url, .. } => {
                let automatic = matches!(link_type, LinkType::Autolink | LinkType::Email);
                let label_start = range.start + 1;
                let label = self.source.get(label_start..end).unwrap_or_default();
                let label = if automatic { label.trim_end_matches('>') } else { label };
                let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
                inlines.push(Inline::Link {
                    text: without_links(children),
                    label: self.formulas.restore(label),
                    url: self.formulas.restore(&format!("{scheme}{dest_url}")),
                });
            }
            Tag::Image { .. } => {
                let alt = self.source.get(range.start + 2..end).unwrap_or_default();
                inlines.push_verbatim(&self.formulas.restore(alt));
            }
            _ => inlines.append(children),
        }
    }
}

/// Inline content being collected. Neighbouring texts are one text, as styles are applied text by text.
struct Inlines<'a> {
    formulas: &'a Formulas,
    parts: Vec<Inline>,
    text: String,
}

impl Inlines<'_> {
    fn push(&mut self, inline: Inline) {
        self.flush();
        self.parts.push(inline);
    }

    /// Adds text that nothing is looked for in.
    fn push_verbatim(&mut self, text: &str) {
        self.push(Inline::Text(text.to_owned()));
    }

    fn append(&mut self, children: Vec<Inline>) {
        for child in children {
            match child {
                Inline::Text(text) => self.text.push_str(&text),
                child => self.push(child),
            }
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut plain = 0;
        for (index, ch) in text.char_indices() {
            if let Some(formula) = self.formulas.get(ch) {
                self.parts.extend(autolink::split(&text[plain..index]));
                self.parts.push(Inline::Formula(formula.clone()));
                plain = index + ch.len_utf8();
            }
        }
        self.parts.extend(autolink::split(&text[plain..]));
    }
}

/// Links cannot contain links.
fn without_links(inlines: Vec<Inline>) -> Vec<Inline> {
    inlines
        .into_iter()
        .map(|inline| match inline {
            Inline::Link { label, .. } => Inline::Text(label),
            inline => inline,
        })
        .collect()
}

fn trim_line_breaks(inlines: &mut Vec<Inline>) {
    let is_blank = |inline: &Inline| matches!(inline, Inline::Text(text) if text.trim().is_empty());
    while inlines.last().is_some_and(is_blank) {
        inlines.pop();
    }
    while inlines.first().is_some_and(is_blank) {
        inlines.remove(0);
    }
    if let Some(Inline::Text(text)) = inlines.first_mut() {
        *text = text.trim_start_matches('\n').to_owned();
    }
    if let Some(Inline::Text(text)) = inlines.last_mut() {
        *text = text.trim_end_matches('\n').to_owned();
    }
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::Superscript
            | Tag::Subscript
    )
}

fn level_number(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn language(kind: CodeBlockKind<'_>) -> Option<String> {
    match kind {
        CodeBlockKind::Fenced(info) => Some(info.into_string()),
        CodeBlockKind::Indented => None,
    }
}

/// Whether an HTML block ends at its own mark and takes the blank lines after it along.
fn ends_by_itself(html: &str) -> bool {
    let html = html.trim_start().to_ascii_lowercase();
    ["<!", "<?", "<script", "<pre", "<style", "<textarea"].iter().any(|start| html.starts_with(start))
}

/// The fence a code block starts with: its character and length.
fn opening_fence(code: &str) -> Option<(char, usize)> {
    let mark = code.chars().next().filter(|ch| matches!(ch, '`' | '~'))?;
    Some((mark, code.chars().take_while(|&ch| ch == mark).count())).filter(|(_, length)| *length >= 3)
}

/// Whether the source of a code block lacks its closing fence.
fn is_open_fence(code: &str) -> bool {
    let Some((mark, length)) = opening_fence(code) else { return false };
    let last = code.trim_end().rsplit_once('\n').map_or("", |(_, last)| last);
    let last = last.trim_start_matches([' ', '>']);
    last.len() < length || !last.chars().all(|ch| ch == mark)
}

/// Drops the first characters of a closing fence that is still being streamed, so that the block does not shrink
/// when the rest arrives.
fn trim_partial_fence(blocks: &mut [Block], source: &str) {
    let last_line = source.rsplit('\n').next().unwrap_or_default().trim();
    let Some(mark) = last_line.chars().next().filter(|&mark| last_line.chars().all(|ch| ch == mark)) else { return };
    match blocks.last_mut() {
        Some(Block::List(List { items, .. })) => {
            if let Some(item) = items.last_mut() {
                trim_partial_fence(&mut item.blocks, source);
            }
        }
        Some(Block::Quote(inner)) => trim_partial_fence(inner, source),
        Some(Block::Code { text, fence, .. }) if *fence == Some(mark) => {
            let (kept, last) = text.rsplit_once('\n').unwrap_or(("", text));
            if last.trim() == last_line {
                *text = kept.to_owned();
            }
        }
        _ => {}
    }
}
