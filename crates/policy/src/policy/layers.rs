//! Rules of the user and of the project on top of the shipped ones.

use super::{Entry, Policy};
use crate::rules::{Action, Origin, RuleFile};

impl Policy {
    /// Adds the rules of a file, and switches off what it names.
    pub(super) fn add(&mut self, file: &RuleFile, origin: Origin, may_loosen: bool) {
        for id in file.off.iter().filter(|_| may_loosen) {
            for entry in self.entries.iter_mut().filter(|entry| entry.rule.id == *id && entry.origin == Origin::Shipped)
            {
                entry.off = Some(format!("{} switches it off", file.path.display()));
            }
        }
        for (rule, line) in file.rules.iter().zip(&file.lines) {
            let is_loosening = matches!(rule.action, Action::Allow | Action::Rewrite);
            let off = (is_loosening && !may_loosen).then(|| "the project is not trusted".to_owned());
            let place = Some((file.path.clone(), *line));
            self.entries.push(Entry { rule: rule.clone(), origin, place, off });
        }
    }
}
