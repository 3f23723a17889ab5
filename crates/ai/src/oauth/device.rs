//! The device flow: the user types a code on a page of any device, and tau asks until that is done.

use std::sync::Arc;

use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{ClientId, DeviceAuthorizationUrl, Scope, StandardDeviceAuthorizationResponse, TokenUrl};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::client::{Relay, host_of};
use super::failure::Failure;
use super::login::{LoginNotice, LoginUi};

/// The addresses of a server that has the flow.
pub(super) struct Device<'d> {
    pub(super) client_id: &'d str,
    /// Where codes are asked for.
    pub(super) url: &'d Url,
    /// Where tokens are asked for.
    pub(super) token_url: &'d Url,
    pub(super) scopes: &'d [String],
}

/// Signs in on another device.
pub(super) async fn sign_in(
    device: Device<'_>,
    relay: &Relay,
    ui: &Arc<dyn LoginUi>,
    cancel: &CancellationToken,
) -> Result<BasicTokenResponse, Failure> {
    let client = BasicClient::new(ClientId::new(device.client_id.to_owned()))
        .set_device_authorization_url(DeviceAuthorizationUrl::from_url(device.url.clone()))
        .set_token_uri(TokenUrl::from_url(device.token_url.clone()));
    let scopes = device.scopes.iter().cloned().map(Scope::new);
    let given: StandardDeviceAuthorizationResponse = tokio::select! {
        () = cancel.cancelled() => return Err(Failure::Cancelled),
        given = client.exchange_device_code().add_scopes(scopes).request_async(relay) => {
            given.map_err(|error| Failure::of(&host_of(device.url), error, "code for a device"))?
        }
    };
    // The address that has the code in it needs no typing, but the code is shown to be compared.
    let url = given
        .verification_uri_complete()
        .map_or_else(|| given.verification_uri().to_string(), |url| url.secret().clone());
    ui.show(LoginNotice::DeviceCode { code: given.user_code().secret().clone(), url });
    tokio::select! {
        () = cancel.cancelled() => Err(Failure::Cancelled),
        given = client.exchange_device_access_token(&given).request_async(relay, tokio::time::sleep, None) => {
            given.map_err(|error| Failure::of(&host_of(device.token_url), error, "access token"))
        }
    }
}
