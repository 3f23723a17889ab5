//! Pictures among the rows of a screen.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::line::Line;
use super::pen::Pen;
use crate::picture::kitty::{self, Band};
use crate::picture::{Fit, How, Image, Picture, Slice, iterm};

/// How many images that are not on the alternate screen a terminal keeps for it, and how many bytes of all of them.
const OFF_SCREEN: usize = 16;
const BYTES: usize = 32 << 20;

/// How many pictures in tmux are known to have been sent.
const SENT: usize = 4096;

/// Rows that stand one below the other and are rows of one picture that do.
#[derive(Debug, Clone)]
struct Group {
    picture: Arc<Picture>,
    /// The rows of the screen.
    rows: Range<usize>,
    /// The first row of the picture.
    from: u16,
}

impl Group {
    fn band(&self) -> Band {
        Band { from: self.from, rows: self.rows.len() as u16 }
    }
}

fn groups(lines: &[Line]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        let Some(Slice { picture, row: from }) = line.slice() else { continue };
        match groups.last_mut() {
            Some(group)
                if group.rows.end == row
                    && group.picture.id() == picture.id()
                    && usize::from(group.from) + group.rows.len() == usize::from(*from) =>
            {
                group.rows.end += 1;
            }
            _ => groups.push(Group { picture: Arc::clone(picture), rows: row..row + 1, from: *from }),
        }
    }
    groups
}

/// Puts what is said of the picture in the place of its rows.
fn replace(lines: &mut [Line], group: &Group, columns: usize) {
    for row in group.rows.clone() {
        lines[row] = lines[row].without_picture(columns);
    }
}

/// Pictures on the main screen.
///
/// One is drawn once, when its rows are final: then terminals move it with them, into the scrollback. Until then, and
/// where it cannot be drawn, a text stands in its place. In tmux its cells are characters, which are drawn as all others.
#[derive(Debug, Default)]
pub(super) struct MainPictures {
    /// Ids of those that tmux has passed on, the oldest first.
    sent: VecDeque<u32>,
}

/// Pictures that are drawn in a frame: what is drawn once a row is written.
#[derive(Debug, Default)]
pub(super) struct Final {
    /// Each with the row that it ends with.
    parts: VecDeque<(usize, Group)>,
    /// The picture whose data were sent last.
    sent: Option<u32>,
}

impl MainPictures {
    /// Takes the pictures out of `lines` that cannot be drawn; `committed` of these are final, on a screen of so many
    /// `rows` and `columns`. Sends what has to be there before the lines are.
    pub(super) fn begin(
        &mut self,
        lines: &mut [Line],
        committed: usize,
        (columns, rows): (usize, usize),
        pen: &mut Pen,
    ) -> Final {
        let mut drawn = Final::default();
        for group in groups(lines) {
            let (picture, fit) = (&group.picture, group.picture.fit());
            let is_whole = group.rows.len() == usize::from(fit.rows);
            let fits = match picture.how() {
                How::Placeholders => true,
                How::Kitty => group.rows.end <= committed,
                How::Iterm => group.rows.end <= committed && is_whole && group.rows.len() <= rows,
            };
            let data = picture.image().data().filter(|_| fits);
            match (picture.how(), data) {
                (_, None) => replace(lines, &group, columns),
                (How::Placeholders, Some(data)) => {
                    if !self.sent.contains(&picture.id()) {
                        pen.control(&kitty::send_for_placeholders(picture.id(), &data, fit));
                        self.sent.push_back(picture.id());
                        self.sent.drain(..self.sent.len().saturating_sub(SENT));
                    }
                }
                (How::Kitty | How::Iterm, Some(_)) => drawn.push(group, rows),
            }
        }
        drawn
    }
}

impl Final {
    /// A picture that is higher than the screen is drawn in parts: more of it is never on the screen.
    fn push(&mut self, group: Group, rows: usize) {
        let mut start = group.rows.start;
        while start < group.rows.end {
            let end = group.rows.end.min(start + rows.max(1));
            let from = group.from + (start - group.rows.start) as u16;
            self.parts.push_back((end - 1, Group { rows: start..end, from, ..group.clone() }));
            start = end;
        }
    }

    /// Draws what ends with this row, which has just been written.
    pub(super) fn row_is_written(&mut self, row: usize, pen: &mut Pen) {
        while let Some((_, group)) = self.parts.pop_front_if(|(last, _)| *last <= row) {
            let (picture, fit) = (&group.picture, group.picture.fit());
            let Some((data, size)) = ready(picture.image()) else { continue };
            if picture.how() == How::Iterm {
                pen.move_to(group.rows.start, picture.left().into());
                pen.control(&iterm::draw(&data, fit));
                continue;
            }
            // Parts of one picture are placements of one image.
            if self.sent.replace(picture.id()) != Some(picture.id()) {
                pen.control(&kitty::send(picture.id(), &data));
            }
            pen.move_to(group.rows.start, picture.left().into());
            pen.control(&kitty::place(picture.id(), u32::from(group.from) + 1, size, fit, group.band()));
        }
    }
}

