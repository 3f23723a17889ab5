//! Judging, on a thread that may wait for files, repositories and a forge.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::HandlerError;
use tau_policy::rules::{Action, FileVerdict, Verdict};
use tau_policy::{FileUse, Listed, Machine, Narrow, evaluate, narrow};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::answer::REPETITION;
use super::forge::Forge;
use super::scene::Scene;
use crate::shared::policy::{Now, PolicyFiles, Prefixed, is_posix};

/// What a judgement needs.
#[derive(Clone)]
pub(super) struct Judge {
    pub(super) scene: Scene,
    pub(super) files: Arc<Mutex<PolicyFiles>>,
    pub(super) forge: Arc<Forge>,
    /// Ends what is asked of a forge.
    pub(super) cancel: CancellationToken,
}

/// What the rules say about a command.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// The command with what stands in front of it.
    pub(super) command: Prefixed,
    /// The narrowest rules that answer all questions of the verdict; empty if there are none.
    pub(super) always: Vec<Narrow>,
    /// What the rule about repetition says, where it is in force.
    pub(super) repetition: Option<String>,
    /// What is wrong with rule files now and was not before.
    pub(super) news: Vec<String>,
}

impl Judge {
    /// Judges a command.
    pub(super) async fn command(self, command: String) -> Result<Judged, HandlerError> {
        if let Some(shell) = self.scene.shell.as_deref().filter(|shell| !is_posix(shell)) {
            return Err(HandlerError::msg(unread(shell)));
        }
        let runtime = Handle::current();
        aside(move || {
            let Now { policy, news, .. } = self.rules();
            let machine = self.machine(&runtime);
            let command = Prefixed::new(self.scene.prefix.as_deref(), &command);
            let verdict = policy.judge(evaluate(&command.text, &machine), &machine);
            let always = narrowest(&verdict);
            let repetition = policy.rule(REPETITION, &machine).filter(|rule| rule.inactive.is_none());
            Ok(Judged { verdict, command, always, repetition: repetition.map(|rule| rule.message), news })
        })
        .await
    }

    /// Judges the use of files: the strongest verdict, and what is wrong with rule files now.
    pub(super) async fn uses(self, uses: Vec<FileUse>) -> Result<(Option<FileVerdict>, Vec<String>), HandlerError> {
        let runtime = Handle::current();
        aside(move || {
            let Now { policy, news, .. } = self.rules();
            let machine = self.machine(&runtime);
            let verdicts = uses.iter().map(|usage| policy.judge_file(usage, &machine));
            Ok((verdicts.max_by_key(|verdict| verdict.action), news))
        })
        .await
    }

    /// All rules, and what is wrong with their files.
    pub(super) async fn list(self) -> Result<(Vec<Listed>, Vec<String>), HandlerError> {
        let runtime = Handle::current();
        aside(move || {
            let Now { policy, problems, .. } = self.rules();
            let machine = self.machine(&runtime);
            Ok((policy.rules(&machine), problems))
        })
        .await
    }

    fn rules(&self) -> Now {
        self.files.lock().look(&self.scene.places(), &self.scene.wanted)
    }

    fn machine(&self, runtime: &Handle) -> Machine {
        let ask = |forge: &Arc<Forge>| (Arc::clone(forge), runtime.clone(), self.cancel.clone());
        let (forge, runtime_of, cancel) = ask(&self.forge);
        let protected = Box::new(move |repository: &_| runtime_of.block_on(forge.protected(repository, &cancel)));
        let (forge, runtime_of, cancel) = ask(&self.forge);
        let merged = Box::new(move |repository: &_, branch: &str| {
            runtime_of.block_on(forge.merged(repository, branch, &cancel))
        });
        self.scene.machine().with_forge(protected, merged)
    }
}

/// Why commands for another kind of shell do not run.
fn unread(shell: &Path) -> String {
    format!(
        "the rules read commands of sh, bash, zsh and the like, and the setting shellPath is {}; choose such a shell, or leave \
         builtin:enforcement out",
        shell.display()
    )
}

/// The rules that answer every question of a verdict.
fn narrowest(verdict: &Verdict) -> Vec<Narrow> {
    let questions = verdict.findings.iter().filter(|finding| finding.action == Action::Ask);
    let rules: Option<Vec<Narrow>> = questions.map(|finding| narrow(finding, &verdict.evaluation)).collect();
    let mut rules = rules.unwrap_or_default();
    rules.dedup_by(|one, other| one.id == other.id);
    rules
}

/// Does something that may wait, on a thread of its own. A panic there is one of the caller, so that the gate stays shut.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HandlerError> + Send + 'static,
) -> Result<T, HandlerError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(HandlerError::msg(format!("the call was not checked: {error}"))),
    }
}
