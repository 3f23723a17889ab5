//! Everything that can go wrong with a component, at every place: the screen, the keys, the session and gates continue.

use std::time::{Duration, Instant};

use super::{Seat, assert_takes_text, with};
use crate::place::Place;

/// What goes wrong, and what shows that it did; how it is put there is in the extension.
const FAULTS: &[(&str, &str)] = &[
    ("renderThrows", "failed: no lines today"),
    ("noArray", "failed: render() gave no list of lines"),
    ("manyLines", "one of many"),
    ("asksAgain", "again"),
    ("slow", "failed: it took longer than 250ms"),
    ("endless", "failed: it took longer than 250ms"),
    ("wide", "wide wide wide"),
    ("newline", "second"),
    ("controls", "bad"),
    ("prints", "printed it"),
    ("inputThrows", "here is"),
    ("timerThrows", "here is"),
    ("disposeThrows", "here is"),
];

/// What goes wrong before there is a component.
const UNMADE: &[(&str, &str)] = &[("factoryThrows", "no component today"), ("noComponent", "gave no component")];

/// The script of the model: a gate of the extension says no to each call.
const SCRIPT: &str =
    "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch forbidden'}}}]\n  - All is well.";

fn faulty(script: &str) -> Seat {
    with(include_str!("faulty.ts"), script)
}

/// A prompt is answered, and the gate of the extension that failed says no.
fn assert_gate_holds(seat: &mut Seat) {
    seat.types("\x15");
    seat.submits("Go");
    let screen = seat.shows("All is well.");
    assert!(screen.contains("the gate said no"), "{screen}");
    assert!(!seat.place.work().join("forbidden").exists());
}

fn assert_nothing_leaks(seat: &Seat) {
    let bytes = String::from_utf8_lossy(&seat.bytes);
    for leak in ["\x1b[3J", "]0;evil", "\x1bcworse"] {
        assert!(!bytes.contains(leak), "{leak:?} reached the terminal");
    }
    let rows = seat.rows().join("\n");
    assert!(!rows.contains("not for the screen") && !rows.contains("nor this"), "{rows}");
}

/// Puts each fault where somebody waits for the component.
fn each_is_left(place: &str) {
    let mut seat = faulty(SCRIPT);
    for (fault, shows) in UNMADE {
        seat.submits(&format!("/put {place} {fault}"));
        let screen = seat.shows(&format!("over {place} {fault} with"));
        assert!(screen.contains(shows), "{screen}");
        assert_takes_text(&mut seat, &format!("after {fault}"));
    }
    for (fault, shows) in FAULTS {
        seat.submits(&format!("/put {place} {fault}"));
        seat.shows(shows);
        // One of these keys is its end: the first, or the third that it fails at.
        seat.types("qqq");
        seat.shows(&format!("over {place} {fault}"));
        assert_takes_text(&mut seat, &format!("after {fault}"));
        assert_nothing_leaks(&seat);
        seat.submits(&format!("/forget {fault}"));
        seat.until("an empty page", |screen| screen.contains(&format!("forgot {fault}")) && !screen.contains(shows));
    }
    assert_gate_holds(&mut seat);
}

/// Puts each fault where components stand for good.
fn each_is_dropped(place: &str) {
    let mut seat = faulty(SCRIPT);
    for (fault, shows) in UNMADE.iter().chain(FAULTS) {
        seat.submits(&format!("/put {place} {fault}"));
        seat.shows(shows);
        assert_takes_text(&mut seat, &format!("after {fault}"));
        seat.submits(&format!("/drop {place} {fault}"));
        seat.shows(&format!("dropped {place} {fault}"));
        assert_nothing_leaks(&seat);
        seat.submits(&format!("/forget {fault}"));
        seat.until("an empty page", |screen| screen.contains(&format!("forgot {fault}")) && !screen.contains(shows));
    }
    assert_gate_holds(&mut seat);
}

#[test]
fn widgets() {
    each_is_dropped("widget");
}

#[test]
fn footers() {
    each_is_dropped("footer");
}

#[test]
fn headers() {
    each_is_dropped("header");
}

#[test]
fn components_in_the_place_of_the_editor() {
    each_is_left("custom");
}

#[test]
fn overlays() {
    each_is_left("overlay");
}

