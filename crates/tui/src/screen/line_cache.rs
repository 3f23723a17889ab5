//! Lines of the last frame, for the next one.

use std::collections::HashMap;

use super::line::Line;

/// Makes lines of texts, and keeps those of the last frame: most rows of a dock are the same from one key to the next.
#[derive(Debug, Default)]
pub struct LineCache {
    width: usize,
    last: HashMap<Box<str>, Line>,
    now: HashMap<Box<str>, Line>,
}

impl LineCache {
    /// Another frame begins, for lines of at most `width` columns.
    pub fn begin(&mut self, width: usize) {
        std::mem::swap(&mut self.last, &mut self.now);
        self.now.clear();
        if width != self.width {
            self.last.clear();
        }
        self.width = width;
    }

    /// As [`Line::new`], at the width of this frame.
    pub fn line(&mut self, text: &str) -> Line {
        if let Some(line) = self.now.get(text) {
            return line.clone();
        }
        let (text, line) =
            self.last.remove_entry(text).unwrap_or_else(|| (Box::from(text), Line::new(text, self.width)));
        self.now.insert(text, line.clone());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_for_one_frame_and_one_width() {
        let mut cache = LineCache::default();
        let frame = |cache: &mut LineCache, width, texts: &[&str]| {
            cache.begin(width);
            texts.iter().map(|text| cache.line(text)).collect::<Vec<_>>()
        };
        let first = frame(&mut cache, 5, &["─────", "other", "─────"]);
        assert_eq!(first, [Line::new("─────", 5), Line::new("other", 5), Line::new("─────", 5)]);
        let second = frame(&mut cache, 5, &["─────"]);
        assert!(std::ptr::eq(first[0].as_str(), second[0].as_str()), "it is the same one");
        assert_eq!(frame(&mut cache, 2, &["─────"]), [Line::new("─────", 2)]);
        assert_eq!(frame(&mut cache, 5, &["other"]), [Line::new("other", 5)]);
        assert_eq!((cache.now.len(), cache.last.len()), (1, 0), "nothing older is kept");
    }
}
