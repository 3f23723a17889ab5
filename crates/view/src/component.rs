//! What a screen is made of.

/// Something that renders itself to lines and may react to keys.
///
/// A line is text with ANSI escape sequences and must not be wider than the width asked for.
pub trait Component {
    /// The lines of this component for a viewport of `width` columns.
    fn render(&mut self, width: usize) -> Vec<String>;

    /// Takes what the terminal sent while this component had the focus: one key or one paste, undecoded.
    fn handle_input(&mut self, data: &str) {
        let _ = data;
    }

    /// Drops cached lines, because the theme or something else outside has changed.
    fn invalidate(&mut self);
}