#[test]
fn one_that_is_never_made_keeps_nobody_from_working() {
    for place in ["custom", "overlay"] {
        let mut seat = faulty(SCRIPT);
        seat.submits(&format!("/put {place} neverResolves"));
        assert_takes_text(&mut seat, "meanwhile");
        assert_gate_holds(&mut seat);
    }
}

#[test]
fn one_that_is_done_before_it_is_there_is_never_shown() {
    for place in ["custom", "overlay"] {
        let mut seat = faulty(SCRIPT);
        seat.submits(&format!("/put {place} doneBefore"));
        let screen = seat.shows(&format!("over {place} doneBefore early"));
        assert!(!screen.contains(&format!("here is {place}")), "{screen}");
        assert_takes_text(&mut seat, "afterwards");
    }
}

#[test]
fn an_editor_that_fails_gives_way_to_that_of_tau_and_the_text_stays() {
    for fault in ["renderThrows", "endless", "noArray", "inputThrows"] {
        let mut seat = faulty(SCRIPT);
        seat.submits(&format!("/put editor {fault}"));
        seat.shows(if fault == "inputThrows" { "here is editor" } else { "its editor failed" });
        // Each key is a try; at the third in a row the editor of tau is back.
        seat.types("abc");
        seat.shows("its editor is taken away");
        assert_takes_text(&mut seat, "after it");
        assert_gate_holds(&mut seat);
    }
}

#[test]
fn jobs_without_end_and_memory_without_end_end_with_the_component() {
    for fault in ["microtasks", "memory"] {
        let place = Place::new();
        place.write("agent/extensions/draws.ts", include_str!("faulty.ts"));
        place.write("agent/settings.json", r#"{"tau": {"limits": {"memoryMb": 64, "stretchMs": 500}}}"#);
        let mut seat = Seat::new(place, SCRIPT, &[]);
        seat.is_ready();
        seat.submits(&format!("/put widget {fault}"));
        assert_takes_text(&mut seat, "meanwhile");
        seat.types("\x15");
        seat.submits("Go");
        seat.shows("All is well.");
        // Whether the gate could decide or not: nothing came through.
        assert!(!seat.place.work().join("forbidden").exists());
    }
}

#[test]
fn one_that_hogs_the_engine_keeps_no_key_from_the_editor() {
    let place = Place::new();
    place.write("agent/extensions/draws.ts", include_str!("faulty.ts"));
    place.write(
        "agent/extensions/hog.ts",
        "export default (pi) => pi.registerCommand('hog', { description: 'hogs', handler: async () => {
            const end = Date.now() + 3000;
            while (Date.now() < end);
        }});",
    );
    let mut seat = Seat::new(place, SCRIPT, &[]);
    seat.is_ready();
    seat.submits("/put widget none");
    seat.shows("here is widget");
    seat.submits("/hog");
    assert_takes_text(&mut seat, "while it hogs");
    assert_gate_holds(&mut seat);
}

#[test]
fn floods_leave_the_screen_to_the_user() {
    let mut seat = with(
        "export default (pi) => pi.registerCommand('flood', { description: 'floods', handler: async (_, ctx) => {
            for (let i = 0; i < 20_000; i++) {
                ctx.ui.setStatus('s', 'status ' + i);
                ctx.ui.setWidget('w' + (i % 3), () => ({ render: () => ['widget ' + i], invalidate() {} }));
                if (i % 10 === 0) ctx.ui.notify('notice ' + i);
            }
            ctx.ui.notify('the flood is over');
        }});",
        "replies: [All is well.]",
    );
    seat.submits("/flood");
    seat.shows("widget 19999");
    assert_takes_text(&mut seat, "after the flood");
    seat.submits("Go");
    seat.shows("All is well.");
}

#[test]
fn ctrl_c_twice_ends_the_program_whatever_has_the_keys() {
    for (place, fault) in [("custom", "none"), ("overlay", "none"), ("custom", "endless"), ("editor", "endless")] {
        let mut seat = faulty(SCRIPT);
        seat.submits(&format!("/put {place} {fault}"));
        if fault == "none" {
            seat.shows(&format!("here is {place}"));
        }
        seat.types("\x03\x03");
        assert_eq!(seat.ends().0, Some(0), "{place} {fault}");
        seat.assert_restored();
    }
}

