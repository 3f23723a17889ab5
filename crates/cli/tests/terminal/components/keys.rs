//! Keys that nobody may get by mistake: those that a closing component leaves, and those that end the program.

use super::{Seat, assert_takes_text};
use crate::place::Place;

/// A component that closes with the first key, and one of another extension that comes right behind it.
fn closing(then: &str) -> Seat {
    let place = Place::new();
    place.write(
        "agent/extensions/closes.ts",
        "export default (pi) => pi.registerCommand('closes', { description: 'closes', handler: async (_, ctx) => {
            await ctx.ui.custom((tui, theme, keys, done) => ({
                render: () => ['it closes with a key'], invalidate() {},
                handleInput: () => {
                    done();
                    pi.events.emit('closed', undefined);
                    // What is typed meanwhile waits for it.
                    const end = Date.now() + 150;
                    while (Date.now() < end);
                },
            }));
        }});",
    );
    place.write(
        "agent/extensions/other.ts",
        format!(
            "export default (pi) => {{
                let held;
                pi.on('session_start', (_, ctx) => {{ held = ctx; }});
                pi.events.on('closed', () => {{
                    let typed = '';
                    held.ui.custom((tui, theme, keys, done) => ({{
                        render: () => ['May all be deleted? ' + typed], invalidate() {{}},
                        handleInput: (data) => {{
                            if (data === 'Q') return done();
                            if (/^[a-z]$/.test(data)) typed += data;
                            tui.requestRender();
                        }},
                    }}), {then});
                }});
            }};"
        ),
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.submits("/closes");
    seat.shows("it closes with a key");
    seat
}

#[test]
fn keys_left_over_never_reach_the_component_of_another_extension() {
    for then in ["undefined", "{ overlay: true, overlayOptions: { width: 40 } }"] {
        let mut seat = closing(then);
        seat.types("xyyy");
        seat.shows("May all be deleted?");
        // A key that moves says that it was seen. The keys behind that show that no other came before them.
        seat.types("\x1b[B");
        seat.types("ab");
        seat.shows("May all be deleted? ab");
        seat.types("Q");
        seat.until("the editor", |screen| !screen.contains("May all be deleted?"));
        assert_takes_text(&mut seat, "as before");
    }
}

/// A terminal where a component keeps every key, and shows it.
fn keeping(place: &str) -> Seat {
    let mut seat = super::does(&format!(
        "pi.registerCommand('keep', {{ description: 'keeps', handler: async (_, ctx) => {{
            let count = 0;
            const factory = (tui) => ({{
                render: () => ['it keeps all, ' + count], invalidate() {{}},
                handleInput: () => {{ count++; tui.requestRender(); }},
            }});
            {place};
        }}}});"
    ));
    seat.submits("/keep");
    seat.shows("it keeps all, 0");
    seat
}

const PLACES: [&str; 3] =
    ["ctx.ui.custom(factory)", "ctx.ui.custom(factory, { overlay: true })", "ctx.ui.setEditorComponent(factory)"];

#[test]
fn ctrl_c_twice_ends_the_program_and_with_another_key_between_it_does_not() {
    for place in PLACES {
        let mut seat = keeping(place);
        seat.types("\x03x\x03");
        seat.shows("it keeps all, 3");
        // The key that was the first again is followed by others.
        seat.types("yz");
        seat.shows("it keeps all, 5");
        seat.types("\x03\x03");
        assert_eq!(seat.ends().0, Some(0), "{place}");
        seat.assert_restored();
    }
}

#[test]
fn a_listener_that_keeps_every_key_does_not_keep_ctrl_c() {
    let mut seat = super::does(
        "pi.on('session_start', (_, ctx) => {
            let count = 0;
            ctx.ui.onTerminalInput(() => { ctx.ui.setStatus('k', 'kept ' + ++count); return { consume: true }; });
            ctx.ui.setStatus('k', 'it listens');
        });",
    );
    seat.shows("it listens");
    seat.types("ab");
    seat.shows("kept 2");
    seat.types("\x03x\x03");
    seat.shows("kept 5");
    seat.types("y");
    seat.shows("kept 6");
    seat.types("\x03\x03");
    assert_eq!(seat.ends().0, Some(0));
    seat.assert_restored();
}

