//! Programs of extensions that have the terminal while tau's screen is stopped.

use super::{assert_takes_text, with};

/// `/run COMMAND` runs a command of the shell with the terminal; `/later COMMAND` does not wait for it with the thread.
const RUNS: &str = "import { spawn, spawnSync } from 'node:child_process';
export default (pi) => {
    pi.registerCommand('run', { description: 'runs', handler: async (command, ctx) => {
        const status = await ctx.ui.custom((tui, theme, keybindings, done) => {
            tui.stop();
            process.stdout.write('\\x1b[2J\\x1b[Hfrom the extension\\r\\n');
            const result = spawnSync('/bin/sh', ['-c', command], { stdio: 'inherit' });
            tui.start();
            done(result.status ?? result.signal);
            return { render: () => [], invalidate() {} };
        });
        ctx.ui.notify('ended with ' + status);
    }});
    pi.registerCommand('later', { description: 'runs', handler: async (command, ctx) => {
        const status = await ctx.ui.custom((tui, theme, keybindings, done) => {
            tui.stop();
            spawn('/bin/sh', ['-c', command], { stdio: 'inherit' }).on('close', (status) => { tui.start(); done(status); });
            return { render: () => [], invalidate() {} };
        });
        ctx.ui.notify('ended with ' + status);
    }});
    pi.registerCommand('quiet', { description: 'runs', handler: async (command, ctx) => {
        const result = spawnSync('/bin/sh', ['-c', command], { stdio: 'inherit' });
        ctx.ui.notify('quietly ended with ' + result.status);
    }});
};";

#[test]
fn it_reads_the_keys_and_writes_on_the_screen_and_tau_comes_back() {
    for command in ["run", "later"] {
        let mut seat = with(RUNS, "replies: []");
        seat.submits(&format!("/{command} echo as''ks; read x; echo go''t=$x on $(tty | cut -c1-5); read y; exit 7"));
        seat.shows("asks");
        seat.types("an answer\n");
        seat.shows("got=an answer on /dev/");
        seat.types("\n");
        seat.shows("ended with 7");
        assert_takes_text(&mut seat, "as before");
    }
}

#[test]
fn ctrl_c_is_for_the_program_and_ctrl_z_stops_nobody() {
    let mut seat = with(RUNS, "replies: []");
    seat.submits("/run trap 'exit 3' INT; echo as''ks; read x; echo go''t=$x; read y");
    seat.shows("asks");
    seat.types("\x1a\n");
    seat.shows("got=");
    seat.types("\x03");
    seat.shows("ended with 3");
    // A shell that starts a program may forget the key of that moment, so the program has to be there.
    seat.submits("/run echo wa''its; exec cat");
    seat.shows("waits");
    seat.types("back\n");
    seat.shows("back\nback");
    seat.types("\x03");
    seat.shows("ended with SIGINT");
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn without_stopping_the_screen_it_gets_no_key_and_writes_nothing_on_it() {
    let mut seat = with(RUNS, "replies: []");
    seat.submits("/quiet echo on the scr''een; read x && exit 1; exit 5");
    let screen = seat.shows("quietly ended with 5");
    assert!(!screen.contains("on the screen"), "{screen}");
    assert_takes_text(&mut seat, "as before");
}

#[test]
fn an_extension_that_goes_gives_the_terminal_back() {
    let mut seat = with(
        "export default (pi) => {
            pi.on('session_start', (event, ctx) => ctx.ui.notify('here for ' + event.reason));
            pi.registerCommand('keep', { description: 'keeps it', handler: async (_, ctx) => {
                ctx.ui.custom((tui) => { tui.stop(); return { render: () => [], invalidate() {} }; });
                await ctx.reload();
            }});
        };",
        "replies: []",
    );
    seat.submits("/keep");
    seat.shows("here for reload");
    assert_takes_text(&mut seat, "as before");
}

