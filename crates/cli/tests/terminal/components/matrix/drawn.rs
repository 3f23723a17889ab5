//! Blocks of the conversation that extensions draw: calls and results of tools, messages, entries.

use super::drive::Session;
use super::faults::{Ends, FAULTS, Fault};

/// A kind of block.
struct Kind {
    name: &'static str,
    /// What makes one.
    drive: fn(&mut Session),
    /// What it is when nothing is wrong.
    drawn: &'static str,
    /// What it is without the extension.
    plain: &'static str,
}

/// Cells that are left out, with the reason.
fn left_out(fault: &str) -> Option<&'static str> {
    match fault {
        "inputThrows" => Some("blocks get no keys"),
        "doneBefore" => Some("nobody waits for a block"),
        _ => None,
    }
}

fn row(kind: &Kind) {
    let mut session = Session::new();
    for fault in FAULTS.iter().filter(|fault| left_out(fault.name).is_none()) {
        cell(kind, fault, &mut session);
    }
    session.assert_well();
}

fn cell(kind: &Kind, fault: &Fault, session: &mut Session) {
    let cell = format!("{} {}", kind.name, fault.name);
    session.begin();
    session.seat.submits(&format!("/fault {cell}"));
    session.seat.shows(&format!("now {cell}"));
    (kind.drive)(session);
    let why = match fault.ends {
        Ends::Stays(shows) => {
            session.says(shows);
            session.assert_said(&cell, "its renderer failed", 0);
            None
        }
        Ends::Fails(why) => Some(why),
        Ends::Unmade(why) if fault.name == "factoryThrows" => Some(why),
        Ends::Unmade(_) | Ends::NeverComes => Some("the renderer gave no component"),
        Ends::FailsAtKeys(_) | Ends::IsOver | Ends::Caller(_) => unreachable!("it is left out"),
    };
    if let Some(why) = why {
        session.says(&format!("matrix.ts: its renderer failed: {why}"));
        session.says(kind.plain);
        session.assert_said(&cell, &format!("matrix.ts: its renderer failed: {why}"), 1);
    }
    if fault.name.starts_with("dispose") {
        session.seat.submits("/new");
        session.seat.shows("New session");
    }
    session.went_wrong(&cell);
    session.seat.submits("/fault none none");
    session.seat.shows("now none none");
    // A renderer that fails each time would be asked no more.
    (kind.drive)(session);
    session.says(kind.drawn);
    session.works(&cell);
    if !fault.says.is_empty() {
        session.says(fault.says);
        // A call may be drawn more than once while it arrives, and each renderer goes wrong; the other blocks are drawn once.
        let times = if kind.name == "toolCall" { session.times_wrong(&cell) } else { 1 };
        session.assert_said(&cell, fault.says, times);
    }
}

#[test]
fn messages() {
    row(&Kind {
        name: "message",
        drive: |session| session.seat.submits("/message"),
        drawn: "a card, drawn",
        plain: "plain card",
    });
}

#[test]
fn entries() {
    row(&Kind { name: "entry", drive: |session| session.seat.submits("/entry"), drawn: "a mark, drawn", plain: "" });
}

#[test]
fn calls_of_tools() {
    row(&Kind { name: "toolCall", drive: |session| session.works("a call"), drawn: "a call, drawn", plain: "drawn" });
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn results_of_tools() {
    row(&Kind {
        name: "toolResult",
        drive: |session| session.works("a result"),
        drawn: "a result, drawn",
        plain: "plain result",
    });
}
