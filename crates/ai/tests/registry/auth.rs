//! Credentials.

use std::sync::Arc;

use super::support::{World, names, provider, registry};
use serde_json::json;
use tau_ai::{AuthError, AuthSource, AuthStatus, ModelRegistry, Secret, now_ms};

const MODELS: &str = r#"{"providers": {
    "openai": {"apiKey": "configured-key"},
    "mine": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "$MINE", "authHeader": true,
        "headers": {"X-A": "literal", "X-B": "${B_HEADER}-b"},
        "models": [{"id": "m", "headers": {"x-a": "model", "X-C": "!get c"}}, {"id": "plain"}]},
    "gateway": {"baseUrl": "http://x", "api": "openai-completions", "headers": {"Authorization": "Bearer g"},
        "models": [{"id": "m"}]},
    "command": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "!get key", "models": [{"id": "m"}]},
    "broken": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "!vault --token hush", "models": [{"id": "m"}]}
}}"#;

fn key(registry: &ModelRegistry, provider: &str) -> Result<(Option<String>, AuthSource), String> {
    let models = registry.all();
    let model = models.iter().find(|model| model.provider == provider).expect("a model of the provider");
    let auth = registry.auth(model).map_err(|error| error.to_string())?;
    Ok((auth.api_key.map(|key| key.expose().to_owned()), auth.source))
}

fn found(key: &str, source: AuthSource) -> Result<(Option<String>, AuthSource), String> {
    Ok((Some(key.to_owned()), source))
}

