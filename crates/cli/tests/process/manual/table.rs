//! What cannot be run here, with the reason.

/// A line of commands, or a block, that is not run.
pub struct Row {
    pub page: &'static str,
    /// What the line or the block contains.
    pub contains: &'static str,
    pub why: &'static str,
}

const fn row(page: &'static str, contains: &'static str, why: &'static str) -> Row {
    Row { page, contains, why }
}

pub const NOT_RUN: &[Row] = &[
    row("README.md", "cargo test --workspace", "it runs this very test"),
    row("docs/install.md", "cargo install --locked", "it builds the program; the tests run what such a build makes"),
    row("docs/install.md", "cargo uninstall tau", "nothing was installed"),
    row(
        "docs/packages.md",
        "git:github.com/me/tool",
        "a repository of the network; crates/packages/tests has local ones",
    ),
    row(
        "docs/policy.md",
        "tau policy test \"git push",
        "it is blocked, as the exit code says; policy.rs beside it has such",
    ),
    row("docs/policy.md", "tau policy test \"kubectl", "it asks, as the exit code says; policy.rs beside it has such"),
    row(
        "docs/usage.md",
        "tau auth login openrouter",
        "it needs a terminal; crates/cli/tests/process/logins.rs has one",
    ),
    row("docs/usage.md", "tau auth import", "the file is another program's; logins.rs has one"),
    row("docs/usage.md", "tau auth login anthropic", "it needs a terminal; crates/cli/tests/process/auth.rs has one"),
    row("docs/usage.md", "tau auth print-bearer-token", "only extensions have such logins; auth.rs has one"),
    row(
        "docs/models.md",
        "tau models update",
        "a list of the network; crates/cli/tests/process/models.rs has local ones",
    ),
    row(
        "docs/models.md",
        "tau --list-models ollama",
        "it needs a server; crates/cli/tests/process/local_servers.rs has one",
    ),
    row(
        "docs/models.md",
        "tau --model ollama/qwen3",
        "it needs a server; crates/cli/tests/process/local_servers.rs has one",
    ),
    row(
        "docs/typescript-providers.md",
        "refreshModels({ signal })",
        "it asks a server; crates/js/tests/it/providers.rs has one",
    ),
    row(
        "docs/typescript-providers.md",
        "createProvider({",
        "a part of an extension; crates/js/tests/it/providers.rs has whole ones",
    ),
    row(
        "docs/typescript-providers.md",
        "findOfType(\"classifier\"",
        "a part of a handler; crates/js/tests/it/routing.rs has a whole one",
    ),
    row("docs/acp.md", "codecompanion", "the configuration of a Neovim plugin"),
    row("docs/acp.md", "avante", "the configuration of a Neovim plugin"),
    row("docs/acp.md", "agent-shell-pi-acp-command", "the configuration of an Emacs package"),
    row("docs/rpc.md", "extension_ui_re", "half of a dialog; crates/cli/tests/rpc has whole ones"),
    row(
        "docs/scripted-models.md",
        "tau_ai::scripted::ScriptedApi::from_str",
        "a part of a function; crates/ai/src/scripted/tests",
    ),
    row(
        "docs/components.md",
        "await ctx.ui.custom<string>",
        "a part of a handler; crates/cli/tests/terminal/components has whole ones",
    ),
    row("docs/components.md", "mount(Face::new)", "a part of examples/src/stopwatch.rs"),
    row("docs/scripted-models.md", "\"system\": \"You are", "the shape of a value; crates/ai/src/scripted/tests"),
];

/// Why this line or block of the page is not run.
pub fn not_run(page: &str, text: &str) -> bool {
    NOT_RUN.iter().any(|row| row.page == page && text.contains(row.contains))
}
