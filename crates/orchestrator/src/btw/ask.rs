//! Asking the model.

use std::sync::Arc;

use futures_util::StreamExt as _;
use tau_ai::{AssistantMessage, Message, Secrets, StopReason, StreamEvent, UserMessage};
use tau_hooks::{ActionError, Ctx, UpcomingRequest};
use tokio_util::sync::CancellationToken;

use super::answer::Answer;

/// What stands before the question. It is behind everything that the provider may have in its cache.
const BEFORE: &str = "This is a side question. It is not part of the task and is not recorded. Answer it directly and \
                      briefly, from the conversation above and from what you know. Do not call tools, and do not \
                      continue the task.";

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    /// Nobody waits for it any more.
    #[error("the question was cancelled")]
    Cancelled,
    /// There is no request to send.
    #[error(transparent)]
    Request(#[from] ActionError),
    /// The provider failed.
    #[error("{model} did not answer: {why}")]
    Failed {
        /// The model that was asked.
        model: String,
        /// What the provider said.
        why: String,
    },
}

/// Asks the model of the session. `grew` gets the text so far.
pub(super) async fn ask(
    ctx: &Ctx,
    question: &str,
    cancel: &CancellationToken,
    grew: impl Fn(&str) + Send,
) -> Result<Answer, AskError> {
    let answered = cancel.run_until_cancelled(answer(ctx, question, cancel, grew)).await;
    answered.unwrap_or(Err(AskError::Cancelled))
}

async fn answer(
    ctx: &Ctx,
    question: &str,
    cancel: &CancellationToken,
    grew: impl Fn(&str) + Send,
) -> Result<Answer, AskError> {
    let mut user = UserMessage::new(format!("{BEFORE}\n\n{question}"));
    user.timestamp = ctx.api()?.sources()?.clock.now_ms();
    let more = vec![Arc::new(Message::User(user))];
    let UpcomingRequest { request, api } = ctx.host().upcoming_request(more, cancel.clone()).await?;
    let model = format!("{}/{}", request.model.provider, request.model.id);
    let secrets = Secrets::of_request(&request);
    let mut stream = api.stream(request);
    let (mut text, mut block) = (String::new(), None);
    while let Some(item) = stream.next().await {
        if let Some(message) = item.event.final_message() {
            let mut message = AssistantMessage::clone(message);
            message.usage.bound();
            secrets.hide_in_answer(&mut message);
            return match message.stop_reason {
                StopReason::Error | StopReason::Aborted => {
                    let why = message.error_message.unwrap_or_else(|| "the request failed without a reason".to_owned());
                    Err(AskError::Failed { model, why })
                }
                _ => Ok(Answer::of(&message)),
            };
        }
        if let StreamEvent::TextDelta { index, delta } = &item.event {
            // Blocks of text stand apart, as they do in the whole answer.
            if block.replace(*index).is_some_and(|before| before != *index) {
                text.push_str("\n\n");
            }
            text.push_str(delta);
            grew(&text);
        }
    }
    Err(AskError::Failed { model, why: "the provider's stream ended without a result".to_owned() })
}
