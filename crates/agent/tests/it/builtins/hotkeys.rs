use serde_json::json;
use tau_hooks::Ctx;

use super::said;
use crate::common::World;

#[tokio::test]
async fn keys_of_the_user_and_of_extensions_are_in_the_table() {
    let world = World::new(json!([]));
    let nothing = |_: Ctx| std::future::ready(Ok(()));
    world.extend("first", move |registrar| {
        registrar.shortcut("f6", "Counts to six", nothing);
        registrar.shortcut("f7", "", nothing);
    });
    world.extend("second", move |registrar| {
        registrar.shortcut("Shift+Ctrl+P", "Wants a key that is taken", nothing);
        registrar.shortcut("ctrl+l", "Has a key that the user gave away", nothing);
    });
    world.home.write_agent("keybindings.json", r#"{"app.model.select": ["f2", "f3"], "undo": "f5", "frob": "f4"}"#);
    let running = world.start().await;
    let text = said(&world, &running, "/hotkeys").await;
    let shows = |line: &str| text.lines().any(|known| known.split_whitespace().eq(line.split_whitespace()));
    assert!(shows("f2, f3 Choose a model"), "{text}");
    assert!(shows("f5 Undo"), "{text}");
    assert!(!text.contains("!!"), "no prompt of tau is a shell command: {text}");
    let (_, extensions) = text.split_once("\nExtensions\n").expect("a section for extensions");
    insta::assert_snapshot!(extensions);
}
