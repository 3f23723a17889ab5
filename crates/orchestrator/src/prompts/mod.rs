//! The prompt templates of the suite: `/implement`, `/scout-and-plan`, `/review-local`, `/pr-review`, `/release`, `/remember`.
//!
//! Each looks first whether the session has what it needs, and sends nothing when that is missing. What a user types stands in
//! a fence that it cannot close, or was checked to be a number or a name.

mod needs;
mod template;
mod words;

use async_trait::async_trait;
use tau_hooks::{Api, Extension, HandlerError, Registrar, TemplateContent, TemplateInfo, Templates};
use tokio_util::sync::CancellationToken;

use self::needs::{BASH, MEMORY, Missing, Session};
use self::template::{Kind, Template, all};
use self::words::{Release, WordError};
use crate::module::{Alone, GET_GH, Module, Needed};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:prompts",
    about: "prompt templates: /implement, /scout-and-plan, /review-local, /pr-review, /release, /remember",
    needs: &[Alone { without: "builtin:ask-user", then: "/pr-review posts nothing, and /release only makes dry runs" }],
    programs: &[Needed {
        program: "gh",
        what_for: "reads and posts on pull requests, and publishes releases",
        get: GET_GH,
        only_if: None,
    }],
    in_children: false,
    make: || Box::new(Prompts),
};

const WITH_WORKERS: &str = "This session has the tool `subagent`. Give it the steps that say (subagent), each with everything it has to know, \
and check what comes back.";
const ALONE: &str = "This session has no tool `subagent`: do all steps yourself, one after the other.";

const ASK: &str = "ask with the tool `ask_user` before you go on";
const ASK_NOBODY: &str = "say in your answer which way you chose and why, for nobody can be asked during this run";

const POST: &str = "Ask with the tool `ask_user` whether to post the review, and as what: a comment, a request for changes or an \
approval. Post with `gh pr review` only what the user said yes to, with the text in a file (`--body-file`). Without a yes post nothing.";
const POST_NOTHING: &str =
    "Post nothing: there is nobody here who could say yes to it. The user can post the review later.";

const PUBLISH: &str = "Ask with the tool `ask_user` whether to publish exactly that. Only after a yes create the tag and the release with \
`gh release create`, the notes in a file (`--notes-file`), with `--prerelease`, `--draft` and `--target` as above. Anything else than a clear \
yes, and a question that fails, means that nothing is published.";
const DRY_RUN: &str =
    "This is a dry run: run none of these commands. Create no tag, push nothing, and publish nothing.";

/// What to do where nobody can be asked.
const DRY_RUN_INSTEAD: &str = "use --dry-run, or a session with the module builtin:ask-user and a user interface";

/// The extension.
struct Prompts;

/// The templates of a session.
struct OfSession(Api);

impl Extension for Prompts {
    fn name(&self) -> &str {
        "prompts"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let api = registrar.api();
        registrar.templates(OfSession(api));
        Ok(())
    }
}

#[async_trait]
impl Templates for OfSession {
    fn list(&self) -> Vec<TemplateInfo> {
        all().iter().map(|template| template.info.clone()).collect()
    }

    async fn expand(
        &self,
        name: &str,
        arguments: &str,
        cancel: &CancellationToken,
    ) -> Option<Result<TemplateContent, HandlerError>> {
        let template = all().iter().find(|template| template.info.name == name)?;
        let expanded = expand(&self.0, template, arguments, cancel).await;
        Some(expanded.map(|text| TemplateContent { text, images: Vec::new() }))
    }
}

async fn expand(
    api: &Api,
    template: &Template,
    arguments: &str,
    cancel: &CancellationToken,
) -> Result<String, HandlerError> {
    let session = Session::new(api, api.ctx(cancel.clone(), false)?);
    let asking = if session.can_ask() { ASK } else { ASK_NOBODY };
    let workers = if session.has("subagent") { WITH_WORKERS } else { ALONE };
    let understood = |error: WordError| HandlerError::msg(format!("{error}; {}", template.usage()));
    match template.kind {
        Kind::Implement | Kind::ScoutAndPlan => {
            words::text(arguments).map_err(understood)?;
            template.fill(arguments, &[("workers", workers), ("asking", asking)])
        }
        Kind::ReviewLocal => {
            words::branch(arguments).map_err(understood)?;
            session.needs(BASH)?;
            session.needs_repository(false).await?;
            template.fill(arguments, &[])
        }
        Kind::PrReview => {
            let pull = words::pull_request(arguments).map_err(understood)?;
            session.needs(BASH)?;
            session.needs_gh()?;
            // An address says which repository it is.
            if !pull.starts_with("https://") {
                session.needs_repository(true).await?;
            }
            let posting = if session.can_ask() { POST } else { POST_NOTHING };
            template.fill("", &[("pull", &pull), ("posting", posting)])
        }
        Kind::Release => {
            let wanted = Release::parse(arguments).map_err(understood)?;
            session.needs(BASH)?;
            session.needs_gh()?;
            session.needs_repository(true).await?;
            if !wanted.is_dry_run && !session.can_ask() {
                return Err(HandlerError::msg(Missing::Answer { advice: DRY_RUN_INSTEAD }));
            }
            let publishing = if wanted.is_dry_run { DRY_RUN } else { PUBLISH };
            template.fill("", &[("options", &wanted.to_string()), ("publishing", publishing)])
        }
        Kind::Remember => {
            words::text(arguments).map_err(understood)?;
            session.needs(MEMORY)?;
            template.fill(arguments, &[])
        }
    }
}
