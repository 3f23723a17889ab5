//! Logins at an authorization server that `models.json` describes, keys that are taken over, and what `status` says.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use tau_testkit::authorization::{AuthorizationServer, Behaviour, browse, sent_to};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::auth::{read_until, terminal};
use crate::support::{Done, Place, Tau};

/// A provider `corp` with one model, whose login is at `server`.
fn place(server: &AuthorizationServer, models: &LoopbackServer, without: &str) -> Place {
    let place = Place::new();
    let mut description = server.description();
    description.as_object_mut().expect("an object").remove(without);
    let provider = json!({
        "baseUrl": format!("{}/v1", models.url()), "api": "openai-completions", "models": [{"id": "m"}],
        "oauthServer": description,
    });
    place.write("agent/models.json", json!({"providers": {"corp": provider}}).to_string());
    place.write("agent/settings.json", r#"{"retry": {"enabled": false}}"#);
    place
}

fn expired(place: &Place, server: &AuthorizationServer) {
    place.write("agent/auth.json", json!({"corp": server.expired_login()}).to_string());
}

fn ask(place: &Place) -> Tau {
    place.tau(["--model", "corp/m", "-p", "Hi"])
}

fn stored(place: &Place) -> Value {
    serde_json::from_str(&place.read("agent/auth.json")).expect("JSON")
}

fn keys(models: &LoopbackServer) -> Vec<String> {
    models.requests().iter().map(|request| request.headers["authorization"].clone()).collect()
}

/// One refresh token for four programs that want a new access token at the same time: it is good once.
#[test]
fn four_programs_renew_a_login_once() {
    let server = AuthorizationServer::start(Duration::from_secs(3600));
    let models = LoopbackServer::start((0..4).map(|_| Reply::text("Fine.")));
    let place = place(&server, &models, "");
    expired(&place, &server);
    // Long enough for the others to want the same.
    server.behave(Behaviour::Slow(Duration::from_millis(300)));
    let mut runs: Vec<Tau> = (0..4).map(|_| ask(&place)).collect();
    let children: Vec<_> = runs.iter_mut().map(Tau::spawn).collect();
    for child in children {
        let output = child.wait_with_output().expect("its output");
        let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said == "Fine.\n", "{said}{error}");
    }
    assert_eq!(server.asked(), ["refresh_token"]);
    let key = format!("Bearer {}", server.last_token());
    assert_eq!(keys(&models), [&*key, &*key, &*key, &*key]);
    assert_eq!(stored(&place)["corp"]["access"], server.last_token());
    let mode = std::fs::metadata(place.root().join("agent/auth.json")).expect("a file").permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
}

/// Tokens that live shorter than a run: each request goes out with one that is good.
#[test]
fn a_login_that_expires_in_the_middle_of_a_run_is_renewed() {
    let server = AuthorizationServer::start(Duration::from_secs(60));
    let call = Reply::new().tool_call("1", "ls", json!({"path": "."}));
    let models = LoopbackServer::start([call, Reply::text("Done.")]);
    let place = place(&server, &models, "");
    expired(&place, &server);
    assert_eq!(ask(&place).run(), Done::ok("Done.\n"));
    // At the prompt, and before each request.
    assert_eq!(server.asked(), ["refresh_token"; 3]);
    let keys = keys(&models);
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[1], format!("Bearer {}", server.last_token()));
}

#[test]
fn a_login_that_cannot_be_renewed_names_the_provider_and_the_remedy() {
    let server = AuthorizationServer::start(Duration::from_secs(3600));
    let models = LoopbackServer::start([]);
    let place = place(&server, &models, "");
    let host = server.url().replace("http://", "");
    let remedy = "If this stays so, log in again with `/login corp` or `tau auth login corp`.";
    let login = server.expired_login();
    for (behaviour, reason) in [
        (Behaviour::Refuses("invalid_grant", "Revoked."), "refused: Revoked. (invalid_grant)"),
        (Behaviour::Says("<html>"), "gave an answer (status 200) that no authorization server gives"),
        (Behaviour::Says("{}"), "the answer of"),
    ] {
        place.write("agent/auth.json", json!({"corp": login}).to_string());
        server.behave(behaviour);
        let done = ask(&place).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{}", done.stderr);
        let begins = "The stored login for corp cannot be used: ";
        assert!(done.stderr.contains(begins) && done.stderr.contains(reason), "{}", done.stderr);
        // The server is named once, and the sentence has one end.
        assert_eq!(done.stderr.matches(&host).count(), 1, "{}", done.stderr);
        assert!(!done.stderr.contains("?.") && !done.stderr.contains(".."), "{}", done.stderr);
        assert!(done.stderr.contains(remedy), "{}", done.stderr);
        assert!(!done.stderr.contains("refresh-") && !done.stderr.contains("access-"), "{}", done.stderr);
        // It may work again.
        assert_eq!(stored(&place)["corp"], login);
    }
    drop(server);
    let done = ask(&place).run();
    assert!(done.code == Some(1) && done.stderr.contains("cannot be reached: "), "{}", done.stderr);
    assert_eq!(models.requests().len(), 0);
}

