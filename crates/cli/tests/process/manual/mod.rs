//! The examples of README and manual are run as they are written: commands by a shell, files where the page says, models by
//! a server on this machine.

mod blocks;
mod run;
mod table;
mod world;

use std::collections::BTreeSet;

use blocks::{blocks, pages};

macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        /// Every page with an example has a test.
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $name() {
                run::page($page);
            }
        )*
    };
}

pages! {
    readme: "README.md",
    acp: "docs/acp.md",
    child_sessions: "docs/child-sessions.md",
    codemode: "docs/codemode.md",
    components: "docs/components.md",
    dialects: "docs/dialects.md",
    extensions: "docs/extensions.md",
    index: "docs/index.md",
    install: "docs/install.md",
    json: "docs/json.md",
    models: "docs/models.md",
    oh_my_pi_hooks: "docs/oh-my-pi-hooks.md",
    orchestrator: "docs/orchestrator.md",
    packages: "docs/packages.md",
    policy: "docs/policy.md",
    prompt_templates: "docs/prompt-templates.md",
    rpc: "docs/rpc.md",
    rules: "docs/rules.md",
    scripted_models: "docs/scripted-models.md",
    session_format: "docs/session-format.md",
    settings: "docs/settings.md",
    skills: "docs/skills.md",
    themes: "docs/themes.md",
    troubleshooting: "docs/troubleshooting.md",
    typescript: "docs/typescript.md",
    typescript_context: "docs/typescript-context.md",
    typescript_providers: "docs/typescript-providers.md",
    usage: "docs/usage.md",
}

#[test]
fn every_page_with_an_example_is_run() {
    let with_examples: BTreeSet<String> = pages().into_iter().filter(|page| !blocks(page).is_empty()).collect();
    assert_eq!(with_examples, PAGES.iter().map(|page| (*page).to_owned()).collect());
}

#[test]
fn what_is_not_run_is_still_there() {
    let all: Vec<_> = pages().iter().flat_map(|page| blocks(page)).collect();
    for row in table::NOT_RUN {
        let is_there = all.iter().any(|block| block.page == row.page && block.text.contains(row.contains));
        assert!(is_there, "{}: nothing contains {:?} any more; take the row out", row.page, row.contains);
        assert!(!row.why.is_empty());
    }
}
