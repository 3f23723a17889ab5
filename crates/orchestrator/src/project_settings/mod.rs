//! The settings of the suite: the files of pi-config beside tau's own, and the command that shows and changes them.
//!
//! What counts is decided in [`settings`](crate::shared::settings); this reads the files, tells what is wrong with them, and
//! takes note of changes.

mod ask;
mod change;
mod command;
mod marker;
mod words;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::SessionStart;
use tau_hooks::{Api, Ctx, Extension, HandlerError, Mode, Registrar, Report, Task};
use tau_sys::watch::FileWatch;
use tokio::sync::Notify;

use crate::module::Module;
use crate::shared::commands::share;
use crate::shared::settings::{Files, InUse, KEYS, NAMES, settings_of};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:project-settings",
    about: "settings of the suite in the files of pi-config, and the command /pi-config-settings",
    needs: &[],
    programs: &[],
    in_children: true,
    make: || Box::new(ProjectSettings),
};

/// The extension.
struct ProjectSettings;

/// What a session has of it.
struct Work {
    files: Arc<Files>,
    /// What was told, as long as it holds.
    told: Mutex<BTreeSet<String>>,
}

impl Extension for ProjectSettings {
    fn name(&self) -> &str {
        crate::shared::settings::SECTION
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        for row in KEYS {
            registrar.setting(row.spec())?;
        }
        let files = Arc::new(Files::default());
        registrar.api().shared::<InUse>()?.set(&files);
        if registrar.is_of_child() {
            // The session above says what is wrong with them.
            registrar.on::<SessionStart>(move |_, ctx: Ctx| {
                let files = Arc::clone(&files);
                async move {
                    files.view(&ctx.api()?.folders()?, ctx.host().is_project_trusted());
                    Ok(())
                }
            });
            return Ok(());
        }
        let work = Arc::new(Work { files, told: Mutex::default() });
        share(registrar, vec![command::command(&work)])?;
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            let work = Arc::clone(&work);
            async move { work.begin(ctx).await }
        });
        Ok(())
    }
}

impl Work {
    /// A session is open.
    async fn begin(self: Arc<Self>, ctx: Ctx) -> Result<(), HandlerError> {
        let api = ctx.api()?;
        let marker = marker::take_over(&ctx, &self.files).await?;
        self.tell(&ctx, marker, false)?;
        // For one answer the files are read once.
        if matches!(ctx.mode(), Mode::Tui | Mode::Rpc) {
            // tau itself says at the start what is wrong with its own files.
            let damaged = read_again(&api, &self.files).await?;
            self.told.lock().extend(damaged);
            ctx.spawn("settings", move |task| async move { self.watch(task).await })?;
        }
        Ok(())
    }

    /// Reads the files again when they change, for as long as the session is open.
    async fn watch(&self, task: Task) -> Result<(), HandlerError> {
        let folders = task.api().folders()?;
        let names = NAMES.iter().chain(&["settings.json"]);
        let paths = names.flat_map(|name| [&folders.agent_dir, &folders.project_dir].map(|folder| folder.join(name)));
        let changed = Arc::new(Notify::new());
        let report = Arc::clone(&changed);
        let _watch = FileWatch::of_all(paths.collect(), move || report.notify_one());
        loop {
            tokio::select! {
                biased;
                () = task.ends().cancelled() => return Ok(()),
                () = changed.notified() => {}
            }
            let seen = self.see_change(&task).await;
            // With the session goes what there was to see.
            if !task.ends().is_cancelled() {
                seen?;
            }
        }
    }

    async fn see_change(&self, task: &Task) -> Result<(), HandlerError> {
        let damaged = read_again(task.api(), &self.files).await?;
        self.tell(&task.ctx()?, damaged, true)
    }

    /// Tells what is wrong with the settings, and these texts: each once for as long as it holds. What `tau` itself tells at
    /// the start of a session is left to it unless the session is under way.
    fn tell(&self, ctx: &Ctx, more: Vec<String>, is_under_way: bool) -> Result<(), HandlerError> {
        let settings = settings_of(&ctx.api()?)?;
        let (mut now, mut new) = (BTreeSet::new(), Vec::new());
        let all = settings.problems().iter().map(|problem| (problem.text.clone(), problem.is_told && !is_under_way));
        {
            let mut told = self.told.lock();
            for (text, is_told) in more.into_iter().map(|text| (text, false)).chain(all) {
                if !told.contains(&text) && !is_told && !now.contains(&text) {
                    new.push(text.clone());
                }
                now.insert(text);
            }
            *told = now;
        }
        for text in new {
            notice(ctx, &text, NotifyLevel::Warning)?;
        }
        Ok(())
    }
}

/// Shows a notice, or reports it where nobody sees notices.
fn notice(ctx: &Ctx, text: &str, level: NotifyLevel) -> Result<(), HandlerError> {
    if ctx.has_ui() {
        ctx.ui().notify(text, level);
    } else {
        let extension = Arc::clone(&ctx.owner().path);
        ctx.api()?.report(&Report::diagnostic(extension, "settings", text));
    }
    Ok(())
}

/// Reads tau's own files and those of pi-config again, on a thread that may wait for a lock. Gives what is wrong with the
/// former as a whole.
async fn read_again(api: &Api, files: &Arc<Files>) -> Result<Vec<String>, HandlerError> {
    let (api, files) = (api.clone(), Arc::clone(files));
    aside(move || {
        let damaged = api.read_settings_again()?;
        files.refresh(&api.folders()?, api.host()?.is_project_trusted());
        Ok(damaged)
    })
    .await
}

/// Does something that may wait, on a thread of its own.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, HandlerError> + Send + 'static,
) -> Result<T, HandlerError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // A panic of it is one of the caller; without a panic the program ends.
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Err(HandlerError::msg(error)),
    }
}
