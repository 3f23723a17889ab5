//! Who listens to a session.

use serde_json::json;

use crate::common::{Log, World};

#[tokio::test]
async fn a_listener_that_left_hears_nothing_more_and_the_others_stay() {
    let world = World::new(json!(["1.", "2.", "3."]));
    let running = world.start().await;
    let (first, second) = (Log::<()>::default(), Log::<()>::default());
    let (to_first, to_second) = (first.clone(), second.clone());
    let leaves = running.session.listen(move |_| to_first.push(()));
    // Dropping what is given changes nothing.
    drop(running.session.listen(move |_| to_second.push(())));
    running.say("One").await;
    let heard = running.events.take().len();
    assert_eq!((first.take().len(), second.take().len()), (heard, heard));

    leaves.stop();
    running.say("Two").await;
    let heard = running.events.take().len();
    assert_eq!((first.take().len(), second.take().len()), (0, heard));

    // Another session in its place has the same listeners.
    running.say("/new").await;
    running.say("Three").await;
    let heard = running.events.take().len();
    assert_eq!((first.take().len(), second.take().len()), (0, heard));
    assert!(heard > 0);
}

#[tokio::test]
async fn a_listener_may_outlive_its_session() {
    let world = World::new(json!([]));
    let running = world.start().await;
    let listening = running.session.listen(|_| {});
    drop(running);
    listening.stop();
}
