//! Editors of extensions: the text that they are given and asked for, and the keys that stay theirs.

use super::{assert_takes_text, with};

#[test]
fn an_editor_that_says_nothing_of_its_text_is_asked_for_it_and_keeps_its_own_keys() {
    let mut seat = with(
        "let held, editor;
        const got = [];
        const plain = () => ({
            text: '', actionHandlers: new Map(), invalidate() {},
            getText() { return this.text; },
            setText(text) { got.push(text); this.text = text; },
            onEscape() { this.text += 'own'; },
            handleInput(data) {
                if (data === '\\x1b') this.onEscape();
                else if (data === '?') held.ui.notify('it has <' + held.ui.getEditorText() + '>');
                else if (data === '=') held.ui.setEditorText(this.text);
                else if (data === '-') held.ui.setEditorComponent(undefined);
                else if (data === '\\r') this.onSubmit(this.text);
                else if (data === '\\x14') this.actionHandlers.get('app.thinking.toggle')();
                else this.text += data;
            },
            render() { return ['plain: ' + this.text + ', got ' + JSON.stringify(got)]; },
        });
        export default (pi) => pi.on('session_start', (_, ctx) => {
            held = ctx;
            ctx.ui.setEditorComponent(() => (editor = plain()));
        });",
        "replies: [Yes.]",
    );
    seat.shows(r#"plain: , got [""]"#);
    seat.types("abc?");
    seat.shows("it has <abc>");
    seat.types("=");
    seat.shows(r#"plain: abc, got ["","abc"]"#);
    seat.types("\x1b");
    seat.shows("plain: abcown,");
    seat.types("\x14");
    seat.shows("Thinking: hidden");
    seat.types("\r");
    seat.shows(r#"plain: , got ["","abc",""]"#);
    seat.shows("Yes.");
    seat.types("kept-");
    seat.until("the text in the editor of tau", |screen| screen.contains("kept") && !screen.contains("plain:"));
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn an_editor_that_shares_the_text_of_tau_is_given_it_where_it_asks_for_that() {
    let mut seat = with(
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        class Own extends CustomEditor {
            got = [];
            setText(text) { this.got?.push(text); super.setText(text); }
            render(width) { return [...super.render(width), 'got ' + JSON.stringify(this.got)]; }
        }
        export default (pi) => pi.registerCommand('own', { description: 'an editor', handler: async (_, ctx) => {
            ctx.ui.setEditorText('a draft');
            ctx.ui.setEditorComponent((...args) => new Own(...args));
        }});",
        "replies: []",
    );
    seat.submits("/own");
    seat.shows(r#"got ["a draft"]"#);
    seat.types(" goes on");
    seat.shows("a draft goes on");
}

/// A `CustomEditor` in a session that has a shortcut on a key that no extension can take.
fn custom_editor() -> super::Seat {
    let mut seat = with(
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        export default (pi) => {
            pi.registerShortcut('ctrl+k', { description: 'never', handler: (ctx) => ctx.ui.notify('it took ctrl+k') });
            pi.registerCommand('paste', { description: 'pastes', handler: (_, ctx) => ctx.ui.pasteToEditor('long '.repeat(400)) });
            pi.on('session_start', (_, ctx) => {
                ctx.ui.setEditorComponent((...args) => new CustomEditor(...args));
                ctx.ui.setStatus('k', 'it is there');
            });
        };",
        "replies: [Yes.]",
    );
    seat.shows("it is there");
    seat
}

#[test]
fn a_key_that_no_extension_can_take_keeps_its_meaning_in_an_editor_of_one() {
    let mut seat = custom_editor();
    seat.types("kept gone");
    seat.shows("kept gone");
    seat.types("\x1b[D\x1b[D\x1b[D\x1b[D\x0b");
    let screen = seat.until("the rest", |screen| screen.contains("kept") && !screen.contains("gone"));
    assert!(!screen.contains("it took ctrl+k"), "{screen}");
}

#[test]
fn what_is_pasted_into_an_editor_of_an_extension_becomes_a_mark() {
    let mut seat = custom_editor();
    seat.submits("/paste");
    seat.shows("[paste #1 2000 chars]");
}

#[test]
fn the_next_key_takes_a_status_away_also_in_an_editor_of_an_extension() {
    let mut seat = custom_editor();
    seat.types("\x0f");
    seat.shows("Tool output: expanded");
    seat.types("x");
    seat.until("no status", |screen| !screen.contains("Tool output: expanded"));
}
