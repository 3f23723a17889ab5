//! Providers whose login is written in JavaScript.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::{AgentSession, LoginError};
use tau_ai::now_ms;
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind, UiCall};
use tau_hooks::payload::ModelSelectSource;
use tokio_util::sync::CancellationToken;

use crate::bus::{hear, heard};
use crate::common::{Running, World};
use crate::support::Scripts;
use crate::tour;

/// A provider that answers with the key it is given, and whose address depends on who is logged in. Every renewal
/// leaves a line in a file.
const CORP: &str = r#"import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
export default (pi) => {
  const folder = process.env.PI_CODING_AGENT_DIR;
  const model = { id: "m", name: "M", reasoning: false, input: ["text"], contextWindow: 1000, maxTokens: 100,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  pi.registerProvider("corp", {
    baseUrl: "http://corp", api: "corp-api", models: [model],
    streamSimple(model, context, options) {
      const stream = createAssistantMessageEventStream();
      const text = `${options.apiKey} at ${model.baseUrl}`;
      const message = { role: "assistant", content: [{ type: "text", text }], api: model.api, provider: model.provider,
        model: model.id, stopReason: "stop", timestamp: Date.now(),
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } } };
      stream.push({ type: "start", partial: message });
      stream.push({ type: "done", reason: "stop", message });
      stream.end(message);
      return stream;
    },
    oauth: {
      name: "Corp",
      async login(callbacks) {
        callbacks.onAuth({ url: "http://corp/login", instructions: "Sign in." });
        callbacks.onProgress("waiting");
        const tenant = await callbacks.onSelect({ message: "Tenant", options: [{ id: "t1", label: "First" }, { id: "t2", label: "Second" }] });
        const user = await callbacks.onPrompt({ message: "Name", placeholder: "you" });
        const code = await callbacks.onManualCodeInput();
        return { access: `${user}-${code}`, refresh: "refresh-0", expires: Date.now() + 3600e3, tenant };
      },
      async refreshToken(credentials, signal) {
        appendFileSync(join(folder, "renewals"), `${credentials.refresh} ${signal.aborted}\n`);
        await new Promise((resolve) => setTimeout(resolve, 200));
        if (credentials.refresh === "refused-token") throw new Error(`no more of ${credentials.refresh}`);
        const count = readFileSync(join(folder, "renewals"), "utf8").trim().split("\n").length;
        return { ...credentials, access: `access-${count}`, refresh: `refresh-${count}`, expires: Date.now() + 3600e3 };
      },
      getApiKey: (credentials) => `${credentials.access}@${credentials.tenant}`,
      modifyModels: (models, credentials) => models.map((model) => ({ ...model, baseUrl: `http://${credentials.tenant}` })),
    },
  });
  pi.registerCommand("key", { handler: async (_, ctx) => {
    const model = ctx.modelRegistry.find("corp", "m");
    pi.events.emit("key", [await ctx.modelRegistry.getApiKey(model), ctx.modelRegistry.isUsingOAuth(model)]);
  } });
};
"#;

/// A session that uses the provider, with this text as `auth.json`.
async fn start(world: &World, auth: Option<&Value>) -> (Running, Scripts) {
    world.home.write_agent("extensions/corp.ts", CORP);
    if let Some(auth) = auth {
        world.home.write_agent("auth.json", auth.to_string());
    }
    let scripts = Scripts::new(world);
    let extensions = scripts.load_found_in(world).await;
    let running = world.start().await;
    let models = running.session.models();
    if let Some(auth) = auth {
        models.load_auth_json(&auth.to_string()).expect("valid");
    }
    extensions.register_providers(models);
    extensions.project_logins(models).await;
    (running, scripts)
}

async fn choose(session: &Arc<AgentSession>) {
    let model = session.models().find("corp", "m").expect("a model");
    session.choose_model(model, ModelSelectSource::Set).await.expect("it can be chosen");
}

fn stored(world: &World) -> Value {
    let text = std::fs::read_to_string(world.home.agent_dir().join("auth.json")).expect("auth.json");
    serde_json::from_str(&text).expect("JSON")
}

fn renewals(world: &World) -> String {
    std::fs::read_to_string(world.home.agent_dir().join("renewals")).unwrap_or_default()
}

fn login(access: &str, refresh: &str, left: i64) -> Value {
    let corp =
        json!({"type": "oauth", "access": access, "refresh": refresh, "expires": now_ms() + left, "tenant": "t9"});
    json!({"other": {"type": "api_key", "key": "k"}, "corp": corp})
}

