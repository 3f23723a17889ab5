//! Lets the model ask a second session: one with a clean conversation, tools that only read, and a prompt of its own. What
//! it says is the result of the tool, and what it cost is added to the session that asked.

use serde_json::json;
use tau_hooks::payload::Outcome;
use tau_hooks::{ChildRequest, ChildResources, Ctx, Extension, HandlerError, Registrar};
use tau_tools::{Invocation, ToolFailure, ToolOutput, ToolSpec};

/// The extension.
#[derive(Debug, Clone, Copy)]
pub struct SecondOpinion;

/// What the second session is told first.
const PROMPT: &str = "You give a second opinion to another agent. Look at the files you need, name what is wrong or \
                      missing in what you are asked about, and say so when nothing is. Be brief.";

/// The tools of the second session.
const TOOLS: &[&str] = &["read", "grep", "find", "ls"];

impl Extension for SecondOpinion {
    fn name(&self) -> &str {
        "second-opinion"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let spec = ToolSpec {
            name: "second_opinion".to_owned(),
            label: "Second opinion".to_owned(),
            description: "Asks a second agent, which knows nothing of this conversation and can read files, for its \
                          opinion. Say all it needs to know."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"question": {"type": "string"}},
                "required": ["question"],
            }),
            ..ToolSpec::default()
        };
        registrar.tool(spec, ask);
        Ok(())
    }
}

async fn ask(invocation: Invocation, ctx: Ctx) -> Result<ToolOutput, ToolFailure> {
    let question = invocation.args["question"].as_str().unwrap_or_default();
    let request = ChildRequest {
        tools: Some(TOOLS.iter().map(|&name| name.to_owned()).collect()),
        resources: ChildResources { system_prompt: Some(PROMPT.to_owned()), ..ChildResources::default() },
        ..ChildRequest::new("second opinion")
    };
    // Every gate of this session is asked about the calls of the child, too.
    let child = ctx.open_child(request).await.map_err(ToolFailure::new)?;
    let asked = child.prompt(question.into()).await;
    // Read before the end, and whatever became of the run: it was paid for.
    let (text, usage, outcome) = (child.last_text(), child.usage(), child.outcome());
    child.close().await;
    asked.map_err(ToolFailure::new)?;
    let text = match outcome {
        Outcome::Completed => text.unwrap_or_else(|| "It said nothing.".to_owned()),
        Outcome::Aborted => "It was stopped.".to_owned(),
        Outcome::Error => "It failed; ask again or go on without it.".to_owned(),
    };
    let is_error = outcome != Outcome::Completed;
    Ok(ToolOutput { usage: Some(usage), is_error, ..ToolOutput::text(text) })
}