/// Each way to hand standard streams to a program; what is not handed over is a pipe as ever.
#[test]
fn a_program_may_get_only_some_of_the_streams() {
    let source = "import { execFileSync, spawnSync } from 'node:child_process';
    export default (pi) => {
        pi.registerCommand('some', { description: 'runs', handler: async (_, ctx) => {
            const seen = await ctx.ui.custom((tui, theme, keybindings, done) => {
                const run = (stdio, command) => spawnSync('/bin/sh', ['-c', command], { stdio, encoding: 'utf8' });
                tui.stop();
                const asks = (name) => `echo ${name}-asks; read x; echo ${name}:$x >&2`;
                const seen = [run(['inherit', 'inherit', 'pipe'], asks('one')).stderr, run([0, 1, 'pipe'], asks('two')).stderr];
                seen.push(execFileSync('/bin/sh', ['-c', 'echo three-asks >&2; read x; echo three:$x'], { stdio: [0, 'pipe', 2], encoding: 'utf8' }));
                tui.start();
                done(seen.map((text) => text.trim()).join(' '));
                return { render: () => [], invalidate() {} };
            });
            ctx.ui.notify(seen);
        }});
    };";
    let mut seat = with(source, "replies: []");
    seat.submits("/some");
    for name in ["one", "two", "three"] {
        seat.shows(&format!("{name}-asks"));
        seat.types(&format!("for {name}\n"));
    }
    seat.shows("one:for one two:for two three:for three");
    assert_takes_text(&mut seat, "as before");
}

/// `/ends` starts a program without giving the terminal back when that is over; `/again` is a second command for the terminal.
const FORGETS: &str = "import { spawn, spawnSync } from 'node:child_process';
export default (pi) => {
    pi.registerCommand('ends', { description: 'forgets', handler: async (command, ctx) => {
        ctx.ui.custom((tui) => {
            tui.stop();
            tui.stop();
            spawn('/bin/sh', ['-c', command], { stdio: 'inherit' }).on('exit', (status, signal) => {
                process.stdout.write(`over: ${signal ?? status}\\n`);
            });
            return { render: () => ['still there'], invalidate() {} };
        }, { overlay: true, overlayOptions: { nonCapturing: true } });
    }});
    pi.registerCommand('quiet', { description: 'runs', handler: async (command, ctx) => {
        const result = spawnSync('/bin/sh', ['-c', command], { stdio: 'inherit' });
        ctx.ui.notify('quietly ended with ' + result.status);
    }});
    pi.registerCommand('endless', { description: 'hangs', handler: async (_, ctx) => {
        ctx.ui.custom((tui) => {
            tui.stop();
            process.stdout.write('hangs\\n');
            for (;;);
        });
    }});
    pi.registerCommand('late', { description: 'starts', handler: async (_, ctx) => {
        await ctx.ui.custom((tui, theme, keybindings, done) => {
            tui.start();
            tui.start();
            done();
            return { render: () => [], invalidate() {} };
        });
        ctx.ui.notify('started');
    }});
};";

#[test]
fn ctrl_c_takes_the_terminal_back_when_nobody_is_there() {
    let mut seat = with(FORGETS, "replies: []");
    seat.submits("/ends echo wa''its; exec cat");
    seat.shows("waits");
    seat.types("line\n");
    seat.shows("line\nline");
    // The first one ends the program, the second one is for tau, which goes on.
    seat.types("\x03");
    seat.shows("over: SIGINT");
    seat.types("\x03");
    seat.shows("The terminal was taken back from");
    seat.shows("still there");
    // From here on programs are kept off the screen again, whatever the extension believes.
    seat.submits("/late");
    seat.shows("started");
    seat.submits("/quiet echo on the scr''een; read x && exit 1; exit 5");
    let screen = seat.shows("quietly ended with 5");
    assert!(!screen.contains("on the screen"), "{screen}");
}

#[test]
fn an_extension_that_is_stopped_gives_the_terminal_back() {
    let mut seat = with(FORGETS, "replies: []");
    seat.submits("/endless");
    seat.shows("hangs");
    // The limit of a stretch ends it.
    seat.shows("without a pause");
    assert_takes_text(&mut seat, "as before");
}
