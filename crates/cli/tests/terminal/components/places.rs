//! Every place where a component can stand.

use super::{assert_takes_text, does, started, with};
use crate::place::Place;
use crate::terminal::Seat;

#[test]
fn a_component_in_the_place_of_the_editor_takes_keys_in_order_and_gives_the_same_object() {
    let mut seat = does(
        "pi.registerCommand('draw', { description: 'draws', handler: async (_, ctx) => {
            ctx.ui.setEditorText('a draft');
            const thing = { secret: () => 'of its own' };
            const gave = await ctx.ui.custom((tui, theme, keybindings, done) => {
                let typed = '';
                return {
                    render: (width) => ['It has ' + width + ' columns', 'typed: ' + typed],
                    handleInput: (data) => {
                        if (keybindings.matches(data, 'tui.select.confirm')) return done(thing);
                        typed += data;
                        tui.requestRender();
                    },
                    invalidate() {},
                };
            });
            ctx.ui.notify('the same: ' + (gave === thing) + ', ' + gave.secret());
        }});",
    );
    seat.submits("/draw");
    seat.shows("It has 100 columns");
    seat.types("abcdefghij");
    seat.shows("typed: abcdefghij");
    seat.types("\r");
    seat.shows("the same: true, of its own");
    seat.shows("a draft");
}

#[test]
fn components_stand_beside_the_editor_in_the_footer_and_at_the_top() {
    let mut seat = started(
        "export default (pi) => { pi.on('session_start', (_, ctx) => {
            ctx.ui.setHeader((tui, theme) => ({ render: () => ['my own header'], invalidate() {} }));
            ctx.ui.setWidget('a', () => ({ render: (width) => ['above: ' + width], invalidate() {} }));
            ctx.ui.setWidget('b', () => ({ render: () => ['below'], invalidate() {} }), { placement: 'belowEditor' });
            ctx.ui.setStatus('s', 'a status');
            ctx.ui.setFooter((tui, theme, data) => ({
                render: () => ['my footer: ' + [...data.getExtensionStatuses()].join(':')], invalidate() {},
            }));
        });
        pi.registerCommand('back', { description: 'restores', handler: async (_, ctx) => {
            ctx.ui.setFooter(undefined);
            ctx.ui.setWidget('a', undefined);
        }}); };",
        "replies: []",
    );
    for text in ["my own header", "above: 100", "below", "my footer: s,a status"] {
        seat.shows(text);
    }
    seat.resize(60, 20);
    seat.shows("above: 60");
    seat.submits("/back");
    seat.until("the footer of tau", |screen| screen.contains("scripted") && !screen.contains("my footer"));
    assert!(!seat.rows().iter().any(|row| row.contains("above:")));
}

#[test]
fn an_overlay_lies_over_the_screen_and_leaves_it_as_it_was() {
    let mut seat = does(
        "pi.registerCommand('over', { description: 'lies over', handler: async (_, ctx) => {
            const gave = await ctx.ui.custom((tui, theme, keys, done) => ({
                render: (width) => ['╭' + '─'.repeat(width - 2) + '╮', '│ over it', '╰' + '─'.repeat(width - 2) + '╯'],
                handleInput: (data) => done(data), invalidate() {},
            }), { overlay: true, overlayOptions: { width: 30, anchor: 'top-right', margin: 1 } });
            ctx.ui.notify('it gave ' + gave);
        }});",
    );
    seat.submits("/over");
    let screen = seat.shows("│ over it");
    let row = screen.lines().find(|row| row.contains("over it")).expect("the overlay");
    assert_eq!(row.chars().position(|char| char == '│'), Some(69), "{screen}");
    seat.types("x");
    let screen = seat.shows("it gave x");
    assert!(!screen.contains("over it"), "{screen}");
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn of_a_component_that_is_higher_than_the_screen_the_row_that_is_worked_in_is_seen() {
    const HIGH: &str = "export default (pi) => {
        const high = (marked) => async (_, ctx) => ctx.ui.custom((tui, theme, keys, done) => ({
            render: () => Array.from({ length: 40 }, (_, at) => (at + 1 === marked ? '→ ' : '') + 'row ' + (at + 1) + ';'),
            handleInput: () => done(), invalidate() {},
        }));
        pi.registerCommand('high', { description: 'high', handler: high() });
        pi.registerCommand('list', { description: 'a list', handler: high(3) });
    };";
    // Without a mark the end in the regular mode and the beginning in the other one, as in pi; with one where that is.
    for (mode, command, first, last) in [
        ("regular", "/high", 14, 40),
        ("regular", "/list", 1, 27),
        ("fullscreen", "/high", 1, 27),
        ("fullscreen", "/list", 1, 27),
    ] {
        let place = Place::new();
        place.write("agent/extensions/draws.ts", HIGH);
        let mut seat = Seat::new(place, "replies: []", &["--tui-mode", mode]);
        seat.is_ready();
        seat.submits(command);
        let screen = seat.until("the rows and the footer", |screen| {
            screen.contains(&format!("row {first};")) && screen.contains(&format!("row {last};"))
        });
        assert!(!screen.contains(&format!("row {};", if first == 1 { last + 1 } else { first - 1 })), "{screen}");
        assert!(screen.contains("/work"), "the footer begins below: {screen}");
        seat.types("x");
        assert_takes_text(&mut seat, "as before");
    }
}

