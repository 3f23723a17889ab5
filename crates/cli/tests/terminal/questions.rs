//! Questions of extensions: how they look, how they end, and what covers them.

use super::Seat;
use crate::place::Place;

/// A place with a command `ask`, which runs this and says what it gave.
fn asking(code: &str) -> Place {
    let place = Place::new();
    let extension = format!(
        "import {{ existsSync }} from 'node:fs';
        export default (pi) => pi.registerCommand('ask', {{ description: 'asks', handler: async (_, ctx) => {{
            const answer = await (async () => {{ {code} }})();
            ctx.ui.notify('gave ' + JSON.stringify(answer ?? null));
        }}}});"
    );
    place.write("agent/extensions/ask.ts", extension);
    place
}

fn asks(place: Place) -> Seat {
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.types("/ask\r");
    seat
}

#[test]
fn a_question_with_a_deadline_counts_down_and_then_has_its_default() {
    let mut seat = asks(asking("return ctx.ui.confirm('Quick?', 'now', { timeout: 2000 });"));
    let screen = seat.until("the time that is left", |screen| screen.contains("Quick?") && screen.contains("s)"));
    assert!(screen.contains("Quick? (2s)") || screen.contains("Quick? (1s)"), "{screen}");
    let screen = seat.shows("gave false");
    assert!(!screen.contains("Quick?"), "{screen}");
}

#[test]
fn a_question_that_is_taken_back_goes_away() {
    let mut seat = asks(asking(
        "const control = new AbortController();
        const timer = setInterval(() => { if (existsSync('enough')) control.abort(); }, 10);
        const answer = await ctx.ui.select('Which?', ['a', 'b'], { signal: control.signal });
        clearInterval(timer);
        return answer;",
    ));
    seat.shows("Which?");
    seat.place.write("work/enough", "");
    let screen = seat.shows("gave null");
    assert!(!screen.contains("Which?"), "{screen}");
}

#[test]
fn of_many_options_ten_are_shown_and_letters_move() {
    let options = (1..=12).map(|number| format!("'option {number}'")).collect::<Vec<_>>().join(",");
    let mut seat = asks(asking(&format!("return ctx.ui.select('Which?', [{options}]);")));
    let screen = seat.shows("(1/12)");
    assert!(
        screen.contains("→ option 1\n") && screen.contains("option 10") && !screen.contains("option 11"),
        "{screen}"
    );
    seat.types("\x1b[B");
    seat.shows("→ option 2");
    seat.types("j");
    seat.shows("→ option 3");
    seat.types("k");
    seat.shows("→ option 2");
    // Keys for output of tools work beside it.
    seat.types("\x0f");
    let screen = seat.shows("Tool output: expanded");
    assert!(screen.contains("→ option 2"), "{screen}");
    seat.types("\x1b[A\x1b[A");
    seat.shows("→ option 12");
    seat.types("\r");
    seat.shows("gave \"option 12\"");
}

#[test]
fn a_longer_answer_has_lines_and_can_be_written_in_another_editor() {
    let place = asking("return ctx.ui.editor('Text?', 'first');");
    let path = place.program("edits", "cat \"$1\" > seen; printf 'from elsewhere\\n' > \"$1\"");
    let mut seat = Seat::with(place, "replies: []", &[], &[("VISUAL", &path.display().to_string())]);
    seat.is_ready();
    seat.types("/ask\r");
    seat.shows("Text?");
    seat.types("\x1b[F");
    seat.types("\x1b[13;2u");
    seat.types("second");
    seat.shows("second");
    seat.types("\x07");
    seat.shows("from elsewhere");
    assert_eq!(seat.place.read("work/seen"), "first\nsecond");
    seat.types("\r");
    seat.shows("gave \"from elsewhere\"");
}

#[test]
fn notes_of_each_kind_are_told_apart_by_words() {
    let mut seat = asks(asking(
        "ctx.ui.notify('all is well\\nin two lines', 'info');
        ctx.ui.notify('careful', 'warning');
        ctx.ui.notify('it is lost', 'error');",
    ));
    seat.shows("gave null");
    let screen = seat.rows().join("\n");
    assert!(screen.contains("all is well\n") && screen.contains("in two lines"), "{screen}");
    assert!(screen.contains("Warning: careful") && screen.contains("Error: it is lost"), "{screen}");
}

/// Selects another answer. Keys do nothing before the question is painted, so one may not be enough.
fn selects(seat: &mut Seat, text: &str) {
    while !seat.rows().iter().any(|row| row.contains(text)) {
        seat.types("\x1b[B");
        seat.watch(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_key_that_closes_the_pager_answers_no_question_below_it() {
    let place = Place::new();
    place.write(
        "agent/extensions/gate.ts",
        "export default (pi) => pi.on('tool_call', async (event, ctx) => {
            if (!event.input.command.startsWith('touch')) return;
            if (!await ctx.ui.confirm('Run it?', event.input.command)) return { block: true, reason: 'no' };
        });",
    );
    let script = "replies:
  - [{tool_call: {name: bash, arguments: {command: 'seq 1 50'}}}]
  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]
  - Done.";
    let mut seat = Seat::new(place, script, &["Go"]);
    seat.shows("Run it?");
    seat.types("\x1b[B");
    seat.shows("→ No");
    for key in ["y", "\x1b"] {
        seat.types("\x0f");
        seat.shows("Transcript ·");
        seat.types(key);
        seat.until("the question", |screen| !screen.contains("Transcript ·") && screen.contains("→ No"));
        selects(&mut seat, "→ Yes");
        selects(&mut seat, "→ No");
        // The next time that it opens it unfolds again.
        if key == "y" {
            seat.types("\x0f");
            seat.shows("Tool output: collapsed");
        }
    }
    assert!(!seat.place.work().join("ran").exists());
    seat.types("\r");
    let screen = seat.shows("Done.");
    assert!(screen.contains("Blocked by"), "{screen}");
    assert!(!seat.place.work().join("ran").exists());
}
