//! The lists as they stand in the program: `conformance/catalogue/extract.mjs` writes the files.

/// A provider and the text of its list.
macro_rules! list {
    ($name:literal) => {
        ($name, include_str!(concat!("data/", $name, ".json")))
    };
}

/// Providers by name, sorted, each with the text of its list.
pub(super) const TEXTS: &[(&str, &str)] = &[
    list!("amazon-bedrock"),
    list!("ant-ling"),
    list!("anthropic"),
    list!("azure"),
    list!("baseten"),
    list!("cerebras"),
    list!("cloudflare-ai-gateway"),
    list!("cloudflare-workers-ai"),
    list!("deepseek"),
    list!("fireworks"),
    list!("github-copilot"),
    list!("google"),
    list!("google-vertex"),
    list!("groq"),
    list!("huggingface"),
    list!("kimi-coding"),
    list!("meta"),
    list!("minimax"),
    list!("minimax-cn"),
    list!("mistral"),
    list!("moonshotai"),
    list!("moonshotai-cn"),
    list!("nvidia"),
    list!("openai"),
    list!("openai-codex"),
    list!("opencode"),
    list!("opencode-go"),
    list!("openrouter"),
    list!("qwen-token-plan"),
    list!("qwen-token-plan-cn"),
    list!("qwen-token-plan-individual"),
    list!("qwen-token-plan-individual-cn"),
    list!("radius"),
    list!("together"),
    list!("typesafe"),
    list!("vercel-ai-gateway"),
    list!("xai"),
    list!("xiaomi"),
    list!("xiaomi-token-plan-ams"),
    list!("xiaomi-token-plan-cn"),
    list!("xiaomi-token-plan-sgp"),
    list!("zai"),
    list!("zai-coding-cn"),
];

/// Where the lists come from, and when they were made.
pub(super) const SOURCE: &str = include_str!("data/source.json");