fn last(running: &Running) -> String {
    running.conversation().last().map(|(_, text)| text.clone()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_login_is_used_as_its_extension_says() {
    let world = tour::world();
    let (running, _) = start(&world, Some(&login("fresh-access", "refresh-0", 3_600_000))).await;
    choose(&running.session).await;
    running.say("hello").await;
    assert_eq!(last(&running), "fresh-access@t9 at http://t9");
    assert_eq!(renewals(&world), "");
    let log = hear(&world, "key");
    running.say("/key").await;
    assert_eq!(heard(&log, 1).await, [json!(["fresh-access@t9", true])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_sessions_that_need_a_renewal_renew_once() {
    let auth = login("old-access", "refresh-0", -1);
    let (one, two) = (tour::world(), tour::world());
    // Both see the same folder of the user.
    std::fs::remove_dir_all(two.home.agent_dir()).expect("a folder");
    std::os::unix::fs::symlink(one.home.agent_dir(), two.home.agent_dir()).expect("a link");
    let (first, _first) = start(&one, Some(&auth)).await;
    let (second, _second) = start(&two, Some(&auth)).await;
    assert!(first.session.models().has_auth("corp"));
    tokio::join!(choose(&first.session), choose(&second.session));
    tokio::join!(first.say("hello"), second.say("hello"));
    assert_eq!((last(&first), last(&second)), ("access-1@t9 at http://t9".into(), "access-1@t9 at http://t9".into()));
    assert_eq!(renewals(&one), "refresh-0 false\n");
    let mut now = stored(&one);
    assert!(now["corp"]["expires"].as_i64().is_some_and(|expires| expires > now_ms()));
    now["corp"]["expires"] = json!(0);
    let corp = json!({"type": "oauth", "access": "access-1", "refresh": "refresh-1", "expires": 0, "tenant": "t9"});
    assert_eq!(now, json!({"other": {"type": "api_key", "key": "k"}, "corp": corp}));
    // And again there is nothing to do.
    first.say("hello").await;
    assert_eq!(renewals(&one), "refresh-0 false\n");
    assert!(!one.home.agent_dir().join("auth.json.lock").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_renewal_names_provider_and_extension_and_keeps_the_login() {
    let world = tour::world();
    let auth = login("old-access", "refused-token", -1);
    let (running, scripts) = start(&world, Some(&auth)).await;
    choose(&running.session).await;
    let prompt = tau_agent::Prompt::new("hello");
    let error = running.session.prompt(prompt).await.expect_err("there is no key").to_string();
    let path = world.home.agent_dir().join("extensions/corp.ts").display().to_string();
    assert!(error.contains("The stored login for corp cannot be used"), "{error}");
    assert!(error.contains(&path) && error.contains("no more of …"), "{error}");
    assert_eq!(stored(&world), auth);
    let said = format!("{error} {:?} {:?}", scripts.told.all(), running.events.all());
    assert!(!said.contains("refused-token") && !said.contains("old-access"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn logging_in_asks_by_dialogs_and_stores_and_logging_out_removes() {
    let mut world = tour::world();
    world.mode = Mode::Tui;
    let (running, _) = start(&world, None).await;
    let session = &running.session;
    let never = CancellationToken::new();
    let nobody = session.login("corp", never.clone()).await;
    assert_eq!(nobody, Err(LoginError::NoUser { provider: "corp".to_owned() }));
    let mut user = world.hooks.dialogs.subscribe();
    let unknown = session.login("elsewhere", never.clone()).await;
    assert_eq!(unknown, Err(LoginError::Unknown { provider: "elsewhere".to_owned() }));
    let answers = tokio::spawn(async move {
        let mut seen = Vec::new();
        while let Some(event) = user.recv().await {
            match event {
                DialogEvent::Opened(request) => {
                    let (said, answer) = match &request.kind {
                        DialogKind::Select { title, options } => (format!("{title} {options:?}"), "Second"),
                        DialogKind::Input { title, placeholder } => {
                            (format!("{title} {placeholder:?}"), if title == "Name" { "ada" } else { "42" })
                        }
                        other => panic!("{other:?}"),
                    };
                    seen.push(said);
                    user.answer(request.id(), DialogAnswer::Value(answer.to_owned())).expect("it counts");
                    if answer == "42" {
                        break;
                    }
                }
                DialogEvent::Ui(event) => {
                    if let UiCall::Notify { message, .. } = &event.call {
                        seen.push(message.clone());
                    }
                }
                _ => {}
            }
        }
        (seen, user)
    });
    session.login("corp", never.clone()).await.expect("logged in");
    let (seen, mut user) = answers.await.expect("answers");
    let expected = [
        "Open http://corp/login to log in. Sign in.",
        "waiting",
        "Tenant [\"First\", \"Second\"]",
        "Name Some(\"you\")",
        "Authorization code None",
    ];
    assert_eq!(seen, expected);
    let mut now = stored(&world);
    now["corp"]["expires"] = json!(0);
    let corp = json!({"access": "ada-42", "refresh": "refresh-0", "expires": 0, "tenant": "t2", "type": "oauth"});
    assert_eq!(now, json!({"corp": corp}));
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(world.home.agent_dir().join("auth.json")).expect("a file");
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    choose(session).await;
    running.say("hello").await;
    assert_eq!(last(&running), "ada-42@t2 at http://t2");

    // Whoever leaves keeps the login there was.
    let leaves = tokio::spawn(async move {
        while let Some(event) = user.recv().await {
            if let DialogEvent::Opened(request) = event {
                let _ = user.answer(request.id(), DialogAnswer::Cancelled);
                if matches!(request.kind, DialogKind::Input { .. }) {
                    break;
                }
            }
        }
    });
    let left = session.login("corp", never).await.expect_err("nobody answered").to_string();
    assert!(left.contains("Login cancelled"), "{left}");
    leaves.await.expect("it left");
    assert_eq!(stored(&world)["corp"]["access"], "ada-42");

    assert_eq!(session.logout("corp").await, Ok(true));
    assert_eq!(session.logout("corp").await, Ok(false));
    assert_eq!(stored(&world), json!({}));
    assert!(!session.models().has_auth("corp"));
    assert_eq!(session.models().find("corp", "m").expect("a model").base_url, "http://corp");
}
