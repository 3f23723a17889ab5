//! Commands that come again and again without anything in between that could change what they say.

mod run;

use std::collections::BTreeSet;

pub(super) use run::Run;

/// How often a command may run in a row.
const MOST: usize = 2;
/// How many commands count as a row: two that alternate are one, too.
const DISTINCT: usize = 2;
/// How many commands are remembered.
const REMEMBERED: usize = 64;
/// Tools that change nothing that a command could see.
const READERS: &[&str] = &["read", "grep", "find", "ls", "ask_user", "todo_write"];

/// The commands of a session since something changed.
#[derive(Debug, Default)]
pub(super) struct Repetition(Vec<Run>);

impl Repetition {
    /// Takes note of a command that is about to run. When it ran too often in a row, it may not: the number of times, this one
    /// included, is given then.
    pub(super) fn next(&mut self, run: Run) -> Option<usize> {
        if run.is_test {
            self.0.clear();
            return None;
        }
        if run.is_change {
            // What others said before is out of date.
            self.0.retain(|other| *other == run);
        }
        let mut distinct = BTreeSet::from([&run]);
        let in_a_row = self.0.iter().rev().take_while(|other| {
            distinct.insert(other);
            distinct.len() <= DISTINCT
        });
        let times = in_a_row.filter(|other| **other == run).count();
        if self.0.len() == REMEMBERED {
            self.0.remove(0);
        }
        self.0.push(run);
        (times >= MOST).then_some(times + 1)
    }

    /// A tool was used with success.
    pub(super) fn used(&mut self, tool: &str) {
        if !READERS.contains(&tool) {
            self.0.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Run {
        Run::of(text, &tau_policy::Evaluation::default())
    }

    fn counts(commands: &[&str]) -> Vec<Option<usize>> {
        let mut repetition = Repetition::default();
        commands.iter().map(|command| repetition.next(run(command))).collect()
    }

    #[test]
    fn the_third_time_in_a_row_is_too_often() {
        assert_eq!(counts(&["ls", " ls  ", "ls", "ls"]), [None, None, Some(3), Some(4)]);
        assert_eq!(counts(&["ls", "pwd", "date", "ls", "ls"]), [None; 5]);
    }

    #[test]
    fn two_commands_that_alternate_are_a_row() {
        assert_eq!(counts(&["ls", "pwd", "ls", "pwd", "ls"]), [None, None, None, None, Some(3)]);
        assert_eq!(counts(&["ls", "pwd", "date", "pwd", "ls"]), [None; 5]);
    }

    #[test]
    fn what_changes_something_begins_a_new_row() {
        let mut repetition = Repetition::default();
        let mut twice = |tool: &str| {
            repetition.used("write");
            for _ in 0..MOST {
                assert_eq!(repetition.next(run("ls")), None, "{tool}");
            }
            repetition.used(tool);
            repetition.next(run("ls"))
        };
        for tool in ["write", "edit", "deploy"] {
            assert_eq!(twice(tool), None, "{tool}");
        }
        for tool in READERS {
            assert_eq!(twice(tool), Some(3), "{tool}");
        }
        repetition.used("write");
        let change = || Run { is_change: true, ..run("touch x") };
        assert_eq!([run("ls"), change(), run("ls"), change(), run("ls")].map(|run| repetition.next(run)), [None; 5]);
        assert_eq!(repetition.next(change()), Some(3));
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let mut repetition = Repetition::default();
        for number in 0..REMEMBERED * 2 {
            assert_eq!(repetition.next(run(&format!("echo {number}"))), None);
        }
        assert_eq!(repetition.0.len(), REMEMBERED);
    }
}
