//! Extensions that say more than anybody reads: the screen stays usable, and the last that they said is shown.

use super::{Seat, assert_takes_text, with};

/// Says everything so often, with a number.
const SAYS: &str = "const says = (ctx, n) => {
    ctx.ui.setStatus('s', 'status ' + n);
    ctx.ui.setWidget('w', ['widget ' + n, 'of two lines']);
    ctx.ui.notify('notice ' + n);
};";

#[test]
fn ten_thousand_at_once() {
    let mut seat = with(
        &format!(
            "{SAYS} export default (pi) => pi.registerCommand('flood', {{ description: 'floods', handler: async (_, ctx) => {{
                for (let n = 1; n <= 10_000; n++) says(ctx, n);
            }} }});"
        ),
        "replies: [All is well.]",
    );
    seat.submits("/flood");
    seat.shows("status 10000");
    seat.shows("widget 10000");
    assert_takes_text(&mut seat, "after the flood");
    seat.shows("more notices than can be read");
    seat.submits("Go");
    seat.shows("All is well.");
}

/// The number behind a word on the screen.
fn number(screen: &str, word: &str) -> Option<usize> {
    let (_, rest) = screen.split_once(word)?;
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// The memory of the program, in MB.
fn memory(seat: &Seat) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", seat.pid())).expect("its status");
    let kb = number(&status.replace([' ', '\t'], ""), "VmRSS:").expect("its memory");
    kb / 1024
}

#[test]
#[cfg(target_os = "linux")]
fn without_end() {
    /// How much the program may grow while it is flooded, in MB.
    const GROWTH: usize = 60;
    let mut seat = with(
        &format!(
            "{SAYS} export default (pi) => {{
                let timer;
                let n = 0;
                pi.registerCommand('flood', {{ description: 'floods', handler: async (_, ctx) => {{
                    timer = setInterval(() => {{ for (let i = 0; i < 100; i++) says(ctx, ++n); }}, 0);
                }} }});
                pi.registerCommand('calm', {{ description: 'ends it', handler: async (_, ctx) => {{
                    clearInterval(timer);
                    ctx.ui.setStatus('end', 'the end is ' + n + ';');
                }} }});
            }};"
        ),
        "replies: [All is well.]",
    );
    let reaches = |seat: &mut Seat, end: usize| {
        seat.until("more of the flood", |screen| number(screen, "status ").is_some_and(|n| n >= end));
        number(&seat.rows().join("\n"), "status ").expect("a number")
    };
    seat.submits("/flood");
    let begun = reaches(&mut seat, 10_000);
    let before = memory(&seat);
    assert_takes_text(&mut seat, "meanwhile");
    seat.submits("Go");
    seat.shows("All is well.");
    reaches(&mut seat, begun + 100_000);
    let grown = memory(&seat).saturating_sub(before);
    assert!(grown < GROWTH, "it grew by {grown} MB");
    assert_takes_text(&mut seat, "still here");
    seat.submits("/calm");
    let screen = seat.until("the last of all", |screen| {
        number(screen, "the end is ").is_some_and(|n| number(screen, "widget ") == Some(n))
    });
    assert_eq!(number(&screen, "status "), number(&screen, "widget "), "{screen}");
}

#[test]
fn overlays_without_end() {
    let mut seat = with(
        "export default (pi) => pi.registerCommand('flood', { description: 'floods', handler: (_, ctx) => {
            ctx.ui.setWidget('w', (tui) => {
                setInterval(() => {
                    for (let i = 0; i < 50; i++) tui.showOverlay({ render: () => ['over'], invalidate() {} }, { nonCapturing: true }).hide();
                }, 1);
                return { render: () => ['it floods'], invalidate() {} };
            });
        }});",
        "replies: [All is well.]",
    );
    seat.submits("/flood");
    seat.shows("it floods");
    // Whatever waits on its way to the screen has an end.
    seat.shows("500 overlays are on their way to the screen already");
    assert_takes_text(&mut seat, "meanwhile");
    seat.types("\x03\x03");
    assert_eq!(seat.ends().0, Some(0));
    seat.assert_restored();
}
