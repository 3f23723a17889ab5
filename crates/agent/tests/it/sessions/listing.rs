//! Lists of sessions.

use serde_json::json;
use tau_hooks::NewSessionRequest;

use crate::common::World;

#[tokio::test]
async fn of_this_directory_and_of_all_projects() {
    let world = World::new(json!(["1.", "2."]));
    let running = world.start_in(world.home.agent_dir().join("sessions/--here--")).await;
    for text in ["First of this place", "Second of this place"] {
        running.say(text).await;
        running.session.new_session(NewSessionRequest::default()).await.expect("a new session");
    }
    let other = world.home.agent_dir().join("sessions/--there--/x.jsonl");
    std::fs::create_dir_all(other.parent().expect("a folder")).expect("a folder");
    let first = world.home.agent_dir().join("sessions/--here--");
    let any = std::fs::read_dir(first).expect("a folder").next().expect("a file").expect("a file");
    std::fs::copy(any.path(), &other).expect("a copy");

    let (here, index) = running.session.sessions(false).expect("a list");
    let texts: Vec<String> = here.filter_map(|info| info.first_message).collect();
    assert_eq!(texts, ["Second of this place", "First of this place"]);
    index.save().expect("an index");
    let (all, _) = running.session.sessions(true).expect("a list");
    assert_eq!(all.count(), 3);
}
