//! The man page, made of the table of flags.

use std::fmt::Write as _;

use super::completions::Subcommand;
use super::flags::Group;
use super::help::{ABOUT, VARIABLES, spellings};

/// The man page of tau, in the macros of man(7).
pub fn man(subcommands: &[Subcommand]) -> String {
    let mut page = format!(
        ".TH TAU 1 \"\" \"tau {}\" \"User Commands\"\n.SH NAME\ntau \\- a coding agent\n.SH SYNOPSIS\n.B tau\n[options] [@file...] \
         [prompt...] [\\-\\- text...]\n.br\n.B tau\n.I subcommand\n[argument...]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
        env!("CARGO_PKG_VERSION"),
        text(ABOUT),
    );
    for group in Group::ALL {
        let _ = writeln!(page, ".SS {}", text(group.title()));
        for (spelling, doc) in spellings(group) {
            let _ = writeln!(page, ".TP\n.B {}\n{}", text(&spelling), text(&doc));
        }
    }
    page.push_str(".SH SUBCOMMANDS\n");
    for subcommand in subcommands {
        let _ = writeln!(page, ".TP\n.B tau {}\n{}", text(subcommand.name), text(subcommand.about));
    }
    page.push_str(".SH ENVIRONMENT\n");
    for (name, doc) in VARIABLES {
        let _ = writeln!(page, ".TP\n.B {}\n{}", text(name), text(doc));
    }
    page
}

/// A text that roff prints as it is.
fn text(plain: &str) -> String {
    let escaped = plain.replace('\\', "\\\\").replace('-', "\\-");
    let line = |line: &str| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() };
    escaped.lines().map(line).collect::<Vec<_>>().join("\n")
}
