//! The lists of models: what a start pays for them, and what it costs to look at all.
#![allow(clippy::disallowed_methods, reason = "it measures this system")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tau_ai::{ModelRegistry, ValueResolver};

/// An environment with keys of two providers.
struct TwoKeys;

impl ValueResolver for TwoKeys {
    fn env(&self, name: &str) -> Option<String> {
        matches!(name, "ANTHROPIC_API_KEY" | "OPENAI_API_KEY").then(|| "key".to_owned())
    }

    fn command(&self, _: &str) -> Result<String, String> {
        Err("there are no commands here".to_owned())
    }
}

fn registry() -> ModelRegistry {
    ModelRegistry::new(Arc::new(TwoKeys))
}

fn models(c: &mut Criterion) {
    // The lists are read once in a process, so the first look is what a start pays.
    let first = |what: &str, look: &dyn Fn(&ModelRegistry) -> usize| {
        let registry = registry();
        let begun = std::time::Instant::now();
        let found = look(&registry);
        println!("models/first_{what}: {:?} for {found} models", begun.elapsed());
    };
    first("available", &|registry| registry.available().len());
    first("exact", &|registry| registry.resolve_pattern(None, "gpt-oss-120b").iter().count());
    first("partial", &|registry| registry.resolve_pattern(None, "sonnet").iter().count());
    first("all", &|registry| registry.all().len());
    let mut group = c.benchmark_group("models");
    group.bench_function("new", |b| b.iter(registry));
    group.bench_function("available", |b| b.iter(|| black_box(registry().available())));
    group.bench_function("all", |b| b.iter(|| black_box(registry().all())));
    group.bench_function("partial", |b| b.iter(|| black_box(registry().resolve_pattern(None, "sonnet").ok())));
    group.finish();
}

criterion_group!(benches, models);
criterion_main!(benches);
