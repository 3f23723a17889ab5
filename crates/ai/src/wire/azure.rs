//! Where Microsoft keeps a model: every customer has addresses and names of their own.

use std::collections::BTreeMap;

use reqwest::Url;

use super::error::WireError;
use crate::{Model, StreamRequest};

/// The address of the customer's models.
const BASE_URL: &str = "AZURE_OPENAI_BASE_URL";
/// The name of the customer's resource, which gives an address too.
const RESOURCE: &str = "AZURE_OPENAI_RESOURCE_NAME";
/// Names of deployments, as `model=deployment` with commas between them.
const DEPLOYMENTS: &str = "AZURE_OPENAI_DEPLOYMENT_NAME_MAP";
/// The version of the interface.
const VERSION: &str = "AZURE_OPENAI_API_VERSION";
/// Hosts where the interface has a known path.
const HOSTS: [&str; 3] = [".openai.azure.com", ".cognitiveservices.azure.com", ".ai.azure.com"];
/// That path.
const PATH: &str = "/openai/v1";

/// Whether the models of a provider have such addresses, whatever the wire format.
pub(super) fn is_azure(model: &Model) -> bool {
    model.provider == "azure"
}

fn setting<'e>(env: &'e BTreeMap<String, String>, name: &str) -> Option<&'e str> {
    env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// The root of the interface, without a slash at its end.
///
/// # Errors
/// When there is no address, or it is none.
pub(super) fn base_url(request: &StreamRequest) -> Result<String, WireError> {
    let (model, env) = (&request.model, &request.options.env);
    let of_resource = || setting(env, RESOURCE).map(|name| format!("https://{name}.openai.azure.com{PATH}"));
    let of_model = || Some(model.base_url.trim().to_owned()).filter(|url| !url.is_empty());
    let given = setting(env, BASE_URL).map(str::to_owned).or_else(of_resource).or_else(of_model);
    let Some(given) = given else {
        return Err(WireError::Config(format!(
            "The base URL of provider {} is not known: set {BASE_URL} or {RESOURCE}",
            model.provider
        )));
    };
    let invalid = || {
        WireError::Config(format!(
            "The base URL of provider {} is not a valid URL: it begins with http:// or https://, and names a host",
            model.provider
        ))
    };
    let mut url = Url::parse(given.trim_end_matches('/')).map_err(|_| invalid())?;
    let host = url.host_str().ok_or_else(invalid)?;
    let is_root = matches!(url.path().trim_end_matches('/'), "" | "/openai" | "/openai/v1/responses");
    if is_root && HOSTS.iter().any(|end| host.ends_with(end)) {
        url.set_path(PATH);
        url.set_query(None);
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// What the customer calls the model.
pub(super) fn deployment(request: &StreamRequest) -> &str {
    let id = &*request.model.id;
    let pairs = setting(&request.options.env, DEPLOYMENTS).unwrap_or_default().split(',');
    let mut named = pairs.filter_map(|pair| {
        let (model, name) = pair.split_once('=')?;
        (model.trim() == id && !name.trim().is_empty()).then(|| name.trim())
    });
    // The last one that names it.
    named.next_back().unwrap_or(id)
}

/// The version of the interface of OpenAI models.
pub(super) fn version(request: &StreamRequest) -> &str {
    setting(&request.options.env, VERSION).unwrap_or("v1")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::StreamOptions;

    fn request(base_url: &str, env: &[(&str, &str)]) -> StreamRequest {
        let model = json!({"id": "gpt-5.4", "provider": "azure", "baseUrl": base_url});
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: Vec::new(),
            tools: Arc::from([]),
            options: StreamOptions { env, ..StreamOptions::default() },
            hooks: None,
            cancel: tokio_util::sync::CancellationToken::new(),
        }
    }

    #[test]
    fn the_root_of_a_resource_gets_its_path() {
        let root = "https://r.openai.azure.com/openai/v1";
        for (given, expected) in [
            ("https://r.openai.azure.com", root),
            ("https://r.openai.azure.com/openai/", root),
            ("https://r.openai.azure.com/openai/v1", root),
            ("https://r.openai.azure.com/openai/v1/responses?api-version=preview", root),
            ("https://r.services.ai.azure.com/", "https://r.services.ai.azure.com/openai/v1"),
            ("https://r.cognitiveservices.azure.com", "https://r.cognitiveservices.azure.com/openai/v1"),
            ("https://gateway.example/azure/", "https://gateway.example/azure"),
            ("https://gateway.example", "https://gateway.example"),
        ] {
            assert_eq!(base_url(&request(given, &[])).ok().as_deref(), Some(expected), "{given}");
        }
    }

    #[test]
    fn settings_outrank_the_model() {
        let (url, name) = ((BASE_URL, " https://a.example/v1 "), (RESOURCE, "mine"));
        let base = |env: &[(&str, &str)]| base_url(&request("https://model.example", env)).ok();
        assert_eq!(base(&[url, name]).as_deref(), Some("https://a.example/v1"));
        assert_eq!(base(&[(BASE_URL, " "), name]).as_deref(), Some("https://mine.openai.azure.com/openai/v1"));
        let missing = base_url(&request("", &[])).expect_err("no address").to_string();
        assert!(missing.contains(BASE_URL) && missing.contains(RESOURCE), "{missing}");
        assert!(base_url(&request("no address", &[])).is_err());
    }

    #[test]
    fn a_model_has_the_name_of_its_deployment() {
        let named = |map: &str| deployment(&request("", &[(DEPLOYMENTS, map)])).to_owned();
        assert_eq!(named(""), "gpt-5.4");
        assert_eq!(named("other=x, gpt-5.4 = mine ,broken,gpt-5.4="), "mine");
        assert_eq!((version(&request("", &[])), version(&request("", &[(VERSION, "v2")]))), ("v1", "v2"));
    }
}
