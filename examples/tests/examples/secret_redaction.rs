use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_examples::SecretRedaction;
use tau_examples::secret_redaction::redact;
use tau_hooks::events::ToolResult;
use tau_hooks::payload::{ToolResultEvent, ToolResultResult};
use tau_testkit::Stage;

/// Looks like a token and is none.
fn fake(prefix: &str, length: usize) -> String {
    let filling = "a1B2c3D4e5F6g7H8i9J0".chars().cycle();
    prefix.chars().chain(filling).take(prefix.len() + length).collect()
}

#[test]
fn tokens_are_found_by_their_form() {
    let jwt = format!("{}.{}.{}", fake("eyJ", 20), fake("eyJ", 20), fake("", 20));
    let tokens = [
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        fake("ghp_", 36),
        fake("github_pat_", 60),
        fake("glpat-", 20),
        fake("sk-ant-api03-", 40),
        fake("sk_live_", 24),
        fake("xoxb-", 24),
        fake("AIza", 35),
        fake("npm_", 36),
        jwt,
    ];
    for token in tokens {
        for (before, after) in [("", ""), ("see ", " there"), ("x=\"", "\""), ("(", ")")] {
            let text = format!("{before}{token}{after}");
            assert_eq!(redact(&text, false), format!("{before}[REDACTED]{after}"));
        }
    }
}

#[test]
fn what_a_secret_belongs_to_stays() {
    for (text, clean) in [
        ("password = \"hunter2\"", "password = [REDACTED]"),
        ("\"apiKey\": \"abc def\",", "\"apiKey\": [REDACTED],"),
        ("client_secret: 's\\'x'", "client_secret: [REDACTED]"),
        ("DB_PASSWORD=correct-horse\nHOST=x", "DB_PASSWORD=[REDACTED]\nHOST=x"),
        ("export GITHUB_TOKEN=abc", "export GITHUB_TOKEN=[REDACTED]"),
        ("auth_token: a1b2c3d4e5", "auth_token: [REDACTED]"),
        ("Authorization: Bearer abcdefghijklmnop123", "Authorization: Bearer [REDACTED]"),
        ("postgres://me:pa55@db.local/x", "postgres://me:[REDACTED]@db.local/x"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nb",
            "a\n-----BEGIN RSA PRIVATE KEY-----[REDACTED]\nb",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE (cut off)", "-----BEGIN PRIVATE KEY-----[REDACTED]"),
    ] {
        assert_eq!(redact(text, false), clean);
        assert_eq!(redact(clean, false), clean, "what is clean stays as it is");
    }
}

#[test]
fn code_and_prose_stay_readable() {
    for text in [
        "let token = CancellationToken::new();",
        "fn login(password: &str, token: Option<Token>) {}",
        "max_tokens: 4096",
        "password: string;",
        "The token is sent in a header.",
        "const key = settings.apiKey",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "https://example.com:8080/a@b",
        "TOKEN=$OTHER",
        "sk-short",
        "class=\"sk-fading-circle-container\"",
        "support for basic internationalization",
    ] {
        assert_eq!(redact(text, false), text);
    }
}

#[test]
fn all_values_of_a_dotenv_file_are_secret() {
    let text =
        "# settings\nHOST=localhost\nexport NAME='a b'\nEMPTY=\nKEY=\"two\nlines\"\n  12:X_1=y # no\nnot a line\n";
    let clean = "# settings\nHOST=[REDACTED]\nexport NAME=[REDACTED]\nEMPTY=\nKEY=[REDACTED]\n  12:X_1=[REDACTED]\nnot a line\n";
    assert_eq!(redact(text, true), clean);
    assert_eq!(redact(clean, true), clean);
    assert_eq!(redact("HOST=localhost", false), "HOST=localhost");
}

async fn result(
    tool: &str,
    input: Value,
    text: &str,
    details: Option<Value>,
) -> (ToolResultEvent, Option<ToolResultResult>) {
    let stage = Stage::new();
    stage.load(&SecretRedaction).expect("it can be loaded");
    let content = vec![ContentBlock::text(text), ContentBlock::image("AA==", "image/png")];
    let done = stage.fire::<ToolResult>(ToolResultEvent {
        tool_name: tool.into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input,
        content,
        details,
        structured_content: None,
        is_error: false,
        usage: None,
    });
    let done = done.await;
    (done.payload.expect("it was looked at"), done.output)
}

fn text(event: &ToolResultEvent) -> &str {
    event.content.first().and_then(ContentBlock::as_text).unwrap_or_default()
}

#[tokio::test]
async fn the_model_sees_no_secret_and_everything_else() {
    let details = json!({ "diff": ["+ password = \"x1\""], "lines": 3 });
    let input = json!({ "command": "cat config" });
    let (event, _) = result("bash", input, "user = me\npassword = \"hunter2\"\n", Some(details)).await;
    assert_eq!(text(&event), "user = me\npassword = [REDACTED]\n");
    assert_eq!(event.content[1], ContentBlock::image("AA==", "image/png"));
    assert_eq!(event.details, Some(json!({ "diff": ["+ password = [REDACTED]"], "lines": 3 })));
}

#[tokio::test]
async fn without_secrets_nothing_is_changed() {
    let (_, output) = result("bash", json!({ "command": "ls" }), "main.rs", Some(json!({ "code": 0 }))).await;
    assert_eq!(output, None);
}

#[tokio::test]
async fn dotenv_files_are_known_by_the_arguments_of_the_tool() {
    let clean = async |tool: &str, input: Value| {
        text(&result(tool, input, "HOST=localhost", None).await.0) == "HOST=[REDACTED]"
    };
    for (tool, input) in [
        ("read", json!({ "path": ".env" })),
        ("read", json!({ "path": "/app/.env.production" })),
        ("bash", json!({ "command": "cat app/.env" })),
        ("bash", json!({ "command": "grep -n HOST '.env'|head" })),
    ] {
        assert!(clean(tool, input.clone()).await, "{input}");
    }
    for input in [json!({ "path": ".env.example" }), json!({ "path": "main.rs" }), json!({ "command": "cat x.env" })] {
        assert!(!clean("read", input.clone()).await, "{input}");
    }
}
