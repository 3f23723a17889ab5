//! A terminal as a process has it: this program starts itself in a terminal, and plays a part there.
#![expect(clippy::disallowed_methods, reason = "a test starts programs of its own")]

mod parts;
mod shell;

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{InputModes, LocalModes};
use shell::Shell;

const TAKEN: &str = "\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[>7u\x1b[?25l\x1b[?u\x1b]11;?\x1b\\\x1b[c";
const QUIET: &str = "\x1b[<u\x1b[?1004l\x1b[c";
const REST: &str = "\x1b[?25h\x1b[?2004l\x1b[23;0t";
const ATTRIBUTES: &str = "\x1b[?62;22c";

fn assert_raw(shell: &Shell) {
    let modes = shell.modes();
    let cooked = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN;
    assert!(!modes.local_modes.intersects(cooked), "{:?}", modes.local_modes);
    assert!(!modes.input_modes.intersects(InputModes::ICRNL | InputModes::IXON), "{:?}", modes.input_modes);
}

/// Modes as text, to be compared.
fn modes(shell: &Shell) -> String {
    let modes = shell.modes();
    format!("{:?} {:?} {:?}", modes.input_modes, modes.output_modes, modes.local_modes)
}

#[test]
fn what_is_wanted_is_one_write_and_what_was_taken_is_given_back_in_order() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    let before = modes(&shell);
    shell.type_in("\n");
    assert_eq!(shell.until("[taken]").trim_start_matches(|ch| ch != '\x1b'), format!("{TAKEN}[taken]"));
    assert_raw(&shell);
    // It knows the Kitty protocol, and is light.
    shell.type_in(&format!("\x1b[?7u\x1b]11;rgb:ffff/ffff/ffff\x07{ATTRIBUTES}"));
    shell.until("[kitty Some(true) light true differs true]");
    shell.type_in("q");
    assert!(shell.until("\x1b[c").ends_with(QUIET));
    // What it still says is read before the terminal is anybody else's.
    shell.type_in(&format!("\x1b[113;1:3u{ATTRIBUTES}"));
    assert_eq!(shell.until("\x1b[23;0t"), REST);
    shell.until("[ended 0]");
    assert_eq!(modes(&shell), before);
    shell.type_in("\n");
    assert_eq!(shell.until("[typed]").trim(), "[typed]");
}

#[test]
fn what_was_typed_before_is_kept() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    shell.type_in("\nabc");
    shell.until("[taken]");
    for key in ["[key a]", "[key b]", "[key c]"] {
        shell.until(key);
    }
}

#[test]
fn a_forged_answer_changes_no_mode() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    shell.type_in("\n");
    shell.until("[taken]");
    shell.type_in(&format!("\x1b[?7u{ATTRIBUTES}"));
    shell.until("[kitty Some(true)");
    shell.type_in(&format!("\x1b[?0u{ATTRIBUTES}\x1b]11;rgb:ffff/ffff/ffff\x07x"));
    let shown = shell.until("[key x]");
    assert!(!shown.contains("\x1b[>4;2m") && !shown.contains("[kitty Some(false)"), "{shown:?}");
}

#[test]
fn a_terminal_without_the_kitty_protocol_gets_the_other_one() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    shell.type_in("\n");
    shell.until("[taken]");
    shell.type_in(ATTRIBUTES);
    shell.until("\x1b[>4;2m");
    shell.until("[kitty Some(false)");
    shell.type_in("q");
    shell.until("\x1b[<u\x1b[>4;0m\x1b[?1004l\x1b[c");
    shell.type_in(ATTRIBUTES);
    shell.until("[ended 0]");
}

#[test]
fn a_terminal_that_never_answers_holds_nobody_up() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    let before = modes(&shell);
    shell.type_in("\n");
    shell.until("[taken]");
    shell.type_in("q");
    shell.until(QUIET);
    shell.until(REST);
    shell.until("[ended 0]");
    assert_eq!(modes(&shell), before);
}

