//! A session of 100,000 entries in 100 MB: opening it, its context, one more entry.
#![allow(clippy::disallowed_methods, reason = "it measures this system")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tau_session::{EntryBody, Session};

fn session(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("long.jsonl");
    tau_benches::write_long_session(&path).expect("a session file");
    let mut group = c.benchmark_group("session");
    group.sample_size(10);
    group.bench_function("open", |b| b.iter(|| Session::open(black_box(&path)).expect("a session")));
    let session = Session::open(&path).expect("a session");
    let begun = std::time::Instant::now();
    session.context();
    println!("session/first_context: {:?} (bodies are parsed once)", begun.elapsed());
    group.bench_function("context", |b| b.iter(|| session.context()));
    group.sample_size(100);
    group.bench_function("append", |b| {
        b.iter(|| session.append(EntryBody::custom("bench", Some(serde_json::json!({"n": 1})))).expect("an entry"));
    });
    let entries = session.entries();
    let (first, last) = (entries[0].id().to_string(), entries[entries.len() - 1].id().to_string());
    group.bench_function("branch", |b| {
        b.iter(|| {
            session.move_leaf(Some(&first)).expect("a move");
            session.append(EntryBody::custom("bench", None)).expect("an entry")
        });
    });
    group.sample_size(10);
    group.bench_function("departure", |b| b.iter(|| session.departure(Some(black_box(&last)), &first)));
    group.bench_function("label", |b| b.iter(|| session.set_label(black_box(&first), Some("here")).expect("a label")));
    group.sample_size(10);
    // In memory: what a fork costs beside writing it.
    let view = Session::view(&path).expect("a session");
    let leaf = view.leaf().expect("a leaf").to_string();
    let fork = || view.fork_at(&leaf, dir.path(), tau_session::NewSession::default()).expect("a fork");
    group.bench_function("fork", |b| b.iter(fork));
    let half = entries[entries.len() / 2].id().to_string();
    view.append(EntryBody::compaction("short", Some(&half), 1)).expect("a compaction");
    group.bench_function("context_after_compaction", |b| b.iter(|| view.context()));
    // The same on a session of one entry: what an append and a branch cost must not depend on the length.
    let short = Session::create(dir.path(), "/".as_ref(), tau_session::NewSession::default()).expect("a session");
    let root = short.append(EntryBody::custom("bench", None)).expect("an entry").id().to_string();
    short.persist().expect("a file");
    group.sample_size(100);
    group.bench_function("append_to_a_short_one", |b| {
        b.iter(|| {
            short.move_leaf(Some(&root)).expect("a move");
            short.append(EntryBody::custom("bench", None)).expect("an entry")
        });
    });
    group.finish();
}

criterion_group!(benches, session);
criterion_main!(benches);
