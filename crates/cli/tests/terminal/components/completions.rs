//! What providers of completions make of the text when an item is chosen.

use super::does;

/// A provider of many items, which shows how often and with what it was asked for the text. `apply` is what it does then.
fn many(apply: &str) -> super::Seat {
    let mut seat = does(&format!(
        "pi.on('session_start', (_, ctx) => {{
            let asked = 0;
            ctx.ui.addAutocompleteProvider((current) => (setTimeout(() => ctx.ui.notify('it is there'), 0), {{
                async getSuggestions(lines, line, column, options) {{
                    const word = lines[line].slice(0, column).match(/#(\\w*)$/);
                    if (!word) return current.getSuggestions(lines, line, column, options);
                    const items = Array.from({{ length: 45 }}, (_, at) => ({{ value: '#i' + at, label: 'item ' + at, own: at }}));
                    return {{ prefix: word[0], items }};
                }},
                applyCompletion(lines, line, column, item, prefix) {{
                    asked++;
                    ctx.ui.setStatus('asked', 'asked ' + asked + ' with ' + item.own + ' ' + lines[line] + ' ' + prefix);
                    {apply}
                }},
            }}));
        }});"
    ));
    seat.shows("it is there");
    seat
}

#[test]
fn a_provider_is_asked_once_for_the_item_that_is_chosen_and_keys_behind_it_wait() {
    let mut seat = many(
        "const begin = lines[line].slice(0, column - prefix.length) + '<<' + item.value + '>>';
        return { lines: [begin + lines[line].slice(column)], cursorLine: 0, cursorCol: begin.length };",
    );
    seat.types("see #");
    let screen = seat.shows("item 0");
    assert!(!screen.contains("asked"), "{screen}");
    // Up from the first one is the last one.
    seat.types("\x1b[A");
    seat.shows("(45/45)");
    seat.types("\txyz");
    seat.shows("see <<#i44>>xyz");
    seat.shows("asked 1 with 44 see # #");
}

#[test]
fn a_provider_that_fails_or_does_not_answer_leaves_the_text_to_tau() {
    for apply in ["throw new Error('no');", "return new Promise(() => {});", "return undefined;"] {
        let mut seat = many(apply);
        seat.types("see #");
        seat.shows("item 0");
        seat.types("\txyz");
        seat.shows("see #i0xyz");
    }
}

#[test]
fn a_provider_around_another_one_passes_the_choice_on_and_so_does_an_editor() {
    let mut seat = super::with(
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        class Own extends CustomEditor {
            render(width) { return [...super.render(width), 'an editor of its own']; }
        }
        const inner = (current) => ({
            async getSuggestions(lines, line, column, options) {
                if (!lines[line].endsWith('#')) return current.getSuggestions(lines, line, column, options);
                return { prefix: '#', items: [{ value: '#12', label: 'the issue' }, { value: '#13', label: 'another' }] };
            },
            applyCompletion: (lines, line, column, item, prefix) =>
                prefix === '#'
                    ? { lines: ['inner ' + item.value], cursorLine: 0, cursorCol: 9 }
                    : current.applyCompletion(lines, line, column, item, prefix),
        });
        const outer = (current) => ({
            getSuggestions: (...args) => current.getSuggestions(...args),
            applyCompletion: (...args) => current.applyCompletion(...args),
        });
        export default (pi) => {
            pi.on('session_start', (_, ctx) => {
                ctx.ui.addAutocompleteProvider(inner);
                ctx.ui.addAutocompleteProvider((current) => {
                    setTimeout(() => ctx.ui.notify('both are there'), 0);
                    return outer(current);
                });
            });
            pi.registerCommand('own', { description: 'an editor', handler: async (_, ctx) => {
                ctx.ui.setEditorComponent((...args) => new Own(...args));
            }});
        };",
        "replies: []",
    );
    seat.shows("both are there");
    seat.types("#");
    seat.shows("the issue");
    seat.types("\t!");
    seat.shows("inner #12!");
    seat.types("\x15");
    seat.submits("/own");
    seat.shows("an editor of its own");
    seat.types("#");
    seat.shows("the issue");
    seat.types("\t!");
    seat.shows("inner #12!");
}

#[test]
fn what_a_slow_provider_suggests_comes_when_it_answers() {
    let mut seat = does(
        "pi.on('session_start', (_, ctx) => ctx.ui.addAutocompleteProvider((current) => (setTimeout(() => ctx.ui.notify('it is there'), 0), {
            async getSuggestions(lines, line, column, options) {
                if (!lines[line].endsWith('#t')) return current.getSuggestions(lines, line, column, options);
                await new Promise((resolve) => setTimeout(resolve, 1500));
                return { prefix: '#t', items: [{ value: '#tide', label: 'the tide' }] };
            },
        })));",
    );
    seat.shows("it is there");
    seat.types("see #t");
    seat.shows("the tide");
    seat.types("\t");
    seat.shows("see #tide");
}