#[test]
fn a_question_is_seen_above_a_running_game_and_gives_it_back() {
    let mut seat = with(
        "export default (pi) => {
            pi.registerCommand('game', { description: 'plays', handler: async (_, ctx) => {
                ctx.ui.custom((tui, theme, keys, done) => {
                    let steps = 0;
                    const timer = setInterval(() => { steps++; tui.requestRender(); }, 20);
                    return {
                        render: () => ['a game, key ' + (globalThis.last ?? 'none')],
                        handleInput: (data) => { globalThis.last = data; if (data === 'Q') done(); },
                        dispose: () => clearInterval(timer), invalidate() {},
                    };
                });
                pi.sendUserMessage('Go');
            }});
            pi.on('tool_call', async (event, ctx) =>
                (await ctx.ui.confirm('May it?', event.input.command)) ? undefined : { block: true, reason: 'no' });
        };",
        "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.",
    );
    seat.submits("/game");
    seat.shows("May it?");
    // A key that moves says that the question was seen; then it is answered, and the game has its keys again.
    seat.types("\x1b[B");
    seat.types("\x1b[A");
    seat.types("n");
    seat.until("the game", |screen| screen.contains("a game") && !screen.contains("May it?"));
    seat.types("z");
    seat.shows("key z");
    assert!(!seat.place.work().join("ran").exists());
    seat.types("Q");
    seat.until("the editor", |screen| !screen.contains("a game"));
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn an_editor_of_an_extension_sends_and_acts_and_gives_its_text_back() {
    let mut seat = with(
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        class Mine extends CustomEditor {
            render(width) { const lines = super.render(width); return [...lines, 'mine, ' + this.getText().length]; }
        }
        export default (pi) => {
            pi.on('session_start', (_, ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new Mine(tui, theme, keys)));
            pi.registerCommand('back', { description: 'restores', handler: async (_, ctx) => ctx.ui.setEditorComponent(undefined) });
        };",
        "replies: [It was answered.]",
    );
    seat.shows("mine, 0");
    seat.types("hello");
    seat.shows("mine, 5");
    seat.types("\r");
    seat.shows("It was answered.");
    seat.shows("mine, 0");
    // The key of an action of tau, in the editor of another.
    seat.types("\x0c");
    seat.shows("Model");
    seat.types("\x1b");
    seat.shows("mine, 0");
    seat.types("/back\r");
    seat.until("the editor of tau", |screen| !screen.contains("mine,"));
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn listeners_hear_keys_first_and_can_change_and_take_them() {
    let mut seat = does(
        "pi.on('session_start', (_, ctx) => {
            const off = ctx.ui.onTerminalInput((data) => {
                if (data === 'x') return { consume: true };
                if (data === 'y') return { data: 'z' };
                if (data === '!') off();
            });
            ctx.ui.setStatus('listener', 'it listens');
        });",
    );
    seat.shows("it listens");
    seat.types("axbyc");
    seat.shows("abzc");
    seat.types("\x15");
    seat.types("!");
    seat.shows("!");
    seat.types("\x15");
    seat.types("xy");
    seat.shows("xy");
}

#[test]
fn what_is_typed_behind_the_key_that_closes_a_component_reaches_the_editor() {
    let mut seat = does(
        "pi.registerCommand('box', { description: 'opens', handler: async (_, ctx) => {
            await ctx.ui.custom((tui, theme, keys, done) => ({
                render: () => ['the box'],
                handleInput(data) { if (data === 'q') done(1); },
                invalidate() {},
            }));
        }});",
    );
    seat.submits("/box");
    seat.shows("the box");
    seat.types("qabc");
    let screen = seat.shows("abc");
    assert!(!screen.contains("the box"), "{screen}");
}

