//! `ask_user`: the model asks the user a question, with options or for a text.
//!
//! The question goes to every front end of the session, and over the bus to a dashboard; the first answer counts, and the
//! others are taken away.

mod elsewhere;

use serde::Deserialize;
use serde_json::json;
use tau_hooks::dialogs::{DialogAnswer, DialogKind};
use tau_hooks::{Api, Ctx, DialogOptions, Extension, HandlerError, Registrar};
use tau_tools::{ExecutionMode, ToolFailure, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

use self::elsewhere::Elsewhere;
use crate::module::Module;
use crate::shared::notify::notify;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:ask-user",
    about: "the tool ask_user: questions of the model to you",
    needs: &[],
    programs: &[],
    in_children: true,
    make: || Box::new(AskUser),
};

/// The tool.
const TOOL: &str = "ask_user";
/// The option that leads to a text of one's own.
const OTHER: &str = "Other (type your own answer)";
/// Most options of a question.
const MOST: usize = 50;
/// Longest question or option, in characters.
const LONGEST: usize = 4_000;

/// The extension.
struct AskUser;

#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    options: Vec<String>,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Text(String),
    Cancelled,
}

impl Extension for AskUser {
    fn name(&self) -> &str {
        "ask-user"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let api = registrar.api();
        registrar.tool(spec(), move |invocation, ctx| {
            let api = api.clone();
            async move { run(&api, &ctx, invocation.args).await }
        });
        Ok(())
    }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: TOOL.to_owned(),
        label: "Ask user".to_owned(),
        description: "Ask the user one question and wait for the answer. Give `options` when the answer is one of a few; the \
                      user can always type another one. Fails when nobody can be asked."
            .to_owned(),
        prompt_snippet: Some("Ask the user a question, with options to choose from or for a text".to_owned()),
        prompt_guidelines: vec![
            "Use ask_user when you need a decision or a fact from the user to go on; do not put questions in plain text."
                .to_owned(),
            "Ask one question at a time, and only what you cannot find out yourself.".to_owned(),
        ],
        parameters: json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": "The question, complete in itself"},
                "options": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": MOST,
                    "description": "Answers to choose from; leave it out to ask for a text",
                },
            },
            "required": ["question"],
        }),
        // Two questions at once would be asked on top of each other.
        execution_mode: ExecutionMode::Sequential,
        ..ToolSpec::default()
    }
}

async fn run(api: &Api, ctx: &Ctx, args: serde_json::Value) -> Result<ToolOutput, ToolFailure> {
    let Question { question, options } = serde_json::from_value(args).map_err(ToolFailure::new)?;
    let question = short(question.trim());
    let options: Vec<String> =
        options.iter().map(|option| short(option.trim())).filter(|text| !text.is_empty()).collect();
    if question.is_empty() {
        return Err(ToolFailure::new("question is empty"));
    }
    if options.len() > MOST {
        return Err(ToolFailure::new(format!("at most {MOST} options can be shown; ask with fewer, or for a text")));
    }
    if !ctx.has_ui() {
        return Err(ToolFailure::new("No UI available for user interaction"));
    }
    let (told, text) = (ctx.clone(), question.clone());
    // The question does not wait for the desktop.
    ctx.spawn("notification", move |_| async move { notify(&told, "Action required", &text).await })
        .map_err(ToolFailure::new)?;
    let mut elsewhere = Elsewhere::ask(api, &question, &options).map_err(ToolFailure::new)?;
    let withdrawn = CancellationToken::new();
    let answer = {
        let here = ask_here(ctx, &question, &options, &withdrawn);
        tokio::select! {
            biased;
            answer = elsewhere.answer() => answer,
            answer = here => answer,
        }
    };
    // Whichever front end still shows the question takes it away.
    withdrawn.cancel();
    elsewhere.dismiss(api);
    Ok(match answer {
        Answer::Text(text) => {
            let details = json!({"question": question, "options": options, "answer": text});
            ToolOutput::text(format!("User answered: {text}")).with_details(details)
        }
        Answer::Cancelled => {
            let details = json!({"question": question, "options": options, "answer": null});
            ToolOutput { is_error: true, terminate: true, ..ToolOutput::text("User cancelled").with_details(details) }
        }
    })
}

/// Asks on the front ends of the session.
async fn ask_here(ctx: &Ctx, question: &str, options: &[String], withdrawn: &CancellationToken) -> Answer {
    let ask =
        |kind: DialogKind| ctx.ui().ask(kind, DialogOptions { cancel: withdrawn.clone(), ..DialogOptions::default() });
    let text = || DialogKind::Input { title: question.to_owned(), placeholder: None };
    if options.is_empty() {
        return answered(ask(text()).await);
    }
    // An option of the model may be called so itself.
    let rows = options.iter().map(String::as_str).filter(|option| *option != OTHER).chain([OTHER]);
    let kind = DialogKind::Select { title: question.to_owned(), options: rows.map(str::to_owned).collect() };
    match answered(ask(kind).await) {
        Answer::Text(chosen) if chosen == OTHER => answered(ask(text()).await),
        answer => answer,
    }
}

fn answered(answer: DialogAnswer) -> Answer {
    // An empty line leaves the question.
    answer.into_value().filter(|text| !text.trim().is_empty()).map_or(Answer::Cancelled, Answer::Text)
}

fn short(text: &str) -> String {
    tau_view::untrusted::plain(text).chars().take(LONGEST).collect()
}
