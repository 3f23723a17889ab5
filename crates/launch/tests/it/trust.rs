//! Who says whether the project is trusted.

use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};
use tau_launch::{Request, Trust};

use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    place.home.write(".pi/settings.json", r#"{"theme": "light"}"#);
    place
}

#[tokio::test]
async fn a_front_end_answers_for_itself_before_anything_loads() {
    for answer in [true, false] {
        let place = place();
        let prepared = place.launcher(&[]).prepare(Request::default());
        assert!(prepared.trust_question().needs_decision());
        assert_eq!(place.log.take(), [""; 0]);
        let ending = prepared.ending();
        let loaded = prepared.load(Trust::Answered(answer)).await.expect("a decision");
        assert_eq!((loaded.trust().trusted, loaded.settings().snapshot().is_trusted()), (answer, answer));
        ending.end().await;
    }
}

#[tokio::test]
async fn the_user_behind_the_dialogs_answers() {
    let place = place();
    let prepared = place.launcher(&[]).prepare(Request::default());
    let mut user = prepared.hooks().dialogs.subscribe();
    let answers = async {
        while let Some(event) = user.recv().await {
            let DialogEvent::Opened(request) = event else { continue };
            let DialogKind::Select { title, options } = &request.kind else { panic!("{request:?}") };
            assert!(title.starts_with("Trust the project in "), "{title}");
            user.answer(request.id(), DialogAnswer::Value(options[0].clone())).expect("it counts");
            return;
        }
    };
    let ending = prepared.ending();
    let (loaded, ()) = tokio::join!(prepared.load(Trust::Dialogs), answers);
    assert!(loaded.expect("a decision").trust().trusted);
    ending.end().await;
}

#[tokio::test]
async fn without_anybody_to_ask_the_project_is_left_out_and_that_is_said() {
    let place = place();
    let prepared = place.launcher(&[]).prepare(Request::default());
    let ending = prepared.ending();
    let loaded = prepared.load(Trust::Dialogs).await.expect("a decision");
    assert!(!loaded.trust().trusted);
    loaded.configure().await.expect("a command line that makes sense");
    ending.end().await;
    let told = place.told.take();
    assert!(
        matches!(&told[..], [notice] if notice.starts_with("warning: ") && notice.contains("--approve")),
        "{told:?}"
    );
}
