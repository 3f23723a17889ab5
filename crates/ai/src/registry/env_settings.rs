//! The environment variables that say more of a provider than its key: where a customer's own address is, and the like.

/// Each provider by its present name with those variables. What speaks a wire format of such a name reads them too.
pub const PROVIDER_SETTINGS: &[(&str, &[&str])] = &[
    ("amazon-bedrock", crate::wire::BEDROCK_VARIABLES),
    (
        "azure",
        &[
            "AZURE_OPENAI_BASE_URL",
            "AZURE_OPENAI_RESOURCE_NAME",
            "AZURE_OPENAI_DEPLOYMENT_NAME_MAP",
            "AZURE_OPENAI_API_VERSION",
        ],
    ),
    ("bedrock-converse-stream", crate::wire::BEDROCK_VARIABLES),
    ("cloudflare-ai-gateway", &["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"]),
    ("cloudflare-workers-ai", &["CLOUDFLARE_ACCOUNT_ID"]),
    ("google-vertex", crate::wire::VERTEX_VARIABLES),
];

/// The variables of a provider. Takes present names only.
pub(super) fn env_settings(provider: &str) -> &'static [&'static str] {
    let row = PROVIDER_SETTINGS.iter().find(|(name, _)| *name == provider);
    row.map_or(&[], |(_, variables)| *variables)
}
