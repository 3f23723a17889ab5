//! `context` over a short and a long history, with a handler that touches no message, one, or all of them.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use tau_ai::{Message, UserMessage};
use tau_hooks::events::Context;
use tau_hooks::payload::{ContextEvent, ContextResult};
use tau_hooks::{HistoryMessage, Host, Messages, Registrar, Scope};

type Register = fn(&mut Registrar);

fn touch(message: Option<&mut Message>) {
    if let Some(Message::User(user)) = message {
        user.content = "changed".into();
    }
}

fn none(registrar: &mut Registrar) {
    registrar.on::<Context>(|_, _| async {});
}

fn one(registrar: &mut Registrar) {
    registrar.on::<Context>(|event: ContextEvent, _| async move {
        let mut messages = event.messages;
        touch(messages.edit(messages.len() - 1));
        Some(ContextResult { messages: Some(messages) })
    });
}

fn all(registrar: &mut Registrar) {
    registrar.on::<Context>(|event: ContextEvent, _| async move {
        let mut messages = event.messages;
        for index in 0..messages.len() {
            touch(messages.edit(index));
        }
        Some(ContextResult { messages: Some(messages) })
    });
}

fn history(length: usize) -> Messages {
    let message = |n: usize| {
        let text = format!("Message {n}: {}", "some words of a conversation, ".repeat(10));
        Arc::new(HistoryMessage::new(Message::User(UserMessage::new(text)), Some(format!("{n:08x}"))))
    };
    (0..length).map(message).collect()
}

fn context(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let kinds: [(&str, Register); 3] = [("none", none), ("one", one), ("all", all)];
    for (kind, register) in kinds {
        let session = runtime.block_on(tau_benches::session(dir.path(), "replies: []", register));
        let scope = Scope::new(Arc::clone(&session) as Arc<dyn Host>);
        let hooks = &session.hooks().dispatcher;
        for length in [10, 1_000, 10_000] {
            let history = history(length);
            c.bench_function(&format!("context/{kind}/{length}"), |b| {
                b.iter(|| {
                    let event = || ContextEvent { messages: history.clone() };
                    hooks.dispatch::<Context>(&scope, event).now_or_never().expect("an answer at once").into_payload()
                });
            });
        }
    }
}

criterion_group!(benches, context);
criterion_main!(benches);
