//! Files of credentials.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a file holds.
pub(super) enum Login {
    /// A user's login.
    User {
        client_id: String,
        client_secret: String,
        refresh_token: String,
        /// The project that pays.
        quota_project_id: Option<String>,
        /// Where tokens are to be had, if not at Google's own address.
        token_uri: Option<String>,
    },
    /// The key of a service account.
    ServiceAccount(ServiceAccount),
}

/// The key of a service account.
#[derive(Deserialize)]
pub(super) struct ServiceAccount {
    pub client_email: String,
    /// As PEM.
    pub private_key: String,
    pub private_key_id: Option<String>,
    /// Where tokens are to be had, if not at Google's own address.
    pub token_uri: Option<String>,
}

#[derive(Deserialize)]
struct User {
    client_id: String,
    client_secret: String,
    refresh_token: String,
    quota_project_id: Option<String>,
    token_uri: Option<String>,
}

/// Reads a file. Errors are words that hold nothing of it but the type of the login.
pub(super) fn parse(text: &[u8]) -> Result<Login, String> {
    let file: Value = serde_json::from_slice(text)
        .map_err(|error| format!("it is not JSON (line {}, column {})", error.line(), error.column()))?;
    match file["type"].as_str() {
        Some("authorized_user") => {
            let User { client_id, client_secret, refresh_token, quota_project_id, token_uri } =
                fields(file, &["client_id", "client_secret", "refresh_token"])?;
            Ok(Login::User { client_id, client_secret, refresh_token, quota_project_id, token_uri })
        }
        Some("service_account") => fields(file, &["client_email", "private_key"]).map(Login::ServiceAccount),
        Some(other) => {
            Err(format!("tau has no logins of the type {other:?}, only authorized_user and service_account"))
        }
        None => Err("it has no \"type\"".to_owned()),
    }
}

fn fields<T: DeserializeOwned>(file: Value, needed: &[&str]) -> Result<T, String> {
    if let Some(missing) = needed.iter().find(|name| file[**name].as_str().is_none_or(str::is_empty)) {
        return Err(format!("it has no {missing:?}"));
    }
    // Its own words would quote the file.
    serde_json::from_value(file).map_err(|_| "a field is not a text".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_said_without_its_secrets() {
        for (text, why) in [
            ("{\"refresh_token\": \"s3cret\"", "it is not JSON (line 1, column 26)"),
            ("[]", "it has no \"type\""),
            (
                r#"{"type": "external_account"}"#,
                "tau has no logins of the type \"external_account\", only authorized_user and service_account",
            ),
            (
                r#"{"type": "authorized_user", "client_id": "a", "client_secret": "s3cret"}"#,
                "it has no \"refresh_token\"",
            ),
            (
                r#"{"type": "service_account", "client_email": "a", "private_key": "s3cret", "token_uri": ["s3cret"]}"#,
                "a field is not a text",
            ),
        ] {
            assert_eq!(parse(text.as_bytes()).err().as_deref(), Some(why), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(parse(&text));
        }
    }
}
