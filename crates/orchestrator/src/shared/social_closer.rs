//! Whether a message only closes an exchange, as "ok", "thanks!" or a thumb up do: looking for something that fits it is wasted.

use icu_properties::props::{ExtendedPictographic, GeneralCategory, GeneralCategoryGroup, RegionalIndicator};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_segmentation::UnicodeSegmentation as _;

/// Messages that close, in lower case, with single blanks.
const WORDS: &[&str] = &[
    "+1",
    "agreed",
    "alright",
    "awesome",
    "cheers",
    "cool",
    "correct",
    "excellent",
    "got it",
    "great",
    "k",
    "lgtm",
    "many thanks",
    "n",
    "nice",
    "no",
    "no thanks",
    "nope",
    "ok",
    "okay",
    "perfect",
    "right",
    "sounds good",
    "sure",
    "thank you",
    "thank you very much",
    "thanks",
    "thanks a lot",
    "thx",
    "ty",
    "understood",
    "y",
    "yeah",
    "yep",
    "yes",
    "yup",
];
/// The most emoji and symbols of a message without words.
const MOST_SYMBOLS: usize = 8;
/// No message that closes is longer, in bytes. One emoji may take dozens.
const LONGEST: usize = 512;
/// Signs that ask. With one of them, "right?" wants an answer.
const QUESTIONS: &[char] = &['?', '？', '؟', '՞', '\u{37e}', '‽', '⁇', '⁈', '⁉', '❓', '❔', '⸮', '፧'];

/// Whether a message is one of a few words, whatever stands around them of punctuation and emoji, or nothing but a few emoji
/// and symbols. Words of other languages are none of these: a short one may well be a question.
pub fn is_social_closer(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || text.contains(QUESTIONS) {
        return false;
    }
    let clusters: Vec<&str> = text.graphemes(true).filter(|cluster| !is_invisible(cluster)).collect();
    let is_sign = |cluster: &&str| cluster.chars().all(char::is_whitespace) || is_symbol(cluster);
    if clusters.iter().all(is_sign) {
        let symbols = clusters.iter().filter(|cluster| is_symbol(cluster)).count();
        return (1..=MOST_SYMBOLS).contains(&symbols);
    }
    let first = clusters.iter().position(|cluster| !is_sign(cluster)).unwrap_or_default();
    let last = clusters.iter().rposition(|cluster| !is_sign(cluster)).unwrap_or_default();
    is_listed(&clusters.concat()) || is_listed(&clusters[first..=last].concat())
}

fn is_listed(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    WORDS.contains(&words.join(" ").as_str())
}

/// Whether nobody sees a cluster: characters that only join or mark others, with nothing to join.
fn is_invisible(cluster: &str) -> bool {
    cluster.chars().all(|ch| matches!(category(ch), GeneralCategory::Format | GeneralCategory::Control))
        && !cluster.chars().any(char::is_whitespace)
}

/// Whether a cluster is an emoji, a symbol or a punctuation mark.
fn is_symbol(cluster: &str) -> bool {
    let Some(base) = cluster.chars().next() else { return false };
    // Some emoji are letters for Unicode, such as the one of a blood group, and a keycap begins with a digit.
    let is_keycap = matches!(base, '0'..='9' | '#' | '*') && cluster.ends_with('\u{20e3}');
    let is_emoji = CodePointSetData::new::<ExtendedPictographic>().contains(base)
        || CodePointSetData::new::<RegionalIndicator>().contains(base);
    let kind = category(base);
    let is_sign = GeneralCategoryGroup::Symbol.contains(kind) || GeneralCategoryGroup::Punctuation.contains(kind);
    // A sign may carry marks, but no letter of a script that joins with what stands before it.
    let is_alone = cluster.chars().skip(1).all(|ch| !ch.is_alphanumeric());
    is_keycap || is_emoji || is_sign && is_alone
}

fn category(ch: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(ch)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn these_close() {
        for text in [
            "ok",
            "OK!",
            "ok.",
            "Ok",
            "okay",
            "thanks!",
            "Thanks",
            "thank you",
            "Thank  you!!",
            "THANK\tYOU",
            "got it",
            "Got it.",
            "sure",
            "right",
            "correct",
            "agreed",
            "nice",
            "cool",
            "great",
            "perfect",
            "yes",
            "no",
            "No.",
            "lgtm",
            "LGTM 🚀",
            "y",
            "+1",
            "  ok \n",
            "\"ok\"",
            "(yes)",
            "ok。",
            "…thanks…",
            "thanks :)",
            "ok 👍🏽",
            "❤️ thank you ❤️",
            "¡perfect!",
        ] {
            assert!(is_social_closer(text), "{text}");
        }
        for text in [
            "👍",
            "🙏",
            "✅",
            "👌",
            "🎉",
            "💯",
            "🚀",
            "👍👍👍",
            "👍🏿",
            "❤️",
            "❤",
            "👨‍👩‍👧‍👦",
            "👩🏽‍💻",
            "🏳️‍🌈",
            "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
            "🇩🇪",
            "🇩🇪🇫🇷",
            "1️⃣",
            "#⃣",
            "Ⓜ️",
            "🅰️",
            "㊗️",
            "©",
            "™",
            "→",
            "✓",
            "...",
            "!",
            ":-)",
            "^_^",
            "👍 🎉",
            "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦",
        ] {
            assert!(is_social_closer(text), "{text}");
        }
    }

    #[test]
    fn these_do_not() {
        for text in [
            "",
            "   ",
            "\u{200b}",
            "\u{200d}\u{feff}",
            "ok?",
            "right?",
            "?",
            "？",
            "؟",
            "❓",
            "⁉️",
            "ok then fix the parser",
            "no, use tabs",
            "yes and push it",
            "okok",
            "o k",
            "thank",
            "note",
            "1",
            "42",
            "1.",
            "v2",
            "c++",
            "fix",
            "go",
            "do it",
            "continue",
            "👍 merge it",
            "🎉🎉🎉🎉🎉🎉🎉🎉🎉",
            ".........",
        ] {
            assert!(!is_social_closer(text), "{text}");
        }
        // Short words of other scripts: Arabic, Hebrew, Thai, Chinese, Japanese, Korean, Hindi, Greek, Russian, Georgian, Tamil.
        for text in [
            "نعم",
            "لا",
            "شكرا",
            "כן",
            "תודה",
            "ใช่",
            "ครับ",
            "ไม่",
            "是",
            "好的",
            "はい",
            "いいえ",
            "네",
            "아니요",
            "हाँ",
            "ναι",
            "да",
            "нет",
            "კი",
            "ஆம்",
            "修正",
            "صلّحه",
            "תקן!",
            "แก้",
            "é",
            "ñ",
        ] {
            assert!(!is_social_closer(text), "{text}");
        }
        assert!(!is_social_closer(&"👍".repeat(1_000_000)));
    }

    #[test]
    fn the_words_are_written_as_they_are_compared() {
        for word in WORDS {
            assert!(is_listed(word) && is_social_closer(&word.to_uppercase()), "{word}");
        }
        assert!(WORDS.is_sorted());
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,40}|[\u{0}-\u{10ffff}]{0,40}") {
            is_social_closer(&text);
        }

        /// What somebody says in letters is only one of the words.
        #[test]
        fn no_text_with_other_words_closes(word in "[a-zа-яא-ת一-龥]{1,12}", sign in "[!.👍 ]{0,4}") {
            prop_assume!(!WORDS.contains(&word.as_str()));
            let text = format!("{sign}{word}{sign}");
            prop_assert!(!is_social_closer(&text));
        }
    }
}
