//! The checks of `/doctor` and `tau doctor`: what is found, what is missing, what is wrong, each with what to do.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use tau_ai::{ModelProblem, ModelRegistry};
use tau_hooks::{Finding, FindingLevel, Hooks};

use crate::explain::{special_problems, step_for, why_no_model};
use crate::keybindings;
use crate::settings::{Environment, Settings};

/// Who makes the checks that are no extension's.
const OWN: &str = "tau";

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Who looked: `tau`, or the path of an extension.
    pub by: String,
    /// What was looked at.
    pub check: String,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// A check of tau itself.
    pub fn own(check: &str, findings: Vec<Finding>) -> Self {
        Self { by: OWN.to_owned(), check: check.to_owned(), findings }
    }
}

/// Looks at everything that needs neither a session nor a terminal.
pub fn examine(env: &Environment, settings: &Settings, models: &ModelRegistry) -> Vec<Checked> {
    vec![
        Checked::own("models", of_models(env, models)),
        Checked::own("settings", of_settings(settings)),
        Checked::own("keys", of_keys(env)),
        Checked::own("files", of_files(env)),
    ]
}

/// Runs the checks of extensions.
pub async fn examine_extensions(hooks: &std::sync::Arc<Hooks>) -> Vec<Checked> {
    let found = hooks.run_checks().await.into_iter();
    found.map(|(owner, check, findings)| Checked { by: owner.path.to_string(), check, findings }).collect()
}

/// Whether something does not work.
pub fn has_problem(checked: &[Checked]) -> bool {
    checked.iter().flat_map(|checked| &checked.findings).any(|finding| finding.level == FindingLevel::Problem)
}

/// The findings for people.
pub fn text(checked: &[Checked]) -> String {
    let mut text = String::new();
    for Checked { by, check, findings } in checked {
        let gap = if text.is_empty() { "" } else { "\n" };
        let by = if by == OWN { String::new() } else { format!(" ({by})") };
        let _ = writeln!(text, "{gap}{check}{by}");
        for Finding { level, what, place, next_step } in findings {
            let level = match level {
                FindingLevel::Fine => "ok",
                FindingLevel::Note => "note",
                FindingLevel::Problem => "problem",
            };
            let _ = writeln!(text, "  {level:<8} {}", indented(what));
            if let Some(place) = place {
                let _ = writeln!(text, "           where: {place}");
            }
            if let Some(step) = next_step {
                let _ = writeln!(text, "           fix: {}", indented(step));
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n             ")
}

fn of_models(env: &Environment, models: &ModelRegistry) -> Vec<Finding> {
    let file = || env.agent_dir().join("models.json").display().to_string();
    let auth = || env.agent_dir().join("auth.json").display().to_string();
    let mut findings = Vec::new();
    let usable = models.available();
    if usable.is_empty() {
        findings.push(Finding::problem(
            "no model can be used: there is no API key, and no model server answers on this machine",
            why_no_model(models),
        ));
    } else {
        let mut providers: Vec<&str> = usable.iter().map(|model| model.provider.as_str()).collect();
        providers.sort_unstable();
        providers.dedup();
        let noun = if usable.len() == 1 { "model" } else { "models" };
        findings.push(Finding::fine(format!("{} {noun} of {}", usable.len(), providers.join(", "))));
        let local: Vec<&str> = providers.into_iter().filter(|provider| models.is_local_server(provider)).collect();
        if !local.is_empty() {
            findings.push(Finding::fine(format!("{} on this machine: no key is needed", local.join(", "))));
        }
    }
    for found in special_problems(models) {
        let step = match &found.problem {
            ModelProblem::BrokenFile { file: "auth.json", .. } => format!("Correct {}", auth()),
            _ => step_for(&found, models, &file()),
        };
        findings.push(Finding::problem(found.to_string(), step));
    }
    let step = "Correct or remove this entry; `tau auth login PROVIDER` writes one";
    findings.extend(models.auth_notes().into_iter().map(|note| Finding::problem(note, step).at(auth())));
    findings.extend(models.notes().into_iter().map(|note| Finding::note(note).at(file())));
    findings
}

fn of_settings(settings: &Settings) -> Vec<Finding> {
    let problems = settings.problems();
    if problems.is_empty() {
        return vec![Finding::fine("every setting can be read and used")];
    }
    let step = "Correct the file, or see what applies with `tau config list`";
    problems.into_iter().map(|problem| Finding::problem(problem, step)).collect()
}

fn of_keys(env: &Environment) -> Vec<Finding> {
    let (_, problems) = keybindings::read(env);
    let file = env.agent_dir().join("keybindings.json").display().to_string();
    let mut findings: Vec<Finding> =
        problems.into_iter().map(|problem| Finding::problem(problem, format!("Correct {file}"))).collect();
    if findings.is_empty() {
        findings.push(Finding::fine("every key has one meaning"));
    }
    findings
}

fn of_files(env: &Environment) -> Vec<Finding> {
    let folder = env.agent_dir();
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    // Permissions do not tell all: a file system can be read-only, or full.
    let finding = match tempfile::tempfile_in(existing) {
        Ok(_) => Finding::fine("sessions and settings can be written"),
        Err(error) => {
            let step = format!("Make {} writable, or set PI_CODING_AGENT_DIR to another folder", folder.display());
            Finding::problem(format!("nothing can be written to {}: {error}", existing.display()), step)
        }
    };
    vec![finding.at(folder.display().to_string())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_at_a_glance() {
        let findings = vec![
            Finding::fine("all is well"),
            Finding::problem("two\nlines", "Do this").at("/a/file"),
            Finding::note("so it is"),
        ];
        let other = Checked { by: "/x/gate.ts".to_owned(), check: "server".to_owned(), findings: Vec::new() };
        let checked = [Checked::own("models", findings), other];
        assert!(has_problem(&checked));
        assert_eq!(
            text(&checked),
            "models\n  ok       all is well\n  problem  two\n             lines\n           where: /a/file\n           \
             fix: Do this\n  note     so it is\n\nserver (/x/gate.ts)"
        );
        assert!(!has_problem(&checked[1..]));
    }
}
