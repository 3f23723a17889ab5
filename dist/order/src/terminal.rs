//! A terminal for a program.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::Command;
use std::thread::JoinHandle;

use anyhow::Result;
use nix::pty::{Winsize, openpty};

/// What the program shows when its editor is there.
const EDITOR: &[u8] = b"interrupt";
/// Asks who the terminal is.
const QUESTION: &[u8] = b"\x1b[c";
const ANSWER: &[u8] = b"\x1b[?62;22c";

/// Gives the program a terminal of 100×30 that says who it is, and leaves with ctrl+d.
pub fn sit(command: &mut Command) -> Result<JoinHandle<()>> {
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    let pty = openpty(&size, None)?;
    let theirs = File::from(pty.slave);
    command.env("TERM", "xterm-256color");
    command.stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs);
    let mut ours = File::from(pty.master);
    Ok(std::thread::spawn(move || {
        let (mut shown, mut buffer, mut is_left) = (Vec::new(), [0; 4096], false);
        // The program has ended when nothing can be read.
        while let Ok(count @ 1..) = ours.read(&mut buffer) {
            shown.extend_from_slice(&buffer[..count]);
            let end = |text: &[u8]| Some(shown.windows(text.len()).position(|window| window == text)? + text.len());
            let mut typed = Vec::new();
            if end(EDITOR).is_some() && !std::mem::replace(&mut is_left, true) {
                typed.push(4);
            }
            if let Some(asked) = end(QUESTION) {
                typed.extend_from_slice(ANSWER);
                shown.drain(..asked);
            }
            if ours.write_all(&typed).is_err() {
                return;
            }
        }
    }))
}
