//! Which keys mean what.

use super::command::Kind::{Bracket, Paragraph, Quote, Word as WordObject};
use super::command::Operator::{Change, Dedent, Delete, Indent, Lower, Toggle, Upper, Yank};
use super::command::Word::{Big, Small};
use super::command::{Command, Kind, Motion, Operator, Select, Selected, Target, Where};

/// Keys and what they mean.
pub(super) type Rows<T> = &'static [(&'static str, T)];

pub(super) static MOTIONS: Rows<Motion> = &[
    ("h", Motion::Left),
    ("l", Motion::Right),
    (" ", Motion::On),
    ("j", Motion::Down),
    ("k", Motion::Up),
    ("gj", Motion::Down),
    ("gk", Motion::Up),
    ("+", Motion::LineDown),
    ("-", Motion::LineUp),
    ("_", Motion::ThisLine),
    ("0", Motion::LineStart),
    ("^", Motion::FirstNonBlank),
    ("$", Motion::LineEnd),
    ("g_", Motion::LastNonBlank),
    ("|", Motion::Column),
    ("gg", Motion::FirstLine),
    ("G", Motion::LastLine),
    ("w", Motion::Word(Small)),
    ("W", Motion::Word(Big)),
    ("b", Motion::WordBack(Small)),
    ("B", Motion::WordBack(Big)),
    ("e", Motion::WordEnd(Small)),
    ("E", Motion::WordEnd(Big)),
    ("ge", Motion::WordEndBack(Small)),
    ("gE", Motion::WordEndBack(Big)),
    ("}", Motion::Paragraph),
    ("{", Motion::ParagraphBack),
    ("%", Motion::Match),
    (";", Motion::Again { turned: false }),
    (",", Motion::Again { turned: true }),
];

/// Keys that look for the character typed next: whether back, and whether only up to it.
pub(super) static FINDS: Rows<(bool, bool)> =
    &[("f", (false, false)), ("F", (true, false)), ("t", (false, true)), ("T", (true, true))];

pub(super) static OPERATORS: Rows<Operator> = &[
    ("d", Delete),
    ("c", Change),
    ("y", Yank),
    (">", Indent),
    ("<", Dedent),
    ("g~", Toggle),
    ("gu", Lower),
    ("gU", Upper),
];

/// Objects, behind `i` or `a`.
pub(super) static OBJECTS: Rows<Kind> = &[
    ("w", WordObject(Small)),
    ("W", WordObject(Big)),
    ("\"", Quote('"')),
    ("'", Quote('\'')),
    ("`", Quote('`')),
    ("(", Bracket('(', ')')),
    (")", Bracket('(', ')')),
    ("b", Bracket('(', ')')),
    ("[", Bracket('[', ']')),
    ("]", Bracket('[', ']')),
    ("{", Bracket('{', '}')),
    ("}", Bracket('{', '}')),
    ("B", Bracket('{', '}')),
    ("<", Bracket('<', '>')),
    (">", Bracket('<', '>')),
    ("p", Paragraph),
];

pub(super) static COMMANDS: Rows<Command> = &[
    ("x", Command::Operate(Delete, Target::To(Motion::Right))),
    ("X", Command::Operate(Delete, Target::To(Motion::Left))),
    ("D", Command::Operate(Delete, Target::To(Motion::LineEnd))),
    ("C", Command::Operate(Change, Target::To(Motion::LineEnd))),
    ("s", Command::Operate(Change, Target::To(Motion::Right))),
    ("S", Command::Operate(Change, Target::Lines)),
    ("Y", Command::Operate(Yank, Target::Lines)),
    ("~", Command::ToggleCase),
    ("J", Command::Join { spaced: true }),
    ("gJ", Command::Join { spaced: false }),
    ("p", Command::Put { before: false }),
    ("P", Command::Put { before: true }),
    ("u", Command::Undo),
    (".", Command::Repeat),
    ("i", Command::Insert(Where::Here)),
    ("a", Command::Insert(Where::Behind)),
    ("I", Command::Insert(Where::FirstNonBlank)),
    ("A", Command::Insert(Where::LineEnd)),
    ("o", Command::Insert(Where::LineBelow)),
    ("O", Command::Insert(Where::LineAbove)),
    ("v", Command::Select(Select::Characters)),
    ("V", Command::Select(Select::Lines)),
];

pub(super) static SELECTED: Rows<Selected> = &[
    ("d", Selected::Operate(Delete, false)),
    ("x", Selected::Operate(Delete, false)),
    ("D", Selected::Operate(Delete, true)),
    ("X", Selected::Operate(Delete, true)),
    ("c", Selected::Operate(Change, false)),
    ("s", Selected::Operate(Change, false)),
    ("C", Selected::Operate(Change, true)),
    ("S", Selected::Operate(Change, true)),
    ("R", Selected::Operate(Change, true)),
    ("y", Selected::Operate(Yank, false)),
    ("Y", Selected::Operate(Yank, true)),
    (">", Selected::Operate(Indent, true)),
    ("<", Selected::Operate(Dedent, true)),
    ("~", Selected::Operate(Toggle, false)),
    ("g~", Selected::Operate(Toggle, false)),
    ("u", Selected::Operate(Lower, false)),
    ("gu", Selected::Operate(Lower, false)),
    ("U", Selected::Operate(Upper, false)),
    ("gU", Selected::Operate(Upper, false)),
    ("J", Selected::Join { spaced: true }),
    ("gJ", Selected::Join { spaced: false }),
    ("p", Selected::Put),
    ("P", Selected::Put),
    ("o", Selected::Swap),
    ("O", Selected::Swap),
    ("v", Selected::Select(Select::Characters)),
    ("V", Selected::Select(Select::Lines)),
    ("I", Selected::Insert { before: true }),
    ("A", Selected::Insert { before: false }),
];

/// What keys mean.
pub(super) fn find<T: Copy>(rows: Rows<T>, keys: &str) -> Option<T> {
    rows.iter().find(|(row, _)| *row == keys).map(|(_, meaning)| *meaning)
}

/// Whether more keys may follow.
pub(super) fn begins<T>(rows: Rows<T>, keys: &str) -> bool {
    rows.iter().any(|(row, _)| row.len() > keys.len() && row.starts_with(keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys<T>(rows: Rows<T>) -> impl Iterator<Item = &'static str> {
        rows.iter().map(|(keys, _)| *keys)
    }

    #[test]
    fn no_keys_mean_two_things_or_are_the_beginning_of_others() {
        let normal: Vec<_> = keys(MOTIONS).chain(keys(FINDS)).chain(keys(OPERATORS)).chain(keys(COMMANDS)).collect();
        let visual: Vec<_> = keys(MOTIONS).chain(keys(FINDS)).chain(keys(SELECTED)).collect();
        for all in [normal, visual] {
            for (at, one) in all.iter().enumerate() {
                assert!(all[at + 1..].iter().all(|other| !other.starts_with(one) && !one.starts_with(other)), "{one}");
            }
        }
    }
}
