//! Markdown that extensions change before it is drawn.

use std::sync::Arc;

use tau_hooks::mount::{Drawn, RenderAsk, Renders};
use tau_hooks::{BoxFuture, Failing, HandlerError, InARow, MarkdownKind};

use super::side::{Failed, Painter, Side};
use crate::paths::short_owner;

/// One of them.
#[derive(Clone)]
struct Link {
    owner: Arc<str>,
    renders: Arc<dyn Renders>,
    failures: InARow,
}

/// All that change Markdown of a kind, in the order in which they do.
struct Chain {
    all: Vec<Link>,
    failed: Failed,
}

impl Renders for Chain {
    /// What one makes of the text is what the next one gets. One that fails changes nothing, and is asked no more when it
    /// fails each time.
    fn render(&self, ask: RenderAsk) -> BoxFuture<Result<Drawn, HandlerError>> {
        let (all, failed) = (self.all.clone(), Arc::clone(&self.failed));
        Box::pin(async move {
            let mut text = ask.what.as_str().unwrap_or_default().to_owned();
            for Link { owner, renders, failures } in all {
                if failures.is_over() {
                    continue;
                }
                match renders.render(RenderAsk { what: text.clone().into(), ..ask.clone() }).await {
                    Ok(drawn) => {
                        failures.worked();
                        if let Some(lines) = drawn.lines {
                            text = lines.join("\n");
                        }
                    }
                    Err(error) => {
                        let owner = short_owner(&owner);
                        match failures.failed() {
                            Failing::First => failed(format!("{owner}: its Markdown transformer failed: {error}")),
                            Failing::Again => {}
                            Failing::Last => failed(format!(
                                "{owner}: its Markdown transformer is off, because it failed three times in a row: {error}"
                            )),
                        }
                    }
                }
            }
            Ok(Drawn { lines: Some(vec![text]), ..Drawn::default() })
        })
    }

    fn forget(&self, block: &Arc<str>) {
        self.all.iter().for_each(|link| link.renders.forget(block));
    }
}

impl Painter {
    /// What changes Markdown of a kind.
    pub(super) fn of_markdown(&self, kind: MarkdownKind) -> Option<Side> {
        let all = self.hooks.markdown_transformers();
        let all = all.into_iter().filter(|(_, transformer)| transformer.kinds.contains(&kind));
        let link = |(owner, transformer): (Arc<tau_hooks::Owner>, tau_hooks::MarkdownTransformer)| {
            let renders = Arc::clone(transformer.handle.get::<Arc<dyn Renders>>()?);
            Some(Link { owner: Arc::clone(&owner.path), renders, failures: transformer.failures })
        };
        let all: Vec<Link> = all.filter_map(link).filter(|link| !link.failures.is_over()).collect();
        let owner = Arc::clone(&all.first()?.owner);
        Some(Side::of(owner, Arc::new(Chain { all, failed: Arc::clone(&self.failed) })))
    }
}
