//! The table of modes: a front end is a row.

use tau_hooks::Mode;
use tau_interactive::{Interactive, Plain};
use tau_launch::{Asked, ModeRow, Sessions};

use crate::{acp, print, rpc};

/// All of them; the first one is what runs when nobody asks for another.
pub(crate) static MODES: &[ModeRow] = &[
    ModeRow {
        asked: Asked::Value("text"),
        told: Mode::Print,
        sessions: Sessions::One,
        help: None,
        front_end: |_| Box::new(print::Prompts { form: print::Form::Text }),
    },
    ModeRow {
        asked: Asked::Value("json"),
        told: Mode::Json,
        sessions: Sessions::One,
        help: None,
        front_end: |_| Box::new(print::Prompts { form: print::Form::Json }),
    },
    ModeRow {
        asked: Asked::Value("rpc"),
        told: Mode::Rpc,
        sessions: Sessions::One,
        help: None,
        front_end: |_| Box::new(rpc::Client),
    },
    ModeRow {
        asked: Asked::Word("acp"),
        told: Mode::Rpc,
        sessions: Sessions::Many,
        help: Some(acp::help),
        front_end: |_| Box::new(acp::Editor),
    },
    ModeRow {
        asked: Asked::Alone,
        told: Mode::Tui,
        sessions: Sessions::One,
        help: None,
        front_end: |args| if args.plain { Box::new(Plain) } else { Box::new(Interactive) },
    },
];

/// The values of `--mode`.
pub(crate) fn values() -> Vec<&'static str> {
    MODES.iter().filter_map(ModeRow::value).collect()
}

/// The mode that a word at the beginning of the command line asks for.
pub(crate) fn by_word(word: &str) -> Option<&'static ModeRow> {
    MODES.iter().find(|row| row.word() == Some(word))
}

/// The mode in a terminal, where nobody asks for another.
pub(crate) fn alone() -> Option<&'static ModeRow> {
    MODES.iter().find(|row| row.asked == Asked::Alone)
}

/// The mode that a value of `--mode` asks for; the first one when none is given.
pub(crate) fn by_value(value: Option<&str>) -> &'static ModeRow {
    MODES.iter().find(|row| value.is_some() && row.value() == value).unwrap_or(&MODES[0])
}
