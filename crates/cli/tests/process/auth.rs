//! `tau auth`, and words that mean a subcommand and no prompt.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use rustix::process::Signal;
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};

use crate::signals::send;
use crate::support::{Done, Place};

const FAR: u64 = 9_000_000_000_000_000;

fn place() -> Place {
    let place = Place::new();
    let stored = json!({
        "anthropic": {"type": "api_key", "key": "sk-a"},
        "corp": {"type": "oauth", "access": "tok", "refresh": "r", "expires": FAR},
        "late": {"type": "oauth", "access": "old", "refresh": "r", "expires": 5},
        "openai": {"type": "oauth", "access": "eyJ-chatgpt", "refresh": "r", "expires": FAR},
        "deepseek": {"type": "api_key", "key": "$NOT_SET_KEY"},
    });
    place.write("agent/auth.json", stored.to_string());
    let provider = json!({"baseUrl": "http://127.0.0.1:1", "api": "openai-completions", "models": [{"id": "m"}]});
    place.write("agent/models.json", json!({"providers": {"corp": provider, "late": provider}}).to_string());
    place
}

#[test]
fn a_credential_without_a_model_to_ask_is_not_ready() {
    let place = Place::new();
    place.write("agent/auth.json", r#"{"elsewhere": {"type": "api_key", "key": "gsk"}}"#);
    place.write(
        "agent/models.json",
        r#"{"providers": {"odd": {"baseUrl": "http://x", "api": "openai-completion", "apiKey": "k", "models": [{"id": "m"}]}}}"#,
    );
    let check =
        |provider: &str, args: &[&str]| place.tau([&["auth", "check", "--provider", provider], args].concat()).run();
    let not_ready = |provider: &str, reason: &str, why: &str| {
        let done = check(provider, &[]);
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), "not_ready\n"), "{done:?}");
        assert!(done.stderr.ends_with(&format!("{why}\n")), "{done:?}");
        let said: Value = serde_json::from_str(&check(provider, &["--json"]).stdout).expect("JSON");
        assert_eq!(said, json!({"status": "not_ready", "provider": provider, "reason": reason}));
    };
    not_ready("elsewhere", "model_not_found", "tau knows no model of elsewhere; define one in models.json");
    not_ready("odd", "unknown_api", "odd: unknown api \"openai-completion\"; did you mean \"openai-completions\"?");
    // An extension may bring the model.
    let extension = "export default (pi) => {
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
  pi.registerProvider('elsewhere', { baseUrl: 'http://x', apiKey: 'ELSEWHERE', api: 'openai-completions', models: [model] });
};";
    place.write("agent/extensions/elsewhere.ts", extension);
    assert_eq!(check("elsewhere", &[]).stdout, "ready\n");

    place.write("agent/models.json", "{ broken");
    for provider in ["openai", "nope"] {
        let done = check(provider, &["--json"]);
        let said: Value = serde_json::from_str(&done.stdout).expect("JSON");
        assert_eq!(said, json!({"status": "invalid", "provider": provider, "reason": "invalid_state"}));
        assert!(done.code == Some(2) && done.stderr.contains("models.json, line 1"), "{done:?}");
    }
}