#[test]
fn providers_of_completions_stand_around_those_of_tau() {
    let mut seat = does(
        "pi.on('session_start', (_, ctx) => { setTimeout(() => ctx.ui.notify('it is there'), 0); ctx.ui.addAutocompleteProvider((current) => ({
            async getSuggestions(lines, line, column, options) {
                const word = lines[line].slice(0, column).match(/#(\\w*)$/);
                if (!word) return current.getSuggestions(lines, line, column, options);
                return { prefix: word[0], items: [{ value: '#12', label: '#12 of mine', description: 'an issue' }] };
            },
            applyCompletion(lines, line, column, item, prefix) {
                return current.applyCompletion(lines, line, column, item, prefix);
            },
        })); });",
    );
    seat.shows("it is there");
    seat.types("see #");
    seat.shows("#12 of mine");
    seat.types("\t");
    seat.shows("see #12");
    seat.types("\x15");
    // What it leaves is suggested by tau.
    seat.types("/hotk");
    seat.shows("hotkeys");
}

#[test]
fn factories_and_providers_of_completions_may_await_what_takes_time() {
    let mut seat = does(
        "const later = () => new Promise((resolve) => setTimeout(resolve, 50));
        pi.on('session_start', (_, ctx) => ctx.ui.addAutocompleteProvider((current) => {
            setTimeout(() => ctx.ui.notify('it is there'), 0);
            return { async getSuggestions(lines, line, column, options) {
                await later();
                if (!lines[line].endsWith('#')) return current.getSuggestions(lines, line, column, options);
                return { prefix: '#', items: [{ value: '#12', label: '#12 of mine' }] };
            } };
        }));
        pi.registerCommand('late', { description: 'is late', handler: async (_, ctx) => {
            const gave = await ctx.ui.custom(async (tui, theme, keys, done) => {
                await later();
                return { render: () => ['here at last'], handleInput: (data) => done(data), invalidate() {} };
            });
            ctx.ui.notify('it gave ' + gave);
        }});",
    );
    seat.shows("it is there");
    seat.types("see #");
    seat.shows("#12 of mine");
    seat.types("\x1b");
    seat.until("no list", |screen| !screen.contains("#12 of mine"));
    seat.types("\x15");
    seat.submits("/late");
    seat.shows("here at last");
    seat.types("x");
    seat.shows("it gave x");
}

#[test]
fn tools_messages_and_entries_are_drawn_by_extensions() {
    let mut seat = with(
        "const text = (...lines) => ({ render: () => lines, invalidate() {} });
        export default (pi) => {
            pi.registerTool({
                name: 'weigh', label: 'Weigh', description: 'weighs', parameters: { type: 'object', properties: { what: { type: 'string' } } },
                execute: async () => ({ content: [{ type: 'text', text: 'raw result' }], details: { grams: 7 } }),
                renderCall: (args, theme, ctx) => text('weighing ' + args.what + ' in ' + ctx.cwd.split('/').pop()),
                renderResult: (result, { expanded }) => text(result.details.grams + ' grams' + (expanded ? ', in full' : '')),
            });
            pi.registerMessageRenderer('card', (message, { expanded }) => text('a card: ' + message.content));
            pi.registerEntryRenderer('mark', (entry) => text('a mark: ' + entry.data.of));
            pi.registerCommand('card', { description: 'adds', handler: async () => {
                pi.sendMessage({ customType: 'card', content: 'hello', display: true });
                pi.appendEntry('mark', { of: 'mine' });
            }});
        };",
        "replies:\n  - [{tool_call: {name: weigh, arguments: {what: a feather}}}]\n  - Done.",
    );
    seat.submits("Go");
    seat.shows("weighing a feather in work");
    seat.shows("Done.");
    let screen = seat.shows("7 grams");
    assert!(!screen.contains("raw result"), "{screen}");
    seat.submits("/card");
    seat.shows("a card: hello");
    seat.shows("a mark: mine");
}

#[test]
fn the_header_of_tau_comes_back_in_its_place_before_the_conversation_begins() {
    let mut seat = started(
        "export default (pi) => {
            pi.on('session_start', (_, ctx) => ctx.ui.setHeader(() => ({ render: () => ['my header'], invalidate() {} })));
            pi.registerCommand('back', { description: 'takes it away', handler: (_, ctx) => ctx.ui.setHeader(undefined) });
        };",
        "replies: []",
    );
    seat.shows("my header");
    seat.submits("/back");
    let screen = seat.shows("tau v");
    assert!(!screen.contains("my header"), "{screen}");
}

