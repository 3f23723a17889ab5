//! Logins that vendors keep for their own programs. tau has none of them, because it never presents itself as another
//! program; this says what to use instead.

/// A login that only programs of its vendor may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VendorLogin {
    /// The provider.
    pub provider: &'static str,
    /// What people sign in with.
    pub account: &'static str,
    /// Where an API key is made, if there are any.
    pub keys: Option<&'static str>,
}

/// All of them.
pub const VENDOR_LOGINS: &[VendorLogin] = &[
    VendorLogin {
        provider: "anthropic",
        account: "Claude Pro and Max",
        keys: Some("https://platform.claude.com/settings/keys"),
    },
    VendorLogin { provider: "openai", account: "ChatGPT", keys: Some("https://platform.openai.com/api-keys") },
    VendorLogin { provider: "openai-codex", account: "ChatGPT", keys: None },
    VendorLogin { provider: "github-copilot", account: "GitHub Copilot", keys: None },
    VendorLogin { provider: "google-gemini-cli", account: "Gemini CLI", keys: None },
    VendorLogin { provider: "google-antigravity", account: "Antigravity", keys: None },
];

/// The login that the vendor of a provider keeps for its own programs.
pub fn vendor_login(provider: &str) -> Option<&'static VendorLogin> {
    VENDOR_LOGINS.iter().find(|login| login.provider == provider)
}

impl VendorLogin {
    /// What to use instead, in sentences.
    pub fn advice(&self) -> String {
        let Self { provider, account, keys } = self;
        let first = match keys {
            Some(page) => format!("Use an API key ({page})"),
            None => "Use an API key of another provider".to_owned(),
        };
        format!(
            "tau does not sign in with {account}: that login is for programs of its vendor. {first}, an apiKey in models.json \
             that is `!command` for a command of the vendor that prints a token for other programs, or an extension that \
             brings a login for {provider}."
        )
    }
}
