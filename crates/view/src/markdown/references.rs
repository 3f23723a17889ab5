//! Links whose target is defined elsewhere in the document.

use std::cell::RefCell;
use std::collections::HashMap;

use pulldown_cmark::{BrokenLink, BrokenLinkCallback, CowStr, LinkType, Tag};
use unicase::UniCase;

/// What a link calls its target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Label(UniCase<String>);

impl Label {
    pub(super) fn new(label: &str) -> Self {
        Self(UniCase::new(label.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The targets that are defined, by label.
pub(super) type Definitions = HashMap<Label, String>;

/// A definition in a text.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) label: Label,
    pub(super) url: String,
    pub(super) start: usize,
}

/// Something that is a link if its label is defined.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) start: usize,
    pub(super) label: Label,
    /// Where it leads; nothing while the label is not defined.
    pub(super) url: Option<String>,
}

impl Use {
    /// The use that the span of `tag`, which begins at `start`, is one of.
    pub(super) fn of(tag: &Tag<'_>, start: usize) -> Option<Self> {
        let (Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. }) = tag else {
            return None;
        };
        match link_type {
            LinkType::Inline | LinkType::Autolink | LinkType::Email => None,
            _ => Some(Self { start, label: Label::new(id), url: Some(dest_url.to_string()) }),
        }
    }
}

/// Looks labels up that are not defined in the text that is read.
pub(super) struct Lookup<'a> {
    pub(super) known: &'a Definitions,
    pub(super) unresolved: &'a RefCell<Vec<Use>>,
}

impl<'a> BrokenLinkCallback<'a> for Lookup<'a> {
    fn handle_broken_link(&mut self, link: BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> {
        let label = Label::new(&link.reference);
        match self.known.get(&label) {
            Some(url) => Some((url.clone().into(), CowStr::Borrowed(""))),
            None => {
                self.unresolved.borrow_mut().push(Use { start: link.span.start, label, url: None });
                None
            }
        }
    }
}
