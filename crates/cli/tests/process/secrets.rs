//! Secrets are nowhere in what whole runs write: output, errors, sessions, pages, logs, traces, lines of RPC.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::json;
use tau_testkit::authorization::AuthorizationServer;
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::auth::{read_until, terminal};
use crate::support::{Done, Place, Tau, files_below};

const API_KEY: &str = "sk-PLANTED-api-key";
const HEADER: &str = "PLANTED-header-value";
const COMMAND: &str = "PLANTED-command-output";
const PASSWORD: &str = "PLANTED-proxy-password";
const TYPED: &str = "sk-PLANTED-typed-key";
const ENVIRONMENT: &str = "sk-PLANTED-environment";
const AUTHORIZATION: &str = "PLANTED-authorization";
const AWS_SECRET: &str = "PLANTED/aws+secret+access+key";
const AWS_TOKEN: &str = "PLANTED-aws-session-token";
/// What a login of Google Cloud was given for its private key.
const CLOUD_TOKEN: &str = "PLANTED-cloud-token";
const PRIVATE_KEY: &str = include_str!("../../../ai/tests/wire/google/service-account-key.pem");

/// The files that secrets are kept in.
const KEPT: [&str; 4] = ["agent/auth.json", "agent/models.json", "agent/settings.json", "service-account.json"];

struct World {
    place: Place,
    server: AuthorizationServer,
    models: LoopbackServer,
    /// What was printed, with the run it is of.
    printed: Vec<(String, String)>,
}

impl World {
    fn new() -> Self {
        let world = Self {
            place: Place::new(),
            server: AuthorizationServer::start(Duration::from_secs(3600)),
            models: LoopbackServer::start([]),
            printed: Vec::new(),
        };
        let provider = |more: serde_json::Value| {
            let mut provider = json!({
                "baseUrl": format!("{}/v1", world.models.url()), "api": "openai-completions", "models": [{"id": "m"}],
            });
            provider.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            provider
        };
        let far = json!({
            "baseUrl": "http://models.invalid/v1", "api": "openai-completions", "apiKey": API_KEY, "models": [{"id": "m"}],
        });
        let providers = json!({
            "stored": provider(json!({"headers": {"X-Tenant": HEADER}})),
            "vault": provider(json!({"apiKey": format!("!printf %s {COMMAND} | cat")})),
            "variable": provider(json!({"apiKey": "$MY_VARIABLE"})),
            "claude": {
                "baseUrl": world.models.url(), "api": "anthropic-messages", "apiKey": API_KEY, "models": [{"id": "m"}],
            },
            "corp": provider(json!({"oauthServer": world.server.description()})),
            "far": far,
            "header": provider(json!({"headers": {"Authorization": format!("Bearer {AUTHORIZATION}")}})),
            "google-vertex": {
                "baseUrl": format!("{}/v1beta", world.models.url()), "api": "google-vertex",
                "models": [{"id": "gemini-m"}],
            },
            "amazon-bedrock": {
                "baseUrl": world.models.url(), "api": "bedrock-converse-stream", "models": [{"id": "nova-m"}],
            },
        });
        let place = &world.place;
        place.write("agent/models.json", json!({"providers": providers}).to_string());
        let account = json!({
            "type": "service_account", "client_email": "tau@example.com", "private_key_id": "1",
            "private_key": PRIVATE_KEY, "token_uri": format!("{}/token", world.models.url()),
        });
        place.write("service-account.json", account.to_string());
        let auth = json!({"stored": {"type": "api_key", "key": API_KEY}, "corp": world.server.expired_login()});
        place.write("agent/auth.json", auth.to_string());
        let settings = json!({
            "retry": {"enabled": false}, "httpProxy": format!("http://user:{PASSWORD}@127.0.0.1:1"),
        });
        place.write("agent/settings.json", settings.to_string());
        world
    }

