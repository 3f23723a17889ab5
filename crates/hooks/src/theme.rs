//! Colour themes, as extensions see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tau_view::theme::ColorTheme;

use crate::source_info::SourceInfo;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A colour theme that can be chosen.
#[derive(Debug, Clone)]
pub struct ThemeInfo {
    /// Its name and colours.
    pub colors: Arc<ColorTheme>,
    /// The file; `None` for a theme that is part of the program.
    pub path: Option<String>,
    /// Where the file was found.
    pub source_info: Option<SourceInfo>,
    serial: u64,
}

impl ThemeInfo {
    /// A theme of a file.
    pub fn new(colors: Arc<ColorTheme>, path: Option<String>, source_info: Option<SourceInfo>) -> Self {
        Self { colors, path, source_info, serial: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// A number that no other theme has: whoever has seen it has seen this theme.
    pub fn serial(&self) -> u64 {
        self.serial
    }
}
