//! What components can do beside drawing: the mouse, parts with the keys, and what can be read at once.

use super::super::Seat;
use super::does;
use crate::place::Place;

#[test]
fn a_part_of_a_component_gets_the_keys_and_loses_them() {
    let mut seat = does(
        "const part = (name) => ({ text: '', focused: false, invalidate() {},
            render() { return [name + (this.focused ? ' focused' : '') + ' <' + this.text + '>']; },
            handleInput(data) { this.text += data; } });
        pi.registerCommand('parts', { description: 'draws', handler: async (_, ctx) => ctx.ui.custom((tui, theme, keys, done) => {
            const [one, two] = [part('one'), part('two')];
            for (const it of [one, two]) {
                const other = it === one ? two : one;
                const before = it.handleInput.bind(it);
                it.handleInput = (data) => (data === '\\t' ? tui.setFocus(other) : data === '!' ? tui.setFocus(null) : before(data));
            }
            let own = '';
            return { invalidate() {}, handleInput(data) { if (data === '1') tui.setFocus(one); else own += data; },
                render: (width) => [...one.render(width), ...two.render(width), 'own <' + own + '> ' + (tui.getFocusedComponent() === two)] };
        })});",
    );
    seat.submits("/parts");
    seat.shows("own <> false");
    seat.types("1ab\tc");
    seat.shows("two focused <c>");
    seat.shows("one <ab>");
    seat.shows("own <> true");
    seat.types("!x");
    seat.shows("own <x> false");
}

#[test]
fn what_an_extension_changes_can_be_read_at_once() {
    let mut seat = does(
        "pi.registerCommand('read', { description: 'reads', handler: async (_, ctx) => {
            ctx.ui.setEditorText('one');
            const first = ctx.ui.getEditorText();
            ctx.ui.pasteToEditor(' two');
            const second = ctx.ui.getEditorText();
            const before = ctx.ui.getToolsExpanded();
            ctx.ui.setToolsExpanded(!before);
            ctx.ui.notify([first, second, ctx.ui.getToolsExpanded() !== before].join('|'));
        }});",
    );
    seat.submits("/read");
    seat.shows("one|one two|true");
}

#[test]
fn an_editor_of_an_extension_looks_as_the_settings_say_and_has_the_history() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"editorPaddingX": 2, "autocompleteMaxVisible": 7}"#);
    place.write(
        "agent/extensions/draws.ts",
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        const sent = [];
        class Own extends CustomEditor {
            addToHistory(text) { sent.push(text); super.addToHistory(text); }
            render(width) {
                const look = [this.getPaddingX(), this.getAutocompleteMaxVisible(), this.borderColor('x') !== 'x', sent.join()].join('/');
                return [...super.render(width), look];
            }
        }
        export default (pi) => pi.on('session_start', (_, ctx) => ctx.ui.setEditorComponent((...args) => new Own(...args)));",
    );
    let mut seat = Seat::new(place, "replies: [Yes.]", &[]);
    seat.is_ready();
    seat.shows("2/7/true/");
    seat.submits("Hello");
    seat.shows("2/7/true/Hello");
}

