//! Asks before a dangerous shell command runs. Where nobody can be asked, such a command does not run.
//!
//! This is a safety net for honest mistakes and no sandbox: a command can be written in ways that no list of
//! patterns finds. It finds too much rather than too little, for a question costs less than a lost directory.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use regex::Regex;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::{ToolCallEvent, ToolCallResult};
use tau_hooks::{Ctx, Extension, HandlerError, Registrar};

/// What is dangerous, and how it is recognised. `ARG` stands for the rest of one command.
const DANGERS: &[(&str, &str)] = &[
    ("deletes directories with all they hold", r"\brm\bARG\s(-[a-zA-Z]*[rR]|--recursive\b)"),
    ("deletes what it finds", r"\bfind\bARG\s-delete\b"),
    ("runs as another user", r"\b(sudo|doas|su)\s"),
    ("changes rights of everything below", r"\b(chmod|chown|chgrp)\bARG\s(-[a-zA-Z]*R|--recursive\b)"),
    ("gives rights to everybody", r"\bchmod\bARG\s0?777\b"),
    ("writes to a device", r"\bdd\bARG\bof=|>\s*/dev/(sd|hd|nvme|vd|disk)|\b(mkfs(\.\w+)?|wipefs|shred)\s"),
    (
        "discards work that is not committed",
        r"\bgit\bARG\s(reset\bARG\s--hard\b|clean\bARG\s-[a-zA-Z]*f|checkout\s+(--\s+)?\.)",
    ),
    ("rewrites what others have pulled", r"\bgit\bARG\spush\bARG\s(-[a-zA-Z]*f|--force|\+)"),
    ("runs what it downloads", r"\b(curl|wget)\b[^;&\n]*\|\s*(\w+\s+)*(ba|z|da|k)?sh\b"),
    ("stops the machine", r"\b(shutdown|reboot|poweroff|halt)\b"),
    ("ends other people's programs", r"\bkill(all)?\bARG\s-1\b|\bpkill\b"),
];

static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let compile = |(what, pattern): &(&'static str, &str)| {
        let pattern = pattern.replace("ARG", r"(\\\n|[^|;&\n])*");
        (*what, Regex::new(&pattern).expect("every pattern above is in a test"))
    };
    DANGERS.iter().map(compile).collect()
});

const ONCE: &str = "Run it";
const ALWAYS: &str = "Run it, and do not ask for this command again";
const NO: &str = "Do not run it";

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct PermissionGate;

/// What is dangerous about a command, if anything is.
pub fn danger(command: &str) -> Option<&'static str> {
    PATTERNS.iter().find(|(_, pattern)| pattern.is_match(command)).map(|(what, _)| *what)
}

impl Extension for PermissionGate {
    fn name(&self) -> &str {
        "permission-gate"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let allowed = Arc::new(Mutex::new(HashSet::new()));
        registrar.on::<ToolCall>(move |event, ctx| judge(event, ctx, Arc::clone(&allowed)));
        Ok(())
    }
}

async fn judge(event: ToolCallEvent, ctx: Ctx, allowed: Arc<Mutex<HashSet<String>>>) -> Option<ToolCallResult> {
    let command = event.input.get("command")?.as_str()?;
    let what = danger(command).filter(|_| event.tool_name == "bash")?;
    if allowed.lock().contains(command) {
        return None;
    }
    if !ctx.has_ui() {
        return Some(ToolCallResult::block(format!(
            "Not run: this command {what}, and nobody is there to allow it. Find a way that is not dangerous."
        )));
    }
    let question = format!("This command {what}:\n\n  {command}\n");
    match ctx.ui().select(&question, &[ONCE, ALWAYS, NO]).await.as_deref() {
        Some(ONCE) => None,
        Some(ALWAYS) => {
            allowed.lock().insert(command.to_owned());
            None
        }
        // Whatever else is answered, or no answer at all, is no permission.
        _ => Some(ToolCallResult::block(format!("Not run: the user did not allow this command, which {what}."))),
    }
}
