//! Finding later places: what is before them is laid out for good.

use super::super::document::Block;
use super::super::math;
use super::super::outline::Kind;
use super::super::parse::parse_part;
use super::super::pending::Pending;
use super::super::renderer::Renderer;
use super::super::spine::{CodeAbove, Leaf, Level, ParagraphAbove, Spine};
use super::super::{Options, Theme};
use super::place::{Around, Place, Read};
use super::{BlockStart, Laid, MarkdownStream};
use crate::ansi;
use crate::wrap::Flow;

/// More than the longest label of a link target, in bytes.
const LONGEST_LABEL: usize = 4100;

/// Where a later place may be.
#[derive(Debug, Clone, Copy)]
enum Candidate {
    /// The block or item that the path has at this depth.
    Block(usize),
    /// The outermost block that begins here.
    Outermost(usize),
    /// The last line of the last block, which begins here.
    Line(usize),
    /// A word of the only paragraph.
    Word(usize),
}

/// A later place from which the rest gives the lines it gave before.
struct Attempt {
    place: Place,
    /// Where the place is in the text that was read.
    start: usize,
    rest: Read,
    laid: Laid,
}

impl MarkdownStream {
    /// Moves the place as far as possible.
    pub(super) fn settle<T: Theme>(&mut self, read: Read, laid: Laid, theme: &mut T) -> Result<(), T::Error> {
        let (mut read, mut laid) = (read, laid);
        'moved: loop {
            for candidate in self.candidates(&read) {
                if let Some(Attempt { place, start, rest, laid: lines }) =
                    self.attempt(candidate, &read, &laid, theme)?
                {
                    self.commit(place, start, &read, lines.lines.len());
                    (read, laid) = (rest, lines);
                    continue 'moved;
                }
            }
            return Ok(());
        }
    }

    /// Later places, those of outer blocks first: lines before an outer block are final more often.
    fn candidates(&self, read: &Read) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let path = read.path();
        let Some(innermost) = path.last() else { return candidates };
        let is_later = |at: usize| {
            let start = read.line_start(at);
            // A formula that is not over may move what begins with it out of its list.
            let begins_before =
                |start: usize, open: usize| self.source.get(start..open).is_some_and(|text| !text.trim().is_empty());
            let limit =
                || self.source_start(read, start).zip(read.open).is_none_or(|(start, open)| begins_before(start, open));
            start > read.preamble && read.text[start..].contains('\n') && limit()
        };
        let may_vanish = |at: usize| may_vanish(&read.text[at..]);
        let first_use = read.part.uses.iter().filter(|found| !self.definitions.contains_key(&found.label));
        if let Some(first_use) = first_use.map(|found| found.start).min() {
            let outermost = read.part.outline.outermost.iter().copied();
            candidates.extend(
                outermost
                    .take_while(|start| *start <= first_use)
                    .last()
                    .filter(|start| is_later(*start) && !may_vanish(*start))
                    .map(Candidate::Outermost),
            );
        }
        let mut in_quote = false;
        for (depth, mark) in path.iter().enumerate() {
            let start = read.line_start(mark.range.start);
            let own_line = depth == 0 || read.line_start(path[depth - 1].range.start) < start;
            let stays = match mark.kind {
                Kind::Paragraph => {
                    !may_vanish(mark.range.start)
                        && !follows_definition(read, start)
                        && (!in_quote || read.text[mark.range.start..].starts_with(char::is_alphanumeric))
                }
                Kind::Quote | Kind::Other => !in_quote,
                // Until the second line is complete, it may all be the paragraph above.
                Kind::Table => read.text[start..].matches('\n').nth(1).is_some(),
                Kind::Code | Kind::List | Kind::Item | Kind::Rule => true,
            };
            if own_line && stays && is_later(mark.range.start) {
                candidates.push(Candidate::Block(depth));
            }
            in_quote |= mark.kind == Kind::Quote;
        }
        let complete = read.text.rfind('\n').unwrap_or(0);
        // In code, what the last line takes away while it may become a fence is never all that is left.
        let last_line = match innermost.kind {
            Kind::Code => read.line_start(read.line_start(complete).saturating_sub(1)),
            _ => read.line_start(complete),
        };
        let is_open = innermost.range.end == read.text.len();
        match innermost.kind {
            Kind::Code | Kind::Table if is_open && is_later(last_line) => candidates.push(Candidate::Line(last_line)),
            Kind::Paragraph if path.len() == 1 && read.part.blocks.len() == 1 => {
                candidates.extend(self.words(read, innermost.range.start.max(read.preamble)).map(Candidate::Word));
            }
            _ => {}
        }
        candidates
    }

    /// Words at which a paragraph may be parted: they and the words before them are letters between spaces.
    fn words(&self, read: &Read, start: usize) -> impl Iterator<Item = usize> {
        let text = &read.text;
        let part = self.paragraph_part;
        let settled = read.open.is_none() && !may_vanish(&text[start..]);
        let ends = [text.len(), text.len().saturating_sub(part / 4), text.len().saturating_sub(part)];
        let mut found: Vec<usize> = ends
            .into_iter()
            .filter(|_| text.len() - start > part && settled)
            .filter_map(|end| last_word(&text.as_bytes()[start..end.max(start)]).map(|at| start + at))
            .filter(|at| *at > read.preamble)
            .collect();
        found.dedup();
        found.into_iter()
    }

    /// The place in the source of a line of the text that is read.
    fn source_start(&self, read: &Read, line: usize) -> Option<usize> {
        Some(self.place.start + read.lines.source_of(line.checked_sub(read.preamble)?)?)
    }

    /// Reads and lays out the rest from a later place; nothing when that gives other lines.
    fn attempt<T: Theme>(
        &self,
        candidate: Candidate,
        read: &Read,
        laid: &Laid,
        theme: &mut T,
    ) -> Result<Option<Attempt>, T::Error> {
        let (found, at, start) = match candidate {
            Candidate::Outermost(at) => {
                let at = read.line_start(at);
                (Some((Vec::new(), None)), at, self.source_start(read, at))
            }
            Candidate::Block(depth) => {
                let at = read.line_start(read.path()[depth].range.start);
                let around = read.around(&self.place, depth);
                (around.map(|around| (around.levels, None)), at, self.source_start(read, at))
            }
            Candidate::Line(at) => {
                let around = read.around(&self.place, read.path().len() - 1);
                let leaf = around.and_then(|around| Some((self.leaf(&around, at, read, laid, theme)?, around.levels)));
                (leaf.map(|(leaf, levels)| (levels, Some(leaf))), at, self.source_start(read, at))
            }
            Candidate::Word(at) => {
                let line = read.line_start(at).max(read.preamble);
                let start = self.source_start(read, line).map(|start| start + (at - line));
                // A formula before the word makes the line shorter than its source.
                let start = start.filter(|start| self.source.get(*start..) == read.text.get(at..));
                let above = self.paragraph(at, read, laid, theme)?;
                (above.map(|above| (Vec::new(), Some(Leaf::Paragraph(Box::new(above))))), at, start)
            }
        };
        let Some(((levels, leaf), start)) = found.zip(start) else { return Ok(None) };
        let Some(fence) = math::fence_after(&self.source[self.place.start..start], self.place.fence) else {
            return Ok(None);
        };
        let place = Place { start, fence, levels, leaf };
        let rest = self.read(&place);
        let Some(lines) = self.lay(&rest, &place, theme)? else { return Ok(None) };
        // What shows nothing yet may show something later, in the line of the item that it belongs to; so may an empty quote,
        // which is a blank line until it is left.
        if lines.lines.iter().all(|line| ansi::strip(line).trim().is_empty()) && !place.levels.is_empty() {
            return Ok(None);
        }
        Ok(laid.lines.ends_with(&lines.lines).then_some(Attempt { place, start: at, rest, laid: lines }))
    }

    fn leaf<T: Theme>(&self, around: &Around<'_>, at: usize, read: &Read, laid: &Laid, theme: &mut T) -> Option<Leaf> {
        let begin = read.path().last()?.range.start;
        let prefix = Spine { levels: &around.levels, leaf: None }.prefix();
        let opening_line = |from: usize| {
            let line = read.line_start(from);
            let own_line = !read.path().iter().rev().skip(1).any(|outer| read.line_start(outer.range.start) == line);
            let end = read.line_end(line);
            if own_line && line >= read.preamble {
                read.text[line..end].to_owned()
            } else {
                // A quote takes one of the spaces before its content, an item all of them.
                let spaces = from - read.text[..from].trim_end_matches(' ').len();
                let indent = if around.levels.last() == Some(&Level::Quote) { spaces.saturating_sub(1) } else { 0 };
                format!("{prefix}{}{}", " ".repeat(indent), &read.text[from..end])
            }
        };
        let rows = |from: usize| read.text.get(from..at).map(|rows| rows.matches('\n').count());
        match (around.block, self.place.leaf.as_ref().filter(|_| around.same)) {
            (Block::Code { text, .. }, Some(Leaf::Code(old))) => {
                let colours = old.colours.as_ref().map(|colours| {
                    let mut colours = colours.fork();
                    text.split('\n').take(rows(read.preamble).unwrap_or(0)).for_each(|line| drop(colours.line(line)));
                    colours
                });
                (!laid.coloured_whole).then(|| Leaf::Code(CodeAbove { opening: old.opening.clone(), colours }))
            }
            (Block::Code { text, fence, language }, None) => {
                let first = if fence.is_some() { read.line_end(begin) } else { read.line_start(begin) };
                let count = rows(first).filter(|_| !laid.coloured_whole)?;
                let colours = theme.code_lines(language.as_deref()).map(|mut colours| {
                    text.split('\n').take(count).for_each(|line| drop(colours.line(line)));
                    colours
                });
                let opening = if fence.is_some() { opening_line(begin) } else { String::new() };
                Some(Leaf::Code(CodeAbove { opening, colours }))
            }
            (Block::Table(_), old) => {
                let (opening, first) = match old {
                    Some(Leaf::Table { opening, .. }) => (opening.clone(), read.preamble),
                    Some(_) => return None,
                    None => {
                        let second = read.line_end(begin);
                        let first = read.line_end(second);
                        (opening_line(begin) + read.text.get(second..first)?, first)
                    }
                };
                let above = laid.table.as_ref()?.above(rows(first).filter(|rows| *rows > 0)?);
                // Formulas of the text that was read are not known any more.
                let has_formula = opening.contains(|ch| ch >= '\u{100000}');
                (!has_formula).then_some(Leaf::Table { opening, above })
            }
            _ => None,
        }
    }

    /// The words of the only paragraph before `at`.
    fn paragraph<T: Theme>(
        &self,
        at: usize,
        read: &Read,
        laid: &Laid,
        theme: &mut T,
    ) -> Result<Option<ParagraphAbove>, T::Error> {
        let words = read.text[read.preamble..at].trim_end();
        let formulas = math::extract_part(words, self.place.fence);
        let part = parse_part(&formulas.text, &formulas.formulas, &self.definitions);
        let [Block::Paragraph(inlines)] = part.blocks.as_slice() else { return Ok(None) };
        let mut renderer = Renderer::for_stream(&self.options, theme);
        let style = renderer.document_style()?;
        let Some(around) = renderer.around_text()? else { return Ok(None) };
        let styled = renderer.inlines(inlines, &style)?;
        let mut above = match &self.place.leaf {
            Some(Leaf::Paragraph(above)) => ParagraphAbove::clone(above),
            _ => ParagraphAbove { flow: Flow::new(self.width), around, pending: Pending::default() },
        };
        let resumed = self.place.leaf.is_some();
        let begin = if resumed { styled.strip_prefix(&above.around.0) } else { Some(styled.as_str()) };
        let Some(styled) = begin.and_then(|styled| styled.strip_suffix(&above.around.1)) else { return Ok(None) };
        above.flow.push(styled);
        above.flow.push(" ");
        let lines = above.flow.take_lines();
        let settled = above.pending.add(inlines) && !above.pending.may_close_in(&read.text[at..]);
        Ok((settled && laid.lines.starts_with(&lines)).then_some(above))
    }

    /// Moves to a place from which the rest has `rest` lines; it is at `at` of the text that was read.
    fn commit(&mut self, place: Place, at: usize, read: &Read, rest: usize) {
        let lines = self.live.len() - rest;
        self.kept.extend(self.live.drain(..lines));
        for found in read.part.definitions.iter().filter(|found| (read.preamble..at).contains(&found.start)) {
            self.definitions.entry(found.label.clone()).or_insert_with(|| found.url.clone());
            self.assumed.remove(&found.label);
        }
        for found in read.part.uses.iter().filter(|found| (read.preamble..at).contains(&found.start)) {
            match &found.url {
                _ if self.definitions.contains_key(&found.label) => {}
                Some(url) => drop(self.assumed.insert(found.label.clone(), url.clone())),
                None => drop(self.unresolved.insert(found.label.clone())),
            }
        }
        if place.spine().is_empty() {
            self.block = BlockStart { start: place.start, fence: place.fence, lines: self.kept.len() };
        }
        let settled = self.unresolved.is_empty() && self.assumed.is_empty();
        let stays = place.levels.iter().all(|level| match level {
            Level::Quote => true,
            // Every item changes when a list becomes loose.
            Level::List(list) => list.loose,
        });
        if settled && stays && matches!(place.leaf, None | Some(Leaf::Code(_))) {
            self.final_lines = self.final_lines.max(self.kept.len());
        }
        self.place = place;
    }

    /// The options that the lines are laid out with.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

