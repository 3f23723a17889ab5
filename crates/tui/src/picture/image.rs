//! An image of the conversation.

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tau_view::untrusted;

/// The longest name and the longest kind that are shown, in characters.
const LONGEST: usize = 80;

/// What is known of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Its data are not there, and may come.
    Waits,
    /// It can be shown: its size in pixels.
    Ready(u32, u32),
    /// It cannot be shown, and why; without a reason, nobody tries.
    Fails(Option<String>),
}

/// What prepares the data of an image, on a thread of its own. It is asked once, and again when the data are gone.
type Load = dyn Fn(Image) + Send + Sync;

struct Shared {
    name: Option<String>,
    mime: String,
    load: Box<Load>,
    known: Mutex<Known>,
}

struct Known {
    state: State,
    /// Its size, also where it cannot be shown.
    size: Option<(u32, u32)>,
    asked: bool,
    data: Weak<[u8]>,
}

/// An image of the conversation. Clones are the same one.
///
/// It does not keep its data: a [`Store`](super::Store) does, for some images at a time.
#[derive(Clone)]
pub struct Image(Arc<Shared>);

impl Image {
    /// An image of a kind, and its size if that is known. `load` is called when its data are wanted for the first time, and
    /// whenever they are not kept any more: it calls [`Image::ready`] or [`Image::fails`] later.
    pub fn new(
        name: Option<&str>,
        mime: &str,
        size: Option<(u32, u32)>,
        load: impl Fn(Image) + Send + Sync + 'static,
    ) -> Self {
        let known = Known { state: State::Waits, size, asked: false, data: Weak::<[u8; 0]>::new() };
        let name = name.map(short).filter(|name| !name.is_empty());
        Self(Arc::new(Shared { name, mime: short(mime), load: Box::new(load), known: Mutex::new(known) }))
    }

    /// What is known of it. Asks for its data if nobody has.
    pub fn state(&self) -> State {
        let state = self.0.known.lock().state.clone();
        if state == State::Waits {
            self.ask();
        }
        state
    }

    /// Its data, as long as they are kept: otherwise they are asked for.
    pub fn data(&self) -> Option<Arc<[u8]>> {
        let data = self.0.known.lock().data.upgrade();
        if data.is_none() {
            self.ask();
        }
        data
    }

    fn ask(&self) {
        let asks = {
            let mut known = self.0.known.lock();
            !matches!(known.state, State::Fails(_)) && !std::mem::replace(&mut known.asked, true)
        };
        if asks {
            (self.0.load)(self.clone());
        }
    }

    /// Its data are there.
    pub fn ready(&self, (width, height): (u32, u32), data: &Arc<[u8]>) {
        let mut known = self.0.known.lock();
        known.size = known.size.or(Some((width, height)));
        known.state = State::Ready(width, height);
        known.data = Arc::downgrade(data);
        known.asked = false;
    }

    /// It cannot be shown, and why.
    pub fn fails(&self, why: Option<&str>) {
        self.0.known.lock().state = State::Fails(why.map(short));
    }

    /// What stands in its place where it is not shown.
    pub fn label(&self) -> String {
        let known = self.0.known.lock();
        let name = self.0.name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
        let size = known.size.map(|(width, height)| format!(" {width}x{height}")).unwrap_or_default();
        let why = match &known.state {
            State::Fails(Some(why)) => format!(": {why}"),
            _ => String::new(),
        };
        format!("[Image: {name}[{}]{size}{why}]", self.0.mime)
    }
}

/// Whether two are the same one.
impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Image {}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

/// Text from elsewhere on one line, of bounded length.
fn short(text: &str) -> String {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    untrusted::plain(&text[..end]).replace(['\n', '\t'], " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::picture::Store;

    #[test]
    fn data_are_asked_for_once_and_again_when_they_are_gone() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let image = Image::new(None, "image/png", None, move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!((image.state(), image.state(), image.data()), (State::Waits, State::Waits, None));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        let data: Arc<[u8]> = Arc::from(&b"abc"[..]);
        image.ready((4, 5), &data);
        assert_eq!((image.state(), image.data().as_deref()), (State::Ready(4, 5), Some(&b"abc"[..])));
        drop(data);
        assert_eq!((image.data(), image.state()), (None, State::Ready(4, 5)));
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        image.fails(Some("no"));
        assert_eq!((image.data(), asked.load(Ordering::Relaxed)), (None, 2));
    }

    #[test]
    fn the_label_says_what_is_known_and_nothing_that_a_terminal_obeys() {
        let image = Image::new(Some("a\x1b]0;x\x07\nb"), "image/\x1b[31mjpeg", Some((3, 4)), |_| {});
        assert_eq!(image.label(), "[Image: a b [image/jpeg] 3x4]");
        image.fails(Some("too large"));
        assert_eq!(image.label(), "[Image: a b [image/jpeg] 3x4: too large]");
        let image = Image::new(Some(""), &"x".repeat(1000), None, |_| {});
        assert_eq!(image.label(), format!("[Image: [{}]]", "x".repeat(LONGEST)));
    }

    #[test]
    fn a_store_keeps_what_was_wanted_last() {
        let store = Store::new(10);
        let keep = |size: usize| {
            let data: Arc<[u8]> = Arc::from(vec![0; size]);
            let weak = Arc::downgrade(&data);
            store.keep(data);
            weak
        };
        let (first, second) = (keep(4), keep(5));
        assert!(first.upgrade().is_some() && second.upgrade().is_some());
        let third = keep(6);
        assert!(first.upgrade().is_none() && second.upgrade().is_none() && third.upgrade().is_some());
        // One that is larger than all of it is there until the next one.
        let large = keep(100);
        assert!(third.upgrade().is_none() && large.upgrade().is_some());
        let last = keep(1);
        assert!(large.upgrade().is_none() && last.upgrade().is_some());
    }
}