#[test]
fn a_panic_a_hook_and_a_signal_thread_put_it_back() {
    for (part, key, ended) in
        [("keys", "p", "[ended 101]"), ("hook", "p", "[ended 134]"), ("signal", "", "[ended 143]")]
    {
        let mut shell = Shell::new("\"$@\"", part);
        shell.until("[before]");
        let before = modes(&shell);
        shell.type_in("\n");
        shell.until("[taken]");
        assert_raw(&shell);
        match part {
            "signal" => kill_process(shell.pid(), Signal::TERM).expect("sent"),
            _ => shell.type_in(key),
        }
        let left = shell.until(ended);
        // In the middle of a frame, a link and a colour, with the cursor above the end.
        let expected = format!("\x1b\\\x1b[?2026l\x1b]8;;\x1b\\\x1b[0m[below]\x1b[<u\x1b[?1004l{REST}");
        assert!(left.contains(&expected), "{part}: {left:?}");
        assert_eq!(modes(&shell), before, "{part}");
    }
}

#[test]
fn nothing_is_written_after_it_was_put_back() {
    // A thread writes and writes.
    let mut shell = Shell::new("\"$@\"", "flood");
    shell.until("[before]");
    shell.type_in("\n");
    shell.until("flood flood");
    kill_process(shell.pid(), Signal::TERM).expect("sent");
    let left = shell.until("[ended 143]");
    let after = left.rsplit_once("\x1b[23;0t").expect("it was put back").1;
    assert!(!after.contains("flood"), "{after:?}");
}

#[test]
fn ctrl_z_gives_it_to_the_shell_and_fg_takes_it_again() {
    let script = "\"$@\"; echo \"[stopped $?]\"; read line; fg > /dev/null";
    for external in [false, true] {
        let mut shell = Shell::new(script, "keys");
        shell.until("[before]");
        let before = modes(&shell);
        shell.type_in("\n");
        shell.until("[taken]");
        if external {
            kill_process(shell.pid(), Signal::TSTP).expect("sent")
        } else {
            shell.type_in("\x1a")
        }
        shell.until(QUIET);
        shell.until(REST);
        // 128 + SIGTSTP.
        shell.until("[stopped 148]");
        assert_eq!(modes(&shell), before);
        shell.resize(50, 10);
        shell.type_in("\n");
        let again = shell.until("[resized 50x10]");
        assert!(again.contains("\x1b[22;0t\x1b[?2004h\x1b[?1004h\x1b[>7u\x1b[?25l"), "{again:?}");
        assert_raw(&shell);
        shell.type_in("q");
        shell.until("[ended 0]");
        assert_eq!(modes(&shell), before);
    }
}

#[test]
fn one_that_was_stopped_without_being_asked_sets_its_modes_again() {
    let script = "\"$@\"; stty sane; echo \"[stopped $?]\"; read line; fg > /dev/null";
    let mut shell = Shell::new(script, "keys");
    shell.until("[before]");
    shell.type_in("\n");
    shell.until("[taken]");
    kill_process(shell.pid(), Signal::STOP).expect("sent");
    shell.until("[stopped");
    assert!(shell.modes().local_modes.contains(LocalModes::ICANON));
    shell.type_in("\n");
    let again = shell.until("[continued]");
    assert!(again.contains("\x1b[<u") && again.contains("\x1b[>7u\x1b[?25l"), "{again:?}");
    assert_raw(&shell);
    shell.type_in("q");
    shell.until("[ended 0]");
}

