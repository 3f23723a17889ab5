//! What goes wrong around the program: the terminal is usable afterwards, and the session is whole.

use std::io::Write as _;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::Seat;
use crate::place::{Place, files_below, transcript};

const ANSWER: &str = r#"replies: ["It was answered."]"#;
/// Its call does not end by itself.
const SLOW: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";

fn send(seat: &Seat, signal: Signal) {
    kill_process(Pid::from_raw(seat.pid()).expect("a process"), signal).expect("sent");
}

/// Sends a prompt, reads its answer, and leaves: all of it works, the terminal is as before, and the session holds both.
fn assert_usable(seat: Seat) {
    let mut seat = still_usable(seat);
    seat.quits();
    assert_eq!(seat.session_problems(), Vec::<String>::new());
    assert_eq!(transcript(&seat.place.session()), ["user: usable", "assistant: It was answered."]);
}

fn ready() -> Seat {
    let mut seat = Seat::new(Place::new(), ANSWER, &[]);
    seat.is_ready();
    seat
}

#[test]
fn a_terminal_that_does_not_read_holds_no_session_up() {
    let long: String = (0..20_000).map(|n| format!("Line number {n} of many.\\n\\n")).collect();
    let mut seat = Seat::new(Place::new(), &format!("replies: [\"{long}The end.\"]"), &[]);
    seat.is_ready();
    seat.types("Go on");
    seat.shows("Go on");
    seat.stalls(true);
    seat.types("\r");
    while !files_below(&seat.place.root().join("agent/sessions"))
        .iter()
        .any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("The end.")))
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    seat.stalls(false);
    seat.shows("The end.");
    seat.types("still there");
    seat.shows("still there");
    seat.types("\x03\x04");
    assert_eq!(seat.ends().0, Some(0));
    seat.assert_restored();
    assert_eq!(seat.session_problems(), Vec::<String>::new());
}

#[test]
fn a_terminal_that_goes_away_ends_it_as_a_hang_up() {
    let mut seat = Seat::new(Place::new(), SLOW, &["Go"]);
    seat.shows("$ sleep 1000");
    seat.hang_up();
    assert_eq!(seat.code(), Some(129));
    assert_eq!(seat.session_problems(), Vec::<String>::new());
    let mut again = seat.again(ANSWER, &["-c"]);
    again.is_ready();
    again.shows("sleep 1000");
}

#[test]
fn a_terminal_without_size_and_one_of_a_single_cell_are_survived() {
    let mut seat = ready();
    for (columns, rows) in [(0, 0), (1, 1), (2, 1), (1, 30), (100, 1)] {
        seat.resize(columns, rows);
        seat.watch(Duration::from_millis(200));
        seat.types("x\x15");
        seat.watch(Duration::from_millis(200));
    }
    seat.resize(100, 30);
    assert_usable(seat);
}

#[test]
fn it_goes_on_in_the_new_size_after_it_was_stopped() {
    let mut seat = ready();
    send(&seat, Signal::STOP);
    seat.resize(60, 20);
    seat.types("typed meanwhile");
    send(&seat, Signal::CONT);
    seat.shows("typed meanwhile");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("typed meanwhile"));
    assert_usable(seat);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut seat = Seat::new(Place::new(), SLOW, &["Go"]);
    seat.shows("$ sleep 1000");
    send(&seat, Signal::TERM);
    send(&seat, Signal::TERM);
    assert_eq!(seat.ends().0, Some(143));
    seat.assert_restored();
    let mut again = seat.again(ANSWER, &["-c"]);
    again.is_ready();
    again.shows("sleep 1000");
}

#[test]
fn a_kill_in_a_run_leaves_a_session_that_goes_on() {
    let mut seat = Seat::new(Place::new(), SLOW, &["Go"]);
    seat.shows("$ sleep 1000");
    seat.types("a draft");
    seat.shows("a draft");
    let drafts = seat.place.root().join("agent/tau/projects");
    while !files_below(&drafts).iter().any(|file| std::fs::read_to_string(file).is_ok_and(|text| text == "a draft")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    send(&seat, Signal::KILL);
    seat.ends();
    let mut again = seat.again(ANSWER, &["-c"]);
    again.is_ready();
    again.shows("a draft");
    again.types("\r");
    again.shows("It was answered.");
    again.quits();
}

/// A prompt that is typed is answered.
fn still_usable(mut seat: Seat) -> Seat {
    seat.types("usable");
    seat.until("an editor with nothing else in it", |screen| screen.lines().any(|line| line.trim() == "usable"));
    seat.types("\r");
    seat.shows("It was answered.");
    seat
}

#[test]
fn answers_that_are_late_split_or_forged_are_no_keys() {
    let mut seat = ready();
    seat.types(
        "\x1b[?62;22c\x1b[?7u\x1b[24;80R\x1b]11;rgb:0000/0000/0000\x1b\\\x1b]4;3;rgb:ff/ff/ff\x07\x1bP>|other 1\x1b\\",
    );
    for part in ["\x1b]11;rgb:00", "00/0000", "/0000\x1b", "\\", "\x1b[", "?62", ";22c", "\x1b[9", "9;1R"] {
        seat.types(part);
        seat.watch(Duration::from_millis(5));
    }
    seat.watch(Duration::from_millis(200));
    assert_usable(seat);
}

#[test]
fn a_large_paste_is_one_block_that_goes_away_with_ctrl_c() {
    let mut seat = ready();
    let line = "ten megabytes are pasted ";
    seat.types(&format!("\x1b[200~{}\x1b[201~", line.repeat(10_000_000 / line.len())));
    seat.shows("[paste");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("[paste"));
    assert_usable(seat);
}

