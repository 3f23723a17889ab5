//! `tau mcp login` and `logout`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};
use tau_mcp::auth::{SignIn, key, sign_in, uses_oauth};
use tau_mcp::config::{OAuthConfig, ResolvedTransport, Transport, resolve};
use tau_mcp::{Entry, State};
use tokio_util::sync::CancellationToken;

use super::Mcp;
use crate::commands::auth::terminal::Terminal;
use crate::diagnostics;
use crate::output::say;

/// How long the user may take when they do not say.
const PATIENCE: f64 = 300.0;
/// A day.
const LONGEST: f64 = 86_400.0;

/// Where somebody signs in.
struct Place {
    entry: Entry,
    oauth: OAuthConfig,
    url: String,
    client_secret: Option<String>,
}

fn place(mcp: &Mcp<'_>, name: &str) -> Result<Place, String> {
    let entry = mcp.found(name)?;
    let Transport::Http { oauth, auth_provider, .. } = &entry.config.transport else {
        return Err(format!("MCP server \"{name}\" is a program and has no sign-in"));
    };
    if let Some(provider) = auth_provider {
        return Err(format!("MCP server \"{name}\" uses the login of {provider}; run tau auth login {provider}"));
    }
    let Some(oauth) = oauth.clone().filter(|_| uses_oauth(&entry)) else {
        return Err(format!(
            "MCP server \"{name}\" does not use OAuth: its entry has a header Authorization, or oauth is false"
        ));
    };
    let values = mcp.values();
    let resolved = resolve(&entry.config, &mcp.context.env.cwd, values.as_ref()).map_err(|error| error.to_string())?;
    match resolved.transport {
        ResolvedTransport::Http { url, client_secret, .. } => Ok(Place { entry, oauth, url, client_secret }),
        ResolvedTransport::Stdio { .. } => Err(format!("MCP server \"{name}\" is a program and has no sign-in")),
    }
}

pub(super) async fn login(mcp: &Mcp<'_>, name: &str) -> ExitCode {
    match signed_in(mcp, name).await {
        Ok(text) => say(&text),
        Err(problem) => diagnostics::fail(&problem),
    }
}

async fn signed_in(mcp: &Mcp<'_>, name: &str) -> Result<String, String> {
    let patience = match mcp.options.given.get("--timeout") {
        Some(seconds) => seconds.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST),
        None => Some(PATIENCE),
    };
    let patience = patience.ok_or("--timeout must be a number of seconds, at most a day")?;
    let place = place(mcp, name)?;
    // A server that is switched off can be signed in to all the same.
    let mut entry = place.entry.clone();
    entry.config.enabled = true;
    let manager = mcp.manager(vec![entry]);
    let Some(server) = manager.server(name) else { return Err(format!("there is no MCP server \"{name}\"")) };
    server.settled().await;
    let status = server.status();
    let tools = |count: usize| if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    let done = match status.state {
        State::Connected => {
            Ok(format!("MCP server \"{name}\" needs no sign-in now: it is connected, with {}.\n", tools(status.tools)))
        }
        State::NeedsSignIn => {
            let what = SignIn {
                name,
                url: &place.url,
                oauth: &place.oauth,
                client_secret: place.client_secret,
                challenge: status.challenge,
                patience: Duration::from_secs_f64(patience),
                ui: Terminal::open(true).map_or_else(|| Arc::new(NoTerminal) as _, |terminal| Arc::new(terminal) as _),
                cancel: CancellationToken::new(),
            };
            match sign_in(&mcp.logins(), &what).await {
                Ok(()) => {
                    server.reconnect().await;
                    match server.status().state {
                        State::Connected => {
                            Ok(format!("Signed in to MCP server \"{name}\" ({}).\n", tools(server.status().tools)))
                        }
                        _ => Err(format!("signed in, but {}", server.absence())),
                    }
                }
                Err(error) => Err(format!("the sign-in at MCP server \"{name}\" failed: {error}")),
            }
        }
        _ => Err(server.absence()),
    };
    manager.close().await;
    done
}

pub(super) fn logout(mcp: &Mcp<'_>, name: &str) -> ExitCode {
    let removed = place(mcp, name).and_then(|place| {
        let removed = mcp.logins().file().remove(&key(&place.entry.name, &place.url));
        removed.map_err(|error| error.to_string())
    });
    match removed {
        Ok(true) => say(&format!("Signed out of MCP server \"{name}\".\n")),
        Ok(false) => say(&format!("There is no login of MCP server \"{name}\".\n")),
        Err(problem) => diagnostics::fail(&problem),
    }
}

/// Nobody can be asked, so only the browser can bring the code.
struct NoTerminal;

#[async_trait]
impl LoginUi for NoTerminal {
    fn show(&self, notice: LoginNotice) {
        diagnostics::line(&notice.to_string());
    }

    async fn ask(&self, _: LoginQuestion) -> Option<String> {
        std::future::pending().await
    }
}
