//! The alternate screen: a window on the whole transcript, with a dock under it.

mod flow;
mod heights;
mod search;
mod selection;
mod tints;
mod under;
mod view;
mod words;

use std::ops::Range;

pub use search::Found;
pub use selection::Unit;
pub use tints::Tints;
pub use under::Under;

use self::search::Search;
use self::selection::{Area, Selection, highlighted};
use self::view::{Place, Shown, View};
use super::block::BlockId;
use super::dock::{Cursor, Dock};
use super::features::{Features, Size};
use super::frame::finish;
use super::line::Line;
use super::overlay::Overlay;
use super::pen::Pen;
use super::pictures::AlternatePictures;
use super::row::{Writing, write_over};
use super::transcript::Transcript;

/// Whether a bar at the right shows where the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scrollbar {
    /// There is none, and lines have its column.
    Hidden,
    /// Its column is empty, so that nothing moves when it comes.
    #[default]
    Empty,
    /// It shows, when there is something to scroll.
    Visible,
    /// It shows, and the pointer is over it.
    Hovered,
}

/// A way to move the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// By lines, up if negative.
    Lines(isize),
    /// By what fits on the window, but four lines; up if negative.
    Pages(isize),
    /// To the first line.
    Start,
    /// To the end, which is followed from then on.
    End,
    /// To the prompt before.
    PreviousPrompt,
    /// To the next prompt, or to the end.
    NextPrompt,
    /// To where the part of the scrollbar that stands for the window begins in this row.
    Bar(usize),
}

/// Paints the alternate screen.
///
/// The window holds on to a line of a block, and lays out only the blocks that come near it; what a frame costs depends on the
/// rows of the screen, not on the transcript. At the end it follows what comes.
///
/// As with [`Regular`](super::Regular), a frame is asked for when the bytes before have been taken, and all its bytes are
/// written.
#[derive(Debug)]
pub struct Full {
    size: Size,
    features: Features,
    view: View,
    search: Option<Search>,
    scrollbar: Scrollbar,
    tints: Tints,
    /// The rows on the screen, if that is known.
    shown: Option<Vec<Line>>,
    cursor: Option<(usize, usize)>,
    visible: Option<bool>,
    /// What the last frame showed of the transcript.
    places: Vec<Place>,
    window: usize,
    /// The first line of the dock that was shown, what lay over it all, and the columns of what leads to the end.
    dock_first: usize,
    overlays: Vec<Overlay>,
    latest: Option<Range<usize>>,
    selection: Option<Selection>,
    pictures: AlternatePictures,
}

impl Full {
    /// A painter that shows the end of a transcript, on an alternate screen that has just been entered.
    pub fn new(size: Size, features: Features) -> Full {
        Full {
            size,
            features,
            view: View::new(),
            search: None,
            scrollbar: Scrollbar::default(),
            tints: Tints::default(),
            shown: None,
            cursor: None,
            visible: None,
            places: Vec::new(),
            window: size.rows,
            dock_first: 0,
            overlays: Vec::new(),
            latest: None,
            selection: None,
            pictures: AlternatePictures::default(),
        }
    }

    /// Takes a new size; everything is painted again.
    pub fn resize(&mut self, size: Size) {
        if self.selection.as_ref().is_some_and(|selection| selection.area != Area::Transcript) {
            self.selection = None;
        }
        self.window = (self.window + size.rows).saturating_sub(self.size.rows).clamp(1, size.rows);
        self.size = size;
        self.repaint();
    }

    /// Forgets what is on the screen, because something else wrote there or the screen was entered again.
    pub fn repaint(&mut self) {
        (self.shown, self.cursor, self.visible) = (None, None, None);
    }

    /// Takes what has become known about the terminal.
    pub fn set_features(&mut self, features: Features) {
        self.features = features;
    }

    /// The size it paints for.
    pub fn size(&self) -> Size {
        self.size
    }

    /// How many rows of the transcript the last frame had room for.
    pub fn window(&self) -> usize {
        self.window
    }

    /// The rows of the scrollbar that stand for the window; none when there is nothing to scroll.
    pub fn thumb(&self) -> Option<Range<usize>> {
        let (total, above) = self.view.extent();
        (total > self.window && self.size.columns > 1 && self.window > 0)
            .then(|| thumb_rows(self.window, total, above, self.view.follows()))
    }

