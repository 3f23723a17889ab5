//! The models to start with.

/// The model to start with, by provider, in the order in which providers are tried. Providers that only configuration
/// brings along have theirs here too.
pub(in crate::registry) const DEFAULT_MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-opus-5-5"),
    ("openai", "gpt-6.1-sol"),
    ("deepseek", "deepseek-v4-pro"),
    ("google", "gemini-4-argon"),
    ("openrouter", "moonshotai/kimi-k2.7-code"),
    ("vercel-ai-gateway", "zai/glm-5.3"),
    ("xai", "grok-4.7"),
    ("groq", "openai/gpt-oss-120b"),
    ("cerebras", "gpt-oss-120b"),
    ("zai", "glm-5.3"),
    ("mistral", "devstral-medium-latest"),
    ("minimax", "MiniMax-M3"),
    ("moonshotai", "kimi-k2.7-code"),
    ("huggingface", "moonshotai/Kimi-K2.7-Code"),
    ("fireworks", "accounts/fireworks/models/kimi-k3"),
    ("together", "moonshotai/Kimi-K3"),
    ("amazon-bedrock", "us.anthropic.claude-opus-5-5"),
    ("ant-ling", "Ring-2.6-1T"),
    ("azure", "gpt-6.1-sol"),
    ("openai-codex", "gpt-6.1-sol"),
    ("radius", "balanced"),
    ("nvidia", "nvidia/nemotron-3.5-super-vl-120b-a12b"),
    ("google-vertex", "gemini-4-argon"),
    ("github-copilot", "gpt-6.1-sol"),
    ("zai-coding-cn", "glm-5.3"),
    ("minimax-cn", "MiniMax-M3"),
    ("moonshotai-cn", "kimi-k2.7-code"),
    ("baseten", "zai-org/GLM-5.3"),
    ("opencode", "kimi-k2.7-code"),
    ("opencode-go", "kimi-k3.1-pro"),
    ("kimi-coding", "kimi-for-coding"),
    ("meta", "muse-spark-1.3"),
    ("cloudflare-workers-ai", "@cf/moonshotai/kimi-k2.7-code"),
    ("cloudflare-ai-gateway", "workers-ai/@cf/moonshotai/kimi-k2.7-code"),
    ("qwen-token-plan", "qwen3.8-max"),
    ("qwen-token-plan-cn", "qwen3.8-max"),
    ("qwen-token-plan-individual", "qwen3.8-max"),
    ("qwen-token-plan-individual-cn", "qwen3.8-max"),
    ("xiaomi", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-cn", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-ams", "mimo-v2.6-pro"),
    ("xiaomi-token-plan-sgp", "mimo-v2.6-pro"),
];

/// The place of a provider among those that a model is chosen from unasked; others come last.
pub(in crate::registry) fn rank(provider: &str) -> usize {
    DEFAULT_MODELS.iter().position(|(name, _)| *name == provider).unwrap_or(DEFAULT_MODELS.len())
}

/// The default model of a provider.
pub(in crate::registry) fn default_model(provider: &str) -> Option<&'static str> {
    DEFAULT_MODELS.iter().find(|(name, _)| *name == provider).map(|(_, id)| *id)
}
