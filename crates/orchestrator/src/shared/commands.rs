//! Commands that others can run, too: each is offered on the bus, where a dashboard in any language finds it.

use std::sync::Arc;

use serde_json::json;
use tau_hooks::bus::{BusPayload, EngineId};
use tau_hooks::events::SessionStart;
use tau_hooks::{Api, Command, CommandHandler, Ctx, HandlerError, Registrar};
use tokio_util::sync::CancellationToken;

use super::channels::{COMMAND_CTX, REGISTER_COMMAND, REQUEST_COMMANDS};

/// Adds commands of a module. They are offered on the bus when a session starts and whenever somebody asks for them; a run of
/// one says where it runs.
///
/// # Errors
/// When the session is gone.
pub fn share(registrar: &mut Registrar, commands: Vec<Command>) -> Result<(), HandlerError> {
    let api = registrar.api();
    let mut offered: Vec<(String, CommandHandler)> = Vec::new();
    for command in commands {
        let handler = announced(api.clone(), command.handler);
        offered.push((command.name.clone(), Arc::clone(&handler)));
        registrar.add_command(Command { handler, ..command });
    }
    let offered: Arc<[_]> = offered.into();
    let (asked, all) = (api.clone(), Arc::clone(&offered));
    let again = Arc::new(move |_| offer(&asked, &all));
    let bus = api.events()?;
    // It ends with the extension.
    bus.on(REQUEST_COMMANDS, EngineId::NATIVE, Arc::clone(&api.owner().path), again).detach();
    registrar.on::<SessionStart>(move |_, _: Ctx| {
        offer(&api, &offered);
        async { Ok(()) }
    });
    Ok(())
}

/// The command, which says where it runs before it does.
fn announced(api: Api, handler: CommandHandler) -> CommandHandler {
    Arc::new(move |args, ctx| {
        let facts = json!({"cwd": ctx.cwd(), "mode": ctx.mode(), "hasUI": ctx.has_ui()});
        emit(&api, COMMAND_CTX, BusPayload::Json(Arc::new(facts)));
        handler(args, ctx)
    })
}

fn offer(api: &Api, commands: &[(String, CommandHandler)]) {
    for (name, handler) in commands {
        let (api_of_call, handler) = (api.clone(), Arc::clone(handler));
        let run = BusPayload::function(move |args: Vec<BusPayload>| {
            let (api, handler) = (api_of_call.clone(), Arc::clone(&handler));
            async move {
                let text = args.first().and_then(BusPayload::as_str).unwrap_or_default().to_owned();
                let ctx = api.ctx(CancellationToken::new(), true).map_err(|error| error.to_string())?;
                handler(text, ctx).await.map_err(|error| error.to_string())?;
                Ok(BusPayload::Nothing)
            }
        });
        let name_of = BusPayload::Json(Arc::new(json!(name)));
        emit(api, REGISTER_COMMAND, BusPayload::object([("name", name_of), ("handler", run)]));
    }
}

/// Sends something on the bus on behalf of a module. Nobody hears it once the session is gone.
pub fn emit(api: &Api, channel: &str, payload: BusPayload) {
    match api.events() {
        Ok(bus) => bus.emit(channel, payload, EngineId::NATIVE, &api.owner().path),
        Err(error) => tracing::debug!(%error, channel, "nothing is sent on the bus"),
    }
}
