//! The clipboard with programs that stand in for those of desktops.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::*;

/// A folder of programs, which is the whole path.
struct Desk {
    folder: TempDir,
    variables: Vec<(&'static str, &'static str)>,
}

impl Desk {
    fn new(variables: &[(&'static str, &'static str)]) -> Self {
        Self { folder: TempDir::new().expect("a folder"), variables: variables.to_vec() }
    }

    fn with(self, name: &str, script: &str) -> Self {
        let file = self.folder.path().join(name);
        // Renamed, because a file that is open for writing cannot be started.
        let new = self.folder.path().join("new");
        let script = format!("#!/bin/sh\nPATH=/usr/bin:/bin\ncd {}\n{script}\n", self.folder.path().display());
        fs::write(&new, script).expect("a program");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("permissions");
        fs::rename(new, file).expect("a program");
        self
    }

    fn clipboard(&self) -> Clipboard {
        let path = self.folder.path().to_string_lossy().into_owned();
        Clipboard::of(|name| match name {
            "PATH" => Some(path.clone()),
            _ => self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()),
        })
    }

    fn impatient(&self) -> Clipboard {
        Clipboard { patience: Duration::from_millis(100), ..self.clipboard() }
    }

    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap_or_default()
    }
}

const WAYLAND: (&str, &str) = ("WAYLAND_DISPLAY", "wayland-0");
const X11: (&str, &str) = ("DISPLAY", ":0");

#[tokio::test]
async fn a_program_that_ends_well_has_copied() {
    let desk = Desk::new(&[WAYLAND, X11]).with("wl-copy", "cat > copied").with("xclip", "cat > wrong");
    let copied = desk.clipboard().copy("héllo\n$(x) `y`").await.expect("copied");
    assert_eq!((copied.confirmed, copied.terminal.as_deref(), copied.message()), (Some("wl-copy"), None, "Copied"));
    assert_eq!(desk.file("copied"), "héllo\n$(x) `y`".as_bytes());
    // The next one is tried when one fails.
    let desk = Desk::new(&[WAYLAND, X11]).with("wl-copy", "exit 1").with("xclip", "cat > copied; echo $* > args");
    let copied = desk.clipboard().copy("x").await.expect("copied");
    assert_eq!((copied.confirmed, desk.file("args")), (Some("xclip"), b"-selection clipboard\n".to_vec()));
}

#[tokio::test]
async fn a_program_that_stays_is_let_go_and_one_that_hangs_is_ended() {
    let desk = Desk::new(&[X11]).with("xclip", "cat > copied; sleep 600 & echo $! > pid");
    let copied = desk.clipboard().copy("x").await.expect("copied");
    assert_eq!(copied.confirmed, Some("xclip"));
    let pid = String::from_utf8(desk.file("pid")).expect("a number");
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::KILL).expect("it stays");
    let desk = Desk::new(&[X11]).with("xclip", "exec sleep 600");
    let error = desk.impatient().copy("x").await.expect_err("it hangs");
    assert_eq!(error.to_string(), "xclip failed: it took too long");
}

#[tokio::test]
async fn without_a_program_a_terminal_is_asked_and_nothing_is_claimed() {
    let bare = Desk::new(&[]);
    let copied = bare.clipboard().copy("x").await.expect("sent");
    assert_eq!((copied.confirmed, copied.message()), (None, "Sent to the terminal"));
    assert_eq!(copied.terminal.as_deref(), Some("\x1b]52;c;eA==\x1b\\"));
    let long = "x".repeat(100_000);
    assert_eq!(bare.clipboard().copy(&long).await, Err(ClipboardError::TooLong("")));
    // Where there is a display, its clipboard is meant.
    let desk = Desk::new(&[WAYLAND]);
    let error = desk.clipboard().copy("x").await.expect_err("no program");
    assert_eq!(error.to_string(), "no program for the clipboard is installed (install wl-clipboard)");
}

#[tokio::test]
async fn a_remote_terminal_gets_it_too() {
    for variable in [("SSH_TTY", "/dev/pts/0"), ("PI_CLIPBOARD_OSC52", "1")] {
        let desk = Desk::new(&[X11, variable]).with("xsel", "cat > copied");
        let copied = desk.clipboard().copy("x").await.expect("copied");
        assert!(copied.confirmed == Some("xsel") && copied.terminal.is_some(), "{variable:?}");
    }
}

