//! Small requests to a server of this machine, answered in JSON.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt;
use reqwest::Url;
use serde_json::Value;
use tau_http::Clients;

/// Most bytes of an answer.
const MAX_BODY: usize = 4 << 20;

/// Asks one server.
pub(super) struct Asker<'c> {
    clients: &'c Clients,
    base: Url,
    /// Whether anything answered, whatever it said.
    answered: AtomicBool,
}

impl<'c> Asker<'c> {
    pub fn new(clients: &'c Clients, base: Url) -> Self {
        Self { clients, base, answered: AtomicBool::new(false) }
    }

    /// Whether anything answers there.
    pub fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// An address of the server.
    pub fn url(&self, path: &str) -> Option<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base);
        Url::parse(&format!("{base}{path}")).ok()
    }

    /// What it answers at a path; `None` for anything but JSON.
    pub async fn get(&self, path: &str) -> Option<Value> {
        self.ask(path, None).await
    }

    /// What it answers to a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Option<Value> {
        self.ask(path, Some(body)).await
    }

    async fn ask(&self, path: &str, body: Option<&Value>) -> Option<Value> {
        let url = self.url(path)?;
        let client = self.clients.get(&url).await.ok()?;
        let request = match body {
            Some(body) => client.post(url).json(body),
            None => client.get(url),
        };
        let response = request.send().await.ok()?;
        self.answered.store(true, Ordering::Relaxed);
        if !response.status().is_success() {
            return None;
        }
        let mut text = Vec::new();
        let mut bytes = response.bytes_stream();
        while let Some(piece) = bytes.next().await {
            text.extend_from_slice(&piece.ok()?);
            if text.len() > MAX_BODY {
                return None;
            }
        }
        serde_json::from_slice(&text).ok()
    }
}
