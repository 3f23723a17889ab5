//! The errors that users read, with their places and what to do about them.

use std::path::Path;

use tau_ai::{AuthError, PatternError, ProviderError};
use tau_hooks::LoadError;
use tau_packages::PackageError;
use tau_session::SessionError;

use super::{Problem, ToProblem};
use crate::export::ExportError;
use crate::logins::{AuthFileError, LoginError};
use crate::packages::{PackagesError, SwitchError};
use crate::pipeline::compaction::CompactError;
use crate::pipeline::{BashError, PromptError};
use crate::session::{FindSessionError, ImportError, ReloadError, ReplaceError, StartError};
use crate::settings::{EditError, LockError, SettingsError, ToolListError};
use crate::state::StateError;

/// Errors whose text is all there is to say.
macro_rules! plain {
    ($($error:ty),* $(,)?) => {$(
        impl ToProblem for $error {
            fn to_problem(&self) -> Problem {
                Problem::new(self)
            }
        }
    )*};
}

plain!(crate::Crash, ToolListError, StateError, AuthError, LoginError);

/// The part of a text behind the last of these, with what follows it.
fn after(text: &str, mark: &str) -> String {
    text.rsplit_once(mark).map(|(_, after)| after.to_owned()).unwrap_or_default()
}

fn at(error: &dyn std::fmt::Display, path: &Path) -> Problem {
    Problem::new(error).at(path.display())
}

impl ToProblem for SettingsError {
    fn to_problem(&self) -> Problem {
        let problem = at(self, self.path());
        match self {
            Self::Malformed { path, line, column, .. } => problem.at(format!("{}:{line}:{column}", path.display())),
            Self::Twice { .. } => problem.next("remove one of them first"),
            Self::NotObject { .. } => problem.next("correct or remove it first"),
            Self::Guard(_)
            | Self::Unreadable { .. }
            | Self::Requirements { .. }
            | Self::Unwritable { .. }
            | Self::Locked { .. }
            | Self::Untrusted { .. } => problem,
        }
    }
}

impl ToProblem for EditError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::File(error) => error.to_problem(),
            Self::WrongValue { key, .. } => Problem::new(self).at(key),
            Self::NoName | Self::Guard(_) => Problem::new(self),
        }
    }
}

impl ToProblem for LockError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Busy { path } | Self::Lost { path } | Self::Failed { path, .. } => at(self, path),
        }
    }
}

impl ToProblem for AuthFileError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Malformed { path, line, .. } => Problem::new(self).at(format!("{}:{line}", path.display())),
            Self::Twice { path, .. } | Self::Failed { path, .. } | Self::Locked { path, .. } => at(self, path),
        }
    }
}

impl ToProblem for PackagesError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Settings(error) => error.to_problem(),
            Self::Package(error) => error.to_problem(),
            Self::NoPath { path } => at(self, path),
            Self::NoBuiltin { .. } => Problem::new(self),
            Self::NoModule { path, .. } => at(self, path).next("a package is named by its folder"),
            Self::NotNamed { .. } => {
                let text = self.to_string();
                Problem::new(&text)
                    .next(text.find("Did you mean").map(|from| text[from..].to_owned()).unwrap_or_default())
            }
        }
    }
}

impl ToProblem for PackageError {
    fn to_problem(&self) -> Problem {
        let problem = Problem::new(self);
        match self {
            Self::Source { source_text, .. } => problem.at(source_text),
            Self::Offline { .. } => problem.next("run the command again without --offline"),
            Self::Network { what, .. } => problem.at(what).next("check the network, `registry` and `proxy` in .npmrc"),
            Self::Refused { what, hint, .. } => problem.at(what).next(hint),
            Self::NoPackage { registry, .. } => problem.at(registry),
            Self::Git { what, .. } => problem.at(what),
            Self::Io { path, .. } => problem.at(path.display()),
            Self::Part { of, error } => {
                let next = error.to_problem().next.unwrap_or_default();
                problem.at(of).next(next)
            }
            Self::NoVersion { .. }
            | Self::Malformed { .. }
            | Self::Integrity { .. }
            | Self::Archive { .. }
            | Self::Platform { .. } => problem,
        }
    }
}

