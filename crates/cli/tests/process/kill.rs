//! A crash at any moment leaves a session that loads, with everything in it that tau said was there.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use serde_json::Value;
use tau_session::Session;

use crate::support::Place;

const CRASHES: usize = 50;

/// The first seed; `TAU_TEST_SEED` gives another one.
const SEED: u64 = 0x7a75_0001;

const SCRIPT: &str = r#"
chunk: 6
replies:
  - - {thinking: Where do I begin?, repeat_delta: 3}
    - text: I will write a file and look at it.
    - tool_call: {name: write, arguments: {path: made.txt, content: "one\ntwo\n"}}
    - tool_call: {name: bash, arguments: {command: "cat made.txt; sleep 0.01; echo more"}}
  - - text: Then I change it.
    - tool_call: {name: edit, arguments: {path: made.txt, edits: [{oldText: one, newText: three}]}}
    - tool_call: {name: read, arguments: {path: made.txt}}
    - tool_call: {name: bash, arguments: {command: "seq 1 200; exit 3"}}
  - - text: "That is a long story. "
      repeat_delta: 40
    - tool_call: {name: ls, arguments: {}}
  - "It is done."
  - "And done again."
"#;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// Kills tau some microseconds after it printed so many lines; gives every whole line it printed, and whether it was
/// still at work.
fn crash(place: &Place, lines: usize, micros: u64) -> (Vec<Value>, bool) {
    let mut child = place.play(SCRIPT, ["--mode", "json", "Go", "Go on"]).spawn();
    drop(child.stdin.take());
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = Vec::new();
    for _ in 0..lines {
        stdout.read_until(b'\n', &mut text).expect("a line");
    }
    std::thread::sleep(Duration::from_micros(micros));
    child.kill().expect("a process to kill");
    stdout.read_to_end(&mut text).expect("the rest");
    let killed = crate::support::ended(child.wait().expect("an end")) == Err(9);
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (lines.map(|line| serde_json::from_slice(line).expect("a line of JSON")).collect(), killed)
}

/// What a session holds, as the events say it.
fn kept(session: &Session) -> HashSet<String> {
    let entries = session.entries();
    let values = entries.iter().map(|entry| Value::Object(entry.to_value().expect("JSON")));
    values.flat_map(|entry| [entry["message"].to_string(), entry.to_string()]).collect()
}

/// What tau said is in the session.
fn acknowledged(events: &[Value]) -> Vec<String> {
    let of = |event: &Value| match event["type"].as_str() {
        Some("message_end") => Some(event["message"].to_string()),
        Some("entry_appended") => Some(event["entry"].to_string()),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn nothing_acknowledged_is_lost_in_a_crash() {
    let seed = std::env::var("TAU_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    println!("TAU_TEST_SEED={seed}");
    let whole = Place::new().play(SCRIPT, ["--mode", "json", "Go", "Go on"]).run();
    assert_eq!((whole.code, whole.stderr.as_str()), (Some(0), ""));
    let total = whole.events().len();
    let mut random = Random(seed);
    let (mut killed, mut counts) = (0, HashSet::new());
    for round in 0..CRASHES {
        // Spread over the run: a slice for each round, and a moment in it.
        let lines = (round * total / CRASHES) + random.below(1 + (total / CRASHES) as u64) as usize;
        let micros = random.below(8000);
        let place = Place::new();
        let (events, was_killed) = crash(&place, lines, micros);
        killed += usize::from(was_killed);
        let acknowledged = acknowledged(&events);
        counts.insert(acknowledged.len());
        let moment = format!("seed {seed}, round {round}: {lines} lines and {micros} µs");
        let files: Vec<_> =
            place.session_files().into_iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")).collect();
        let [file] = &files[..] else {
            assert_eq!((files.len(), acknowledged.as_slice()), (0, &[][..]), "{moment}");
            continue;
        };
        let session = Session::open(file).unwrap_or_else(|error| panic!("{moment}: {error}"));
        let entries = session.entries().len();
        // Nothing but the line that was being written may be damaged.
        assert!(
            session.problems().iter().all(|problem| problem.line == entries + 2),
            "{moment}: {:?}",
            session.problems()
        );
        let kept = kept(&session);
        let lost: Vec<&String> = acknowledged.iter().filter(|said| !kept.contains(*said)).collect();
        assert_eq!(lost, [] as [&String; 0], "{moment}");
        session.context();
    }
    println!("{killed} of {CRASHES} runs were killed at work, after {} different numbers of entries", counts.len());
    assert!(killed > CRASHES / 2 && counts.len() > 5, "the moments are not spread: {killed} kills, {counts:?}");
}

#[test]
fn a_crashed_session_goes_on() {
    let place = Place::new();
    let (events, _) = crash(&place, 60, 0);
    let said = acknowledged(&events).len();
    assert!(said > 0);
    let script = "replies: [[{expect: {last_user: And now?}}, {text: On we go.}]]";
    let done = place.play(script, ["-c", "-p", "And now?"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "On we go.\n"), "{}", done.stderr);
    assert!(place.session().context().messages.len() >= said + 2);
}