/// How often a text stands on the screen and above it.
fn count(seat: &mut Seat, text: &str) -> usize {
    seat.all_rows().join("\n").matches(text).count()
}

/// Waits until a text stands there so often.
fn says(seat: &mut Seat, text: &str, times: usize) {
    let end = Instant::now() + Duration::from_secs(120);
    while count(seat, text) < times {
        assert!(Instant::now() < end, "{text:?} does not come:\n{}", seat.all_rows().join("\n"));
        seat.watch(Duration::from_millis(20));
    }
}

/// A model that calls `weigh` for each prompt, with the number of the prompt.
fn weighs(prompts: usize) -> String {
    let rounds = (1..=prompts).map(|n| {
        format!("  - [{{tool_call: {{name: weigh, arguments: {{n: {n}, of: [some, feathers]}}}}}}]\n  - Answer {n}.\n")
    });
    format!("replies:\n{}", rounds.collect::<String>())
}

const WEIGHS: &str =
    "name: 'weigh', label: 'Weigh', description: 'weighs', parameters: { type: 'object', properties: {} },
    execute: async (id, { n }) => ({ content: [{ type: 'text', text: 'plain result ' + n }], details: {} })";

#[test]
fn a_renderer_that_always_fails_is_reported_once_and_asked_no_more() {
    const CALLS: usize = 10;
    let mut seat = with(
        &format!(
            "import {{ appendFileSync }} from 'node:fs';
            const fails = (of, n) => {{ appendFileSync('asked', `${{of}} ${{n}}\n`); throw new Error('no ' + of); }};
            export default (pi) => {{
                pi.registerTool({{ {WEIGHS}, renderCall: ({{ n }}) => fails('call', n), renderResult: (_, __, ___, {{ args }}) => fails('result', args.n) }});
                pi.registerMessageRenderer('card', (message) => fails('message', message.content));
                pi.registerEntryRenderer('mark', (entry) => fails('entry', entry.data.n));
                pi.registerCommand('add', {{ description: 'adds', handler: async (n) => {{
                    pi.sendMessage({{ customType: 'card', content: 'plain card ' + n, display: true }});
                    pi.appendEntry('mark', {{ n }});
                }} }});
            }};"
        ),
        &weighs(CALLS + 1),
    );
    for n in 1..=CALLS {
        seat.submits(&format!("Prompt {n}"));
        seat.shows(&format!("Answer {n}."));
        seat.shows(&format!("plain result {n}"));
        seat.submits(&format!("/add {n}"));
        seat.shows(&format!("plain card {n}"));
        says(&mut seat, "[mark] its renderer failed", n);
    }
    for of in ["call", "result", "message", "entry"] {
        assert_eq!(count(&mut seat, &format!("its renderer failed: no {of}")), 1, "{of}");
        let asked = seat.place.read("work/asked");
        assert!(asked.contains(&format!("{of} ")), "{asked}");
        assert!(!asked.lines().any(|line| line.starts_with(of) && line.ends_with(&CALLS.to_string())), "{asked}");
    }
    seat.submits("/reload");
    seat.shows("Reloaded");
    let n = CALLS + 1;
    seat.submits(&format!("Prompt {n}"));
    seat.shows(&format!("plain result {n}"));
    says(&mut seat, "its renderer failed: no call", 2);
}

#[test]
fn a_renderer_that_fails_now_and_then_stays() {
    // It fails at what is not whole, too: at calls that have no number yet.
    let mut seat = with(
        &format!(
            "export default (pi) => pi.registerTool({{ {WEIGHS}, renderCall: ({{ n }}) => {{
                if (n % 3 !== 0) throw new Error('not ' + n);
                return {{ render: () => ['drawn ' + n], invalidate() {{}} }};
            }} }});"
        ),
        &weighs(9),
    );
    for n in 1..=9 {
        seat.submits(&format!("Prompt {n}"));
        seat.shows(&format!("Answer {n}."));
        seat.shows(&format!("plain result {n}"));
        if n % 3 == 0 {
            seat.shows(&format!("drawn {n}"));
        }
    }
    for n in [1, 4, 7] {
        assert_eq!(count(&mut seat, &format!("its renderer failed: not {n}")), 1);
    }
}