impl ToProblem for SwitchError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Settings(error) => error.to_problem(),
            Self::Nothing { .. } => Problem::new(self).next("`tau config resources` lists all"),
            Self::Many { .. } => Problem::new(self),
        }
    }
}

impl ToProblem for SessionError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Io { path, .. } | Self::NotASession { path, .. } | Self::AlreadyExists(path) => at(self, path),
            Self::UnknownVersion { path, .. } => at(self, path).next("Update tau to open it."),
            _ => Problem::new(self),
        }
    }
}

impl ToProblem for FindSessionError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::NoMatch(_) => Problem::new(self),
            Self::Ambiguous { .. } => Problem::new(self).next("Give more of the id."),
        }
    }
}

impl ToProblem for ExportError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Nothing => Problem::new(self).next("start a conversation first"),
            Self::NotFound(path) => at(self, path),
            Self::OwnFile(path) => at(self, path).next("choose another one"),
            Self::OtherSession(path) => at(self, path).next("choose another file"),
            Self::Io { path, .. } => at(self, path),
            Self::Session(error) => error.to_problem(),
        }
    }
}

impl ToProblem for ImportError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::File(error) => error.to_problem(),
            Self::Replace(error) => error.to_problem(),
        }
    }
}

impl ToProblem for ReplaceError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Session(error) => error.to_problem(),
            // The whole text is the next step.
            Self::Running => Problem::new(self).next(self),
            _ => Problem::new(self),
        }
    }
}

impl ToProblem for ReloadError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Busy | Self::Compacting => Problem::new(self).next(self),
            Self::ShuttingDown | Self::Broken(_) => Problem::new(self),
        }
    }
}

impl ToProblem for StartError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Session(error) => error.to_problem(),
        }
    }
}

impl ToProblem for CompactError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Model(error) => error.to_problem(),
            Self::Session(error) => error.to_problem(),
            _ => Problem::new(self),
        }
    }
}

impl ToProblem for BashError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Session(error) => error.to_problem(),
            _ => Problem::new(self),
        }
    }
}

impl ToProblem for PromptError {
    fn to_problem(&self) -> Problem {
        let problem = Problem::new(self);
        match self {
            Self::Busy => problem.next("Specify streamingBehavior ('steer' or 'followUp') to queue the message."),
            Self::Compacting => problem.next("Wait for compaction to finish and retry."),
            Self::NoModel { why } => problem.next(why),
            Self::NotQueueable(_) => problem.next("Use prompt() or execute the command when not streaming."),
            Self::Session(error) => error.to_problem(),
            _ => problem,
        }
    }
}

impl ToProblem for PatternError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::UnknownProvider { .. } => {
                Problem::new(self).next("Use --list-models to see available providers and models.")
            }
            Self::Ambiguous { .. } => Problem::new(self).next("Use --provider or provider/model."),
            Self::NotFound { .. } | Self::UnknownSuffix { .. } => {
                Problem::new(self).next("Use --list-models to see available models.")
            }
            Self::NotChat { .. } => Problem::new(self).next("Use --list-models to see models that can."),
            Self::NoModels { .. } => Problem::new(self).next("Add one to its \"models\" in models.json."),
            Self::LeftOut { .. } => Problem::new(self).next("Correct that in models.json."),
            Self::NoServer { .. } => Problem::new(self),
        }
    }
}

impl ToProblem for ProviderError {
    fn to_problem(&self) -> Problem {
        let next = match self {
            Self::EmptyKey { .. } => after(&self.to_string(), "empty. "),
            Self::NoApi { .. } => after(&self.to_string(), "specified. "),
            _ => String::new(),
        };
        Problem::new(self).next(next)
    }
}

