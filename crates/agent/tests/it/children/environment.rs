//! What a child finds in its environment.

use serde_json::json;
use tau_hooks::ChildRequest;

use super::{Family, results};
use crate::common::{World, calls};

/// Commands see which child they belong to, also when an extension of the child says something else.
#[tokio::test]
async fn commands_of_a_child_find_that_it_is_one_and_its_name() {
    let ask = json!({"command": "echo \"[$PI_SUBAGENT_CHILD|$PI_AGENT_NAME]\""});
    let replies = json!([calls([("1", "bash", ask.clone())]), "Done.", calls([("1", "bash", ask)]), "Done."]);
    let family = Family::start(World::new(replies).with_builtin_tools()).await;
    let child = family.open(ChildRequest::new("git\u{7} expert")).await;
    child.prompt("Go".into()).await.expect("a run");
    assert_eq!(results(&*child), ["[1|git expert]\n"]);
    family.parent.say("Go").await;
    let conversation = family.parent.conversation();
    let (_, found) = conversation.iter().find(|(role, _)| role == "toolResult").expect("a result");
    assert_eq!(found, "[|]\n");
}
