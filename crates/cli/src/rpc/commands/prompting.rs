//! Text for the model.

use std::sync::Arc;

use tau_agent::{AgentSession, Prompt as Text, PromptError, Prompted, Submitted};
use tau_ai::ContentBlock;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::payload::{InputSource, StreamingBehavior};
use tau_rpc::{Disposition, Done, Failure, FollowUp, Image, Placed, Prompt, Queue, Steer};

use crate::rpc::server::Server;

/// Answers once it is known where the text goes, and before anything comes of it.
pub(in crate::rpc) async fn prompt(server: &Server, prompt: Prompt) -> Result<Placed, Failure> {
    let text = Text { streaming_behavior: prompt.streaming_behavior, ..text(prompt.message, prompt.images) };
    let session = server.session();
    let mark = session.settled_mark();
    match session.submit(text).await? {
        Submitted::Done(prompted) => {
            let placed = placed(session, prompted);
            // The response comes first, as it does when the prompt begins a run. In one piece: a client that sends its next
            // prompt on the response must not take this end for that one's.
            let _piece = server.together();
            server.respond::<Prompt>(Ok(placed));
            if placed.disposition == Disposition::Handled {
                session.settle_after_prompt(mark);
            }
            Ok(placed)
        }
        Submitted::Run(upcoming) => {
            // The run has its place: who comes next is queued behind it, and need not wait for handlers and the like.
            let me = server.clone();
            server.go_on(async move {
                match upcoming.prepare().await {
                    Ok(prepared) => {
                        me.respond::<Prompt>(Ok(STARTED));
                        prepared.start();
                    }
                    Err(error) => me.respond::<Prompt>(Err(error.into())),
                }
            });
            Ok(STARTED)
        }
    }
}

pub(in crate::rpc) async fn steer(server: &Server, steer: Steer) -> Result<Placed, Failure> {
    enqueue(server.session(), text(steer.message, steer.images), StreamingBehavior::Steer).await
}

pub(in crate::rpc) async fn follow_up(server: &Server, follow_up: FollowUp) -> Result<Placed, Failure> {
    enqueue(server.session(), text(follow_up.message, follow_up.images), StreamingBehavior::FollowUp).await
}

async fn enqueue(session: &Arc<AgentSession>, text: Text, to: StreamingBehavior) -> Result<Placed, Failure> {
    let prompted: Result<Prompted, PromptError> = session.enqueue(text, to).await;
    Ok(placed(session, prompted?))
}

const STARTED: Placed = Placed { disposition: Disposition::Started };

/// What the client reads of what became of text. What a built-in command has to say is shown as what an extension has to
/// say.
fn placed(session: &AgentSession, prompted: Prompted) -> Placed {
    let disposition = match prompted {
        Prompted::Ran => Disposition::Started,
        Prompted::Queued => Disposition::Queued,
        Prompted::Command { .. } | Prompted::Handled => Disposition::Handled,
        Prompted::Builtin(done) => {
            if !done.is_silent() {
                session.hooks().dialogs.notify("tau".into(), done.to_string(), NotifyLevel::Info);
            }
            Disposition::Handled
        }
    };
    Placed { disposition }
}

fn text(message: String, images: Option<Vec<Image>>) -> Text {
    let image = |Image::Image(image)| ContentBlock::Image(image);
    let images = images.unwrap_or_default().into_iter().map(image).collect();
    Text { text: message, images, source: InputSource::Rpc, ..Text::default() }
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
