//! The programs that the modules of a session need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{ActionError, Api, Ctx, Finding, HandlerError};

use super::kept::change;
use crate::module::Module;
use crate::shared::programs::find_in;

/// A program that modules need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    name: &'static str,
    /// Where it is; `None` when it is not there.
    path: Option<PathBuf>,
    /// What for, each with the name of the module.
    uses: Vec<(&'static str, &'static str)>,
    get: &'static str,
}

/// The programs, in the order of the modules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Programs(Vec<Program>);

/// The missing programs that the user knows of.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    programs: BTreeSet<String>,
}

/// Looks for what those of the modules need that a session has loaded.
pub(super) fn look(api: &Api, modules: &[Module]) -> Result<Programs, ActionError> {
    let loaded = api.extensions()?;
    let is_loaded = |module: &&Module| loaded.iter().any(|owner| *owner.path == *module.name);
    Ok(look_for(modules.iter().filter(is_loaded), &api.variables()?, &api.folders()?.cwd))
}

fn look_for<'a>(
    modules: impl Iterator<Item = &'a Module>,
    variables: &BTreeMap<String, String>,
    folder: &Path,
) -> Programs {
    let mut found: Vec<Program> = Vec::new();
    for module in modules {
        let is_needed = |file: Option<&str>| file.is_none_or(|file| folder.join(file).is_file());
        for needed in module.programs.iter().filter(|needed| is_needed(needed.only_if)) {
            let short = module.name.strip_prefix("builtin:").unwrap_or(module.name);
            let of = (short, needed.what_for);
            match found.iter_mut().find(|program| program.name == needed.program) {
                Some(program) => program.uses.push(of),
                None => {
                    let path = find_in(variables, needed.program);
                    found.push(Program { name: needed.program, path, uses: vec![of], get: needed.get });
                }
            }
        }
    }
    Programs(found)
}

/// Tells the user of missing programs, unless they know of all of them.
pub(super) async fn tell(ctx: &Ctx, modules: &[Module]) -> Result<(), HandlerError> {
    let programs = look(&ctx.api()?, modules)?;
    let (missing, there): (Vec<_>, Vec<_>) = programs.0.iter().partition(|program| program.path.is_none());
    let names = |programs: Vec<&Program>| programs.iter().map(|program| program.name.to_owned()).collect::<Vec<_>>();
    let (missing, there) = (names(missing), names(there));
    let is_new = change(ctx, "programs", move |told: &mut Told| {
        // What is missing again later is news then.
        told.programs.retain(|program| !there.contains(program));
        let before = told.programs.len();
        told.programs.extend(missing.iter().cloned());
        told.programs.len() > before
    });
    if is_new.await? {
        ctx.ui().notify(&programs.notice(), NotifyLevel::Warning);
    }
    Ok(())
}

impl Programs {
    /// What is missing, in one text.
    fn notice(&self) -> String {
        let mut text = "Programs that modules of the suite need are not installed:".to_owned();
        for program in self.0.iter().filter(|program| program.path.is_none()) {
            text.push_str(&format!("\n- {} {}. {}", program.name, program.for_what(), program.get));
        }
        text.push_str("\nEverything else works. /doctor shows this at any time.");
        text
    }

    /// The same for `/doctor`, with what is there.
    pub(super) fn findings(&self) -> Vec<Finding> {
        if self.0.is_empty() {
            return vec![Finding::fine("the modules that are on need no other programs")];
        }
        let finding = |program: &Program| match &program.path {
            Some(path) => {
                Finding::fine(format!("{} {}", program.name, program.for_what())).at(path.display().to_string())
            }
            None => {
                let what = format!("{} is not installed; it {}", program.name, program.for_what());
                Finding { next_step: Some(program.get.to_owned()), ..Finding::note(what) }
            }
        };
        self.0.iter().map(finding).collect()
    }
}

impl Program {
    fn for_what(&self) -> String {
        let uses: Vec<String> = self.uses.iter().map(|(module, what)| format!("{what} ({module})")).collect();
        uses.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tau_hooks::FindingLevel;

    use super::*;
    use crate::{autocomplete, btw, github_autocomplete};

    fn looked(folder: &Path, modules: &[Module]) -> Programs {
        let variables = BTreeMap::from([("PATH".to_owned(), folder.join("bin").display().to_string())]);
        look_for(modules.iter(), &variables, folder)
    }

    #[test]
    fn what_several_modules_need_is_one_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = [autocomplete::MODULE, super::super::MODULE, github_autocomplete::MODULE];
        let programs = looked(folder.path(), &all);
        let gh = programs.0.iter().find(|program| program.name == "gh").expect("gh");
        assert!(gh.uses.len() >= 2 && gh.path.is_none(), "{gh:?}");
        assert_eq!(programs.notice().matches("\n- gh ").count(), 1);
        assert!(programs.notice().contains("(autocomplete)"), "{}", programs.notice());
        assert!(!programs.notice().contains("prek"), "it is needed for one file alone");
    }

    #[test]
    fn a_program_is_needed_by_modules_that_are_on_and_for_files_that_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(looked(folder.path(), &[btw::MODULE]), Programs::default());
        std::fs::write(folder.path().join(".pre-commit-config.yaml"), "").expect("a file");
        let own = [super::super::MODULE];
        let findings = looked(folder.path(), &own).findings();
        assert!(findings[0].level == FindingLevel::Note && findings[0].what.contains("prek"), "{findings:?}");
        assert!(findings[0].next_step.is_some());
        std::fs::create_dir(folder.path().join("bin")).expect("a folder");
        let program = folder.path().join("bin/prek");
        std::fs::write(&program, "").expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        let findings = looked(folder.path(), &own).findings();
        assert_eq!(findings[0].level, FindingLevel::Fine);
        assert_eq!(findings[0].place.as_deref(), program.to_str());
    }
}
