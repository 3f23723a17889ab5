//! What users do about a server: connect it anew, sign in at it, sign out.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError};

use super::session::Open;
use crate::auth::{SignIn, key, sign_in, uses_oauth};
use crate::config::{ResolvedTransport, Transport, address, resolve};
use crate::manager::{Server, State};

/// How long the user may take to sign in.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server in a line.
pub(super) fn line(server: &Server) -> String {
    let (entry, status) = (server.entry(), server.status());
    let state = match status.state {
        State::Connected if status.tools == 1 => "connected, 1 tool".to_owned(),
        State::Connected => format!("connected, {} tools", status.tools),
        State::NeedsSignIn => format!("needs sign-in: /mcp login {}", entry.name),
        state => state.as_str().to_owned(),
    };
    let error = status.error.filter(|_| status.state == State::Failed);
    let error = error.map(|error| format!(": {error}")).unwrap_or_default();
    format!("{}: {state}{error} ({}, {})", entry.name, entry.config.exposure, entry.scope.as_str())
}

/// Connects a server anew.
pub(super) async fn reconnect(open: &Open, server: &Server) -> Result<(), HandlerError> {
    server.reconnect().await;
    open.sync();
    open.thaw()
}

/// Signs in at a server; gives what there is to say about it.
pub(super) async fn login(open: &Open, server: &Server, ctx: &Ctx) -> Result<String, HandlerError> {
    let entry = server.entry();
    let name = entry.name.clone();
    let Transport::Http { oauth: Some(oauth), .. } = &entry.config.transport else {
        return Err(HandlerError::msg(format!("MCP server \"{name}\" does not use OAuth")));
    };
    if !uses_oauth(&entry) {
        return Err(HandlerError::msg(format!(
            "MCP server \"{name}\" does not use OAuth: it has a header Authorization or auth"
        )));
    }
    let values = open.options.values(ctx.cwd());
    let (config, cwd) = (entry.config.clone(), ctx.cwd());
    let resolved = tokio::task::spawn_blocking(move || resolve(&config, &cwd, &values)).await;
    let resolved = resolved.map_err(HandlerError::msg)?.map_err(HandlerError::msg)?;
    let ResolvedTransport::Http { url, client_secret, .. } = resolved.transport else { return Ok(String::new()) };
    let what = SignIn {
        name: &name,
        url: &url,
        oauth,
        client_secret,
        challenge: server.status().challenge,
        patience: PATIENCE,
        ui: Arc::new(Asking(ctx.clone())),
        cancel: ctx.signal().child_token(),
    };
    let done = {
        let _pause = ctx.pause_deadline();
        sign_in(&open.logins, &what).await
    };
    done.map_err(|error| HandlerError::msg(format!("the sign-in at MCP server \"{name}\" failed: {error}")))?;
    reconnect(open, server).await?;
    Ok(format!("Signed in at MCP server \"{name}\". {}", line(server)))
}

/// Forgets the login of a server; gives what there is to say about it.
pub(super) async fn logout(open: &Open, server: &Server, ctx: &Ctx) -> Result<String, HandlerError> {
    let entry = server.entry();
    if !uses_oauth(&entry) {
        return Err(HandlerError::msg(format!("MCP server \"{}\" does not use OAuth", entry.name)));
    }
    let values = open.options.values(ctx.cwd());
    let url = address(&entry.config, &values).ok_or_else(|| {
        HandlerError::msg(format!(
            "the address of MCP server \"{0}\" is not known here; use `tau mcp logout {0}`",
            entry.name
        ))
    })?;
    let (file, key) = (open.logins.file().clone(), key(&entry.name, &url));
    let removed = tokio::task::spawn_blocking(move || file.remove(&key)).await;
    let removed = removed.map_err(HandlerError::msg)?.map_err(HandlerError::msg)?;
    let text = if removed {
        format!("Signed out of MCP server \"{}\".", entry.name)
    } else {
        format!("There is no login of MCP server \"{}\".", entry.name)
    };
    if removed {
        server.reconnect().await;
    }
    Ok(text)
}

/// The user of the session.
struct Asking(Ctx);

#[async_trait]
impl LoginUi for Asking {
    fn show(&self, notice: LoginNotice) {
        self.0.ui().notify(&notice.to_string(), NotifyLevel::Info);
    }

    async fn ask(&self, question: LoginQuestion) -> Option<String> {
        match question {
            LoginQuestion::Code => self.0.ui().input("Address that the browser ended at", None).await,
            LoginQuestion::Text { message, placeholder } => self.0.ui().input(&message, placeholder.as_deref()).await,
            LoginQuestion::Choice { .. } => None,
        }
    }
}
