//! Functions that tau calls while the user writes and reads: listeners, shortcuts, completions, changes of texts, and what
//! an overlay asks.

use super::drive::Session;
use super::faults::{CALLS, Does};
use Does::{Fails, FailsEachTime, Nothing};

/// A kind of function, and what is seen of each fault.
struct Row<'a> {
    name: &'static str,
    /// What the user does, so that it is called.
    drive: fn(&mut Session),
    does: &'a [(&'static str, Does)],
    /// Each cell needs a session of its own: what failed too often is asked no more.
    is_fresh: bool,
}

/// The cells that are left out, with the reason.
fn left_out(row: &str, fault: &str) -> Option<&'static str> {
    match (row, fault) {
        ("markdown", "slow" | "endless" | "microtasks") => {
            Some("a text that is waited for in vain is shown as it was when it began")
        }
        _ => None,
    }
}

fn row(row: &Row<'_>) {
    let mut session = Session::new();
    for (name, does) in row.does {
        if row.is_fresh {
            session.assert_well();
            session = Session::new();
        }
        assert!(CALLS.iter().any(|(known, _)| known == name), "{name}");
        let cell = format!("{} {name}", row.name);
        session.begin();
        session.seat.submits(&format!("/fault {cell}"));
        session.seat.shows(&format!("now {cell}"));
        (row.drive)(&mut session);
        session.went_wrong(&cell);
        session.works(&cell);
        match does {
            Nothing => session.assert_fine(&cell),
            FailsEachTime(why) => session.says(why),
            Fails(why) => {
                session.says(why);
                session.assert_said(&cell, why, 1);
            }
        }
    }
    let are_there = |name: &str| row.does.iter().any(|(known, _)| *known == name) || left_out(row.name, name).is_some();
    assert!(CALLS.iter().all(|(name, _)| are_there(name)), "each fault has its outcome");
    session.assert_well();
}

fn types(session: &mut Session) {
    session.seat.types("\x15");
    session.seat.types("abcd");
    session.seat.shows("abcd");
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn listeners() {
    row(&Row {
        name: "listener",
        is_fresh: false,
        drive: types,
        does: &[
            ("throws", Fails("it hears no more of what is typed, because it failed three times: no answer today")),
            ("rejects", Fails("it hears no more of what is typed, because it failed three times: no answer later")),
            ("never", Nothing),
            ("wrong", Nothing),
            ("slow", Fails("it hears no more of what is typed")),
            ("endless", Fails("it hears no more of what is typed")),
            ("microtasks", Fails("it hears no more of what is typed")),
            ("prints", Nothing),
        ],
    });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn shortcuts() {
    row(&Row {
        name: "shortcut",
        is_fresh: true,
        drive: |session| session.seat.types("\x1b[17~"),
        does: &[
            ("throws", Fails("no answer today")),
            ("rejects", Fails("no answer later")),
            ("never", Nothing),
            ("wrong", Nothing),
            ("slow", Fails("ran for more than 500ms")),
            ("endless", Fails("ran for more than 500ms")),
            ("microtasks", Fails("ran for more than 500ms")),
            ("prints", Nothing),
        ],
    });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn providers_of_completions() {
    row(&Row {
        name: "provider",
        is_fresh: true,
        drive: |session| {
            session.seat.types("\x15");
            session.seat.types("/hotk");
            session.seat.shows("hotkeys");
        },
        does: &[
            ("throws", Fails("its completions failed: no answer today")),
            ("rejects", Fails("its completions failed: no answer later")),
            ("never", Nothing),
            ("wrong", Fails("its completions failed: the provider gave no list of items")),
            ("slow", Fails("its completions failed: it took longer than 250ms")),
            ("endless", Fails("its completions failed: it took longer than 250ms")),
            ("microtasks", Fails("its completions failed: ran for more than 500ms")),
            ("prints", Nothing),
        ],
    });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn completers_of_arguments() {
    row(&Row {
        name: "completer",
        is_fresh: true,
        drive: |session| {
            session.seat.types("\x15");
            // It is asked once.
            session.seat.types("/arg ");
            session.seat.shows("/arg");
        },
        does: &[
            ("throws", Fails("no answer today")),
            ("rejects", Fails("no answer later")),
            ("never", Nothing),
            ("wrong", Fails("completions")),
            ("slow", Fails("it took longer than 250ms")),
            ("endless", Fails("it took longer than 250ms")),
            ("microtasks", Fails("ran for more than 500ms")),
            ("prints", Nothing),
        ],
    });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn transformers_of_markdown() {
    row(&Row {
        name: "markdown",
        is_fresh: true,
        drive: |session| session.works("a changed text"),
        does: &[
            ("throws", Fails("its Markdown transformer failed: no answer today")),
            ("rejects", Fails("its Markdown transformer failed: the transformer gave no text")),
            ("never", Fails("its Markdown transformer failed: the transformer gave no text")),
            ("wrong", Fails("its Markdown transformer failed: the transformer gave no text")),
            ("prints", Nothing),
        ],
    });
}

/// Opens an overlay, and closes it, if it came.
fn over(session: &mut Session) {
    session.seat.submits("/over 1");
    session.presses("q", "done 1");
}

/// What is seen of a function of an overlay.
const fn overlay(rejects: Does) -> [(&'static str, Does); 8] {
    [
        ("throws", Fails("done 1 with no answer today")),
        ("rejects", rejects),
        ("never", Nothing),
        ("wrong", Nothing),
        ("slow", Fails("done 1 with it took longer than 1s")),
        ("endless", Fails("done 1 with it took longer than 1s")),
        ("microtasks", Fails("done 1 with ran for more than 500ms")),
        ("prints", Nothing),
    ]
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn options_of_overlays() {
    row(&Row { name: "options", is_fresh: false, drive: over, does: &overlay(Fails("no answer later")) });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn handles_of_overlays() {
    row(&Row { name: "onHandle", is_fresh: false, drive: over, does: &overlay(Fails("no answer later")) });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn sight_of_overlays() {
    row(&Row { name: "visible", is_fresh: false, drive: over, does: &overlay(FailsEachTime("no answer later")) });
}
