//! The form of OpenAI models at Microsoft, and Chat Completions there.

use serde_json::json;
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::{AZURE, request};
use crate::wire::support::{KEY, answer};

#[tokio::test]
async fn a_customer_has_addresses_and_names_of_its_own() {
    for (api, path, header, value) in [
        (AZURE, "/v1/responses?api-version=preview", "api-key", KEY.to_owned()),
        ("openai-completions", "/v1/chat/completions", "authorization", format!("Bearer {KEY}")),
    ] {
        let server = LoopbackServer::start([Reply::text("ok")]);
        let mut request = request(&server, json!({"api": api, "provider": "azure", "baseUrl": ""}));
        let env = [
            ("AZURE_OPENAI_BASE_URL", format!("{}/v1/", server.url())),
            ("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", "test-model=mine".to_owned()),
            ("AZURE_OPENAI_API_VERSION", "preview".to_owned()),
        ];
        request.options.env = env.map(|(name, value)| (name.to_owned(), value)).into();
        let message = answer(request).await;
        assert_eq!(message.error_message, None);
        assert_eq!(message.model, "test-model");
        let sent = server.requests().remove(0);
        assert_eq!((&*sent.path, sent.headers.get(header)), (path, Some(&value)));
        assert_eq!(sent.body["model"], "mine");
    }
}

#[tokio::test]
async fn without_an_address_the_user_learns_which_variables_to_set() {
    for api in [AZURE, "openai-completions"] {
        let server = LoopbackServer::start([]);
        let message = answer(request(&server, json!({"api": api, "provider": "azure", "baseUrl": ""}))).await;
        let expected =
            "The base URL of provider azure is not known: set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME";
        assert_eq!(message.error_message.as_deref(), Some(expected));
    }
}
