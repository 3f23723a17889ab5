//! What a built-in command has to say, as data: a front end shows it in its own way.
//!
//! `Display` is the plain text that front ends without lists and trees show. It is empty where there is nothing to say.

use std::fmt;

use crate::doctor::Checked;

/// What came of a built-in command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltinOutcome {
    /// There is nothing to say.
    Nothing,
    /// A text.
    Text(String),
    /// The command can go on with one of several arguments.
    Choice(Choice),
    /// The places of the session's tree.
    Tree(TreeView),
    /// The leaf of the session moved, or did not.
    Moved(TreeMoved),
    /// Another session is open now, or not.
    Replaced(Replacement),
    /// What can be copied.
    Copies(Vec<Copyable>),
    /// What tools changed in files.
    Changes(Vec<FileChange>),
    /// What the checks of the program found.
    Checked(Vec<Checked>),
}

/// A text that can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copyable {
    /// What it is, in a word: whose message, or the language of the code.
    pub kind: String,
    /// The text.
    pub text: String,
}

/// What tools changed in a file, one change after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, as the model named it.
    pub path: String,
    /// The changes, each with numbered lines as the edit tool reports them.
    pub hunks: Vec<Hunk>,
}

/// One change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hunk {
    /// Lines that were edited, with their numbers and signs.
    Edited(String),
    /// All that the file has since then.
    Written(String),
}

/// What a user can choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The command that takes the value of an option as its argument, without its slash.
    pub command: &'static str,
    /// The options, the best first.
    pub options: Vec<ChoiceOption>,
    /// The same in plain text, with what else there is to know.
    pub text: String,
}

/// One of several arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceOption {
    /// The argument.
    pub value: String,
    /// What it is to a person, without the argument.
    pub label: String,
    /// Whether it is in use now.
    pub current: bool,
}

/// What a user can go to in the session's tree, in the order of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeView {
    /// The places. `/tree ID` goes to one.
    pub places: Vec<TreePlace>,
}

/// A place in the session's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePlace {
    /// The entry's id.
    pub id: String,
    /// How often the conversation parts in front of it.
    pub depth: usize,
    /// Whether it is on the way to the leaf.
    pub on_path: bool,
    /// What the user called it.
    pub label: Option<String>,
    /// Who says what, in one line.
    pub text: String,
}

/// A move of the leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeMoved {
    /// The leaf is elsewhere.
    To {
        /// The entry; none at the beginning.
        leaf: Option<String>,
        /// The text of the message in front of which it is: the user may want to change it.
        text: Option<String>,
    },
    /// The user stopped it.
    Aborted,
    /// An extension refused.
    Cancelled,
}

/// A session in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Where it comes from.
    pub origin: Origin,
    /// What is open now; none when an extension refused.
    pub opened: Option<Opened>,
}

/// The session that is open now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Its id.
    pub id: String,
    /// The text of the message in front of which it was forked: the user may want to change it.
    pub text: Option<String>,
}

/// Where a session comes from that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It is new.
    New,
    /// It was saved before.
    Saved,
    /// A fork of the one before.
    Fork,
    /// A copy of the one before.
    Copy,
    /// A copy of this file, as it was typed.
    File(String),
}

impl BuiltinOutcome {
    /// Whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) | Self::Choice(Choice { text, .. }) => text.is_empty(),
            Self::Tree(_)
            | Self::Moved(_)
            | Self::Replaced(_)
            | Self::Copies(_)
            | Self::Changes(_)
            | Self::Checked(_) => false,
        }
    }
}

impl From<String> for BuiltinOutcome {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for BuiltinOutcome {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for BuiltinOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Text(text) | Self::Choice(Choice { text, .. }) => f.write_str(text),
            Self::Tree(tree) => tree.fmt(f),
            Self::Moved(moved) => moved.fmt(f),
            Self::Replaced(replacement) => replacement.fmt(f),
            // Where nothing can be chosen, the last answer is what is meant.
            Self::Copies(texts) => match texts.first() {
                Some(first) => f.write_str(&first.text),
                None => f.write_str("There is nothing to copy."),
            },
            Self::Changes(files) => changes(f, files),
            Self::Checked(checked) => f.write_str(&crate::doctor::text(checked)),
        }
    }
}

fn changes(f: &mut fmt::Formatter<'_>, files: &[FileChange]) -> fmt::Result {
    if files.is_empty() {
        return f.write_str("No tool has changed a file in this session.");
    }
    for (at, file) in files.iter().enumerate() {
        let end = if at == 0 { "" } else { "\n\n" };
        write!(f, "{end}{}", file.path)?;
        for hunk in &file.hunks {
            match hunk {
                Hunk::Edited(lines) => write!(f, "\n{lines}")?,
                Hunk::Written(text) => {
                    f.write_str("\n(written whole)")?;
                    text.lines().try_for_each(|line| write!(f, "\n+{line}"))?;
                }
            }
        }
    }
    Ok(())
}

impl fmt::Display for TreeView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.places.is_empty() {
            return f.write_str("The session is empty.");
        }
        for (at, place) in self.places.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            let mark = if place.on_path { "*" } else { " " };
            let label = place.label.as_deref().map(|label| format!(" [{label}]")).unwrap_or_default();
            write!(f, "{end}{mark} {}{}{label}  {}", "  ".repeat(place.depth), place.id, place.text)?;
        }
        Ok(())
    }
}

impl fmt::Display for TreeMoved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::To { leaf, text } => {
                write!(f, "Now at {}", leaf.as_deref().unwrap_or("the beginning"))?;
                text_of_message(f, text.as_deref())
            }
            Self::Aborted => f.write_str("Aborted."),
            Self::Cancelled => f.write_str("Cancelled by an extension."),
        }
    }
}

impl fmt::Display for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (&self.origin, &self.opened) {
            (Origin::File(_), None) => return f.write_str("Import cancelled."),
            (_, None) => return f.write_str("Cancelled by an extension."),
            (Origin::File(path), Some(_)) => return write!(f, "Session imported from: {path}"),
            (Origin::New, _) => "New session",
            (Origin::Saved, _) => "Session",
            (Origin::Fork, _) => "Forked",
            (Origin::Copy, _) => "Cloned",
        };
        match &self.opened {
            Some(Opened { id, text }) => {
                write!(f, "{what}: {id}")?;
                text_of_message(f, text.as_deref())
            }
            None => Ok(()),
        }
    }
}

fn text_of_message(f: &mut fmt::Formatter<'_>, text: Option<&str>) -> fmt::Result {
    match text {
        Some(text) => write!(f, "\nText: {text}"),
        None => Ok(()),
    }
}
