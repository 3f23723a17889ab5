//! What can go wrong, told so that a person knows what failed, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

/// A failed operation. What was installed before is as it was. Addresses are shown without user, password and query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// The source cannot be used as it is written.
    #[error("{source_text}: {why}")]
    Source {
        /// The source.
        source_text: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something is needed from the network, which is switched off.
    #[error("{what} is not here, and tau is offline; run the command again without --offline")]
    Offline {
        /// What is needed.
        what: String,
    },
    /// No answer, or half of one.
    #[error("{what}: {url} cannot be reached: {why}; check the network, `registry` and `proxy` in .npmrc")]
    Network {
        /// What was asked for.
        what: String,
        /// The address.
        url: String,
        /// What the connection says.
        why: String,
    },
    /// The registry wants to know who is asking, or does not like the answer.
    #[error("{what}: {url} answered {status}; {hint}")]
    Refused {
        /// What was asked for.
        what: String,
        /// The address.
        url: String,
        /// The code.
        status: u16,
        /// What to do.
        hint: String,
    },
    /// The registry has no such package.
    #[error("there is no package \"{name}\" in {registry}")]
    NoPackage {
        /// Its name.
        name: String,
        /// The registry.
        registry: String,
    },
    /// The package has no such version.
    #[error("{name} has no version that fits \"{wanted}\"{}", nearest(available))]
    NoVersion {
        /// The package.
        name: String,
        /// What was asked for.
        wanted: String,
        /// The latest ones.
        available: Vec<String>,
    },
    /// An answer of a registry, a manifest or a lock file that cannot be understood.
    #[error("{what} cannot be understood: {why}")]
    Malformed {
        /// What it is.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// The content is not what was promised.
    #[error("{what} is not what {promised_by} promises: expected {expected}, got {found}; nothing was installed")]
    Integrity {
        /// The package.
        what: String,
        /// Who knows its hash.
        promised_by: String,
        /// The expected hash.
        expected: String,
        /// The hash of what came.
        found: String,
    },
    /// An archive that would do harm or cannot be read.
    #[error("the archive of {what} is refused: {why}")]
    Archive {
        /// The package.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// The package is not for this system.
    #[error("{what} is for {wanted} only, this is {here}")]
    Platform {
        /// The package.
        what: String,
        /// For which systems.
        wanted: String,
        /// The system.
        here: String,
    },
    /// Git failed.
    #[error("{what}: `git {command}` failed: {why}")]
    Git {
        /// The source.
        what: String,
        /// The subcommand.
        command: String,
        /// The end of what git said.
        why: String,
    },
    /// A file or a folder cannot be read or written.
    #[error("{}: {why}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A part of a larger operation failed.
    #[error("{of}: {error}")]
    Part {
        /// The package that needs it.
        of: String,
        /// What failed.
        error: Box<PackageError>,
    },
}

impl PackageError {
    /// For `map_err` on file operations.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_path_buf(), why: error.to_string() }
    }

    /// Says which package asked for what failed.
    pub(crate) fn needed_by(self, of: &str) -> Self {
        Self::Part { of: of.to_owned(), error: Box::new(self) }
    }
}

fn nearest(available: &[String]) -> String {
    match available {
        [] => String::new(),
        some => format!("; there is {}", some.join(", ")),
    }
}