#[tokio::test]
async fn tmux_and_windows_take_it_as_they_need() {
    let desk = Desk::new(&[("TMUX", "x")]).with("tmux", "cat > copied; echo $* > args");
    assert_eq!(desk.clipboard().copy("x").await.expect("copied").confirmed, Some("tmux"));
    assert_eq!(desk.file("args"), b"load-buffer -w -\n");
    let desk = Desk::new(&[("WSL_DISTRO_NAME", "x")]).with("clip.exe", "cat > copied");
    assert_eq!(desk.clipboard().copy("é").await.expect("copied").confirmed, Some("clip.exe"));
    assert_eq!(desk.file("copied"), [0xff, 0xfe, 0xe9, 0]);
}

#[tokio::test]
async fn a_program_of_the_project_is_not_run() {
    let desk = Desk::new(&[X11]).with("xclip", "cat > copied");
    let relative = Clipboard::of(|name| match name {
        "PATH" => Some(":.:bin".to_owned()),
        "DISPLAY" => Some(":0".to_owned()),
        _ => None,
    });
    assert_eq!(relative.copy("x").await, Err(ClipboardError::NoProgram("install xclip or xsel")));
    drop(desk);
}

#[tokio::test]
async fn text_is_pasted_from_the_first_that_works() {
    let desk = Desk::new(&[WAYLAND]).with("wl-paste", "echo $* > args; printf 'a\\377b'");
    assert_eq!(desk.clipboard().text().await, Ok(Some("a\u{fffd}b".to_owned())));
    assert_eq!(desk.file("args"), b"--no-newline --type text\n");
    let empty = Desk::new(&[X11]).with("xclip", "echo 'Error: target STRING not available' >&2; exit 1");
    assert_eq!(empty.clipboard().text().await, Ok(None));
    let much = Desk::new(&[X11]).with("xsel", "yes");
    assert_eq!(much.clipboard().text().await, Err(ClipboardError::TooLarge(32)));
    assert!(matches!(Desk::new(&[X11]).clipboard().text().await, Err(ClipboardError::NoProgram(_))));
    let windows = Desk::new(&[("WSL_INTEROP", "x")]).with("powershell.exe", "printf 'a\\r\\nb'");
    assert_eq!(windows.clipboard().text().await, Ok(Some("a\nb".to_owned())));
}

#[tokio::test]
async fn an_image_is_pasted_in_the_best_format() {
    let script = "case $1 in --list-types) printf 'text/html\\nimage/bmp\\nimage/PNG;x=1\\n';; *) echo $* > args; printf png;; esac";
    let desk = Desk::new(&[WAYLAND]).with("wl-paste", script);
    let image = Image { mime: "image/png".to_owned(), bytes: b"png".to_vec() };
    assert_eq!(desk.clipboard().image().await, Ok(Some(image)));
    assert_eq!(desk.file("args"), b"--type image/PNG;x=1 --no-newline\n");
    // One that has none is the end, although another could have an old one.
    let none = Desk::new(&[WAYLAND, X11]).with("wl-paste", "echo text/plain").with("xclip", "echo image/png");
    assert_eq!(none.clipboard().image().await, Ok(None));
    let broken = Desk::new(&[WAYLAND, X11]).with("wl-paste", "exit 1").with("xclip", "echo image/gif");
    assert_eq!(broken.clipboard().image().await.expect("an image").expect("an image").mime, "image/gif");
    assert!(matches!(Desk::new(&[X11]).clipboard().image().await, Err(ClipboardError::NoProgram(_))));
}

#[tokio::test]
async fn files_are_pasted_by_their_paths() {
    let list = "text/plain\\ntext/uri-list\\n";
    let script = format!(
        "case \"$*\" in *TARGETS*) printf '{list}';; *) echo $* > args; printf '# two\\r\\nfile:///a/b%%20c\\r\\nhttps://x/\\r\\n';; esac"
    );
    let desk = Desk::new(&[X11]).with("xclip", &script);
    assert_eq!(desk.clipboard().files().await, [PathBuf::from("/a/b c")]);
    assert_eq!(desk.file("args"), b"-selection clipboard -t text/uri-list -o\n");
    let none = Desk::new(&[X11]).with("xclip", "echo text/plain");
    assert!(none.clipboard().files().await.is_empty());
    assert!(Desk::new(&[X11]).clipboard().files().await.is_empty());
}
