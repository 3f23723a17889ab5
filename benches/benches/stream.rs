//! An answer of 5,000 deltas through the whole pipeline: with nobody looking, with a handler, with a front end.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tau_agent::{AgentSession, Prompt};
use tau_hooks::Registrar;
use tau_hooks::events::MessageUpdate;

const DELTAS: u64 = 5_000;

type Register = fn(&mut Registrar);

fn nobody(_: &mut Registrar) {}

fn handler(registrar: &mut Registrar) {
    registrar.on::<MessageUpdate>(|event, _| async move {
        black_box(event);
    });
}

fn stream(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let script = format!("replies: [[{{text: \"some words \", repeat_delta: {DELTAS}}}]]");
    let mut group = c.benchmark_group("stream");
    group.throughput(Throughput::Elements(DELTAS)).sample_size(20);
    let prompt = |session: Arc<AgentSession>| {
        runtime.block_on(session.prompt(Prompt::new("Go"))).expect("an answer");
        session
    };
    let kinds: [(&str, Register, bool); 3] =
        [("nobody", nobody, false), ("handler", handler, false), ("json_lines", nobody, true)];
    for (name, register, lines) in kinds {
        let start = || {
            let session = runtime.block_on(tau_benches::session(dir.path(), &script, register));
            if lines {
                session.listen(|event| {
                    black_box(serde_json::to_vec(event).expect("JSON"));
                });
            }
            session
        };
        group.bench_function(name, |b| b.iter_batched(start, prompt, BatchSize::PerIteration));
    }
    group.finish();
}

criterion_group!(benches, stream);
criterion_main!(benches);
