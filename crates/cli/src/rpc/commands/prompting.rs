//! Text for the model.

use std::sync::Arc;

use tau_agent::{AgentSession, Prompt as Text, PromptError, Prompted, Submitted};
use tau_ai::ContentBlock;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::payload::{InputSource, StreamingBehavior};
use tau_rpc::{Done, Failure, FollowUp, Image, Prompt, Queue, Steer};

use crate::rpc::serve::Server;

/// Answers once it is known where the text goes, and before anything comes of it.
pub(in crate::rpc) async fn prompt(server: &Server, prompt: Prompt) -> Result<Done, Failure> {
    let text = Text { streaming_behavior: prompt.streaming_behavior, ..text(prompt.message, prompt.images) };
    match server.session().submit(text).await? {
        Submitted::Done(prompted) => {
            say(server.session(), prompted);
            Ok(Done)
        }
        Submitted::Run(upcoming) => {
            // The run has its place: who comes next is queued behind it, and need not wait for handlers and the like.
            let me = server.clone();
            server.go_on(async move {
                match upcoming.prepare().await {
                    Ok(prepared) => {
                        me.respond::<Prompt>(Ok(Done));
                        prepared.start();
                    }
                    Err(error) => me.respond::<Prompt>(Err(error.into())),
                }
            });
            Ok(Done)
        }
    }
}

pub(in crate::rpc) async fn steer(server: &Server, steer: Steer) -> Result<Done, Failure> {
    enqueue(server.session(), text(steer.message, steer.images), StreamingBehavior::Steer).await
}

pub(in crate::rpc) async fn follow_up(server: &Server, follow_up: FollowUp) -> Result<Done, Failure> {
    enqueue(server.session(), text(follow_up.message, follow_up.images), StreamingBehavior::FollowUp).await
}

async fn enqueue(session: &Arc<AgentSession>, text: Text, to: StreamingBehavior) -> Result<Done, Failure> {
    let prompted: Result<Prompted, PromptError> = session.enqueue(text, to).await;
    say(session, prompted?);
    Ok(Done)
}

/// What a built-in command has to say is shown as what an extension has to say.
fn say(session: &AgentSession, prompted: Prompted) {
    if let Prompted::Builtin(text) = prompted
        && !text.is_empty()
    {
        session.hooks().dialogs.notify("tau".into(), text, NotifyLevel::Info);
    }
}

fn text(message: String, images: Option<Vec<Image>>) -> Text {
    let image = |Image::Image(image)| ContentBlock::Image(image);
    let images = images.unwrap_or_default().into_iter().map(image).collect();
    Text { text: message, images, source: InputSource::Rpc, streaming_behavior: None }
}

pub(in crate::rpc) async fn abort(session: &Arc<AgentSession>) -> Result<Done, Failure> {
    session.abort();
    session.wait_for_run().await;
    Ok(Done)
}

pub(in crate::rpc) fn clear_queue(session: &AgentSession) -> Queue {
    let texts = session.clear_queue();
    Queue { steering: texts.steering, follow_up: texts.follow_up }
}
