//! Workload identity: used when nothing else is there, exchanged once, and again before it expires.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tau_ai::{AuthError, AuthSource, AuthStatus, ModelRegistry, ValueResolver};
use tau_testkit::authorization::{AuthorizationServer, Behaviour};

struct World(BTreeMap<&'static str, &'static str>);

impl ValueResolver for World {
    fn env(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| (*value).to_owned())
    }

    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are none".to_owned())
    }

    fn file(&self, path: &str) -> Result<String, String> {
        match path {
            "/run/token" => Ok("token-of-the-platform\n".to_owned()),
            _ => Err(format!("{path}: not found")),
        }
    }
}

fn registry(server: &AuthorizationServer, more: &[(&'static str, &'static str)]) -> Arc<ModelRegistry> {
    let mut env = BTreeMap::from([
        ("ANTHROPIC_FEDERATION_RULE_ID", "rule"),
        ("ANTHROPIC_ORGANIZATION_ID", "org"),
        ("ANTHROPIC_IDENTITY_TOKEN_FILE", "/run/token"),
    ]);
    env.extend(more.iter().copied());
    let registry = Arc::new(ModelRegistry::new(Arc::new(World(env))));
    let at = json!({"providers": {"anthropic": {"baseUrl": server.url()}}});
    registry.load_models_json(&at.to_string()).expect("valid");
    registry
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workload_needs_no_key() {
    let server = AuthorizationServer::start(Duration::from_secs(600));
    let registry = registry(&server, &[]);
    assert_eq!(registry.auth_status("anthropic"), AuthStatus::Workload);
    let all = (0..4).map(|_| {
        let registry = Arc::clone(&registry);
        tokio::spawn(async move { registry.ready_workload("anthropic").await })
    });
    for done in all.collect::<Vec<_>>() {
        done.await.expect("no panic").expect("a token");
    }
    assert_eq!(server.asked(), ["jwt-bearer"], "one exchange for all");
    let auth = registry.provider_auth("anthropic").expect("a credential");
    assert_eq!(auth.source, AuthSource::Workload);
    assert_eq!(auth.headers["Authorization"], format!("Bearer {}", server.last_token()));
    assert_eq!(registry.ready_workload("openai").await, Ok(()));
    assert!(!registry.has_auth("openai"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_exchanged_again_before_it_expires_and_used_as_long_as_it_is_good() {
    let server = AuthorizationServer::start(Duration::from_secs(100));
    let registry = registry(&server, &[]);
    registry.ready_workload("anthropic").await.expect("a token");
    registry.ready_workload("anthropic").await.expect("another one");
    assert_eq!(server.asked().len(), 2);
    server.behave(Behaviour::Refuses("invalid_grant", "No."));
    registry.ready_workload("anthropic").await.expect("the old one is still good");
    assert!(registry.provider_auth("anthropic").is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_comes_first_and_a_refusal_says_why() {
    let server = AuthorizationServer::start(Duration::from_secs(600));
    let with_key = registry(&server, &[("ANTHROPIC_API_KEY", "k")]);
    with_key.ready_workload("anthropic").await.expect("nothing to do");
    assert_eq!(server.asked(), Vec::<String>::new());
    let refused = registry(&server, &[("ANTHROPIC_ORGANIZATION_ID", "other")]);
    let error = refused.ready_workload("anthropic").await.expect_err("the rule is for another one");
    let AuthError::Workload { reason, .. } = &error else { panic!("{error}") };
    assert!(reason.ends_with(" refused: invalid_grant (status 400)"), "{reason}");
    let absent = registry(&server, &[("ANTHROPIC_IDENTITY_TOKEN_FILE", "/nowhere")]);
    let error = absent.ready_workload("anthropic").await.expect_err("no file").to_string();
    assert!(error.contains("gives no token: /nowhere: not found. It is used because no key is set"), "{error}");
}