    /// Adds bytes to `out` that take pictures off the screen, before it is left.
    pub fn leave(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.pictures.leave().as_bytes());
        self.repaint();
    }

    /// Shows the scrollbar or not.
    pub fn set_scrollbar(&mut self, scrollbar: Scrollbar) {
        self.scrollbar = scrollbar;
    }

    /// Takes the colours of the scrollbar and of what a search finds.
    pub fn set_tints(&mut self, tints: Tints) {
        self.tints = tints;
    }

    /// Whether the end is on the window, and what comes there is followed.
    pub fn follows(&self) -> bool {
        self.view.follows()
    }

    /// The block and its line that the last frame showed in a row.
    pub fn at(&self, transcript: &Transcript, row: usize) -> Option<(BlockId, usize)> {
        let place = self.places.get(row)?;
        Some((transcript.id(place.block)?, place.line))
    }

    /// The blocks that the last frame showed.
    pub fn in_view(&self, transcript: &Transcript) -> Vec<BlockId> {
        let mut blocks: Vec<_> = self.places.iter().filter_map(|place| transcript.id(place.block)).collect();
        blocks.dedup();
        blocks
    }

    fn width(&self) -> usize {
        let bar = usize::from(self.scrollbar != Scrollbar::Hidden);
        self.size.columns.saturating_sub(bar).max(1)
    }

    fn notice(&mut self, transcript: &mut Transcript) {
        let width = self.width();
        let changed = self.view.notice(transcript, width);
        if changed.is_none() && self.selection.as_ref().is_some_and(|selection| selection.area == Area::Transcript) {
            // Lines are others now.
            self.selection = None;
        }
        if let Some(search) = &mut self.search {
            match changed {
                Some(changed) => search.changed(&changed),
                None => search.restart(transcript.len()),
            }
        }
    }

    /// Moves the window; one without rows stays where it is.
    pub fn scroll(&mut self, transcript: &mut Transcript, by: Scroll) {
        self.notice(transcript);
        let rows = self.window;
        if rows == 0 {
            return;
        }
        if self.view.follows() {
            // What came since the last frame is not what the user saw.
            self.view.rows(transcript, rows);
        }
        match by {
            Scroll::Lines(lines) => self.view.scroll(transcript, rows, lines),
            Scroll::Pages(pages) => {
                let page = isize::try_from(rows.saturating_sub(4).max(1)).unwrap_or(isize::MAX);
                self.view.scroll(transcript, rows, pages.saturating_mul(page));
            }
            Scroll::Start => self.view.show(transcript, rows, Place::default()),
            Scroll::End => self.view.follow(),
            Scroll::PreviousPrompt => {
                let place = self.view.prompt(transcript, false).unwrap_or_default();
                self.view.show(transcript, rows, place);
            }
            Scroll::NextPrompt => match self.view.prompt(transcript, true) {
                Some(place) => self.view.show(transcript, rows, place),
                None => self.view.follow(),
            },
            Scroll::Bar(row) => {
                let (total, _) = self.view.extent();
                let size = self.thumb().map_or(0, |thumb| thumb.len());
                let room = rows.saturating_sub(size).max(1);
                if row >= room {
                    self.view.follow();
                } else {
                    self.view.seek(transcript, rows, total.saturating_sub(rows) * row / room);
                }
            }
        }
    }

    /// Shows a block at the top.
    pub fn show(&mut self, transcript: &mut Transcript, id: BlockId) {
        self.notice(transcript);
        if let Some(block) = transcript.place(id) {
            self.view.show(transcript, self.window, Place { block, line: 0 });
        }
    }

    /// Searches for a text from the first line of the window on; nothing is found before [`Full::search_on`].
    pub fn search(&mut self, transcript: &mut Transcript, text: &str) {
        self.notice(transcript);
        self.search = Some(Search::new(text, self.view.top(), transcript.len()));
    }

    /// Searches about `lines` more lines, and shows the first hit as soon as it is known.
    pub fn search_on(&mut self, transcript: &mut Transcript, lines: usize) -> Found {
        self.notice(transcript);
        let Some(search) = &mut self.search else { return Found { complete: true, ..Found::default() } };
        if let Some(place) = search.step(transcript, &mut self.view, lines) {
            self.view.reveal(transcript, self.window, place);
        }
        search.found()
    }

    /// Goes to the next hit, or to the one before.
    pub fn search_go(&mut self, transcript: &mut Transcript, down: bool) -> Found {
        self.notice(transcript);
        let Some(search) = &mut self.search else { return Found::default() };
        if let Some(place) = search.go(down) {
            self.view.reveal(transcript, self.window, place);
        }
        search.found()
    }

    /// Ends the search; the window stays where it is.
    pub fn search_end(&mut self) {
        self.search = None;
    }

    /// Adds the bytes that bring the screen up to date to `out`, none if it is. `latest` is shown in the middle of the last
    /// row of the window if the end is not on it.
    pub fn paint(
        &mut self,
        transcript: &mut Transcript,
        dock: &Dock,
        latest: Option<&Line>,
        overlays: &[Overlay],
        out: &mut Vec<u8>,
    ) {
        let Size { columns, rows } = self.size;
        self.dock_first = dock.first(rows);
        let (dock, cursor) = dock.window(rows, columns);
        self.notice(transcript);
        self.window = rows - dock.len();
        let mut lines = self.transcript_rows(transcript);
        self.latest = None;
        if let Some(latest) = latest.filter(|_| !self.view.follows() && !lines.is_empty()) {
            let width = latest.width().min(self.width());
            let column = (self.width() - width) / 2;
            let overlay = Overlay { lines: vec![latest.clone()], row: lines.len() - 1, column, width, cursor: None };
            overlay.lay_over(&mut lines, columns);
            self.latest = Some(column..column + width);
        }
        let first = lines.len();
        lines.extend(dock);
        let mut place = cursor.map(|cursor| (first + cursor.row, cursor.column, cursor.visible));
        for overlay in overlays {
            overlay.lay_over(&mut lines, columns);
            if let Some(cursor) = overlay.cursor {
                let (row, column) = (overlay.row + cursor.row, overlay.column + cursor.column);
                place = Some((row.min(rows - 1), column.min(columns - 1), cursor.visible));
            }
        }
        self.overlays = overlays.to_vec();
        self.highlight_rows(&mut lines);
        let cursor = place.map(|(row, column, visible)| Cursor { row, column, visible });

        let mut pen = Pen::absolute(columns);
        self.pictures.begin(&mut lines, (columns, rows), &mut pen);
        let blank = Line::empty();
        let known = self.shown.take();
        if known.is_none() {
            pen.move_to(0, 0);
            pen.erase_below();
        }
        let writing = Writing { marks: false, lasts: false, is_final: false };
        for (row, line) in lines.iter().enumerate() {
            let before = known.as_ref().and_then(|known| known.get(row)).unwrap_or(&blank);
            write_over(&mut pen, row, before, line, writing);
        }
        self.pictures.place(&lines, known.is_none(), &mut pen);
        let painted = !pen.bytes.is_empty();
        let place = cursor.map(|cursor| (cursor.row, cursor.column));
        if let Some((row, column)) = place.filter(|_| painted || place != self.cursor) {
            pen.move_to(row, column);
        }
        finish(&pen, painted, cursor, self.features, &mut self.visible, out);
        self.cursor = place;
        self.shown = Some(lines);
    }

    fn transcript_rows(&mut self, transcript: &mut Transcript) -> Vec<Line> {
        let found = self.view.rows(transcript, self.window);
        let selection = self.selection.as_ref().filter(|selection| selection.area == Area::Transcript);
        let shown = |Shown { place, line }: &Shown| {
            let line = match &self.search {
                Some(search) => search.highlight(*place, line, &self.tints),
                None => line.clone(),
            };
            match selection.and_then(|selection| selection.columns(*place)) {
                Some(columns) => highlighted(&line, &columns),
                None => line,
            }
        };
        let mut lines: Vec<Line> = found.iter().map(shown).collect();
        self.places = found.iter().map(|shown| shown.place).collect();
        lines.resize(self.window, Line::empty());
        let shows = matches!(self.scrollbar, Scrollbar::Visible | Scrollbar::Hovered);
        if let Some(bar) = self.thumb().filter(|_| shows) {
            let thumb = self.tints.thumb(self.scrollbar == Scrollbar::Hovered);
            let (track, thumb) = (Line::new(&self.tints.track(), 1), Line::new(&thumb, 1));
            for (row, line) in lines.iter_mut().enumerate() {
                *line = line.followed(self.size.columns - 1, if bar.contains(&row) { &thumb } else { &track });
            }
        }
        lines
    }

    /// Shows what is selected of the dock or an overlay.
    fn highlight_rows(&self, lines: &mut [Line]) {
        let Some(selection) = &self.selection else { return };
        let Area::Screen { columns, .. } = &selection.area else { return };
        for (row, line) in lines.iter_mut().enumerate() {
            if let Some(selected) = selection.columns(Place { block: 0, line: row }) {
                *line = highlighted(line, &(selected.start.max(columns.start)..selected.end.min(columns.end)));
            }
        }
    }
}

/// The rows of a scrollbar of `rows` rows that stand for the window, which is under `above` of `total` lines.
fn thumb_rows(rows: usize, total: usize, above: usize, at_end: bool) -> Range<usize> {
    let size = (rows * rows / total.max(1)).clamp(2.min(rows), rows);
    let room = rows - size;
    let start = if at_end { room } else { (above * room / total.saturating_sub(rows).max(1)).min(room) };
    start..start + size
}
