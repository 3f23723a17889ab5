//! Long text: the model gets both ends, a file the whole.

use std::io;
use std::path::PathBuf;

use tau_ai::ContentBlock;

/// Most bytes of text that a model gets.
const MOST: usize = 20_480;
/// Bytes of a token, roughly.
const TOKEN: usize = 4;

/// Cuts the text of all blocks together; pictures stay. Gives the file with the whole text when it was cut.
pub(super) fn cut(
    content: Vec<ContentBlock>,
    keep: impl FnOnce(&str) -> io::Result<PathBuf>,
) -> (Vec<ContentBlock>, Option<PathBuf>) {
    let whole = content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n");
    if whole.len() <= MOST {
        return (content, None);
    }
    let (head, tail) = (whole.floor_char_boundary(MOST / 2), whole.ceil_char_boundary(whole.len() - MOST / 2));
    let removed = whole[head..tail].chars().count();
    let (place, full) = match keep(&whole) {
        Ok(path) => (format!("[Full output: {} (read it with offset/limit)]", path.display()), Some(path)),
        Err(error) => (format!("[Could not save the full output: {error}]"), None),
    };
    let text = format!(
        "Warning: truncated output (original token count: {})\nTotal output lines: {}\n\n{}…{removed} chars truncated…{}\n\n{place}",
        whole.len().div_ceil(TOKEN),
        whole.lines().count(),
        &whole[..head],
        &whole[tail..]
    );
    let pictures = content.into_iter().filter(|block| matches!(block, ContentBlock::Image(_)));
    (std::iter::once(ContentBlock::text(text)).chain(pictures).collect(), full)
}
