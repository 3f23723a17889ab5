//! Opens a page with the program that the system has for it.
#![expect(clippy::disallowed_methods, reason = "starts a program that must outlive this one")]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::group::Starting;

/// Starts the user's browser with a page. No shell reads the address. The browser is left alone when this program ends.
///
/// # Errors
/// When there is no program for it, or when this program ends.
pub fn open_page(url: &str) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let starting = Starting::begin()?;
    let mut child = command.spawn()?;
    drop(starting);
    // Somebody has to take note of its end, and nobody needs to know how it was.
    std::thread::Builder::new().name("page".to_owned()).spawn(move || drop(child.wait()))?;
    Ok(())
}