#[test]
fn people_log_in_with_a_browser_here_or_elsewhere() {
    let server = AuthorizationServer::start(Duration::from_secs(3600));
    let models = LoopbackServer::start([Reply::text("Fine.")]);
    let place = place(&server, &models, "deviceAuthorizationUrl");
    for paste in [false, true] {
        let (mut user, program) = terminal();
        let child = place.tau(["auth", "login", "corp"]).spawn_in_terminal(program);
        let shown = read_until(&mut user, "Authorization code: ");
        let url = shown.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
        if paste {
            user.write_all(format!("{}\n", sent_to(url).expect("an address")).as_bytes()).expect("typed");
        } else {
            assert!(browse(url).1.contains("You can close this page."));
        }
        let output = child.wait_with_output().expect("its end");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.starts_with("Logged in to corp. It is kept in "), "{said}");
        assert_eq!(stored(&place)["corp"]["access"], server.last_token());
        drop(user);
    }
    assert_eq!(ask(&place).run(), Done::ok("Fine.\n"));
    let status = place.tau(["auth", "status"]).run();
    assert!(status.stdout.contains("corp  logged in\n"), "{status:?}");
}

#[test]
fn without_a_browser_a_code_is_typed_on_another_device() {
    let server = AuthorizationServer::start(Duration::from_secs(3600));
    let place = place(&server, &LoopbackServer::start([]), "");
    let (mut user, program) = terminal();
    let child = place.tau(["auth", "login", "corp", "--no-browser"]).spawn_in_terminal(program);
    // The end of the line may be read with its beginning.
    let shown = read_until(&mut user, ".\r\n");
    let code = shown.split("enter the code ").nth(1).expect("a code");
    server.enter(code.trim().trim_end_matches('.'));
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success(), "{shown}");
    assert_eq!(stored(&place)["corp"]["access"], server.last_token());
}