#[test]
fn sources_outrank_each_other() {
    let registry = registry(&[("OPENAI_API_KEY", "env-key")]);
    assert_eq!(key(&registry, "openai"), found("env-key", AuthSource::Environment("OPENAI_API_KEY")));
    registry.load_models_json(r#"{"providers": {"openai": {"apiKey": "configured-key"}}}"#).expect("valid");
    assert_eq!(key(&registry, "openai"), found("configured-key", AuthSource::Configured));
    registry.load_auth_json(r#"{"openai": {"type": "api_key", "key": "stored-key"}}"#).expect("valid");
    assert_eq!(key(&registry, "openai"), found("stored-key", AuthSource::Stored));
    registry.set_api_key("openai", Secret::new("runtime-key"));
    assert_eq!(key(&registry, "openai"), found("runtime-key", AuthSource::Runtime));
}

#[test]
fn a_missing_key_says_what_to_do() {
    let registry = registry(&[]);
    assert_eq!(
        key(&registry, "anthropic"),
        Err("No API key found for anthropic. Set ANTHROPIC_API_KEY, pass --api-key, or store a key with `tau auth login \
             anthropic --api-key`."
            .to_owned())
    );
    let text = r#"{"providers": {"mine": {"baseUrl": "http://x", "api": "a", "models": [{"id": "m"}]}}}"#;
    registry.load_models_json(text).expect("valid");
    assert_eq!(
        key(&registry, "mine"),
        Err("No API key found for mine. Pass --api-key, store a key with `tau auth login mine --api-key`, or add an apiKey \
             to models.json."
            .to_owned())
    );
}

#[test]
fn anthropic_knows_three_variables() {
    let all = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_OAUTH_TOKEN", "o"), ("ANTHROPIC_AUTH_TOKEN", "b")];
    assert_eq!(key(&registry(&all[..1]), "anthropic"), found("k", AuthSource::Environment("ANTHROPIC_API_KEY")));
    assert_eq!(key(&registry(&all[..2]), "anthropic"), found("o", AuthSource::Environment("ANTHROPIC_OAUTH_TOKEN")));
    let registry = registry(&all);
    let model = registry.default_model("anthropic").expect("a default");
    let auth = registry.auth(&model).expect("a credential");
    assert_eq!((auth.api_key, auth.headers["Authorization"].as_str()), (None, "Bearer b"));
}

#[test]
fn a_login_counts_until_it_expires() {
    let login = |expires: i64| {
        json!({"corp": {"type": "oauth", "access": "token", "refresh": "r", "expires": expires}}).to_string()
    };
    let corp = |key: Option<&str>| {
        let mut corp = json!({"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]});
        if let Some(key) = key {
            corp["apiKey"] = key.into();
        }
        let registry = registry(&[]);
        registry.load_models_json(&json!({"providers": {"corp": corp}}).to_string()).expect("valid");
        registry
    };
    let keyless = corp(None);
    keyless.load_auth_json(&login(now_ms() + 600_000)).expect("valid");
    assert_eq!(key(&keyless, "corp"), found("token", AuthSource::Stored));
    assert!(keyless.has_auth("corp"));
    keyless.load_auth_json(&login(now_ms() - 1)).expect("valid");
    assert!(!keyless.has_auth("corp"));
    let model = keyless.default_model("corp").expect("a model");
    assert_eq!(keyless.auth(&model), Err(AuthError::Expired { provider: "corp".to_owned() }));

    let with_key = corp(Some("k"));
    with_key.load_auth_json(&login(now_ms() - 1)).expect("valid");
    assert_eq!(key(&with_key, "corp"), found("k", AuthSource::Configured));
}

/// Whoever made them: tau never presents itself as a program of their vendor.
#[test]
fn logins_for_programs_of_vendors_are_refused() {
    for login in tau_ai::VENDOR_LOGINS {
        let refused = registry(&[]);
        let stored = json!({login.provider: {"type": "oauth", "access": "at-1", "refresh": "r", "expires": 9e15}});
        refused.load_auth_json(&stored.to_string()).expect("valid");
        let error = refused.provider_auth(login.provider).expect_err("refused");
        assert_eq!(error, AuthError::ForeignLogin { provider: login.provider.to_owned() });
        assert!(!refused.has_auth(login.provider) && !error.to_string().contains("at-1"));
        assert!(login.advice().starts_with(&format!("tau does not sign in with {}", login.account)));
    }
}

#[test]
fn values_of_the_configuration_are_resolved_for_each_request() {
    let world = World {
        env: [("MINE", "m-key"), ("B_HEADER", "b")].map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        commands: [("get c", Ok("c-value".to_owned())), ("get key", Ok("c-key\n".to_owned()))]
            .map(|(command, output)| (command.to_owned(), output))
            .into(),
        ..World::default()
    };
    let world = Arc::new(world);
    let registry = ModelRegistry::new(Arc::clone(&world) as Arc<dyn tau_ai::ValueResolver>);
    registry.load_models_json(MODELS).expect("valid");

    let auth = registry.auth(&registry.find("mine", "m").expect("a model")).expect("a credential");
    let headers: Vec<(&str, &str)> = auth.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(headers, [("Authorization", "Bearer m-key"), ("X-B", "b-b"), ("X-C", "c-value"), ("x-a", "model")]);
    assert_eq!(auth.api_key.as_ref().map(Secret::expose), Some("m-key"));
    let shown = format!("{auth:?}");
    assert!(!shown.contains("m-key") && !shown.contains("c-value"), "{shown}");

    assert_eq!(key(&registry, "gateway"), Ok((None, AuthSource::Configured)));
    for _ in 0..3 {
        assert_eq!(key(&registry, "command"), found("c-key", AuthSource::Configured));
    }
    assert_eq!(*world.ran.lock(), ["get c", "get key"], "a command that worked runs once");
    registry.load_models_json(MODELS).expect("valid");
    assert_eq!(key(&registry, "command"), found("c-key", AuthSource::Configured));
    assert_eq!(world.ran.lock().len(), 3, "a reload asks again");

    let error = key(&registry, "broken").expect_err("the command does not exist");
    assert_eq!(error, "The apiKey of broken comes from the command `vault …`, which failed: exit code 127");
}

#[test]
fn unset_variables_are_named() {
    let registry = registry(&[("MINE", "m-key")]);
    registry.load_models_json(MODELS).expect("valid");
    let model = registry.find("mine", "plain").expect("a model");
    assert_eq!(
        registry.auth(&model).map_err(|error| error.to_string()),
        Err(
            "The header X-B of mine needs the environment variable B_HEADER, which is not set: set it, or correct the \
             configuration that names it (nothing else is used in its place)"
                .to_owned()
        )
    );
}

#[test]
fn stored_credentials_bring_their_own_environment() {
    let registry = registry(&[("MINE", "outer")]);
    registry.load_models_json(MODELS).expect("valid");
    let stored = json!({"mine": {"type": "api_key", "key": "$MINE", "env": {"MINE": "inner", "B_HEADER": "q"}},
        "openai": {"type": "future", "x": 1}});
    registry.load_auth_json(&stored.to_string()).expect("valid");
    let auth = registry.auth(&registry.find("mine", "plain").expect("a model")).expect("a credential");
    assert_eq!(auth.api_key.as_ref().map(Secret::expose), Some("inner"));
    assert_eq!(auth.headers["X-B"], "q-b");
    assert_eq!(key(&registry, "openai"), found("configured-key", AuthSource::Configured), "unknown types do not count");

    let error = registry.load_auth_json("{\n oops").expect_err("no JSON");
    assert_eq!(error.to_string(), "auth.json, line 2, column 2: a key in double quotes is expected here");
    assert_eq!(registry.auth(&registry.find("mine", "plain").expect("a model")).expect("kept"), auth);
}

#[test]
fn where_a_credential_comes_from_is_known_without_it() {
    let registry = registry(&[("OPENAI_API_KEY", "env-key"), ("MINE", "m")]);
    let env = |name: &str| AuthStatus::Environment(vec![name.to_owned()]);
    assert_eq!(registry.auth_status("openai"), env("OPENAI_API_KEY"));
    registry.load_models_json(MODELS).expect("valid");
    registry.load_auth_json(r#"{"anthropic": {"type": "api_key", "key": "stored-key"}}"#).expect("valid");
    let expected = [
        ("openai", AuthStatus::Configured),
        ("mine", env("MINE")),
        ("gateway", AuthStatus::Other),
        ("broken", AuthStatus::Command),
        ("anthropic", AuthStatus::Stored),
        ("nobody", AuthStatus::Missing),
    ];
    assert_eq!(expected.clone().map(|(provider, _)| (provider, registry.auth_status(provider))), expected);
    registry.set_api_key("openai", Secret::new("runtime-key"));
    assert_eq!(registry.auth_status("openai"), AuthStatus::Runtime);
}

#[test]
fn only_models_with_a_credential_are_available() {
    let registry = registry(&[("MINE", "m")]);
    registry.load_models_json(MODELS).expect("valid");
    let available = registry.available();
    let others: Vec<String> = names(&available).into_iter().filter(|name| !name.starts_with("openai/")).collect();
    assert_eq!(others, ["broken/m", "command/m", "gateway/m", "mine/m", "mine/plain"], "commands count unseen");
    assert!(registry.has_auth("openai") && !registry.has_auth("anthropic") && !registry.has_auth("nobody"));
    assert_eq!(registry.initial_model().map(|model| model.id.clone()).as_deref(), Some("gpt-6.1-sol"));

    let keyless = super::support::registry(&[]);
    assert_eq!(keyless.available(), []);
    assert_eq!(keyless.initial_model(), None);
    keyless
        .register_provider(
            "demo",
            tau_ai::ProviderConfig {
                keyless: true,
                ..provider(json!({"baseUrl": "in-process", "api": "scripted", "models": [{"id": "demo"}]}))
            },
        )
        .expect("valid");
    assert_eq!(key(&keyless, "demo"), Ok((None, AuthSource::Keyless)));
    assert_eq!(keyless.initial_model().map(|model| model.id.clone()).as_deref(), Some("demo"));
}

/// A sign-in with ChatGPT is for programs of its vendor: it is never sent, and the sentence says what to do.
#[test]
fn a_sign_in_with_chatgpt_is_refused() {
    let stored = |access: &str| json!({"openai": {"type": "oauth", "access": access, "refresh": "r", "expires": 9e15}});
    let refused = registry(&[]);
    refused.load_auth_json(&stored("eyJhbGciOi").to_string()).expect("valid");
    let model = refused.find("openai", "gpt-5.5").expect("a model");
    let error = refused.auth(&model).expect_err("refused");
    assert_eq!(error, AuthError::ForeignLogin { provider: "openai".to_owned() });
    let text = error.to_string();
    // An entry in auth.json would replace the sign-in, so it is not among what helps.
    let advice = "tau does not use it. Set OPENAI_API_KEY, pass --api-key, or add an apiKey to models.json.";
    assert!(text.ends_with(advice) && !text.contains("eyJ"), "{text}");
    assert!(!refused.has_auth("openai"));
    assert_eq!(refused.auth_status("openai"), AuthStatus::Missing);

    let with_key = registry(&[("OPENAI_API_KEY", "sk-env")]);
    with_key.load_auth_json(&stored("eyJhbGciOi").to_string()).expect("valid");
    assert_eq!(with_key.auth(&model).expect("the key").source, AuthSource::Environment("OPENAI_API_KEY"));

    // A token of the platform is for everybody. A gateway has a key of its own and does not get the token.
    let platform = registry(&[]);
    platform.load_auth_json(&stored("sk-platform").to_string()).expect("valid");
    assert_eq!(platform.auth(&model).expect("the token").source, AuthSource::Stored);
    let gateway = registry(&[]);
    gateway.load_models_json(r#"{"providers": {"openai": {"baseUrl": "http://gateway/v1"}}}"#).expect("valid");
    gateway.load_auth_json(&stored("eyJhbGciOi").to_string()).expect("valid");
    let refused = gateway.auth(&model).expect_err("refused");
    assert_eq!(refused, AuthError::ForeignLogin { provider: "openai".to_owned() });
    assert!(!gateway.has_auth("openai"));
    let with_key = json!({"providers": {"openai": {"baseUrl": "http://gateway/v1", "apiKey": "own"}}});
    gateway.load_models_json(&with_key.to_string()).expect("valid");
    assert_eq!(gateway.auth(&model).expect("the gateway's key").source, AuthSource::Configured);
}

#[test]
fn vertex_takes_a_key_or_a_login_of_google_cloud() {
    let world = |env: &[(&str, &str)], files: &[&str]| {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let registry = ModelRegistry::new(Arc::new(World { env, files, ..World::default() }));
        let provider = json!({"baseUrl": "https://x", "api": "google-vertex", "models": [{"id": "m"}]});
        let mut mine = provider.clone();
        mine["apiKey"] = json!("gcp-vertex-credentials");
        let text = json!({"providers": {"google-vertex": provider, "mine": mine}}).to_string();
        registry.load_models_json(&text).expect("valid");
        registry
    };
    let (home, project, location) = (("HOME", "/h"), ("GCLOUD_PROJECT", "p"), ("GOOGLE_CLOUD_LOCATION", "l"));
    let gcloud = "/h/.config/gcloud/application_default_credentials.json";
    for (env, files, source) in [
        (vec![("GOOGLE_CLOUD_API_KEY", "k")], vec![], Some(AuthSource::Environment("GOOGLE_CLOUD_API_KEY"))),
        (vec![home, project, location], vec![gcloud], Some(AuthSource::Ambient)),
        (
            vec![home, project, location, ("GOOGLE_APPLICATION_CREDENTIALS", "~/k.json")],
            vec!["/h/k.json"],
            Some(AuthSource::Ambient),
        ),
        // What is named is used, and nothing in its place.
        (vec![home, project, location, ("GOOGLE_APPLICATION_CREDENTIALS", "/k.json")], vec![gcloud], None),
        (vec![home, project], vec![gcloud], None),
        (vec![home, location], vec![gcloud], None),
        (vec![home, project, location], vec![], None),
    ] {
        let registry = world(&env, &files);
        let auth = registry.auth(&registry.find("google-vertex", "m").expect("a model"));
        assert_eq!(registry.has_auth("google-vertex"), source.is_some(), "{env:?}");
        assert_eq!(auth.as_ref().ok().map(|auth| auth.source.clone()), source, "{env:?}");
        if let Ok(auth) = auth {
            assert!(
                env.iter().all(|(name, value)| name.contains("KEY") || auth.env[*name] == *value),
                "{:?}",
                auth.env
            );
        }
    }
    assert_eq!(world(&[home, project, location], &[gcloud]).auth_status("google-vertex"), AuthStatus::Other);

    // A login may be stored without a key, with its settings; another provider may speak the same format.
    let registry = world(&[home, project], &["/s.json", gcloud]);
    let entry = json!({"google-vertex": {"type": "api_key",
        "env": {"GOOGLE_CLOUD_LOCATION": "eu", "GOOGLE_APPLICATION_CREDENTIALS": "/s.json"}}});
    registry.load_auth_json(&entry.to_string()).expect("valid");
    let auth = registry.auth(&registry.find("google-vertex", "m").expect("a model")).expect("a login");
    assert_eq!((auth.api_key, &*auth.env["GOOGLE_CLOUD_LOCATION"], &*auth.env["GCLOUD_PROJECT"]), (None, "eu", "p"));
    let auth = registry.auth(&registry.find("mine", "m").expect("a model")).expect("a key");
    assert_eq!(auth.env["GCLOUD_PROJECT"], "p");
    assert_eq!(
        world(&[], &[]).provider_auth("google-vertex").expect_err("no login").to_string(),
        "No API key found for google-vertex. Set GOOGLE_CLOUD_API_KEY, pass --api-key, or store a key with `tau auth login \
         google-vertex --api-key`. Without a key, log in with `gcloud auth application-default login` and set \
         GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION."
    );
}

#[test]
fn bedrock_has_credentials_when_the_libraries_of_aws_find_some() {
    let status = |env: &[(&'static str, &'static str)]| {
        let registry = registry(env);
        (registry.has_auth("amazon-bedrock"), registry.auth_status("amazon-bedrock"))
    };
    let named = |name: &str| (true, AuthStatus::Environment(vec![name.to_owned()]));
    assert_eq!(status(&[]), (false, AuthStatus::Missing));
    assert_eq!(status(&[("AWS_ACCESS_KEY_ID", "a")]), (false, AuthStatus::Missing));
    assert_eq!(status(&[("AWS_PROFILE", "")]), (false, AuthStatus::Missing));
    assert_eq!(status(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "s")]), named("AWS_ACCESS_KEY_ID"));
    for name in [
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_PROFILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ] {
        assert_eq!(status(&[(name, "x")]), named(name));
    }
    let auth = registry(&[("AWS_PROFILE", "work"), ("AWS_REGION", "eu-west-1"), ("HOME", "/h")]);
    let auth = auth.provider_auth("amazon-bedrock").expect("credentials");
    let env: Vec<_> = auth.env.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!((auth.api_key, env), (None, vec![("AWS_PROFILE", "work"), ("AWS_REGION", "eu-west-1")]));
}

#[test]
fn cloudflare_names_the_customer_in_its_address_and_takes_its_key_in_a_header_of_its_own() {
    let registry = registry(&[("CLOUDFLARE_API_KEY", "cf-key"), ("CLOUDFLARE_ACCOUNT_ID", "account")]);
    registry
        .load_auth_json(
            r#"{"cloudflare-ai-gateway": {"type": "api_key", "key": "kept", "env": {"CLOUDFLARE_GATEWAY_ID": "gate"}}}"#,
        )
        .expect("valid");
    let gateway = registry.provider_auth("cloudflare-ai-gateway").expect("a credential");
    assert_eq!((gateway.api_key, &*gateway.headers["cf-aig-authorization"]), (None, "Bearer kept"));
    assert_eq!((&*gateway.env["CLOUDFLARE_ACCOUNT_ID"], &*gateway.env["CLOUDFLARE_GATEWAY_ID"]), ("account", "gate"));
    let workers = registry.provider_auth("cloudflare-workers-ai").expect("a credential");
    assert_eq!(workers.api_key, Some(Secret::new("cf-key")));
    assert_eq!(workers.env["CLOUDFLARE_ACCOUNT_ID"], "account");
}
