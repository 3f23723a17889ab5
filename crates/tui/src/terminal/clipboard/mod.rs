//! The clipboard: through the programs that desktops have for it, through tmux, or through the terminal.
//!
//! What is said about a copy is what is known: a program that ended well has copied ([`Copied::confirmed`]); a terminal that
//! was asked says nothing.

mod files;
mod programs;
mod run;

use std::path::PathBuf;
use std::time::Duration;

use programs::{Copier, Reader};
use run::Unhelpful;

use super::say;

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long one may take that only says what there is.
const LIST: Duration = Duration::from_secs(1);
/// The longest text that is pasted, in bytes.
const LONGEST_TEXT: usize = 32 * 1024 * 1024;
/// The largest image that is pasted, in bytes.
const LARGEST_IMAGE: usize = 64 * 1024 * 1024;

/// The clipboard, as far as the environment says where it is.
#[derive(Debug, Clone)]
pub struct Clipboard {
    environment: Environment,
    patience: Duration,
}

/// What decides about the ways to the clipboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Environment {
    path: Vec<PathBuf>,
    wayland: bool,
    x11: bool,
    termux: bool,
    macos: bool,
    wsl: bool,
    tmux: bool,
    remote: bool,
    /// The terminal is asked too: `PI_CLIPBOARD_OSC52`.
    also_terminal: bool,
}

/// What became of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// The program that has confirmed it.
    pub confirmed: Option<&'static str>,
    /// What to write to the terminal, so that the clipboard of its machine gets it too. Without a confirmation this is all
    /// that can be done, and whether it works stays unknown.
    pub terminal: Option<String>,
}

impl Copied {
    /// The words for the user.
    pub fn message(&self) -> &'static str {
        match self.confirmed {
            Some(_) => "Copied",
            None => "Sent to the terminal",
        }
    }
}