#[test]
fn in_the_background_it_waits_for_its_turn_and_writes_nothing() {
    let script = "\"$@\" & echo \"[background]\"; read line; fg > /dev/null; echo \"[stopped]\"; bg > /dev/null;
        read line; fg > /dev/null";
    let mut shell = Shell::new(script, "ticks");
    shell.until("[before]");
    let before = modes(&shell);
    shell.type_in("\n");
    shell.until("[background]");
    // It was stopped when it wanted the terminal.
    shell.until_stopped();
    assert_eq!(modes(&shell), before);
    shell.type_in("\n");
    shell.until("tick");
    assert_raw(&shell);
    kill_process(shell.pid(), Signal::STOP).expect("sent");
    shell.until("[stopped]");
    // It goes on in the background.
    let ticks = shell.ticks();
    while shell.ticks() < ticks + 10 {
        std::thread::yield_now();
    }
    shell.type_in("\n");
    let between = shell.until("tick");
    assert!(between.contains("\x1b[>7u"), "it sets its modes before it writes: {between:?}");
    kill_process(shell.pid(), Signal::KILL).expect("sent");
    shell.until("[ended 137]");
}

#[test]
fn one_that_ends_in_the_background_leaves_the_terminal_to_whom_it_belongs() {
    for part in ["background-close", "background-restore"] {
        let script = "\"$@\"; stty sane -echo -ixon; echo \"[stopped]\"; bg > /dev/null; read line; wait";
        let mut shell = Shell::new(script, part);
        shell.until("[before]");
        shell.type_in("\n");
        shell.until("[taken]");
        kill_process(shell.pid(), Signal::STOP).expect("sent");
        shell.until("[stopped]");
        let theirs = modes(&shell);
        shell.until_said("ended");
        assert_eq!(modes(&shell), theirs, "{part}");
        shell.type_in("\n");
        let shown = shell.until("[ended");
        assert!(!shown.contains("\x1b[23;0t") && !shown.contains("\x1b[<u"), "{part}: {shown:?}");
    }
}

#[test]
fn a_program_that_gets_the_terminal_finds_it_as_it_was_and_may_leave_it_as_it_likes() {
    let mut shell = Shell::new("\"$@\"", "keys");
    shell.until("[before]");
    let before = modes(&shell);
    shell.type_in("\n");
    shell.until("[taken]");
    shell.type_in(ATTRIBUTES);
    shell.until("[kitty");
    shell.type_in("e");
    shell.until("\x1b[c");
    shell.type_in(ATTRIBUTES);
    shell.until("\x1b[23;0t");
    assert!(shell.until("[child]").contains("[cooked]"));
    shell.type_in("typed for the child\n");
    let again = shell.until("[lent Some(0)]");
    assert!(again.contains("[child read typed for the child]"), "{again:?}");
    assert!(again.contains("\x1b[22;0t\x1b[?2004h\x1b[?1004h"), "{again:?}");
    // What was committed meanwhile comes after the modes.
    assert!(again.ends_with("[meanwhile][lent Some(0)]"), "{again:?}");
    assert_raw(&shell);
    shell.type_in("x");
    shell.until("[key x]");
    shell.type_in("q");
    shell.until("\x1b[c");
    shell.type_in(ATTRIBUTES);
    shell.until("[ended 0]");
    assert_eq!(modes(&shell), before);
}

#[test]
fn a_terminal_that_is_gone_is_an_end_with_a_reason() {
    let mut shell = Shell::new("trap '' HUP; exec \"$@\"", "keys");
    shell.until("[before]");
    shell.type_in("\n");
    shell.until("[taken]");
    let said = shell.hang_up();
    assert!(said.starts_with("the terminal "), "{said}");
}

#[test]
fn a_terminal_that_does_not_read_holds_neither_the_end_nor_a_panic_up() {
    for part in ["stalled", "stalled-panic"] {
        let mut shell = Shell::new("\"$@\"", part);
        shell.until("[before]");
        let before = modes(&shell);
        shell.type_in("\n");
        // Nothing of it is read until the program is gone.
        shell.until_said("ended");
        assert_eq!(modes(&shell), before, "{part}");
        shell.until("[ended");
    }
}

fn pid(text: &str) -> Option<Pid> {
    text.trim().parse().ok().and_then(Pid::from_raw)
}