#[test]
fn keys_behind_a_shortcut_go_to_what_it_focuses() {
    let mut seat = super::does(
        "let handle;
        pi.registerCommand('aside', { description: 'shows', handler: (_, ctx) => {
            let got = '';
            ctx.ui.custom(() => ({ render: () => ['aside got ' + got + ';'], handleInput: (data) => { got += data; }, invalidate() {} }), {
                overlay: true, overlayOptions: { nonCapturing: true }, onHandle: (given) => { handle = given; },
            });
        }});
        pi.registerShortcut('alt+j', { description: 'focuses', handler: () => handle.focus() });",
    );
    seat.submits("/aside");
    seat.shows("aside got ;");
    seat.types("before\x1bjto it");
    seat.shows("aside got to it;");
    seat.shows("before");
}

#[test]
fn keys_do_not_wait_long_for_a_shortcut() {
    let mut seat = super::does(
        "pi.registerShortcut('alt+k', { description: 'waits', handler: () => new Promise(() => {}) });
        pi.on('session_start', (_, ctx) => ctx.ui.setStatus('k', 'it is there'));",
    );
    seat.shows("it is there");
    seat.types("\x1bkafter it");
    seat.shows("after it");
}

#[test]
fn keys_that_an_editor_was_not_told_reach_no_overlay_of_the_extension_that_replaces_it() {
    let place = Place::new();
    place.write(
        "agent/extensions/editor.ts",
        "export default (pi) => pi.on('session_start', (_, ctx) => ctx.ui.setEditorComponent(() => ({
            render: () => ['their editor'],
            handleInput() { pi.events.emit('typed'); throw new Error('no keys today'); },
            invalidate() {},
        })));",
    );
    place.write(
        "agent/extensions/other.ts",
        "export default (pi) => pi.on('session_start', (_, ctx) => {
            let asked = false;
            pi.events.on('typed', () => {
                if (asked) return;
                asked = true;
                let typed = '';
                ctx.ui.custom((tui) => ({
                    // The keys behind the first one wait for the editor just now.
                    render: () => { ctx.ui.setEditorComponent(undefined); return [`my question <${typed}>`]; },
                    handleInput(data) { typed += data; tui.requestRender(); },
                    invalidate() {},
                }), { overlay: true });
            });
        });",
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.shows("their editor");
    seat.types("abc");
    seat.shows("my question <>");
    seat.types("x");
    seat.shows("my question <x>");
}

#[test]
fn one_ctrl_c_empties_the_editor_also_where_extensions_get_it_first() {
    for extension in [
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        export default (pi) => pi.on('session_start', (_, ctx) => {
            ctx.ui.setEditorComponent((tui, theme, keys) => new CustomEditor(tui, theme, keys));
            ctx.ui.setStatus('k', 'it is there');
        });",
        "export default (pi) => pi.on('session_start', (_, ctx) => {
            ctx.ui.onTerminalInput(() => undefined);
            ctx.ui.setStatus('k', 'it is there');
        });",
    ] {
        let mut seat = super::with(extension, "replies: []");
        seat.shows("it is there");
        seat.types("typed");
        seat.shows("typed");
        seat.types("\x03");
        seat.until("an empty editor", |screen| !screen.contains("typed"));
        // The hint goes when the second one would come too late.
        seat.until("no hint", |screen| !screen.contains("Press again to exit"));
        seat.types("more");
        seat.shows("more");
        seat.types("\x03\x03");
        assert_eq!(seat.ends().0, Some(0));
        seat.assert_restored();
    }
}

#[test]
fn a_component_that_a_shortcut_opens_has_the_keys_at_once() {
    let mut seat = super::does(
        "pi.registerShortcut('alt+j', { description: 'opens', handler: (ctx) => {
            let got = '';
            void ctx.ui.custom(() => ({ render: () => ['it got ' + got + ';'], handleInput: (data) => { got += data; }, invalidate() {} }));
        }});",
    );
    seat.types("before");
    seat.shows("before");
    seat.types("\x1bj");
    seat.shows("it got ;");
    seat.types("ab");
    seat.shows("it got ab;");
}