/// Why nothing could be copied or pasted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClipboardError {
    /// No program for it is there, and the text is too long for the terminal.
    #[error("no program for the clipboard is installed{}, and the text is too long for the terminal", hint(.0))]
    TooLong(&'static str),
    /// No program for it is there.
    #[error("no program for the clipboard is installed{}", hint(.0))]
    NoProgram(&'static str),
    /// The program for it failed.
    #[error("{program} failed: {reason}")]
    Failed {
        /// Its name.
        program: &'static str,
        /// What it said, or how it ended.
        reason: String,
    },
    /// There is more than is taken.
    #[error("the clipboard holds more than {0} MB")]
    TooLarge(usize),
}

fn hint(programs: &str) -> String {
    if programs.is_empty() { String::new() } else { format!(" ({programs})") }
}

/// An image of the clipboard, in the format that its owner gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The format, such as `image/png`. One that models do not take has to be converted.
    pub mime: String,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Clipboard {
    /// The clipboard of this environment.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let any = |names: &[&str]| names.iter().any(|name| is_set(name));
        let path = variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let environment = Environment {
            path,
            wayland: is_set("WAYLAND_DISPLAY"),
            x11: is_set("DISPLAY"),
            termux: is_set("TERMUX_VERSION"),
            macos: cfg!(target_os = "macos"),
            wsl: any(&["WSL_DISTRO_NAME", "WSL_INTEROP"]),
            tmux: is_set("TMUX"),
            remote: any(&["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "MOSH_CONNECTION"]),
            also_terminal: variable("PI_CLIPBOARD_OSC52").as_deref() == Some("1"),
        };
        Self { environment, patience: PATIENCE }
    }

    /// The program that would copy, if one is there.
    pub fn program(&self) -> Option<&'static str> {
        let is_there = |name: &str| self.environment.path.iter().any(|folder| folder.join(name).is_file());
        Copier::of(&self.environment).map(|copier| copier.name).find(|name| is_there(name))
    }

    /// Copies text. The caller writes [`Copied::terminal`].
    ///
    /// # Errors
    /// When there is no way to the clipboard, or the only one failed.
    pub async fn copy(&self, text: &str) -> Result<Copied, ClipboardError> {
        let mut failed = None;
        let mut confirmed = None;
        for copier in Copier::of(&self.environment) {
            match run::copy(copier, &self.environment.path, text, self.patience).await {
                Ok(()) => {
                    confirmed = Some(copier.name);
                    break;
                }
                Err(unhelpful) => failed = unhelpful.error().or(failed),
            }
        }
        let has_display = self.environment.has_display();
        // A desktop whose program fails must report it: what a terminal does stays unknown.
        let asks_terminal =
            self.environment.remote || self.environment.also_terminal || (confirmed.is_none() && !has_display);
        let terminal = if asks_terminal { say::copy(text) } else { None };
        if confirmed.is_some() || terminal.is_some() {
            return Ok(Copied { confirmed, terminal });
        }
        Err(failed.unwrap_or(if asks_terminal {
            ClipboardError::TooLong(self.environment.wanted())
        } else {
            ClipboardError::NoProgram(self.environment.wanted())
        }))
    }

    /// The text of the clipboard; `None` when there is none.
    ///
    /// # Errors
    /// When there is no program for it, or it failed, or there is more than is taken.
    pub async fn text(&self) -> Result<Option<String>, ClipboardError> {
        let mut failed = None;
        for reader in Reader::of(&self.environment) {
            match run::read(reader.name, reader.text, &self.environment.path, LONGEST_TEXT, self.patience).await {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    // Windows ends lines in its own way.
                    let text = if reader.windows { text.replace("\r\n", "\n") } else { text };
                    return Ok(Some(text).filter(|text| !text.is_empty()));
                }
                Err(Unhelpful::Failed(error @ ClipboardError::TooLarge(_))) => failed = Some(error),
                Err(unhelpful) => failed = failed.or(unhelpful.error()),
            }
        }
        match failed {
            // Programs fail where there is no text.
            Some(ClipboardError::Failed { .. }) => Ok(None),
            Some(error) => Err(error),
            None => Err(ClipboardError::NoProgram(self.environment.wanted())),
        }
    }

    /// The image of the clipboard; `None` when there is none.
    ///
    /// # Errors
    /// When there is no program for it, or there is more than is taken.
    pub async fn image(&self) -> Result<Option<Image>, ClipboardError> {
        let mut is_there = false;
        for reader in Reader::of(&self.environment) {
            let path = &self.environment.path;
            let Some(list) = reader.types else { continue };
            let types = match run::read(reader.name, list, path, LONGEST_TEXT, LIST.min(self.patience)).await {
                Ok(types) => String::from_utf8_lossy(&types).into_owned(),
                Err(unhelpful) => {
                    is_there |= matches!(unhelpful, Unhelpful::Failed(_));
                    continue;
                }
            };
            let Some(mime) = programs::preferred(&types) else {
                // One that works and has none is asked no further: another could have something old.
                return Ok(None);
            };
            let args: Vec<&str> =
                reader.image.iter().map(|arg| if *arg == programs::TYPE { mime } else { arg }).collect();
            return match run::read(reader.name, &args, path, LARGEST_IMAGE, self.patience).await {
                Ok(bytes) if bytes.is_empty() => Ok(None),
                Ok(bytes) => {
                    let mime = mime.split(';').next().unwrap_or(mime).trim().to_ascii_lowercase();
                    Ok(Some(Image { mime, bytes }))
                }
                Err(Unhelpful::Failed(error @ ClipboardError::TooLarge(_))) => Err(error),
                Err(_) => Ok(None),
            };
        }
        if is_there { Ok(None) } else { Err(ClipboardError::NoProgram(self.environment.wanted())) }
    }
}

impl Environment {
    fn has_display(&self) -> bool {
        self.wayland || self.x11 || self.termux || self.macos
    }

    /// The programs that would do, here.
    fn wanted(&self) -> &'static str {
        match self {
            Self { termux: true, .. } => "install Termux:API and termux-api",
            Self { wayland: true, .. } => "install wl-clipboard",
            Self { x11: true, .. } => "install xclip or xsel",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests;
