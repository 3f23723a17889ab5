//! `/status`: what the session has and does, for people and as JSON.

mod sections;

use std::sync::Arc;

use serde_json::{Map, Value};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Command, Completion, Ctx, Extension, HandlerError, Registrar};
use tau_view::untrusted::plain;

use self::sections::SECTIONS;
use crate::module::Module;
use crate::shared::commands::share;
use crate::shared::page::Text;
use crate::shared::say::{refuse, show};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:status",
    about: "the command /status: model, git, tasks, extensions, tools, skills",
    needs: &[],
    programs: &[],
    in_children: false,
    make: || Box::new(Status),
};

/// The command.
const COMMAND: &str = "status";
const USAGE: &str = "usage: /status [--json]";
/// Asks for the form for programs.
const JSON: &str = "--json";

/// The extension.
struct Status;

impl Extension for Status {
    fn name(&self) -> &str {
        COMMAND
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let json =
            Completion { value: JSON.to_owned(), label: JSON.to_owned(), description: Some("as JSON".to_owned()) };
        let command = Command {
            name: COMMAND.to_owned(),
            description: Some("Show what this session has and does".to_owned()),
            handler: Arc::new(|args, ctx| Box::pin(async move { run(&args, &ctx).await })),
            completer: Some(Arc::new(move |typed| {
                let found: Vec<Completion> =
                    Some(json.clone()).filter(|_| JSON.starts_with(typed.trim())).into_iter().collect();
                Box::pin(async move { Ok(found) })
            })),
        };
        share(registrar, vec![command])
    }
}

async fn run(args: &str, ctx: &Ctx) -> Result<(), HandlerError> {
    let is_json = match args.trim() {
        "" => false,
        JSON => true,
        _ => return refuse(ctx, USAGE, NotifyLevel::Warning),
    };
    let (mut text, mut data) = (Vec::new(), Map::new());
    for section in SECTIONS {
        // One that fails says so in its place.
        let part = (section.look)(ctx.clone()).await.unwrap_or_else(|error| sections::Part::failed(&error));
        if !part.lines.is_empty() {
            let lines: Vec<String> = part.lines.iter().map(|line| format!("  {}", line.replace('\n', " "))).collect();
            text.push(format!("{}\n{}", section.title, lines.join("\n")));
        }
        data.insert(section.key.to_owned(), part.data);
    }
    let text = if is_json { serde_json::to_string_pretty(&Value::Object(data))? } else { text.join("\n\n") };
    show(ctx, COMMAND, Text::Plain(plain(&text))).await
}