#[test]
fn keys_of_other_files_are_taken_over_after_a_yes() {
    let place = Place::new();
    place.write("agent/auth.json", r#"{"anthropic": {"type": "api_key", "key": "sk-old"}}"#);
    let theirs = r#"{"anthropic": {"type": "api_key", "key": "sk-new"}, "groq": {"type": "api_key", "key": "!pass groq"},
        "corp": {"type": "oauth", "access": "secret-at", "refresh": "secret-rt", "expires": 5}}"#;
    place.write("home/auth.json", theirs);
    place.write("home/.env", "export OPENAI_API_KEY='sk-$env'\nOTHER=secret-other\n");
    let import = |args: &[&str]| place.tau([&["auth", "import", "../home/auth.json"], args].concat());
    let done = import(&[]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    assert!(done.stderr.contains("needs a terminal; --yes stores everything."), "{}", done.stderr);
    let before = stored(&place);
    let (mut user, program) = terminal();
    let mut child = import(&[]).spawn_in_terminal(program);
    let shown = read_until(&mut user, "[y/N] ");
    assert!(shown.contains("anthropic: API key, in place of what is stored (API key)"), "{shown}");
    assert!(shown.contains("groq: what the command `pass groq` prints"), "{shown}");
    assert!(shown.contains("not corp: a login is good for one program only"), "{shown}");
    assert!(!shown.contains("sk-") && !shown.contains("secret-"), "{shown}");
    user.write_all(b"\n").expect("typed");
    assert_eq!(child.wait().expect("its end").code(), Some(1));
    assert_eq!(stored(&place), before);

    let done = import(&["--yes"]).run();
    assert!(done.code == Some(0) && done.stdout.starts_with("2 keys are stored in "), "{done:?}");
    let done = place.tau(["auth", "import", "../home/.env", "--yes"]).run();
    assert!(done.code == Some(0) && done.stdout.starts_with("1 key is stored in "), "{done:?}");
    assert!(!done.stderr.contains("sk-"), "{}", done.stderr);
    let key = |key: &str| json!({"type": "api_key", "key": key});
    assert_eq!(
        stored(&place),
        json!({"anthropic": key("sk-new"), "groq": key("!pass groq"), "openai": key("sk-$$env")})
    );
    assert_eq!(place.tau(["auth", "print-api-key", "--provider", "openai"]).run(), Done::ok("sk-$env\n"));
    place.write("home/other", "hello\n");
    let done = place.tau(["auth", "import", "../home/other"]).run();
    assert!(done.stderr.contains("line 1: neither an auth.json nor lines of the form NAME=value"), "{}", done.stderr);
}

#[test]
fn the_state_of_every_provider_is_shown_without_secrets() {
    let place = Place::new();
    assert!(place.tau(["auth", "status"]).run().stdout.starts_with("No provider has a credential."));
    let auth = json!({
        "anthropic": {"type": "oauth", "access": "sk-ant-oat-secret", "refresh": "secret", "expires": 9e15},
        "openai": {"type": "api_key", "key": "sk-secret"},
        "late": {"type": "oauth", "access": "secret", "refresh": "secret", "expires": 5},
    });
    place.write("agent/auth.json", auth.to_string());
    let provider =
        json!({"baseUrl": "http://x", "api": "openai-completions", "apiKey": "!echo secret", "models": [{"id": "m"}]});
    place.write("agent/models.json", json!({"providers": {"vault": provider}}).to_string());
    let status = |args: &[&str]| {
        let done = place.tau([&["auth", "status"], args].concat()).env("XAI_API_KEY", "secret").run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
        assert!(!done.stdout.contains("secret"), "{}", done.stdout);
        done.stdout
    };
    let text = status(&[]);
    for line in [
        "anthropic  a login for programs of the vendor, which tau does not use\n",
        "late       the login has expired\n",
        "openai     key from auth.json\n",
        "vault      key from a command in models.json\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let said: Value = serde_json::from_str(&status(&["--json"])).expect("JSON");
    let of = |provider: &str| {
        let mut rows = said["providers"].as_array().expect("rows").iter();
        rows.find(|row| row["provider"] == provider).cloned().expect("a row")
    };
    let late = json!({"provider": "late", "status": "expired", "source": "the login has expired", "expires": 5});
    assert_eq!(of("late"), late);
    assert_eq!((of("anthropic")["status"].as_str(), of("vault")["status"].as_str()), (Some("refused"), Some("ready")));
    // What to use instead.
    let done = place.tau(["auth", "login", "anthropic"]).run();
    assert!(done.stderr.contains("tau does not sign in with Claude Pro and Max"), "{}", done.stderr);
}

#[test]
fn a_workload_identity_is_exchanged() {
    let server = AuthorizationServer::start(Duration::from_secs(600));
    let place = Place::new();
    place.write("agent/models.json", json!({"providers": {"anthropic": {"baseUrl": server.url()}}}).to_string());
    let token = place.write("work/token", "token-of-the-platform\n");
    let check = |file: &std::path::Path| {
        let tau = place.tau(["auth", "check", "--provider", "anthropic", "--credentials"]);
        let tau = tau.env("ANTHROPIC_FEDERATION_RULE_ID", "rule").env("ANTHROPIC_ORGANIZATION_ID", "org");
        tau.env("ANTHROPIC_IDENTITY_TOKEN_FILE", file).run()
    };
    let done = check(&token);
    assert_eq!((done.code, done.stdout), (Some(0), format!("{}\n", server.last_token())));
    let ready = |args: &[&str]| {
        let tau = place.tau([&["auth"], args, &["--provider", "anthropic"]].concat());
        let tau = tau.env("ANTHROPIC_FEDERATION_RULE_ID", "rule").env("ANTHROPIC_ORGANIZATION_ID", "org");
        tau.env("ANTHROPIC_IDENTITY_TOKEN_FILE", &token).run()
    };
    assert_eq!(ready(&["check", "--no-refresh"]), Done::ok("ready\n"));
    let token = ready(&["print-bearer-token"]);
    assert_eq!(token, Done::ok(&format!("{}\n", server.last_token())));
    let done = check(&place.root().join("nothing"));
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), "invalid\n"));
    assert!(done.stderr.contains("The workload identity of anthropic gives no token: "), "{}", done.stderr);
}
