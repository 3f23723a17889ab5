//! YAML that costs too much to read.

/// How many brackets and braces a block may open. The parser looks at each open one at every token, so many of them would
/// take it minutes.
const MOST_BRACKETS: usize = 1000;

/// YAML that is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the front matter is not read: {why}")]
pub struct CostError {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// Refuses what the parser takes quadratic time for.
///
/// # Errors
/// What it is, with its line.
pub fn check_cost(yaml: &str) -> Result<(), CostError> {
    let opening = yaml.char_indices().filter(|(_, c)| matches!(c, '[' | '{')).nth(MOST_BRACKETS);
    if let Some((at, _)) = opening {
        let line = yaml[..at].matches('\n').count() + 1;
        return Err(CostError { line, why: format!("it has more than {MOST_BRACKETS} opening brackets") });
    }
    let mut lines = yaml.lines().enumerate();
    match lines.find(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        Some((index, line)) if line.starts_with('%') => {
            Err(CostError { line: index + 1, why: "YAML directives have no place in it".to_owned() })
        }
        _ => Ok(()),
    }
}