    /// With everything that anybody logs or traces in files.
    fn tau(&self, args: &[&str]) -> Tau {
        let trace = self.place.root().join("work/trace.jsonl").display().to_string();
        let args = [&["--trace", &*trace], args].concat();
        let account = self.place.root().join("service-account.json").display().to_string();
        [
            ("GOOGLE_APPLICATION_CREDENTIALS", &*account),
            ("GOOGLE_CLOUD_PROJECT", "project"),
            ("GOOGLE_CLOUD_LOCATION", "global"),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", AWS_SECRET),
            ("AWS_SESSION_TOKEN", AWS_TOKEN),
            ("TAU_LOG", "trace"),
            ("TAU_LOG_LEVEL", "trace"),
            ("MY_VARIABLE", ENVIRONMENT),
        ]
        .into_iter()
        .fold(self.place.tau(args), |tau, (name, value)| tau.env(name, value))
    }

    fn keep(&mut self, what: &str, done: &Done) {
        self.printed.push((what.to_owned(), format!("{}{}", done.stdout, done.stderr)));
    }

    /// What must be nowhere.
    fn secrets(&self) -> Vec<String> {
        let named =
            [API_KEY, HEADER, COMMAND, PASSWORD, TYPED, ENVIRONMENT, AUTHORIZATION, AWS_SECRET, AWS_TOKEN, CLOUD_TOKEN];
        let any = ["token-refresh-", "token-access-", "PLANTED"];
        // Each line of the key, however it is wrapped.
        let key = PRIVATE_KEY.lines().filter(|line| line.len() > 40);
        named.into_iter().chain(any).chain(key).map(str::to_owned).collect()
    }

    fn search(&self) {
        let files = files_below(self.place.root());
        let kept = KEPT.map(|name| self.place.root().join(name));
        let files = files.into_iter().filter(|file| !kept.contains(file));
        let files = files.map(|file| {
            let content = std::fs::read(&file).expect("a readable file");
            (file.display().to_string(), String::from_utf8_lossy(&content).into_owned())
        });
        let mut names = Vec::new();
        for (what, text) in files.chain(self.printed.iter().cloned()) {
            for secret in self.secrets() {
                let line = text.lines().find(|line| line.contains(&secret));
                assert_eq!(line, None, "{secret} is in {what}");
            }
            names.push(what);
        }
        // The search was of something.
        for part in ["tau.log", "trace.jsonl", ".html", ".jsonl", "json mode", "rpc"] {
            assert!(names.iter().any(|name| name.contains(part)), "{part}: {names:?}");
        }
    }
}