#[test]
fn the_mouse_is_followed_from_press_to_click() {
    let place = Place::new();
    place.write(
        "agent/extensions/draws.ts",
        "const told = (name, mouse) => {
            const seen = [];
            return { invalidate() {}, render: () => [name + ': ' + seen.slice(-3).join(' ')],
                handleMouse: (event) => {
                    if (event.type !== 'move') seen.push(event.type + '.' + event.button + '@' + event.x + ',' + event.y
                        + (event.clickCount ? 'x' + event.clickCount : '') + (event.wheelDelta ? 'w' + Math.sign(event.wheelDelta) : ''));
                    return { handled: true };
                } };
        };
        export default (pi) => pi.on('session_start', (_, ctx) => {
            ctx.ui.setWidget('w', () => told('widget'), { placement: 'belowEditor' });
            ctx.ui.setFooter(() => told('footer'));
        });",
    );
    let mut seat = Seat::new(place, "replies: [Yes.]", &["--tui-mode", "fullscreen"]);
    seat.is_ready();
    for name in ["widget", "footer"] {
        let screen = seat.shows(&format!("{name}:"));
        let row = screen.lines().position(|line| line.starts_with(&format!("{name}:"))).expect("its row") + 1;
        let mouse = |button: u8, column: usize, end: char| format!("\x1b[<{button};{column};{row}{end}");
        seat.types(&(mouse(0, 4, 'M') + &mouse(0, 4, 'm')));
        seat.shows(&format!("{name}: press.left@3,0 release.left@3,0 click.left@3,0x1"));
        let click = mouse(0, 9, 'M') + &mouse(0, 9, 'm');
        seat.types(&(click.clone() + &click));
        seat.shows("click.left@8,0x2");
        seat.types(&(mouse(2, 5, 'M') + &mouse(34, 7, 'M') + &mouse(2, 7, 'm')));
        seat.shows("press.right@4,0 drag.right@6,0 release.right@6,0");
        seat.types(&mouse(65, 5, 'M'));
        seat.shows("wheel.none@4,0w1");
    }
}

#[test]
fn a_component_names_the_window_and_shows_that_work_is_under_way() {
    let mut seat = does(
        "pi.registerCommand('osc', { description: 'names', handler: async (_, ctx) => ctx.ui.custom(({ terminal }, theme, keys, done) => {
            terminal.setTitle('from a call');
            terminal.write('\\x1b]2;as written\\x07\\x1b]9;4;3\\x07\\x1b[2J');
            return { invalidate() {}, render: () => ['it is named'],
                handleInput: () => { terminal.setProgress(false); done(); } };
        })});",
    );
    let wrote = |seat: &Seat, text: &str| String::from_utf8_lossy(&seat.bytes).contains(text);
    seat.submits("/osc");
    seat.shows("it is named");
    for text in ["\x1b]0;from a call\x1b\\", "\x1b]0;as written\x1b\\", "\x1b]9;4;3\x1b\\"] {
        seat.until_true(text, |seat| wrote(seat, text));
    }
    assert!(!wrote(&seat, "\x1b]9;4;0"));
    seat.types("x");
    seat.until_true("the end of the progress", |seat| wrote(seat, "\x1b]9;4;0\x1b\\"));
}

#[test]
fn a_footer_has_the_statuses_in_the_order_in_which_they_were_set() {
    let mut seat = does(
        "pi.on('session_start', (_, ctx) => {
            for (const [key, text] of [['z', '1'], ['a', '2'], ['m', '3'], ['z', '4'], ['a', undefined], ['a', '5']]) ctx.ui.setStatus(key, text);
            ctx.ui.setFooter((tui, theme, data) => ({
                render: () => ['statuses ' + JSON.stringify([...data.getExtensionStatuses()])], invalidate() {},
            }));
        });",
    );
    seat.shows(r#"statuses [["z","4"],["m","3"],["a","5"]]"#);
}

#[test]
fn a_component_knows_whether_the_screen_is_the_programs_alone() {
    for (mode, shown) in [("regular", "regular false function"), ("fullscreen", "fullscreen true function")] {
        let place = Place::new();
        place.write(
            "agent/extensions/draws.ts",
            "import { isViewportTUI } from '@earendil-works/pi-tui';
            export default (pi) => pi.on('session_start', (_, ctx) => ctx.ui.setWidget('w', (tui) => ({
                render: () => [[tui.mode, isViewportTUI(tui), typeof tui.setLayoutRoot].join(' ')], invalidate() {},
            })));",
        );
        let mut seat = Seat::new(place, "replies: []", &["--tui-mode", mode]);
        seat.is_ready();
        seat.shows(shown);
    }
}
