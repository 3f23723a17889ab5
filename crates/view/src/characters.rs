//! Questions about single characters, answered from Unicode's own tables.

use icu_properties::props::{
    BasicEmoji, DefaultIgnorableCodePoint, EastAsianWidth, EmojiModifier, EmojiModifierBase, ExtendedPictographic,
    GeneralCategory, Script,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData, EmojiSetData};

const ZERO_WIDTH_JOINER: char = '\u{200d}';
const EMOJI_PRESENTATION: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

fn category(ch: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(ch)
}

/// Whether `ch` is a combining mark of any kind.
pub(crate) fn is_mark(ch: char) -> bool {
    matches!(
        category(ch),
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark | GeneralCategory::SpacingMark
    )
}

/// Whether a terminal draws nothing for `ch` on its own: controls, marks and ignorable characters.
pub(crate) fn is_zero_width(ch: char) -> bool {
    category(ch) == GeneralCategory::Control
        || is_mark(ch)
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(ch)
}

/// Like [`is_zero_width`], with format characters included: these never start the visible part of a cluster.
pub(crate) fn is_non_printing(ch: char) -> bool {
    category(ch) == GeneralCategory::Format || is_zero_width(ch)
}

/// Whether terminals give this mark a cell of its own: most spacing marks, and some marks that old width tables
/// count although Unicode calls them non-spacing.
pub(crate) fn is_cell_mark(ch: char) -> bool {
    match ch {
        '\u{1734}' | '\u{302e}' | '\u{302f}' => false,
        '\u{65f}' | '\u{f7f}' | '\u{102b}' | '\u{102c}' | '\u{1031}' | '\u{1033}'..='\u{1035}' | '\u{1038}' => true,
        '\u{103a}'..='\u{103e}' => true,
        _ => category(ch) == GeneralCategory::SpacingMark,
    }
}

/// Columns of a visible character by its East Asian width: wide and fullwidth take two, ambiguous ones one.
pub(crate) fn cell_width(ch: char) -> usize {
    match CodePointMapData::<EastAsianWidth>::new().get(ch) {
        EastAsianWidth::Wide | EastAsianWidth::Fullwidth => 2,
        _ => 1,
    }
}

/// Whether text may be broken before and after `ch` without a space, as Chinese, Japanese and Korean are.
pub(crate) fn is_cjk(ch: char) -> bool {
    if ch.is_ascii() {
        return false;
    }
    let scripts = ScriptWithExtensions::new();
    [Script::Han, Script::Hiragana, Script::Katakana, Script::Hangul, Script::Bopomofo]
        .into_iter()
        .any(|script| scripts.has_script(ch, script))
}

/// Whether a grapheme cluster is one emoji that terminals draw two columns wide.
pub(crate) fn is_emoji(cluster: &str) -> bool {
    let emoji = EmojiSetData::new::<BasicEmoji>();
    if emoji.contains_str(cluster) {
        return true;
    }
    let mut rest = cluster.chars();
    if let (Some('0'..='9' | '#' | '*'), Some(EMOJI_PRESENTATION), Some(KEYCAP), None) =
        (rest.next(), rest.next(), rest.next(), rest.next())
    {
        return true;
    }
    cluster.split(ZERO_WIDTH_JOINER).enumerate().all(|(index, element)| is_emoji_element(element, index > 0))
}

/// Whether `element` is one emoji of a joined sequence: with its presentation selector or skin tone, and for
/// the later ones also bare.
fn is_emoji_element(element: &str, joined: bool) -> bool {
    if EmojiSetData::new::<BasicEmoji>().contains_str(element) {
        return true;
    }
    let mut chars = element.chars();
    let Some(base) = chars.next() else { return false };
    match (chars.next(), chars.next()) {
        (Some(modifier), None) if CodePointSetData::new::<EmojiModifier>().contains(modifier) => {
            CodePointSetData::new::<EmojiModifierBase>().contains(base)
        }
        (None, None) => joined && CodePointSetData::new::<ExtendedPictographic>().contains(base),
        _ => false,
    }
}

/// White space as JavaScript's `\s` and `trim` see it, which is what extensions' own text handling assumes.
pub(crate) fn is_space(ch: char) -> bool {
    ch == '\u{feff}' || (ch != '\u{85}' && ch.is_whitespace())
}

pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// ASCII punctuation, at which word movement stops inside a word.
pub(crate) fn is_punctuation(ch: char) -> bool {
    ch.is_ascii_punctuation() && ch != '_'
}
