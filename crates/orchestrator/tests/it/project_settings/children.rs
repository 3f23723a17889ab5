//! Child sessions.

use std::sync::Arc;

use async_trait::async_trait;
use tau_agent_testkit::Log;
use tau_hooks::dialect::PI;
use tau_hooks::{Api, ChildHooks, ChildLoader, ChildRequest, HandlerError, Hooks, HostSessions as _, Mode, Owner};
use tau_orchestrator::MODULES;

use super::{JSON, co_author, user, world};

/// Loads the module into a child, and one that reads settings.
struct InChild(Log<(Arc<Hooks>, Api)>);

#[async_trait]
impl ChildLoader for InChild {
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError> {
        let hooks = into.hooks()?;
        let module = MODULES.iter().find(|module| module.name == "builtin:project-settings").expect("the module");
        assert!(module.in_children);
        hooks.load(&*(module.make)()).map_err(HandlerError::msg)?;
        let reader = tau_testkit::host::extension("reader", |_: &mut tau_hooks::Registrar| Ok(()));
        let owner: Arc<Owner> = hooks.load_as(&reader, &PI).map_err(HandlerError::msg)?;
        self.0.push((Arc::clone(&hooks), hooks.api(&owner)));
        Ok(())
    }
}

#[tokio::test]
async fn a_child_reads_settings_and_has_neither_the_command_nor_the_migration() {
    let world = world(Mode::Rpc);
    world.home.write_agent(JSON, r#"{"co_author": true, "colour": 1}"#);
    let told = user(&world, &[]);
    world.extend("opener", |_| {});
    let running = world.start().await;
    assert!(world.hooks.commands().iter().any(|entry| entry.name == "pi-config-settings"));
    let opener = world.hooks.extensions().into_iter().find(|owner| &*owner.name == "opener").expect("the opener");
    // It would be taken over at the start of a session.
    let marker = world.home.write(".pi-co-author", "");
    let loaded = Log::default();
    let mut request = ChildRequest::new("worker");
    request.own.push(Box::new(InChild(loaded.clone())));
    let child = running.session.open_child(request, opener).await.unwrap_or_else(|error| panic!("{error}"));
    let (hooks, api) = loaded.all().pop().expect("a child");
    assert!(co_author(&api).0 && hooks.is_of_child() && hooks.commands().is_empty());
    assert!(marker.exists() && hooks.tasks.running().is_empty());
    drop(child);
    // The session above says what is wrong with the file, once.
    assert_eq!(told.all().len(), 1, "{:?}", told.all());
}
