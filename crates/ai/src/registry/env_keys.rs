//! The environment variables in which providers' keys are usually kept.

use serde_json::Value;

/// Holds a token that goes into `Authorization` as it is.
pub(super) const ANTHROPIC_BEARER: &str = "ANTHROPIC_AUTH_TOKEN";

/// The variables of which one set says that AWS has credentials for this process.
pub(super) const AWS_CREDENTIALS: &[&[&str]] = &[
    &["AWS_PROFILE"],
    &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    &["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
    &["AWS_CONTAINER_CREDENTIALS_FULL_URI"],
    &["AWS_WEB_IDENTITY_TOKEN_FILE"],
];

/// Each provider by its present name with the environment variables that hold its key, the best first.
pub const PROVIDER_VARIABLES: &[(&str, &[&str])] = &[
    ("anthropic", &["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"]),
    ("openai", &["OPENAI_API_KEY"]),
    ("amazon-bedrock", &["AWS_BEARER_TOKEN_BEDROCK"]),
    ("ant-ling", &["ANT_LING_API_KEY"]),
    ("azure", &["AZURE_OPENAI_API_KEY"]),
    ("baseten", &["BASETEN_API_KEY"]),
    ("cerebras", &["CEREBRAS_API_KEY"]),
    ("cloudflare-ai-gateway", &["CLOUDFLARE_API_KEY"]),
    ("cloudflare-workers-ai", &["CLOUDFLARE_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("fireworks", &["FIREWORKS_API_KEY"]),
    ("github-copilot", &["COPILOT_GITHUB_TOKEN"]),
    ("google", &["GEMINI_API_KEY"]),
    ("google-vertex", &["GOOGLE_CLOUD_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
    ("huggingface", &["HF_TOKEN"]),
    ("kimi-coding", &["KIMI_API_KEY"]),
    ("meta", &["META_API_KEY"]),
    ("minimax", &["MINIMAX_API_KEY"]),
    ("minimax-cn", &["MINIMAX_CN_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("moonshotai", &["MOONSHOT_API_KEY"]),
    ("moonshotai-cn", &["MOONSHOT_API_KEY"]),
    ("nvidia", &["NVIDIA_API_KEY"]),
    ("opencode", &["OPENCODE_API_KEY"]),
    ("opencode-go", &["OPENCODE_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("qwen-token-plan", &["QWEN_TOKEN_PLAN_API_KEY"]),
    ("qwen-token-plan-individual", &["QWEN_TOKEN_PLAN_API_KEY"]),
    ("qwen-token-plan-cn", &["QWEN_TOKEN_PLAN_CN_API_KEY"]),
    ("qwen-token-plan-individual-cn", &["QWEN_TOKEN_PLAN_CN_API_KEY"]),
    ("radius", &["RADIUS_API_KEY"]),
    ("together", &["TOGETHER_API_KEY"]),
    ("typesafe", &["TYPESAFE_API_KEY"]),
    ("vercel-ai-gateway", &["AI_GATEWAY_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
    ("xiaomi", &["XIAOMI_API_KEY"]),
    ("xiaomi-token-plan-ams", &["XIAOMI_TOKEN_PLAN_AMS_API_KEY"]),
    ("xiaomi-token-plan-cn", &["XIAOMI_TOKEN_PLAN_CN_API_KEY"]),
    ("xiaomi-token-plan-sgp", &["XIAOMI_TOKEN_PLAN_SGP_API_KEY"]),
    ("zai", &["ZAI_API_KEY"]),
    ("zai-coding-cn", &["ZAI_CODING_CN_API_KEY"]),
];

/// Variables beside those of [`PROVIDER_VARIABLES`] that hold a secret of a provider.
const OTHER_SECRETS: &[&str] = &[ANTHROPIC_BEARER, "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// Whether a variable holds a secret of a model provider, which programs that are no part of tau need not see.
pub fn is_provider_secret(name: &str) -> bool {
    let mut keys = PROVIDER_VARIABLES.iter().flat_map(|(_, names)| names.iter()).chain(OTHER_SECRETS);
    keys.any(|key| *key == name)
}

/// The variables that the text of a `models.json` names as a key or in a header. A text that cannot be read names none, as
/// no provider of it is used either.
pub fn secrets_in_models(text: &str) -> Vec<String> {
    let whole: Value = super::jsonc::parse(text).unwrap_or_default();
    let (mut found, mut left) = (Vec::new(), vec![&whole]);
    while let Some(value) = left.pop() {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match (key.as_str(), value) {
                        ("apiKey", Value::String(text)) => {
                            found.extend(is_variable(text).then(|| text.clone()));
                            named(text, &mut found);
                        }
                        ("headers", Value::Object(headers)) => {
                            for text in headers.values().filter_map(Value::as_str) {
                                found.extend(is_variable(text).then(|| text.to_owned()));
                                named(text, &mut found);
                            }
                        }
                        _ => left.push(value),
                    }
                }
            }
            Value::Array(values) => left.extend(values),
            _ => {}
        }
    }
    found
}

/// The variables that the text of an `auth.json` names as keys. A text that cannot be read names none.
pub fn secrets_in_logins(text: &str) -> Vec<String> {
    let logins: Value = serde_json::from_str(text).unwrap_or_default();
    let mut found = Vec::new();
    for key in
        logins.as_object().into_iter().flat_map(|logins| logins.values()).filter_map(|login| login["key"].as_str())
    {
        found.extend(is_variable(key).then(|| key.to_owned()));
        named(key, &mut found);
    }
    found
}

/// The variables in a text, as `$NAME` or `${NAME}`.
fn named(text: &str, found: &mut Vec<String>) {
    for after in text.split('$').skip(1) {
        let after = after.strip_prefix('{').unwrap_or(after);
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        found.extend(is_variable(&after[..end]).then(|| after[..end].to_owned()));
    }
}

fn is_variable(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_fine)
}

/// The variables of a provider, the best first. Takes present names only.
pub(super) fn env_keys(provider: &str) -> &'static [&'static str] {
    let row = PROVIDER_VARIABLES.iter().find(|(name, _)| *name == provider);
    row.map_or(&[], |(_, variables)| *variables)
}
