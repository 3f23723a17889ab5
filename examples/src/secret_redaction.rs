//! Replaces keys, tokens, passwords and the values of `.env` files by `[REDACTED]` before the model, the session file
//! or a user interface get to see the result of a tool.
//!
//! It knows the forms that secrets usually have. A secret that looks like any other text is not found, so it is no
//! replacement for keeping secrets out of reach.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;
use tau_ai::ContentBlock;
use tau_hooks::events::ToolResult;
use tau_hooks::payload::{ToolResultEvent, ToolResultResult};
use tau_hooks::{Extension, HandlerError, Registrar};

/// What stands for a secret.
pub const REDACTED: &str = "[REDACTED]";

/// What the groups `keep` and `after` match stays: it says what was there. What `maybe` matches is a secret if it has
/// letters and digits.
const SECRETS: &[&str] = &[
    // A private key, unless it is redacted already; one that is cut off ends with the text.
    r"(?s)(?<keep>-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[^\[].*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",
    r"\bsk-(?<maybe>[A-Za-z0-9_-]{16,})",
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    // A JSON web token.
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"(?i)(?<keep>\b(?:bearer|basic)\s+)(?<maybe>[A-Za-z0-9+/_.~-]{16,}=*)",
    // A password in an address.
    r"(?<keep>\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?<after>@)",
    // Assignments to something that is called a secret: in quotes, as a variable of a shell, or anything else, which
    // may be code and has to look like a secret itself.
    r#"(?i)(?<keep>[\w.-]*(?:passw(?:or)?d|pwd|passphrase|secret|token|api_?key|access_?key|private_?key|credentials?)["']?\s*[:=]\s*)(?:"(?:[^"\\\n]|\\.)+"|'(?:[^'\\\n]|\\.)+')"#,
    r#"(?<keep>\b[A-Z0-9_]*(?:PASSW(?:OR)?D|PASSPHRASE|SECRET|TOKEN|KEY)=)[^\s"'$]+"#,
    r#"(?i)(?<keep>[\w.-]*(?:passw(?:or)?d|pwd|passphrase|secret|token|api_?key|access_?key|private_?key|credentials?)\s*[:=]\s*)(?<maybe>[^\s"'`,;:(){}\[\]<>$]{8,})"#,
];

/// A line of a `.env` file, perhaps behind a line number or a file name.
const DOTENV_LINE: &str =
    r#"(?m)(?<keep>^(?:.*?[\s:])?(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_.]*=)(?:"(?:[^"\\]|\\.)+"|'[^']+'|[^\s#][^\n]*)"#;

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| SECRETS.iter().map(|pattern| compile(pattern)).collect());
static DOTENV: LazyLock<Regex> = LazyLock::new(|| compile(DOTENV_LINE));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("every pattern above is in a test")
}

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct SecretRedaction;

impl Extension for SecretRedaction {
    fn name(&self) -> &str {
        "secret-redaction"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        registrar.on::<ToolResult>(|event, _| async move { redact_result(event) });
        Ok(())
    }
}

fn redact_result(event: ToolResultEvent) -> Option<ToolResultResult> {
    let dotenv = reads_dotenv(&event.input);
    let mut result = ToolResultResult::default();
    let mut content = event.content.clone();
    for block in &mut content {
        if let ContentBlock::Text(text) = block {
            text.text = redact(&text.text, dotenv).into_owned();
        }
    }
    result.content = (content != event.content).then_some(content);
    if let Some(mut details) = event.details.clone() {
        redact_json(&mut details, dotenv);
        result.details = Some(details).filter(|details| Some(details) != event.details.as_ref());
    }
    (result != ToolResultResult::default()).then_some(result)
}

/// Whether a call has to do with a `.env` file. Examples that come with a project hold no secrets.
fn reads_dotenv(input: &Value) -> bool {
    let text = ["path", "command", "glob"].iter().filter_map(|name| input.get(name)?.as_str());
    text.flat_map(|text| text.split(|c: char| c.is_whitespace() || "/\\'\"|;&<>()*".contains(c))).any(|word| {
        let kind = word.strip_prefix(".env").map(|rest| rest.trim_start_matches('.'));
        kind.is_some_and(|kind| !["example", "sample", "template", "dist"].contains(&kind))
    })
}

/// `text` without secrets; with `dotenv` also without the value of any assignment.
pub fn redact(text: &str, dotenv: bool) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for pattern in PATTERNS.iter().chain(dotenv.then_some(&*DOTENV)) {
        if let Cow::Owned(less) = pattern.replace_all(&clean, replacement) {
            clean = Cow::Owned(less);
        }
    }
    clean
}

fn replacement(found: &Captures<'_>) -> String {
    let group = |name| found.name(name).map_or("", |group| group.as_str());
    let maybe = group("maybe");
    let is_secret = maybe.contains(char::is_alphabetic) && maybe.contains(|c: char| c.is_ascii_digit());
    if !maybe.is_empty() && !is_secret {
        return found[0].to_owned();
    }
    format!("{}{REDACTED}{}", group("keep"), group("after"))
}

fn redact_json(value: &mut Value, dotenv: bool) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redact(text, dotenv) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(item, dotenv)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_json(field, dotenv)),
        _ => {}
    }
}