#[test]
fn a_credential_is_checked() {
    let place = place();
    let check = |args: &[&str]| {
        let done = place.tau(["auth", "check"].iter().chain(args)).run();
        (done.code.expect("a code"), done.stdout.trim_end().to_owned())
    };
    let as_json = |args: &[&str]| {
        let (code, text) = check(&[args, &["--json"]].concat());
        (code, serde_json::from_str::<Value>(&text).expect("JSON"))
    };
    assert_eq!(check(&["--provider", "anthropic"]), (0, "ready".to_owned()));
    assert_eq!(check(&["--provider=anthropic", "--credentials"]), (0, "sk-a".to_owned()));
    assert_eq!(
        as_json(&["--provider", "anthropic"]),
        (0, json!({"status": "ready", "provider": "anthropic", "authType": "api_key"}))
    );
    assert_eq!(
        as_json(&["--provider", "corp", "--credentials"]),
        (0, json!({"status": "ready", "provider": "corp", "authType": "oauth", "credentials": "tok"}))
    );
    assert_eq!(as_json(&["--model", "anthropic/claude-opus-5"]).1["provider"], "anthropic");
    let absent = |provider: &str, reason: &str| json!({"status": "not_ready", "provider": provider, "reason": reason});
    assert_eq!(as_json(&["--provider", "groq"]), (1, absent("groq", "credentials_not_configured")));
    assert_eq!(as_json(&["--provider", "deepseek"]), (1, absent("deepseek", "credentials_not_configured")));
    assert_eq!(as_json(&["--provider", "nope"]), (1, absent("nope", "provider_not_found")));
    let invalid = |provider: &str| json!({"status": "invalid", "provider": provider, "reason": "invalid_state"});
    // Nobody can renew it, and tau may not use it.
    assert_eq!(as_json(&["--provider", "late"]), (2, invalid("late")));
    assert_eq!(as_json(&["--provider", "openai"]), (2, invalid("openai")));
    assert_eq!(as_json(&["--model", "nope-model"]), (1, absent("nope-model", "model_not_found")));
    assert_eq!(check(&["--provider", "late", "--no-refresh"]), (0, "ready".to_owned()));
    assert_eq!(check(&[]).0, 2);
    assert_eq!(check(&["anthropic"]).0, 2);
}

