//! `copyToClipboard` on machines that have no program for it.

use std::io::Read;

use crate::support::Place;

const FINE: &str = "replies: [[{text: fine}]]";

/// Says on standard error what became of copying `TEXT`.
const COPIES: &str = "import { copyToClipboard } from '@earendil-works/pi-coding-agent';
export default (pi) => {
  pi.on('session_start', async () => {
    const done = await copyToClipboard(process.env.TEXT).then(() => 'copied', (error) => error.message);
    console.error(done);
  });
};";

fn place() -> Place {
    let place = Place::new();
    place.write("work/copies.ts", COPIES);
    place
}

#[test]
fn text_is_copied_by_the_controlling_terminal_and_never_by_standard_output() {
    let place = place();
    let pty = tau_sys::pty::Pty::open().expect("a terminal");
    let name = pty.path().display();
    let tau = place.play(FINE, ["-e", "copies.ts", "-p", "x"]).env("TEXT", "héllo");
    let done = tau.leading_a_session(&format!("exec <{name}")).run();
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "fine\n", "copied\n"));
    let mut shown = [0; 64];
    let length = pty.ours().read(&mut shown).expect("what the terminal was sent");
    assert_eq!(String::from_utf8_lossy(&shown[..length]), "\x1b]52;c;aMOpbGxv\x07");
}

#[test]
fn what_cannot_be_copied_is_said() {
    let place = place();
    let copy = |name: &str, value: &str, text: &str| {
        let tau = place.play(FINE, ["-e", "copies.ts", "-p", "x"]).env("TEXT", text).env(name, value);
        let done = tau.leading_a_session(":").run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
        done.stderr
    };
    let nothing = "Clipboard unavailable: there is no program for it, and no terminal\n";
    assert_eq!(copy("NO_SUCH", "1", "x"), nothing);
    let long = "x".repeat(80_000);
    assert_eq!(
        copy("SSH_CONNECTION", "1", &long),
        "Clipboard unavailable: the text is too long for the terminal (OSC 52)\n"
    );
}
