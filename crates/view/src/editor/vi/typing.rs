//! Keys one by one, until they are a command.

use super::command::{Command, Find, Motion, Object, Operator, Selected, Target};
use super::table::{self, COMMANDS, FINDS, MOTIONS, OBJECTS, OPERATORS, SELECTED};

/// The largest count. A larger one is taken for this one: a slip of the finger must not fill the memory.
const MOST: usize = 9999;

/// What was typed of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Typing {
    register: Option<char>,
    /// The counts before and behind the operator; zero is none.
    counts: [usize; 2],
    operator: Option<Operator>,
    /// The keys of the operator.
    operator_keys: String,
    keys: String,
}

/// What keys came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed<T> {
    /// More have to follow.
    More,
    /// They mean nothing.
    Nothing,
    /// A command, and how often; and whether what it deletes is kept.
    All { command: T, count: Option<usize>, keeps: bool },
}

impl Typing {
    /// Whether something was typed.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A key, where nothing is selected.
    pub(super) fn normal(&mut self, key: char) -> Typed<Command> {
        self.key(key, Self::command)
    }

    /// A key, where something is selected.
    pub(super) fn visual(&mut self, key: char) -> Typed<Selected> {
        self.key(key, Self::selected)
    }

    /// A key that is a command of its own, whatever was typed before but for a count.
    pub(super) fn alone<T>(&mut self, command: T) -> Typed<T> {
        let all = self.all(command);
        *self = Self::default();
        all
    }

    /// A key that is a motion.
    pub(super) fn motion(&mut self, motion: Motion) -> Typed<Command> {
        let operated = |op| Command::Operate(op, Target::To(motion));
        let command = self.operator.map_or(Command::Move(motion), operated);
        self.alone(command)
    }

    fn key<T>(&mut self, key: char, meaning: impl Fn(&mut Self) -> Typed<T>) -> Typed<T> {
        if self.keys.is_empty() && self.takes_digit(key) {
            return Typed::More;
        }
        self.keys.push(key);
        if let Some(name) = self.keys.strip_prefix('"') {
            let Some(name) = name.chars().next() else { return Typed::More };
            self.register = Some(name);
            self.keys.clear();
            return Typed::More;
        }
        let typed = meaning(self);
        if !matches!(typed, Typed::More) {
            *self = Self::default();
        }
        typed
    }

    fn takes_digit(&mut self, key: char) -> bool {
        let count = &mut self.counts[usize::from(self.operator.is_some())];
        let Some(digit) = key.to_digit(10).filter(|digit| *digit > 0 || *count > 0) else { return false };
        *count = (*count * 10 + digit as usize).min(MOST);
        true
    }

    fn all<T>(&self, command: T) -> Typed<T> {
        let count = match self.counts {
            [0, 0] => None,
            [first, second] => Some((first.max(1) * second.max(1)).min(MOST)),
        };
        Typed::All { command, count, keeps: self.register != Some('_') }
    }

    fn command(&mut self) -> Typed<Command> {
        let keys = self.keys.as_str();
        if let Some(motion) = motion(keys) {
            return self.motion(motion);
        }
        if let Some(operator) = self.operator {
            if let Some(object) = object(keys) {
                return self.all(Command::Operate(operator, Target::Object(object)));
            }
            // `dd`, `gUU` and `gUgU` are whole lines.
            let own = self.operator_keys.as_str();
            if keys == own || own.strip_prefix('g') == Some(keys) {
                return self.all(Command::Operate(operator, Target::Lines));
            }
            return if own.starts_with(keys) || begins_motion(keys) || begins_object(keys) {
                Typed::More
            } else {
                Typed::Nothing
            };
        }
        if let Some(command) = table::find(COMMANDS, keys) {
            return self.all(command);
        }
        if let Some(operator) = table::find(OPERATORS, keys) {
            self.operator = Some(operator);
            self.operator_keys = std::mem::take(&mut self.keys);
            return Typed::More;
        }
        if let Some(with) = character(keys, 'r') {
            return self.all(Command::Replace(with));
        }
        let begins = begins_motion(keys) || table::begins(COMMANDS, keys) || table::begins(OPERATORS, keys);
        if begins || keys == "r" { Typed::More } else { Typed::Nothing }
    }

    fn selected(&mut self) -> Typed<Selected> {
        let keys = self.keys.as_str();
        if let Some(motion) = motion(keys) {
            return self.all(Selected::Move(motion));
        }
        if let Some(object) = object(keys) {
            return self.all(Selected::Object(object));
        }
        if let Some(selected) = table::find(SELECTED, keys) {
            return self.all(selected);
        }
        if let Some(with) = character(keys, 'r') {
            return self.all(Selected::Replace(with));
        }
        let begins = begins_motion(keys) || begins_object(keys) || table::begins(SELECTED, keys);
        if begins || keys == "r" { Typed::More } else { Typed::Nothing }
    }
}

fn motion(keys: &str) -> Option<Motion> {
    let found = FINDS.iter().find_map(|(find, meaning)| Some((*meaning, keys.strip_prefix(find)?.chars().next()?)));
    let find = found.map(|((back, till), what)| Motion::Find(Find { what, back, till }));
    find.or_else(|| table::find(MOTIONS, keys))
}

fn begins_motion(keys: &str) -> bool {
    table::begins(MOTIONS, keys) || table::find(FINDS, keys).is_some()
}

fn object(keys: &str) -> Option<Object> {
    let around = keys.starts_with('a');
    let kind = table::find(OBJECTS, keys.strip_prefix(['i', 'a'])?)?;
    Some(Object { kind, around })
}

fn begins_object(keys: &str) -> bool {
    matches!(keys, "i" | "a")
}

/// The character behind a key that takes one.
fn character(keys: &str, key: char) -> Option<char> {
    keys.strip_prefix(key)?.chars().next()
}
