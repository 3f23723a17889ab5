//! Which of the components of one extension has the keys.

use super::does;

#[test]
fn a_component_in_the_place_of_the_editor_has_the_keys_over_overlays_that_its_factory_opens() {
    let mut seat = does(
        "pi.registerCommand('two', { description: 'opens', handler: async (_, ctx) => ctx.ui.custom((tui, theme, keys, done) => {
            const handles = [];
            const state = () => handles.map((handle) => (handle.isFocused() ? 'y' : 'n')).join('');
            const part = (name) => {
                let typed = '';
                return { focused: false, invalidate() {},
                    render() { return [name + (this.focused ? ' focused <' : ' <') + typed + '> ' + state()]; },
                    handleInput(data) {
                        if (data === '1') handles[0].focus();
                        else if (data === '-') handles[1].setHidden(true);
                        else if (data === '?') ctx.ui.notify('bounds: ' + handles.map((handle) => typeof handle.getBounds()));
                        else if (data === '!') done();
                        else typed += data;
                        tui.requestRender();
                    } };
            };
            handles.push(tui.showOverlay(part('A'), { width: 30, anchor: 'top-left' }));
            handles.push(tui.showOverlay(part('B'), { width: 30, anchor: 'top-right' }));
            ctx.ui.notify('at once ' + state());
            return part('inline');
        })});",
    );
    seat.submits("/two");
    seat.shows("at once ny");
    seat.shows("inline focused <> nn");
    seat.shows("A <> nn");
    seat.types("ab1cd");
    seat.shows("inline <ab> yn");
    seat.shows("A focused <cd> yn");
    seat.types("-?");
    seat.shows("bounds: object,undefined");
}

#[test]
fn the_width_of_an_overlay_is_its_own_only_where_nothing_is_said_of_it() {
    let mut seat = does(
        "const over = (overlayOptions) => async (_, ctx) => {
            let handle;
            await ctx.ui.custom((tui, theme, keys, done) => ({
                width: 30, invalidate() {}, handleInput: (data) => (data === 'q' ? done() : tui.requestRender()),
                render: (width) => [1, 2, 3].map((row) => row + ' of ' + width + ', ' + JSON.stringify(handle?.getBounds()?.height)),
            }), { overlay: true, overlayOptions, onHandle: (given) => (handle = given) });
        };
        pi.registerCommand('own', { description: 'own', handler: over() });
        pi.registerCommand('said', { description: 'said', handler: over({ anchor: 'top-left', maxHeight: 2 }) });",
    );
    seat.submits("/own");
    seat.shows("1 of 30");
    seat.types("q");
    seat.until("the editor", |screen| !screen.contains("1 of 30"));
    seat.submits("/said");
    seat.shows("1 of 80");
    seat.types("x");
    // The height is that of all lines, also of those that are cut.
    let screen = seat.shows("2 of 80, 3");
    assert!(!screen.contains("3 of 80"), "{screen}");
}
