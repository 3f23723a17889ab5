//! A file of rules.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::document::read;
use super::document::strings;
use super::problem::position;
use super::problem::{Fault, Problem, unknown};
use super::rule::Rule;

/// The rules that come with tau, in the order in which they are asked.
const SHIPPED: &[&str] = &[
    include_str!("shipped/programs.jsonc"),
    include_str!("shipped/git.jsonc"),
    include_str!("shipped/dangerous.jsonc"),
    include_str!("shipped/guard.jsonc"),
];

/// What a rule file says.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFile {
    pub(crate) path: PathBuf,
    pub(crate) rules: Vec<Rule>,
    /// The lines of the rules.
    pub(crate) lines: Vec<usize>,
    /// Shipped rules that it switches off.
    pub(crate) off: Vec<String>,
}

impl RuleFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// When anything in it is not understood: nothing is skipped.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Problem> {
        let shipped: Vec<&str> = shipped().rules.iter().map(|rule| rule.id.as_str()).collect();
        parse(path, text, &shipped, false).map_err(|fault| fault.in_file(path, text))
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ids of its rules, in the order of the file.
    pub fn ids(&self) -> Vec<&str> {
        self.rules.iter().map(|rule| rule.id.as_str()).collect()
    }
}

/// The rules that come with tau.
pub(crate) fn shipped() -> &'static RuleFile {
    static RULES: LazyLock<RuleFile> = LazyLock::new(|| {
        let path = Path::new("shipped");
        // A test reads them, so none is left out in what people run.
        let files = SHIPPED.iter().filter_map(|text| parse(path, text, &[], true).ok());
        let mut all = RuleFile { path: path.to_owned(), rules: Vec::new(), lines: Vec::new(), off: Vec::new() };
        for file in files {
            all.rules.extend(file.rules);
            all.lines.extend(file.lines);
        }
        all
    });
    &RULES
}

fn parse(path: &Path, text: &str, shipped: &[&str], is_shipped: bool) -> Result<RuleFile, Fault> {
    const KEYS: &[&str] = &["rules", "off"];
    let whole = read(text)?;
    let (mut rules, mut off, mut ids): (Vec<Rule>, Vec<String>, HashSet<String>) = Default::default();
    for field in whole.object("a rule file")? {
        match field.key.as_str() {
            "rules" => {
                for node in field.node.list("\"rules\"")? {
                    let rule = Rule::read(node, is_shipped)?;
                    if shipped.contains(&rule.id.as_str()) {
                        let what = "is the id of a rule that comes with tau; choose another, and switch that one off with \"off\"";
                        return Err(node.fault(format!("\"{}\" {what}", rule.id)));
                    }
                    if !ids.insert(rule.id.clone()) {
                        return Err(node.fault(format!("the id \"{}\" is there twice; choose another", rule.id)));
                    }
                    rules.push(rule);
                }
            }
            "off" => {
                for node in field.node.list("\"off\"")? {
                    let id = node.text("an id in \"off\"")?;
                    if !shipped.contains(&id) {
                        return Err(node.fault(unknown("rule", id, shipped.iter().copied())));
                    }
                    off.extend(strings(node, "an id in \"off\"")?);
                }
            }
            key => return Err(Fault::new(field.at, unknown("key", key, KEYS.iter().copied()))),
        }
    }
    let lines = rules.iter().map(|rule| position(text, rule.at).0).collect();
    Ok(RuleFile { path: path.to_owned(), rules, lines, off })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rules_are_understood_and_their_ids_differ() {
        let path = Path::new("shipped");
        let mut ids = Vec::new();
        for text in SHIPPED {
            match parse(path, text, &[], true) {
                Ok(file) => ids.extend(file.rules.into_iter().map(|rule| rule.id)),
                Err(fault) => panic!("{}", fault.in_file(path, text)),
            }
        }
        let different: HashSet<&String> = ids.iter().collect();
        assert_eq!((different.len(), shipped().rules.len()), (ids.len(), ids.len()));
    }
}
