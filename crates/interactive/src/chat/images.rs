//! Images of the conversation, and the blocks that wait for them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::Value;
use tau_ai::MessageContent;
use tau_tui::blocks::{OwnImage, OwnPart};
use tau_tui::look::SharedLook;
use tau_tui::picture::taken::{Part, Taken, take};
use tau_tui::picture::{Image, State};
use tau_tui::screen::{Block, BlockId, Content, Transcript};

use super::Chat;
use crate::mounts::in_words;
use crate::pictures::Pictures;

/// The images that are shown, and where.
pub(super) struct Images {
    pictures: Pictures,
    /// Blocks with their images.
    shown: Vec<(BlockId, Vec<Image>)>,
    /// Blocks that are final but for images that are not there yet. What is in the scrollback cannot be changed.
    waiting: Vec<(BlockId, Vec<Image>)>,
    /// Images are asked for when they are on the screen, not before: a long history has many.
    is_lazy: bool,
}

impl Images {
    pub(super) fn new(pictures: Pictures) -> Self {
        Self { pictures, shown: Vec::new(), waiting: Vec::new(), is_lazy: false }
    }

    pub(super) fn set_lazy(&mut self, is_lazy: bool) {
        self.is_lazy = is_lazy;
    }

    pub(super) fn of_message(&self, content: &MessageContent) -> Vec<Image> {
        self.pictures.of_message(content)
    }

    pub(super) fn of_result(&self, result: &Arc<Value>, name: Option<&str>) -> Vec<Image> {
        self.pictures.of_result(result, name)
    }

    /// A block that is final shows these images now.
    pub(super) fn show(&mut self, block: BlockId, images: Vec<Image>) {
        if !images.is_empty() {
            self.shown.retain(|(shown, _)| *shown != block);
            self.shown.push((block, images));
        }
    }

    /// What an extension drew, with its images in the place of their sequences.
    pub(super) fn of_rows(&self, rows: Vec<String>, drawn: &mut DrawnImages) -> Arc<[OwnPart]> {
        drawn.parts(&self.pictures, rows)
    }

    /// Finishes a block now, or when its images are there.
    pub(super) fn finish(
        &mut self,
        transcript: &mut Transcript,
        block: BlockId,
        images: Vec<Image>,
        look: &SharedLook,
    ) {
        let waits = !self.is_lazy && look.get().pictures.is_some() && any_waits(&images);
        if !images.is_empty() {
            self.shown.push((block, images.clone()));
        }
        if waits {
            self.waiting.push((block, images));
        } else if let Some(block) = transcript.edit(block) {
            block.finish();
        }
    }
}

/// Whether some images are not there yet. Asks for them.
fn any_waits(images: &[Image]) -> bool {
    images.iter().filter(|image| image.state() == State::Waits).count() > 0
}

/// The most images of one part that an extension draws.
const MOST: usize = 32;

/// The images that an extension drew the last time: the same one is drawn again and again.
#[derive(Default)]
pub(super) struct DrawnImages(Vec<Known>);

/// An image by its id in Kitty's protocol and by its data.
struct Known {
    id: Option<u32>,
    digest: u64,
    image: Image,
}

impl DrawnImages {
    fn parts(&mut self, pictures: &Pictures, rows: Vec<String>) -> Arc<[OwnPart]> {
        let mut now: Vec<Known> = Vec::new();
        let parts = take(&rows).into_iter().flat_map(|part| {
            let taken = match part {
                Part::Line(line) => return vec![OwnPart::Row(line)],
                Part::Image(taken) => taken,
            };
            let (left, columns) = (taken.left, taken.columns);
            let known = if now.len() < MOST { self.known(pictures, &taken) } else { None };
            match known {
                Some(known) => {
                    let image = known.image.clone();
                    now.push(known);
                    vec![OwnPart::Image(OwnImage { image, left, columns })]
                }
                None => in_words(&taken).into_iter().map(OwnPart::Row).collect(),
            }
        });
        let parts = parts.collect();
        self.0 = now;
        parts
    }

    /// The image that was taken out of rows; one that was placed by its id only is known from before.
    fn known(&self, pictures: &Pictures, taken: &Taken) -> Option<Known> {
        if taken.problem.is_some() {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        taken.data.hash(&mut hasher);
        let digest = hasher.finish();
        let is_placed_again = taken.data.is_empty();
        let is_same = |known: &&Known| {
            if is_placed_again { known.id.is_some() && known.id == taken.id } else { known.digest == digest }
        };
        match self.0.iter().find(is_same) {
            Some(known) => Some(Known { id: taken.id, digest: known.digest, image: known.image.clone() }),
            None if is_placed_again => None,
            None => Some(Known { id: taken.id, digest, image: pictures.of_file(&taken.data) }),
        }
    }
}

/// The images among parts.
pub(super) fn images_of(parts: Option<&Arc<[OwnPart]>>) -> impl Iterator<Item = Image> {
    parts.into_iter().flat_map(|parts| parts.iter()).filter_map(OwnPart::image).cloned()
}

impl Chat {
    /// Adds a block that is final but for its images.
    pub(super) fn push_with_images(
        &mut self,
        transcript: &mut Transcript,
        content: impl Content + 'static,
        images: Vec<Image>,
        dress: impl FnOnce(Block) -> Block,
    ) {
        let mut block = Block::new();
        block.push(content);
        let id = transcript.push(dress(block));
        self.images.finish(transcript, id, images, &self.look);
    }

    /// An image is there, or will not come.
    pub(crate) fn picture_is_settled(&mut self, transcript: &mut Transcript, image: &Image) {
        for (block, _) in self.images.shown.iter().filter(|(_, images)| images.contains(image)) {
            if let Some(block) = transcript.edit(*block) {
                block.release();
            }
        }
        self.images.waiting.retain(|(block, images)| {
            let waits = any_waits(images);
            if !waits && let Some(block) = transcript.edit(*block) {
                block.finish();
            }
            waits
        });
    }

    /// Nobody waits for images any more.
    pub(crate) fn give_up_pictures(&mut self, transcript: &mut Transcript) {
        for (block, _) in self.images.waiting.drain(..) {
            if let Some(block) = transcript.edit(block) {
                block.finish();
            }
        }
    }
}