#[test]
fn what_is_shown_goes_with_the_session_and_comes_back_with_a_reload() {
    let mut seat = does(
        "pi.on('session_start', (event, ctx) => {
            ctx.ui.setWidget('w', () => ({ render: () => ['for ' + event.reason], invalidate() {} }));
        });
        pi.registerCommand('over', { description: 'lies over', handler: async (_, ctx) => {
            ctx.ui.custom(() => ({ render: () => ['over it'], handleInput() {}, invalidate() {} }), { overlay: true });
        }});",
    );
    seat.shows("for startup");
    seat.submits("/new");
    seat.shows("for new");
    seat.submits("/reload");
    seat.shows("for reload");
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn the_stopwatch_of_the_examples_runs_over_the_screen() {
    let mut seat = with(include_str!("../../../../../examples/typescript/stopwatch.ts"), "replies: []");
    seat.submits("/stopwatch");
    seat.shows("00:00.0");
    seat.types(" ");
    seat.until("time to pass", |screen| screen.contains("00:00.") && !screen.contains("00:00.0"));
    seat.types(" \x1b");
    let screen = seat.shows("seconds");
    assert!(!screen.contains("start/stop"), "{screen}");
}

#[test]
fn what_is_typed_behind_the_key_that_moves_the_focus_reaches_the_one_that_has_it_then() {
    let mut seat = does(
        "const panel = (name) => {
            const of = { handle: undefined, other: undefined, text: '' };
            of.component = {
                render: () => [name + ' has <' + of.text + '>' + (of.handle?.isFocused() ? ' and the keys' : '')],
                handleInput: (data) => { if (data === '\\t') of.other.handle.focus(); else if (data === '!') of.handle.unfocus(); else of.text += data; },
                invalidate() {},
            };
            return of;
        };
        pi.registerCommand('two', { description: 'two overlays', handler: async (_, ctx) => {
            const [left, right] = [panel('left'), panel('right')];
            [left.other, right.other] = [right, left];
            await ctx.ui.custom((tui) => {
                right.handle = tui.showOverlay(right.component, { anchor: 'top-right', nonCapturing: true, width: 40 });
                return left.component;
            }, { overlay: true, overlayOptions: { anchor: 'top-left', width: 40 }, onHandle: (handle) => { left.handle = handle; } });
        }});",
    );
    seat.submits("/two");
    seat.shows("left has <> and the keys");
    seat.shows("right has <>");
    seat.types("a\tbc\td\tef");
    seat.shows("left has <ad>");
    seat.shows("right has <bcef> and the keys");
    // Behind the key that gives the keys back, they are the editor's or those of what is below.
    seat.types("!g\th");
    seat.shows("left has <adg>");
    seat.shows("right has <bcefh> and the keys");
}

#[test]
fn what_a_handler_says_before_a_prompt_is_shown_stands_before_it() {
    let mut seat = with(
        "export default (pi) => { pi.on('input', (event, ctx) => { ctx.ui.notify('about ' + event.text); }); };",
        "loop: true\nreplies: ['Answer to {{user}}.']",
    );
    for count in 1..=8 {
        seat.submits(&format!("prompt {count}"));
        let screen = seat.shows(&format!("Answer to prompt {count}."));
        let notice = screen.rfind(&format!("about prompt {count}\n")).expect("the notice");
        let prompt = screen.rfind(&format!("\n prompt {count}\n")).expect("the prompt");
        assert!(notice < prompt, "{screen}");
    }
}

#[test]
fn widgets_leave_the_editor_and_the_footer_on_a_low_screen() {
    let place = Place::new();
    place.write(
        "agent/extensions/draws.ts",
        "export default (pi) => pi.on('session_start', (_, ctx) => {
            for (const name of ['a', 'b', 'c']) ctx.ui.setWidget(name, Array.from({ length: 9 }, (_, at) => name + ' row ' + at));
            ctx.ui.setWidget('d', ['below'], { placement: 'belowEditor' });
        });",
    );
    let mut seat = Seat::of_size(place, "replies: [An answer.]", &[], (100, 30));
    seat.shows("a row 0");
    seat.submits("Go");
    seat.shows("An answer.");
    for rows in [30, 20, 12] {
        seat.resize(100, rows);
        let screen = seat.until("all of it", |screen| {
            screen.lines().filter(|row| row.starts_with("──")).count() >= 2 && screen.contains("/work\n")
        });
        assert!(screen.contains("a row 0") && screen.contains("(more widgets)"), "{screen}");
    }
}