impl ToProblem for LoadError {
    fn to_problem(&self) -> Problem {
        Problem::new(self).at(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::settings::KeyPath;

    fn path() -> PathBuf {
        "/agent/settings.json".into()
    }

    /// What is wrong, where, and what to do next.
    fn parts(error: &(impl ToProblem + std::fmt::Display)) -> (String, Option<String>, Option<String>) {
        let problem = error.to_problem();
        assert_eq!(problem.to_string(), error.to_string(), "the text is that of the error");
        if let Some(step) = problem.next_step() {
            assert!(error.to_string().ends_with(step), "{step:?} ends {error}");
        }
        (problem.what().to_owned(), problem.place().map(str::to_owned), problem.next_step().map(str::to_owned))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn settings_say_the_line_and_what_to_do() {
        let malformed =
            SettingsError::Malformed { path: path(), line: 3, column: 5, message: "expected `,`".to_owned() };
        assert_eq!(parts(&malformed), ("expected `,`".to_owned(), some("/agent/settings.json:3:5"), None));
        let twice = EditError::File(SettingsError::Twice { path: path(), key: KeyPath::dotted("a.b") });
        let what = "a.b is there twice".to_owned();
        assert_eq!(parts(&twice), (what, some("/agent/settings.json"), some("remove one of them first")));
        let untrusted = SettingsError::Untrusted { path: path() };
        let what = "the project is not trusted, its settings are left alone".to_owned();
        assert_eq!(parts(&untrusted), (what, some("/agent/settings.json"), None));
    }

    #[test]
    fn packages_say_who_needed_what_and_what_to_do() {
        let network = PackageError::Network {
            what: "a@1".to_owned(),
            url: "https://r.example/a".to_owned(),
            why: "no connection".to_owned(),
        };
        let step = some("check the network, `registry` and `proxy` in .npmrc");
        assert_eq!(
            parts(&network),
            ("https://r.example/a cannot be reached: no connection".to_owned(), some("a@1"), step.clone())
        );
        let part = PackagesError::Package(PackageError::Part { of: "b".to_owned(), error: Box::new(network) });
        let what = "a@1: https://r.example/a cannot be reached: no connection".to_owned();
        assert_eq!(parts(&part), (what, some("b"), step));
        let offline = PackageError::Offline { what: "a".to_owned() };
        assert_eq!(parts(&offline).0, "a is not here, and tau is offline");
        let named = |nearest: Option<&str>| PackagesError::NotNamed {
            source_text: "npm:x".to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        let what = "No matching package found for npm:x.".to_owned();
        assert_eq!(parts(&named(Some("npm:y"))), (what, None, some("Did you mean npm:y?")));
        assert_eq!(parts(&named(None)).2, None);
    }

    #[test]
    fn sessions_and_prompts_say_what_to_do() {
        let new = SessionError::UnknownVersion { path: path(), version: 99 };
        assert_eq!(parts(&new).2, some("Update tau to open it."));
        let own = ImportError::File(ExportError::OwnFile(path()));
        let what = "/agent/settings.json is the session's own file".to_owned();
        assert_eq!(parts(&own), (what, some("/agent/settings.json"), some("choose another one")));
        let why = "Set ANTHROPIC_API_KEY.".to_owned();
        let none = CompactError::Model(PromptError::NoModel { why: why.clone() });
        assert_eq!(parts(&none), ("No model selected.".to_owned(), None, Some(why)));
        assert_eq!(parts(&PromptError::Busy).0, "Agent is already processing.");
        let wait = some("Wait for the current response to finish before reloading.");
        assert_eq!(parts(&ReloadError::Busy).2, wait);
        let unknown = PatternError::NotFound { pattern: "x".to_owned(), nearest: None };
        assert_eq!(
            parts(&unknown),
            ("Model \"x\" not found.".to_owned(), None, some("Use --list-models to see available models."))
        );
    }
}