/// Whether a definition may stand right above a line. Where a list before the two ends depends on how the paragraph in
/// that line goes on.
fn follows_definition(read: &Read, line: usize) -> bool {
    let is_blank = |line: &str| line.trim_matches([' ', '>', '\n']).is_empty();
    let mut above = line;
    while above > read.preamble {
        let start = read.line_start(above - 1);
        if is_blank(&read.text[start..above]) {
            return false;
        }
        if read.text[start..above].contains("]:") {
            return true;
        }
        above = start;
    }
    false
}

/// Whether a paragraph may be definitions of link targets, which show nothing.
fn may_vanish(paragraph: &str) -> bool {
    paragraph.starts_with('[') && {
        let label = paragraph.as_bytes().get(..LONGEST_LABEL);
        label.is_none_or(|label| label.windows(2).any(|pair| pair == b"]:"))
    }
}

/// The last word that letters and a space follow, after another such word.
fn last_word(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        // A space after the word, its letters, a space, the letters of the word before, and one more space.
        let after = text[..end].iter().rposition(|byte| *byte == b' ')?;
        let letters = |end: usize| text[..end].iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = after - letters(after);
        if word < after && word > 0 && text[word - 1] == b' ' {
            let before = word - 1 - letters(word - 1);
            if before < word - 1 && before > 0 && text[before - 1] == b' ' {
                return Some(word);
            }
        }
        end = after;
    }
}