#[test]
fn a_key_that_names_a_variable_that_is_not_set_is_no_key() {
    let place = Place::new();
    place.write("agent/auth.json", r#"{"anthropic": {"type": "api_key", "key": "$NOPE"}}"#);
    let provider = |rest: Value| {
        let mut provider = json!({"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]});
        provider.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        provider
    };
    let models = json!({"providers": {
        "header": provider(json!({"headers": {"Authorization": "Bearer ${NOPE}"}})),
        "key": provider(json!({"apiKey": "$NOPE"})),
    }});
    place.write("agent/models.json", models.to_string());
    // A variable of the provider stands behind the key, which is asked first.
    let run = |args: &[&str]| place.tau(args).env("ANTHROPIC_API_KEY", "sk-a").run();
    let status: Value = serde_json::from_str(&run(&["auth", "status", "--json"]).stdout).expect("JSON");
    for name in ["anthropic", "header", "key"] {
        let row = status["providers"].as_array().expect("rows").iter().find(|row| row["provider"] == name).expect(name);
        assert_eq!(row["status"], "missing", "{row}");
        assert_eq!(row["source"], "no credential: its key names NOPE, which is not set");
        let checked = run(&["auth", "check", "--provider", name]);
        assert!(checked.code == Some(1) && checked.stderr.contains("NOPE, which is not set"), "{checked:?}");
    }
    let text = run(&["auth", "status"]).stdout;
    assert!(text.contains("anthropic  no credential: its key names NOPE, which is not set\n"), "{text}");
    assert!(run(&["models"]).stdout.starts_with("No models available. The cause:\n"));
}

#[test]
fn entries_of_the_wrong_shape_are_named_without_their_content() {
    let place = Place::new();
    let entries = json!({
        "a": "s3cret-value", "b": {"type": "s3cret-value"}, "c": {"type": "api_key", "key": 5, "other": "s3cret-value"},
        "d": {"type": "oauth", "refresh": "s3cret-value"}, "groq": {"type": "api_key", "key": "gsk"},
    });
    let file = place.write("agent/auth.json", entries.to_string()).display().to_string();
    let whys = [
        ("a", r#"it must be an object such as {"type": "api_key", "key": …}"#),
        ("b", r#"its "type" must be "api_key" or "oauth""#),
        ("c", r#"its "key" must be a text that is not empty"#),
        ("d", r#"a login needs an "access" that is a text and not empty; log in again"#),
    ];
    let warnings: String =
        whys.iter().map(|(name, why)| format!("Warning: {file}: the entry \"{name}\" is not used: {why}\n")).collect();
    for args in [&["auth", "status"][..], &["auth", "check", "--provider", "groq"], &["models", "--json", "groq"]] {
        let done = place.tau(args).run();
        assert_eq!((done.code, &*done.stderr), (Some(0), &*warnings), "{args:?}");
    }
    let doctor = place.tau(["doctor"]).run();
    assert!(doctor.stdout.contains("the entry \"b\" is not used") && !doctor.stdout.contains("s3cret"), "{doctor:?}");
    place.write("agent/auth.json", "\"s3cret-value\"");
    let done = place.tau(["models"]).run();
    assert!(done.stderr.contains("expected an object") && !done.stderr.contains("s3cret"), "{done:?}");
}

#[test]
fn a_credential_is_printed() {
    let place = place();
    let print = |args: &[&str]| place.tau(["auth"].iter().chain(args)).run();
    assert_eq!(print(&["print-api-key", "--provider", "anthropic"]), Done::ok("sk-a\n"));
    let from_env = place.tau(["auth", "print-api-key", "--provider", "groq"]).env("GROQ_API_KEY", "gsk").run();
    assert_eq!(from_env, Done::ok("gsk\n"));
    let unset = "Error: The key in auth.json of deepseek needs the environment variable NOT_SET_KEY, which is not set: set it, \
                 or correct the configuration that names it (nothing else is used in its place).\n";
    // Another account must not pay because a variable is missing.
    let beside =
        place.tau(["auth", "print-api-key", "--provider", "deepseek"]).env("DEEPSEEK_API_KEY", "sk-other").run();
    assert_eq!((beside.code, &*beside.stdout, &*beside.stderr), (Some(1), "", unset));
    let none = print(&["print-api-key", "--provider", "groq"]).stderr;
    assert!(none.contains("Set GROQ_API_KEY, or store a key") && !none.contains("pass --api-key"), "{none}");
    let token = ["print-bearer-token", "--provider", "corp"];
    assert_eq!(print(&token), Done::ok("tok\n"));
    assert_eq!(print(&[&token[..], &["--min-expiry", "30m"]].concat()), Done::ok("tok\n"));
    for args in [
        &["print-api-key", "--provider", "corp"][..],
        &["print-api-key", "--provider", "groq"],
        &["print-api-key", "--provider", "nope"],
        &["print-api-key"],
        &["print-api-key", "anthropic"],
        &["print-api-key", "--provider", "anthropic", "--json"],
        &["print-bearer-token", "--provider", "anthropic"],
        &["print-bearer-token", "--provider", "late"],
        &["print-bearer-token", "--provider", "openai"],
        &["print-bearer-token", "--provider", "corp", "--min-expiry", "soon"],
    ] {
        let done = print(args);
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(done.stderr.starts_with("Error: "), "{args:?}: {}", done.stderr);
        let secrets = ["tok", "eyJ-chatgpt", "sk-a"]
            .iter()
            .filter(|secret| done.stderr.split_whitespace().any(|word| word == **secret));
        assert_eq!(secrets.count(), 0, "{args:?}: {}", done.stderr);
    }
}

#[test]
fn what_is_stored_is_removed() {
    let place = place();
    let logout = |provider: &str| place.tau(["auth", "logout", provider]).run();
    let others = "Environment variables and models.json stay as they are.\n";
    assert_eq!(logout("anthropic"), Done::ok(&format!("Removed the stored credential for anthropic. {others}")));
    assert_eq!(logout("corp"), Done::ok(&format!("Logged out of corp. {others}")));
    assert_eq!(logout("anthropic"), Done::ok(&format!("Nothing is stored for anthropic. {others}")));
    let unknown = logout("nope");
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.starts_with("Error: Unknown provider \"nope\". Stored: late (account), "),
        "{}",
        unknown.stderr
    );
    let left: Value = serde_json::from_str(&place.read("agent/auth.json")).expect("JSON");
    let left: Vec<&String> = left.as_object().expect("an object").keys().collect();
    assert_eq!(left, ["late", "openai", "deepseek"]);
}

#[test]
fn a_login_needs_a_terminal() {
    let place = Place::new();
    let done = place.tau(["auth", "login", "anthropic"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    assert!(done.stderr.contains("needs a terminal. Set ANTHROPIC_API_KEY"), "{}", done.stderr);
    let done = place.tau(["auth", "login", "nope"]).run();
    assert!(
        done.stderr.starts_with("Error: Unknown provider \"nope\". Known providers: ")
            && done.stderr.contains(" anthropic, "),
        "{}",
        done.stderr
    );
    assert_eq!(place.tau(["auth", "login"]).run().code, Some(1));
    assert!(!place.root().join("agent/auth.json").exists());
}

/// The user's end of a terminal, and the program's.
pub fn terminal() -> (std::fs::File, OwnedFd) {
    let pty = tau_sys::pty::Pty::open().expect("a terminal");
    let ours = pty.ours().try_clone().expect("our end");
    (ours, pty.theirs().expect("the other end").into())
}

/// Reads what the program shows up to a text.
pub fn read_until(user: &mut std::fs::File, text: &str) -> String {
    let (mut shown, mut piece) = (String::new(), [0; 256]);
    while !shown.contains(text) {
        let read = user.read(&mut piece).expect("what it shows");
        shown.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    shown
}

/// Error texts end up in logs and on shared screens.
#[test]
fn a_key_on_the_command_line_is_not_repeated() {
    let place = place();
    for args in [
        &["login", "openai", "--api-key", "sk-typed"][..],
        &["login", "openai", "--api-key=sk-typed"],
        &["login", "--api-key", "sk-typed"],
        &["login", "--api-key", "sk-typed", "openai"],
        &["--api-key", "sk-typed", "login"],
        &["login", "openai", "--key=sk-typed"],
        &["login", "openai", "--json=sk-typed"],
        &["check", "sk-typed"],
        &["check", "--api-key", "sk-typed"],
    ] {
        let done = place.tau(["auth"].iter().chain(args)).run();
        assert!(done.code != Some(0) && done.stderr.starts_with("Error: "), "{args:?}: {}", done.stderr);
        assert!(!done.stderr.contains("sk-typed") && done.stdout.is_empty(), "{args:?}: {}", done.stderr);
    }
    let done = place.tau(["auth", "login", "openai", "--api-key=sk-typed"]).run();
    assert!(done.stderr.starts_with("Error: --api-key takes no value here; tau asks for the key\n"), "{}", done.stderr);
}

/// A sign-in with ChatGPT is another program's: advice does not lead to its loss, and a key replaces it only after a yes.
#[test]
fn a_login_of_another_program_is_not_replaced_unasked() {
    let place = place();
    let before = place.read("agent/auth.json");
    let advice = "Set OPENAI_API_KEY, pass --api-key, or add an apiKey to models.json.";
    for args in [&["auth", "login", "openai"][..], &["auth", "login", "openai", "--api-key"], &["-p", "/login openai"]]
    {
        let done = place.tau(args).run();
        assert_eq!(done.code, Some(1), "{args:?}");
        assert!(done.stderr.contains(advice) && !done.stderr.contains("auth.json"), "{args:?}: {}", done.stderr);
    }
    for flag in [&["--api-key"][..], &[]] {
        let (mut user, program) = terminal();
        let mut child = place.tau(["auth", "login", "openai"].iter().chain(flag)).spawn_in_terminal(program);
        let shown = read_until(&mut user, "Replace it? [y/N] ");
        assert!(shown.contains("keeps a login for openai that tau does not manage"), "{shown}");
        user.write_all(b"\n").expect("typed");
        assert_eq!(child.wait().expect("its end").code(), Some(1));
        assert_eq!(place.read("agent/auth.json"), before);
    }
    let (mut user, program) = terminal();
    let mut child = place.tau(["auth", "login", "openai", "--api-key"]).spawn_in_terminal(program);
    read_until(&mut user, "Replace it? [y/N] ");
    user.write_all(b"y\n").expect("typed");
    read_until(&mut user, "API key for openai: ");
    user.write_all(b"sk-typed\n").expect("typed");
    assert!(child.wait().expect("its end").success());
    let stored: Value = serde_json::from_str(&place.read("agent/auth.json")).expect("JSON");
    assert_eq!(stored["openai"], json!({"type": "api_key", "key": "sk-typed"}));
}

#[test]
fn a_signal_at_the_question_for_a_key_leaves_a_terminal_that_echoes() {
    let place = place();
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::INT] {
        let (mut user, program) = terminal();
        let kept = program.try_clone().expect("the same terminal");
        let echoes = || tcgetattr(&kept).expect("its modes").local_modes.contains(LocalModes::ECHO);
        let mut child = place.tau(["auth", "login", "anthropic", "--api-key"]).spawn_in_terminal(program);
        read_until(&mut user, "API key for anthropic: ");
        assert!(!echoes());
        send(&child, signal);
        assert_eq!(child.wait().expect("its end").code(), Some(128 + signal.as_raw()));
        assert!(echoes(), "{signal:?}");
        read_until(&mut user, "The login was cancelled.");
    }
}

#[test]
fn a_key_that_is_typed_is_stored_and_not_shown() {
    let place = place();
    let (mut user, program) = terminal();
    let mut tau = place.tau(["auth", "login", "anthropic", "--api-key"]);
    let mut child = tau.spawn_in_terminal(program);
    let mut shown = String::new();
    let mut piece = [0; 64];
    // Once the question is there, nothing is echoed.
    while !shown.contains("API key for anthropic: ") {
        let read = user.read(&mut piece).expect("what it shows");
        shown.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    user.write_all(b"sk-typed\n").expect("typed");
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("its output");
    assert!(child.wait().expect("its end").success(), "{said}");
    assert!(said.starts_with("The API key for anthropic is stored. It is kept in "), "{said}");
    // The other end is closed by now, which a terminal reports as an error once everything was read.
    while let Ok(read @ 1..) = user.read(&mut piece) {
        shown.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    assert!(!shown.contains("sk-typed"), "{shown}");
    let stored: Value = serde_json::from_str(&place.read("agent/auth.json")).expect("JSON");
    assert_eq!(stored["anthropic"], json!({"type": "api_key", "key": "sk-typed"}));
    assert_eq!(stored["corp"]["access"], "tok");
}

/// No word after these ever reaches a model: a script in its place would answer.
#[test]
fn words_of_subcommands_are_no_prompts() {
    let place = Place::new();
    for args in [
        &["auth", "frobnicate"][..],
        &["auth", "login", "anthropic", "now", "please"],
        &["mcp", "frobnicate"],
        &["mcp", "add", "files"],
    ] {
        let done = place.tau(args).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(done.stderr.starts_with("Error: "), "{args:?}: {}", done.stderr);
    }
    let logn = "Error: unknown auth command \"logn\"; did you mean login?";
    assert_eq!(place.tau(["auth", "logn"]).run(), Done::failed(logn));
    assert_eq!(place.tau(["mcp"]).run().code, Some(0));
    assert_eq!(place.tau(["auth"]).run().code, Some(0));
    assert_eq!(place.session_files().len(), 0);
}

/// A login that an extension takes care of: signed in with questions, renewed when it has expired, checked and removed.
#[test]
fn a_login_of_an_extension_works_without_a_session() {
    let place = Place::new();
    let corp = r#"export default (pi) => pi.registerProvider("corp", {
  baseUrl: "http://corp", api: "openai-completions", models: [{ id: "m" }],
  oauth: {
    name: "Corp",
    async login(callbacks) {
      callbacks.onAuth({ url: "http://corp/login", instructions: "Sign in." });
      const tenant = await callbacks.onSelect({ message: "Tenant", options: [{ id: "t1", label: "First" }, { id: "t2", label: "Second" }] });
      const code = await callbacks.onManualCodeInput();
      return { access: `${tenant}-${code}`, refresh: "r0", expires: 5 };
    },
    refreshToken: async (credentials) => ({ ...credentials, access: "renewed", expires: Date.now() + 3600e3 }),
    getApiKey: (credentials) => `key of ${credentials.access}`,
  },
});"#;
    place.write("agent/extensions/corp.ts", corp);
    let auth = |args: &[&str]| place.tau(["auth"].iter().chain(args)).run();
    assert_eq!(auth(&["check", "--provider", "corp"]).code, Some(1));
    let (mut user, program) = terminal();
    let mut child = place.tau(["auth", "login", "corp", "--no-browser"]).spawn_in_terminal(program);
    let mut shown = String::new();
    let mut piece = [0; 256];
    for (question, answer) in [("Number: ", "2\n"), ("Authorization code: ", "42\n")] {
        while !shown.contains(question) {
            let read = user.read(&mut piece).expect("what it shows");
            shown.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        user.write_all(answer.as_bytes()).expect("typed");
    }
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("its output");
    assert!(child.wait().expect("its end").success() && said.starts_with("Logged in to corp. "), "{said}\n{shown}");
    assert!(shown.contains("Open http://corp/login to log in. Sign in."), "{shown}");
    let stored =
        || serde_json::from_str::<Value>(&place.read("agent/auth.json")).expect("JSON")["corp"]["access"].clone();
    assert_eq!(stored(), "t2-42");
    assert_eq!(auth(&["check", "--provider", "corp", "--no-refresh"]), Done::ok("ready\n"));
    assert_eq!(stored(), "t2-42");
    assert_eq!(auth(&["print-bearer-token", "--model", "corp/m"]), Done::ok("key of renewed\n"));
    assert_eq!(stored(), "renewed");
    assert_eq!(
        auth(&["print-bearer-token", "--provider", "corp", "--min-expiry", "30m"]),
        Done::ok("key of renewed\n")
    );
    assert_eq!(auth(&["check", "--provider", "corp"]), Done::ok("ready\n"));
    assert_eq!(auth(&["print-api-key", "--provider", "corp"]).code, Some(1));
    assert!(auth(&["logout", "corp"]).stdout.starts_with("Logged out of corp."));
}

/// A key that is there twice would be lost, so the file is left as it is.
#[test]
fn credentials_that_are_there_twice_are_not_changed() {
    let place = Place::new();
    let text = r#"{"anthropic": {"type": "api_key", "key": "sk-1"}, "groq": {"type": "api_key", "key": "sk-3"},
        "anthropic": {"type": "api_key", "key": "sk-2"}}"#;
    let file = place.write("agent/auth.json", text);
    let why = format!(
        "{}: anthropic is there twice; tau does not change the file until one of them is removed",
        file.display()
    );
    let done = place.tau(["auth", "logout", "groq"]).run();
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains(&why), "{}", done.stderr);
    assert_eq!(place.read("agent/auth.json"), text);
    let models =
        r#"{"providers": {"groq": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "m"}]}}}"#;
    place.write("agent/models.json", models);
    let done = place.tau(["auth", "check", "--provider", "groq"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "ready\n"));
    assert_eq!(done.stderr, format!("Warning: {why}\n"));
    let done = place.play("replies: [Fine.]", ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Fine.\n"));
    assert_eq!(done.stderr, format!("Warning: {why}\n"));
}

#[test]
fn a_damaged_file_of_keys_is_no_missing_key() {
    let place = Place::new();
    place.write("agent/auth.json", "{\n  \"anthropic\": [\n");
    let check = |json: &[&str]| place.tau([&["auth", "check", "--provider", "anthropic"], json].concat()).run();
    let done = check(&[]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), "invalid\n"), "{done:?}");
    assert!(done.stderr.contains("auth.json, line "), "{done:?}");
    let said: Value = serde_json::from_str(&check(&["--json"]).stdout).expect("JSON");
    assert_eq!((&said["status"], &said["reason"]), (&json!("invalid"), &json!("invalid_state")));
}
