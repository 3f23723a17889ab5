//! What limits programs of WebAssembly. What they can do is in `tests/node/webassembly.test.ts`.

use std::path::Path;
use std::time::Duration;

use tau_engine::{Engine, EngineOptions, script};

/// Makes an instance of sections, as bytes: the first one exports `run`.
const SETUP: &str = "
    const section = (id: number, ...content: number[]) => [id, content.length, ...content];
    const made = (env: any, ...sections: number[][]): any =>
      new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...sections.flat()])), { env }).exports;
    const exported = section(7, 1, 3, 114, 117, 110, 0, 0);
    const body = (...code: number[]) => section(10, 1, code.length + 2, 0, ...code, 11);
    const kindOf = (work: () => unknown) => { try { return `gave ${work()}`; } catch (error: any) { return error.name; } };
    const is = (given: unknown, wanted: unknown) => { if (given !== wanted) throw new Error(`${given}, not ${wanted}`); };
";

async fn run(engine: &Engine, folder: &Path, name: &str, source: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, format!("{SETUP}\n{source}")).expect("a file");
    script::run(engine, &file).await.map_or_else(|error| error, |report| report.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_without_end_is_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = EngineOptions { stretch: Duration::from_millis(200), ..EngineOptions::new(folder.path()) };
    let engine = Engine::start(options).expect("an engine");
    let endless =
        "const { run } = made({}, section(1, 1, 96, 0, 0), section(3, 1, 0), exported, body(3, 64, 12, 0, 11));
        globalThis.run = run;";
    for (name, again) in
        [("tries.ts", "for (;;) try { run(); } catch {}"), ("once.ts", "run(); throw new Error('it went on');")]
    {
        let stopped = run(&engine, folder.path(), name, &format!("{endless} {again}")).await;
        assert!(stopped.contains("interrupted") || stopped.contains("ran for more than 200ms"), "{stopped}");
    }
    // An imported function that never returns, within WebAssembly.
    let asks = "const { run } = made({ ask: () => { for (;;); } }, section(1, 1, 96, 0, 0),
            section(2, 1, 3, 101, 110, 118, 3, 97, 115, 107, 0, 0), section(3, 1, 0), section(7, 1, 3, 114, 117, 110, 0, 1), body(16, 0));
        run();";
    let stopped = run(&engine, folder.path(), "ask.ts", asks).await;
    assert!(stopped.contains("interrupted") || stopped.contains("ran for more than 200ms"), "{stopped}");
    let after = "const { run } = made({}, section(1, 1, 96, 0, 1, 127), section(3, 1, 0), exported, body(65, 7)); is(run(), 7);";
    assert_eq!(run(&engine, folder.path(), "after.ts", after).await, "null");
    engine.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_holds_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = EngineOptions { memory: 64 << 20, ..EngineOptions::new(folder.path()) };
    let engine = Engine::start(options).expect("an engine");
    let source = "
        is(kindOf(() => new WebAssembly.Memory({ initial: 2000 })), 'RangeError');
        is(kindOf(() => new WebAssembly.Table({ element: 'anyfunc', initial: 10_000_000 })), 'RangeError');
        const table = new WebAssembly.Table({ element: 'externref', initial: 1_000 });
        is(kindOf(() => { for (;;) table.grow(100_000); }), 'RangeError');
        is(table.length > 100_000, true);
        is(kindOf(() => table.set(table.length, 1)), 'RangeError');
        const { run } = made({}, section(1, 1, 96, 1, 127, 1, 127), section(3, 1, 0), section(5, 1, 0, 1), exported,
          body(32, 0, 64, 0));
        is(run(2000), -1);
        let pages = 1;
        while (run(1) !== -1) pages++;
        is(pages < 1024, true);
        is(kindOf(() => { for (;;) new WebAssembly.Memory({ initial: 1 }); }), 'RangeError');
    ";
    assert_eq!(run(&engine, folder.path(), "large.ts", source).await, "null");
    engine.stop();
}

/// Who has the bytes of a memory must be known whenever they may move.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_were_taken_away_never_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Engine::start(EngineOptions::new(folder.path())).expect("an engine");
    let source = "
        const { transfer } = ArrayBuffer.prototype as any;
        const memory = new WebAssembly.Memory({ initial: 1 });
        const bytes = new Uint8Array(memory.buffer);
        bytes[5] = 9;
        is(kindOf(() => (memory.buffer as any).transfer()), 'TypeError');
        is(kindOf(() => transfer.call(memory.buffer, 10)), 'InternalError');
        is(bytes[5], 9);
        const taken = new Uint8Array(transfer.call(memory.buffer));
        is(taken[5], 9);
        is(bytes.length, 0);
        is(kindOf(() => memory.grow(100)), 'RuntimeError');
        is(kindOf(() => memory.buffer), 'RuntimeError');
        is(kindOf(() => made({}, section(1, 1, 96, 0, 0))), 'RuntimeError');
        taken.fill(7);
        is(taken[65535], 7);
        globalThis.taken = taken;
    ";
    assert_eq!(run(&engine, folder.path(), "taken.ts", source).await, "null");
    // A buffer that outlives its engine's other things is freed with the engine.
    engine.stop();
}
