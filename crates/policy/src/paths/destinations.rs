//! Files that programs make in a folder that they are given.

use crate::argument::Arg;
use crate::arguments::{Takes, parse};
use crate::invocation::Invocation;
use crate::text::{Piece, Text};

/// A program that puts files into a folder.
struct Row {
    programs: &'static [&'static str],
    /// Options that name the folder. Without them it is the last operand.
    folder: &'static [&'static str],
    /// Whether the last operand is the folder when no option names it.
    is_last: bool,
    /// Whether a whole folder can become the one that is named, or come into it.
    moves_folders: bool,
}

const ROWS: &[Row] = &[
    Row {
        programs: &["cp", "gcp", "mv", "gmv", "ln", "gln", "rsync", "scp"],
        folder: &["-t", "--target-directory"],
        is_last: true,
        moves_folders: true,
    },
    Row {
        programs: &["install", "ginstall"],
        folder: &["-t", "--target-directory"],
        is_last: true,
        moves_folders: false,
    },
    Row { programs: &["wget", "wget2"], folder: &["-P", "--directory-prefix"], is_last: false, moves_folders: false },
    Row { programs: &["curl"], folder: &["--output-dir"], is_last: false, moves_folders: false },
    Row { programs: &["tar", "gtar", "bsdtar"], folder: &["-C", "--directory"], is_last: false, moves_folders: true },
    Row { programs: &["unzip"], folder: &["-d"], is_last: false, moves_folders: true },
];

/// What a folder that comes as a whole may hold, of what rules are about.
const WITHIN: &[&str] = &["policy.json", "settings.json", "hooks/pre-commit", "authorized_keys"];

/// The files that a program makes in a folder, by the names of what it puts there.
pub(crate) fn into_folders(invocation: &Invocation) -> Vec<Arg> {
    let Some(name) = invocation.program() else { return Vec::new() };
    let Some(row) = ROWS.iter().find(|row| row.programs.contains(&name)) else { return Vec::new() };
    let takes = Takes::new(row.folder.iter().map(|option| (*option).to_owned()).collect());
    let parsed = parse(invocation.argv.get(1..).unwrap_or_default(), &takes);
    let named = parsed.options.iter().filter(|given| row.folder.iter().any(|option| given.is(option)));
    let named: Vec<Arg> =
        named.filter_map(|given| Some(Arg { text: given.value.clone()?, ..given.arg.clone() })).collect();
    let (folders, sources) = match (parsed.operands.split_last(), named.is_empty() && row.is_last) {
        (Some((last, sources)), true) => (vec![(*last).clone()], sources.to_vec()),
        _ => (named, parsed.operands.clone()),
    };
    let names = sources.iter().filter_map(|source| last_part(&source.text));
    let within = WITHIN.iter().filter(|_| row.moves_folders).map(|name| Text::from(*name));
    let names: Vec<Text> = names.chain(within).collect();
    let inside = |folder: &Arg| {
        let folder = folder.clone();
        names.iter().map(move |name| Arg { text: joined(&folder.text, name), ..folder.clone() }).collect::<Vec<_>>()
    };
    folders.iter().flat_map(inside).collect()
}

/// The name of a file without its folder; `None` if it is unknown.
fn last_part(text: &Text) -> Option<Text> {
    let known = text.known().map(|known| known.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned());
    let name = known.or_else(|| text.suffix().rsplit_once('/').map(|(_, name)| name.to_owned()))?;
    (!name.is_empty() && name != "." && name != "..").then(|| Text::new(name))
}

fn joined(folder: &Text, name: &Text) -> Text {
    let mut whole = folder.clone();
    whole.push(Piece::Known("/".to_owned()));
    whole.append(name);
    whole
}
