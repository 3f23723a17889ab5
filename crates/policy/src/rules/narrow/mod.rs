//! "Allow always": the narrowest rule that answers for the user what a rule asks.

mod edit;

use std::path::Path;

use serde_json::{Value, json};

use super::condition::escaped;
use super::verdict::{Action, Finding};
use crate::evaluation::Evaluation;
use crate::invocation::{Invocation, Via};

pub use edit::{with_rule, without_rule};

/// A rule that answers for the user from now on.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrow {
    /// Its id.
    pub id: String,
    /// What it allows and where, for the user.
    pub scope: String,
    /// The rule, as it stands in a rule file.
    pub rule: Value,
}

/// The narrowest rule that allows what a finding asks; `None` if something about it is unknown, or it is about several
/// commands, or no user may allow it for always.
pub fn narrow(finding: &Finding, evaluation: &Evaluation) -> Option<Narrow> {
    let ([index], Action::Ask) = (finding.invocations.as_slice(), finding.action) else { return None };
    let invocation = evaluation.invocations.get(*index)?;
    let argv: Vec<&str> = invocation.argv.iter().map(|arg| arg.known()).collect::<Option<_>>()?;
    let directory = invocation.directory.known()?;
    let has_more = !invocation.redirects.is_empty() || !invocation.environment.is_empty();
    if has_more || invocation.is_elsewhere() || argv.is_empty() {
        return None;
    }
    let route = route(invocation)?;
    let line = argv.join(" ");
    let id = id(&finding.rule, &line, directory, &route);
    let through = if route.is_empty() { String::new() } else { format!(" through {}", names(invocation)) };
    let scope = format!("`{line}`{through} in {}, for the rule {}", directory.display(), finding.rule);
    let rule = json!({
        "id": id,
        "description": format!("allows {scope}"),
        "action": "allow",
        "answers": [finding.rule],
        "when": { "argv": argv, "route": route },
        "scope": { "directory": escaped(&directory.to_string_lossy()) },
    });
    Some(Narrow { id, scope, rule })
}

/// Through what it runs, as a rule has it. A file may say something else tomorrow, and so may a text.
fn route(invocation: &Invocation) -> Option<Vec<String>> {
    let one = |via: &Via| match via {
        Via::Wrapper(program) => Some(format!("wrapper:{}", escaped(program.rsplit('/').next().unwrap_or(program)))),
        Via::Shell(program) => Some(format!("shell:{}", escaped(program.rsplit('/').next().unwrap_or(program)))),
        _ => None,
    };
    invocation.via.iter().filter(|via| via.is_route()).map(one).collect()
}

fn names(invocation: &Invocation) -> String {
    let name = |via: &Via| match via {
        Via::Wrapper(program) | Via::Shell(program) => Some(program.clone()),
        _ => None,
    };
    invocation.via.iter().filter_map(name).collect::<Vec<_>>().join(", ")
}

/// An id that is the same for the same rule: words to recognise it by, and a number for what they leave out.
fn id(asking: &str, line: &str, directory: &Path, route: &[String]) -> String {
    let whole = format!("{asking}\0{line}\0{}\0{}", directory.display(), route.join("\0"));
    // FNV-1a: it only keeps ids apart, nothing rests on it.
    let number = whole
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let plain = |ch: char| if ch.is_ascii_alphanumeric() { ch.to_ascii_lowercase() } else { '-' };
    let words: String = line.chars().map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).take(4).collect();
    format!("allow-{}-{:08x}", words.join("-"), number as u32)
}