/// The data of an image, and its size in pixels.
type Ready = (Arc<[u8]>, (u32, u32));

fn ready(image: &Image) -> Option<Ready> {
    let crate::picture::State::Ready(width, height) = image.state() else { return None };
    Some((image.data()?, (width, height)))
}

/// An image that the terminal has.
#[derive(Debug)]
struct Sent {
    image: Image,
    id: u32,
    bytes: usize,
}

/// A part of an image that is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    id: u32,
    placement: u32,
    row: usize,
    left: u16,
    fit: Fit,
    band: Band,
}

/// Pictures on the alternate screen. They are placed over the rows that are theirs, as far as these are on the screen, and
/// placed again when they move. The data are sent once, and kept for a while when the image has left the screen.
#[derive(Debug, Default)]
pub(super) struct AlternatePictures {
    /// The one that was shown last is the last.
    sent: VecDeque<Sent>,
    placed: Vec<Placed>,
    /// See [`MainPictures`].
    characters: MainPictures,
}

impl AlternatePictures {
    /// Takes the pictures out of `lines` that cannot be drawn, and sends what has to be there before the lines are.
    pub(super) fn begin(&mut self, lines: &mut [Line], (columns, rows): (usize, usize), pen: &mut Pen) {
        for group in groups(lines) {
            match group.picture.how() {
                // There is no way to take one of these away again.
                How::Iterm => replace(lines, &group, columns),
                How::Kitty if ready(group.picture.image()).is_none() => replace(lines, &group, columns),
                How::Kitty | How::Placeholders => {}
            }
        }
        if lines.iter().filter_map(Line::slice).any(|slice| slice.picture.how() == How::Placeholders) {
            self.characters.begin(lines, 0, (columns, rows), pen);
        }
    }

    /// Brings the pictures to where their rows are by now; all of them, where the screen was wiped.
    pub(super) fn place(&mut self, lines: &[Line], is_wiped: bool, pen: &mut Pen) {
        let mut before = std::mem::take(&mut self.placed);
        let mut wanted = Vec::new();
        for group in groups(lines).into_iter().filter(|group| group.picture.how() == How::Kitty) {
            let Some((data, size)) = ready(group.picture.image()) else { continue };
            let id = self.send(&group.picture, &data, pen);
            let (row, left, fit) = (group.rows.start, group.picture.left(), group.picture.fit());
            wanted.push((Placed { id, placement: 0, row, left, fit, band: group.band() }, size));
        }
        // Those that stay where they are keep their numbers, the others get those that are left.
        let mut moved = Vec::new();
        for (place, size) in wanted {
            match before.iter().position(|old| !is_wiped && Placed { placement: 0, ..*old } == place) {
                Some(at) => self.placed.push(before.swap_remove(at)),
                None => moved.push((place, size)),
            }
        }
        for (place, size) in moved {
            let placement = match before.iter().position(|old| old.id == place.id) {
                Some(at) => before.swap_remove(at).placement,
                None => self.free(&before, place.id),
            };
            pen.move_to(place.row, place.left.into());
            pen.control(&kitty::place(place.id, placement, size, place.fit, place.band));
            self.placed.push(Placed { placement, ..place });
        }
        for gone in before {
            pen.control(&kitty::unplace(gone.id, gone.placement));
        }
        self.trim(pen);
    }

    /// The smallest number that no placement of an image has.
    fn free(&self, before: &[Placed], id: u32) -> u32 {
        let has = |number: &u32| self.placed.iter().chain(before).any(|old| old.id == id && old.placement == *number);
        (1..).find(|number| !has(number)).unwrap_or(1)
    }

    /// Sends the data of an image, if the terminal does not have them; gives the id that it has there.
    fn send(&mut self, picture: &Picture, data: &[u8], pen: &mut Pen) -> u32 {
        if let Some(at) = self.sent.iter().position(|sent| sent.image == *picture.image())
            && let Some(sent) = self.sent.remove(at)
        {
            let id = sent.id;
            self.sent.push_back(sent);
            return id;
        }
        pen.control(&kitty::send(picture.id(), data));
        self.sent.push_back(Sent { image: picture.image().clone(), id: picture.id(), bytes: data.len() });
        picture.id()
    }

    /// Gives up what has not been on the screen for longest, where there is too much.
    fn trim(&mut self, pen: &mut Pen) {
        let is_placed = |sent: &Sent| self.placed.iter().any(|placed| placed.id == sent.id);
        let mut off = self.sent.iter().filter(|sent| !is_placed(sent)).count();
        let mut bytes: usize = self.sent.iter().map(|sent| sent.bytes).sum();
        self.sent.retain(|sent| {
            let stays = is_placed(sent) || (off <= OFF_SCREEN && bytes <= BYTES);
            if !stays {
                pen.control(&kitty::forget(sent.id));
                (off, bytes) = (off - 1, bytes - sent.bytes);
            }
            stays
        });
    }

    /// What takes all of them off the screen, and their data out of the terminal.
    pub(super) fn leave(&mut self) -> String {
        self.placed.clear();
        self.sent.drain(..).map(|sent| kitty::forget(sent.id)).collect()
    }
}
