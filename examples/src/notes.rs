//! Notes about a project that stay between sessions: the user writes them with `/note`, and the model reads them.
//!
//! What it shows: settings with provenance, a state for each project, a piece of the system prompt, a timer, a subcommand of
//! the program, completions of another command, and a check.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tau_hooks::{
    Api, CliCall, Completion, Extension, Finding, HandlerError, Registrar, SettingGuard, SettingSpec, StateFile,
    StateScope,
};

/// How often the file is looked at for notes that other programs wrote.
const LOOK: Duration = Duration::from_secs(60);

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notes;

/// The notes of a project, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// Their texts.
    pub notes: Vec<String>,
}

fn file(api: &Api) -> Result<StateFile<Noted>, HandlerError> {
    Ok(api.state(StateScope::Project)?.file("notes")?)
}

/// What the model reads: the last notes, as many as the setting allows.
fn text(api: &Api) -> Result<Option<String>, HandlerError> {
    let limit: usize = api.setting("limit")?.get()?;
    let notes = file(api)?.read()?.notes;
    let shown = &notes[notes.len().saturating_sub(limit)..];
    let lines: Vec<String> = shown.iter().map(|note| format!("- {note}")).collect();
    Ok((!lines.is_empty()).then(|| format!("What the user noted about this project:\n{}", lines.join("\n"))))
}

async fn add(api: &Api, note: &str) -> Result<(), HandlerError> {
    let note = note.trim().to_owned();
    if note.is_empty() {
        return Err(HandlerError::msg("a note needs a text"));
    }
    file(api)?.change(move |noted| noted.notes.push(note)).await?;
    Ok(())
}

/// `tau notes [add TEXT]`
async fn notes(call: CliCall) -> Result<u8, HandlerError> {
    match call.args.split_first() {
        None => {
            for note in file(&call.api)?.read()?.notes {
                println!("{note}");
            }
            Ok(0)
        }
        Some((verb, text)) if verb == "add" => add(&call.api, &text.join(" ")).await.map(|()| 0),
        Some((verb, _)) => Err(HandlerError::msg(format!("`tau notes {verb}` cannot be understood"))),
    }
}

impl Extension for Notes {
    fn name(&self) -> &str {
        "notes"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let limit = SettingSpec::new("limit", "How many notes the model reads, the last ones first", 20)
            .schema(json!({ "type": "integer", "minimum": 0 }))
            .guarded(SettingGuard::OnlyLower);
        registrar.setting(limit)?;

        // The prompt must not fail for want of notes; the check says what is wrong with them.
        let api = registrar.api();
        registrar.prompt_segment("notes", 0, move |_| text(&api).ok().flatten())?;

        registrar.command("note", "Notes something about this project", |note, ctx| async move {
            let api = ctx.api()?;
            add(&api, &note).await?;
            Ok(api.prompt_changed()?)
        });

        // Notes that another program wrote reach the model, too.
        let last = parking_lot::Mutex::new(None);
        registrar.every("look", LOOK, move |ctx| {
            let looked = (|| {
                let api = ctx.api()?;
                let noted = file(&api)?.read()?;
                let before = last.lock().replace(noted.clone());
                if before.is_some_and(|before| before != noted) {
                    api.prompt_changed()?;
                }
                Ok::<_, HandlerError>(())
            })();
            std::future::ready(looked)
        });

        registrar.subcommand(
            "notes",
            "List the notes about this project, or add one.",
            "tau notes [add TEXT]",
            notes,
        )?;

        // A session can be named after a note.
        let api = registrar.api();
        registrar.completer("name", move |prefix| {
            let notes = file(&api).ok().and_then(|file| file.read().ok()).unwrap_or_default().notes;
            let fitting = notes.into_iter().filter(|note| note.starts_with(&prefix));
            let all = fitting.map(|note| Completion { value: note.clone(), label: note, description: None }).collect();
            std::future::ready(all)
        });

        registrar.check("notes", |api| async move {
            let file = file(&api)?;
            Ok(vec![
                match file.read() {
                    Ok(noted) => Finding::fine(format!("{} notes about this project", noted.notes.len())),
                    Err(error) => Finding::problem(error.to_string(), "Correct the file, or remove it."),
                }
                .at(file.path().display().to_string()),
            ])
        });
        Ok(())
    }
}