#[test]
fn planted_secrets_are_nowhere() {
    let mut world = World::new();
    // Handlers of `before_provider_headers` may change the configured headers, so they see them; nobody else does.
    let watching = "import { appendFileSync } from 'node:fs';
export default (pi) => {
  const see = (event) => appendFileSync('seen.txt', JSON.stringify(event) + '\\n');
  for (const name of ['before_provider_request', 'after_provider_response', 'agent_end', 'message_end']) pi.on(name, see);
};";
    world.place.write("agent/extensions/watching.ts", watching);
    // A server that repeats what it was sent, as some do.
    let echo = |key: &str| Reply::http_error(401, format!(r#"{{"error": {{"message": "Bad key: Bearer {key}"}}}}"#));
    let fine = || Reply::text("Fine.");
    for (model, reply) in [
        ("stored/m", fine()),
        ("vault/m", fine()),
        ("variable/m", fine()),
        ("corp/m", fine()),
        ("stored/m", echo(API_KEY)),
        ("stored/m", echo(HEADER)),
        ("vault/m", echo(COMMAND)),
        ("variable/m", echo(ENVIRONMENT)),
        ("claude/m", echo(API_KEY)),
        ("header/m", fine()),
        ("header/m", echo(AUTHORIZATION)),
    ] {
        world.models.push(reply);
        let done = world.tau(&["--model", model, "-p", "Hi"]).run();
        world.keep(&format!("print mode, {model}"), &done);
    }
    // Logins of clouds. A server that gives tokens may repeat them, too.
    let granted = || {
        let token = json!({"access_token": CLOUD_TOKEN, "expires_in": 3600, "token_type": "Bearer"});
        Reply::http_error(200, token.to_string())
    };
    for reply in [fine(), echo(CLOUD_TOKEN)] {
        world.models.push(granted());
        world.models.push(reply);
        let done = world.tau(&["--model", "google-vertex/gemini-m", "-p", "Hi"]).run();
        world.keep("print mode, a service account", &done);
    }
    let granted = world.models.requests().iter().filter(|request| request.path.ends_with("/token")).count();
    assert_eq!((granted, world.models.unused()), (2, 0));
    if cfg!(feature = "bedrock") {
        world.models.push(Reply::http_error(403, format!(r#"{{"message": "Bad token {AWS_TOKEN}"}}"#)));
    }
    let done = world.tau(&["--model", "amazon-bedrock/nova-m", "-p", "Hi"]).run();
    assert_eq!(done.code, Some(1), "{done:?}");
    world.keep("print mode, keys of AWS", &done);
    // Compiled code that others can write is refused, which is logged: there is a log file then.
    for file in files_below(&world.place.root().join("home/.cache/tau/modules")) {
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).expect("permissions");
    }
    // The token is known by now.
    world.models.push(echo(&world.server.last_token()));
    let done = world.tau(&["--model", "corp/m", "--mode", "json", "Hi"]).run();
    assert!(done.stdout.contains("Bad key"), "{done:?}");
    world.keep("json mode", &done);
    let done = world.tau(&["--model", "far/m", "-p", "Hi"]).run();
    assert!(done.code == Some(1) && done.stderr.contains("models.invalid"), "{done:?}");
    world.keep("a proxy that is not there", &done);
    let key = ["--api-key", TYPED];
    world.models.push(echo(TYPED));
    let done = world.tau(&[&["--model", "stored/m", "-p", "Hi"], &key[..]].concat()).run();
    world.keep("a key of the command line", &done);

    world.models.push(fine());
    let lines = [
        json!({"id": "1", "type": "get_state"}),
        json!({"id": "2", "type": "get_available_models"}),
        json!({"id": "3", "type": "prompt", "message": "Hi"}),
        json!({"id": "4", "type": "get_messages"}),
        json!({"id": "5", "type": "prompt", "message": "/login stored"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let done = world.tau(&["--model", "corp/m", "--mode", "rpc"]).stdin(lines).run();
    assert!(done.stdout.contains("\"get_available_models\""), "{done:?}");
    world.keep("rpc", &done);

    for args in [&["auth", "status"][..], &["auth", "check", "--provider", "stored"], &["doctor"], &["config", "list"]]
    {
        let done = world.place.tau(args).env("TAU_LOG", "trace").env("MY_VARIABLE", ENVIRONMENT).run();
        // The user's own setting is shown to the user.
        if args[0] != "config" {
            world.keep(&args.join(" "), &done);
        }
    }
    let (mut user, program) = terminal();
    let mut child =
        world.place.tau(["auth", "login", "vault", "--api-key"]).env("TAU_LOG", "trace").spawn_in_terminal(program);
    let mut shown = read_until(&mut user, "API key for vault: ");
    user.write_all(format!("{TYPED}\n").as_bytes()).expect("typed");
    shown.push_str(&read_until(&mut user, "\n"));
    assert!(child.wait().expect("its end").success());
    world.printed.push(("auth login".to_owned(), shown));

    for (at, file) in world.place.session_files().into_iter().enumerate() {
        let page = world.place.root().join(format!("work/{at}.html")).display().to_string();
        let done = world.tau(&["--export", &file.display().to_string(), &page]).run();
        world.keep("export", &done);
    }
    world.search();
}
