//! What this program is to a server: it tells its folder, and answers questions of the server by asking the user.
#![expect(deprecated, reason = "servers ask for folders, although the newest protocol does not")]

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, Implementation, InputRequest,
    ListRootsResult, ProtocolVersion, Root,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::elicit::{Elicit, answer};
use super::inbox::Inbox;

/// The protocol that a handshake begins with.
pub(super) const OFFERED: ProtocolVersion = ProtocolVersion::V_2025_11_25;
/// What needs no handshake.
pub(super) const WITHOUT_HANDSHAKE: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// This program, as a server sees it.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) server: String,
    pub(super) cwd: PathBuf,
    pub(super) elicit: Option<Arc<dyn Elicit>>,
    pub(super) inbox: Arc<Inbox>,
}

impl Client {
    fn refused() -> ErrorData {
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", None)
    }

    fn roots(&self) -> Option<ListRootsResult> {
        let uri = Url::from_directory_path(&self.cwd).ok()?;
        // Folders are named without the slash that a joined path would need.
        let root = Root::new(uri.as_str().trim_end_matches('/'));
        let name = self.cwd.file_name().map(|name| name.to_string_lossy().into_owned());
        Some(ListRootsResult::new(vec![match name {
            Some(name) => root.with_name(name),
            None => root,
        }]))
    }

    async fn elicit(&self, request: &ElicitRequestParams, cancel: &CancellationToken) -> Option<Value> {
        answer(&self.server, &as_written(request)?, self.elicit.as_deref()?, &self.inbox.forms, cancel).await
    }

    /// Answers what a server asks instead of giving a result; `None` when that is nothing that this program answers.
    pub(super) async fn respond(&self, request: &InputRequest, cancel: &CancellationToken) -> Option<Value> {
        match request {
            InputRequest::Elicitation(request) => self.elicit(&request.params, cancel).await,
            InputRequest::ListRoots(_) => serde_json::to_value(self.roots()?).ok(),
            _ => None,
        }
    }
}

/// A request as data, with the fields of a form in the order in which the server wrote them.
fn as_written(request: &ElicitRequestParams) -> Option<Value> {
    let mut data = serde_json::to_value(request).ok()?;
    if let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request
        && let Some(order) = &requested_schema.property_order
        && let Some(properties) = data.pointer_mut("/requestedSchema/properties").and_then(Value::as_object_mut)
    {
        let ordered = order.iter().filter_map(|name| properties.remove_entry(name)).collect();
        *properties = ordered;
    }
    Some(data)
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = serde_json::json!({ "roots": {} });
        let mut capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap_or_default();
        if self.elicit.is_some() {
            capabilities.elicitation = serde_json::from_value(serde_json::json!({ "form": {} })).ok();
        }
        ClientConfig::new(capabilities, Implementation::new("tau", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(OFFERED)
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.roots().ok_or_else(Self::refused)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let result = self.elicit(&request, &context.ct).await.ok_or_else(Self::refused)?;
        serde_json::from_value(result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
