//! Every module of the suite in an editor.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{ElicitationAcceptAction, ElicitationAction, ElicitationContentValue};

use crate::editor::{able, with_able};
use crate::modules::{DRIVES, ways};
use crate::place::Place;

#[tokio::test]
async fn every_module_works_in_an_editor() {
    for drive in DRIVES {
        for way in ways(drive) {
            let place = Place::new();
            let args = ["-e", &way];
            let stderr = with_able(&place, drive.script, &args, able(), async |editor| {
                let content = BTreeMap::from([("answer".to_owned(), ElicitationContentValue::from("blue"))]);
                editor.will_answer([ElicitationAction::Accept(ElicitationAcceptAction::new().content(content))]);
                let id = editor.begin(&place).await;
                editor.prompt(&id, drive.prompt).await.expect("an answer");
                editor.until(|log| format!("{:?}", log.updates).contains(drive.shows[3]).then_some(())).await;
            });
            assert_eq!(stderr.await, "", "{way}");
        }
    }
}
