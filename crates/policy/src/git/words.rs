//! Cutting texts that are only partly known.

use crate::text::{Piece, Source, Text};

/// The text after so many bytes of what it starts with for certain.
pub(super) fn after(text: &Text, bytes: usize) -> Text {
    let mut rest = Text::default();
    let mut pieces = text.pieces().iter();
    if let Some(Piece::Known(first)) = pieces.next() {
        rest.push(Piece::Known(first.get(bytes..).unwrap_or_default().to_owned()));
        for piece in pieces {
            rest.push(piece.clone());
        }
        rest
    } else {
        text.clone()
    }
}

/// The two sides of the first `mark` that stands there for certain.
pub(super) fn split(text: &Text, mark: char) -> Option<(Text, Text)> {
    let at = text.pieces().iter().position(|piece| matches!(piece, Piece::Known(part) if part.contains(mark)))?;
    let (mut before, mut behind) = (Text::default(), Text::default());
    for (index, piece) in text.pieces().iter().enumerate() {
        match (index.cmp(&at), piece) {
            (std::cmp::Ordering::Less, piece) => before.push(piece.clone()),
            (std::cmp::Ordering::Equal, Piece::Known(part)) => {
                let (one, other) = part.split_once(mark)?;
                before.push(Piece::Known(one.to_owned()));
                behind.push(Piece::Known(other.to_owned()));
            }
            (_, piece) => behind.push(piece.clone()),
        }
    }
    Some((before, behind))
}

/// What an unknown text of this machine is.
pub(super) fn unknown() -> Text {
    Text::unknown(Source::Local)
}

/// A text for a shell, quoted so that it stays one word.
pub(super) fn quoted(text: &Text) -> Text {
    let mut word = Text::new("'");
    for piece in text.pieces() {
        word.push(match piece {
            Piece::Known(part) => Piece::Known(part.replace('\'', "'\\''")),
            other => other.clone(),
        });
    }
    word.push(Piece::Known("'".to_owned()));
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partly(before: &str, behind: &str) -> Text {
        let mut text = Text::new(before);
        text.push(Piece::Unknown(Source::Local));
        text.push(Piece::Known(behind.to_owned()));
        text
    }

    #[test]
    fn texts_are_cut_where_they_are_known() {
        assert_eq!(after(&partly("--message=a", "b"), 10), partly("a", "b"));
        assert_eq!(after(&Text::new("ab"), 5), Text::default());
        assert_eq!(split(&partly("HEAD", "x:main"), ':'), Some((partly("HEAD", "x"), Text::new("main"))));
        assert_eq!(split(&partly("a:b", "c"), ':'), Some((Text::new("a"), partly("b", "c"))));
        assert_eq!(split(&unknown(), ':'), None);
        assert_eq!(quoted(&Text::new("it's")), Text::new("'it'\\''s'"));
    }
}