#[test]
fn a_paste_that_ends_twice_or_never_submits_nothing() {
    let mut seat = ready();
    seat.types("\x1b[200~one\x1b[201~\rtwo\x1b[201~");
    seat.watch(Duration::from_millis(300));
    seat.types("\x03");
    seat.watch(Duration::from_millis(300));
    assert!(seat.rows().iter().all(|row| !row.contains("It was answered.")), "{:?}", seat.rows());
    assert_usable(seat);
}

#[test]
fn an_unterminated_paste_ends_by_itself() {
    let mut seat = ready();
    seat.types("\x1b[200~never ended");
    seat.shows("never ended");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("never ended"));
    assert_usable(seat);
}

#[test]
fn bytes_that_are_no_text_are_no_keys() {
    let mut seat = ready();
    seat.sends(b"\xff\xfe\xc3\x28\xf0\x9f\x98\xed\xa0\x80ok");
    seat.shows("ok");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("ok"));
    assert_usable(seat);
}

#[test]
fn output_that_no_screen_can_hold_is_shown_as_far_as_it_can() {
    let long = "x".repeat(1_000_000);
    let marks = format!("e{}", "\u{301}".repeat(500_000));
    let bytes =
        [b"\xff\xfe\x80".repeat(1000), b"\x1b[2J\x1b[3J\x1b[?1049h\x1b]0;title\x07\x1b[?1000h".to_vec()].concat();
    for content in [long.into_bytes(), marks.into_bytes(), bytes] {
        let mut seat = ready();
        seat.place.write("work/content", content);
        seat.submits("!cat content; echo; echo shown");
        seat.until("the end", |screen| screen.lines().any(|line| line == "shown"));
        let mut seat = still_usable(seat);
        assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[3J"));
        seat.quits();
        assert_eq!(seat.session_problems(), Vec::<String>::new());
    }
}

#[test]
fn an_editor_that_hangs_does_not_keep_a_signal_away() {
    let place = Place::new();
    // Its own modes are taken back with it.
    let path = place.program("hangs", "printf '\\033[?1049h\\033[H\\033[?1000h\\033[?25lopened'; exec sleep 1000");
    let mut seat = Seat::with(place, ANSWER, &[], &[("VISUAL", &path.display().to_string())]);
    seat.is_ready();
    seat.types("a draft\x07");
    seat.shows("opened");
    send(&seat, Signal::TERM);
    assert_eq!(seat.ends().0, Some(143));
    seat.assert_restored();
    let mut again = seat.again(ANSWER, &[]);
    again.shows("a draft");
}

#[test]
fn a_clipboard_tool_that_hangs_holds_no_key_up() {
    let place = Place::new();
    for name in ["wl-copy", "xclip", "xsel"] {
        place.program(name, "exec sleep 1000");
    }
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", place.root().join("bin").display());
    let env = [("PATH", path.as_str()), ("DISPLAY", ":9"), ("WAYLAND_DISPLAY", "wayland-9")];
    let mut seat = Seat::with(place, r#"replies: ["The first.", "It was answered."]"#, &[], &env);
    seat.is_ready();
    seat.submits("Hi");
    seat.shows("The first.");
    seat.types("\x18");
    still_usable(seat).quits();
}

#[test]
fn a_broken_theme_and_broken_keys_are_said_and_left_out() {
    let place = Place::new();
    place.write("agent/keybindings.json", "{ not json");
    place.write("agent/themes/broken.json", "{ \"name\": \"broken\", ");
    place.write("agent/settings.json", r#"{"theme": "broken"}"#);
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.is_ready();
    seat.shows("keybindings.json");
    assert_usable(seat);
}

#[test]
fn a_command_that_changes_the_modes_changes_nothing_here() {
    for modes in ["sane", "raw -echo"] {
        let mut seat = ready();
        let line = format!("!stty {modes} < {}; echo changed", seat.terminal().display());
        seat.types(&line);
        seat.shows("echo changed");
        seat.types("\r");
        seat.until("its output", |screen| screen.lines().any(|line| line.trim() == "changed"));
        still_usable(seat).quits();
    }
}

#[test]
fn what_others_write_on_the_screen_is_not_taken_for_anything() {
    let mut seat = ready();
    let mut others = std::fs::OpenOptions::new().write(true).open(seat.terminal()).expect("the terminal");
    for text in ["a line of another program\r\n", "\x1b[5;5Hsomewhere else\x1b[31m", "\x1b[2J\x1b[?25h\x1b[?2004l"] {
        others.write_all(text.as_bytes()).expect("written");
    }
    drop(others);
    // As users do when a screen looks wrong.
    seat.resize(90, 30);
    seat.resize(100, 30);
    assert_usable(seat);
}

#[test]
fn a_command_that_wants_the_terminal_fails() {
    let mut seat = ready();
    seat.submits("!head -1 < /dev/tty || echo it has none");
    seat.until("its end", |screen| screen.lines().any(|line| line.trim() == "it has none"));
    still_usable(seat).quits();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_what_it_did_not_take_is_written_later() {
    use rustix::process::{Resource, Rlimit, prlimit};

    let long = "x".repeat(40_000);
    let script = format!("replies: [\"It begins.\", \"{long} The end.\", \"It was answered.\"]");
    let mut seat = Seat::new(Place::new(), &script, &["First"]);
    seat.shows("It begins.");
    seat.is_ready();
    let limit = |seat: &Seat, bytes: Option<u64>| {
        let limit = Rlimit { current: bytes, maximum: None };
        prlimit(Pid::from_raw(seat.pid()), Resource::Fsize, limit).expect("a limit");
    };
    limit(&seat, Some(16_384));
    seat.submits("Second");
    seat.shows("File too large");
    limit(&seat, None);
    seat.types("usable");
    seat.until("an editor with nothing else in it", |screen| screen.lines().any(|line| line.trim() == "usable"));
    seat.types("\r");
    seat.shows("It was answered.");
    seat.quits();
    assert_eq!(seat.session_problems(), Vec::<String>::new());
    let lines = transcript(&seat.place.session());
    let whole = format!("assistant: {long} The end.");
    assert_eq!(
        lines,
        ["user: First", "assistant: It begins.", "user: Second", &whole, "user: usable", "assistant: It was answered."]
    );
}

#[test]
fn text_that_comes_at_once_without_marks_is_there_at_once() {
    let mut seat = ready();
    seat.types(&format!("{}the end", "y".repeat(20_000)));
    seat.shows("the end");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("the end"));
    assert_usable(seat);
}

#[test]
fn an_extension_that_notifies_without_end_keeps_nobody_from_working() {
    let place = Place::new();
    let extension = "export default (pi) => pi.on('session_start', (event, ctx) => {
        let count = 0;
        setInterval(() => { for (let i = 0; i < 200; i++) ctx.ui.notify(`notice ${count++}`, 'warning'); }, 1);
    });";
    place.write("agent/extensions/flood.ts", extension);
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.shows("more notices than can be read");
    still_usable(seat).quits();
}

#[test]
fn the_program_can_be_stopped_in_the_pager_and_in_lists() {
    // The pager is closed by that, a list is left with escape: in a form that makes no alt of the next key.
    for (keys, place, leaves) in [("\x1b[5~", "Transcript · ", ""), ("/settings\r", "→ Auto-compact", "\x1b[27u")] {
        let mut seat = ready();
        seat.types(keys);
        seat.shows(place);
        let taken = |seat: &Seat| seat.bytes.windows(8).filter(|window| window == b"\x1b[?2004h").count();
        let before = taken(&seat);
        seat.types("\x1a");
        // No shell waits here, so the system does not stop it: it gives the terminal back and takes it again.
        seat.until_true("the terminal again", |seat| taken(seat) > before);
        seat.types(leaves);
        seat.until("the editor alone", |screen| !screen.contains(place));
        assert_usable(seat);
    }
}

#[test]
fn a_prompt_comes_back_when_no_session_file_can_be_made() {
    let place = Place::new();
    // In the place of the folder.
    place.write("agent/sessions", "");
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.is_ready();
    seat.submits("a prompt that counts");
    seat.until("the prompt in the editor", |screen| {
        screen.lines().any(|line| line.trim_end() == "a prompt that counts") && !screen.contains("Working")
    });
    seat.shows("sessions");
}

#[test]
fn what_a_killed_program_left_is_removed_by_the_next() {
    let place = Place::new();
    place.write("tmp/tau-gates-left/gates-1", "");
    let left = place.root().join("tmp/tau-gates-left");
    let folder = std::fs::File::open(&left).expect("a folder");
    folder.set_modified(std::time::UNIX_EPOCH).expect("its time");
    drop(folder);
    let temporary = place.root().join("tmp").display().to_string();
    let mut seat = Seat::with(place, ANSWER, &[], &[("TMPDIR", &temporary)]);
    seat.is_ready();
    seat.until_true("the end of it", |_| !left.exists());
    // Its own stays.
    let folders = std::fs::read_dir(&temporary).expect("a folder").flatten();
    assert!(folders.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("tau-gates-")));
    assert_usable(seat);
}
