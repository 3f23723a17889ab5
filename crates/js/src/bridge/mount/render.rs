//! Renderers of extensions: functions that draw blocks of the conversation.

use std::any::Any;
use std::sync::Arc;

use rquickjs::function::Args;
use rquickjs::{Array, Ctx};
use tau_hooks::mount::{Drawn, Redraw, RenderAsk, Renders, ResolvesTools};
use tau_hooks::{BoxFuture, Handle, HandlerError, ToolRenderers};
use tokio::sync::oneshot;

use super::super::callback::{self, Callback, ended, gone};
use super::super::guest::HasBridge as _;
use super::LIMIT;
use super::component::{explained, lines_of};
use crate::engine::Core;

/// What a renderer draws, by the word that the runtime knows it by.
#[derive(Debug, Clone, Copy)]
pub(in crate::bridge) enum Kind {
    Call,
    Result,
    Message,
    Entry,
    /// Not a component: text before it is drawn.
    Markdown,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Result => "result",
            Self::Message => "message",
            Self::Entry => "entry",
            Self::Markdown => "markdown",
        }
    }
}

/// A renderer of an extension.
pub(in crate::bridge) struct JsRenderer {
    callback: Arc<Callback>,
    kind: Kind,
}

impl JsRenderer {
    pub(in crate::bridge) fn handle(callback: Arc<Callback>, kind: Kind) -> Handle {
        let renderer: Arc<dyn Renders> = Arc::new(Self { callback, kind });
        Handle::new(renderer)
    }
}

/// Runs a drawing of an engine: `enter` calls a function of the entry module.
fn drawing<F>(
    callback: Arc<Callback>,
    block: Arc<str>,
    redraw: Redraw,
    enter: F,
) -> BoxFuture<Result<Drawn, HandlerError>>
where
    F: for<'js> FnOnce(&Ctx<'js>, &Core) -> rquickjs::Result<Option<Array<'js>>> + Send + 'static,
{
    let extension = callback.extension();
    Box::pin(async move {
        let engine = callback.engine().upgrade().ok_or_else(ended)?;
        let activity = Arc::clone(engine.activity());
        let (sender, result) = oneshot::channel();
        let stretch = engine.stretch();
        let guard = engine.stop_on_drop(stretch);
        let posted = engine.post(move |core| {
            core.bridge().mounts().redraws.borrow_mut().insert(block, redraw);
            let mut done = Err(ended());
            core.in_tagged_stretch(stretch, || {
                let drawn = core.attempt(extension, LIMIT, |js| {
                    let Some(drawn) = enter(js, core)? else { return Ok(Drawn::default()) };
                    let text: Option<rquickjs::String<'_>> = drawn.get(0)?;
                    Ok(Drawn { lines: Some(lines_of(text.as_ref())?), is_cut: drawn.get(1)?, ..Drawn::default() })
                });
                done = drawn.map_err(explained);
            });
            // The screen may have lost interest.
            let _ = sender.send(done);
        });
        drop(engine);
        posted.map_err(|_| gone(&activity))?;
        let answer = activity.answer(result).await;
        guard.disarm();
        // It stays callable until this is done.
        drop(callback);
        answer.unwrap_or_else(|| Err(gone(&activity)))
    })
}

/// The arguments that all drawings have at their end.
fn push_ask<'js>(args: &mut Args<'js>, js: &Ctx<'js>, kind: Kind, ask: &RenderAsk) -> rquickjs::Result<()> {
    args.push_arg(kind.as_str())?;
    args.push_arg(&*ask.block)?;
    args.push_arg(crate::convert::to_js(js, &ask.what)?)?;
    args.push_arg(crate::convert::to_js(js, &ask.about)?)?;
    args.push_arg(ask.width)?;
    args.push_arg(ask.invalidates)
}

/// Nothing need be kept of a block any more.
fn forget(callback: &Callback, block: &Arc<str>) {
    let (extension, block) = (callback.extension(), Arc::clone(block));
    if let Some(engine) = callback.engine().upgrade() {
        // An engine that has ended keeps nothing.
        let _ = engine.post(move |core| {
            core.bridge().mounts().redraws.borrow_mut().remove(&block);
            let done = core.attempt(extension, LIMIT, |js| core.entry(js, "forgetBlock")?.call::<_, ()>((&*block,)));
            if let Err(fault) = done {
                core.report(callback::explained(fault, Some(LIMIT)));
            }
        });
    }
}

impl Renders for JsRenderer {
    fn render(&self, ask: RenderAsk) -> BoxFuture<Result<Drawn, HandlerError>> {
        let (kind, function) = (self.kind, self.callback.id());
        let (block, redraw) = (Arc::clone(&ask.block), ask.redraw.clone());
        drawing(Arc::clone(&self.callback), block, redraw, move |js, core| {
            let mut args = Args::new(js.clone(), 7);
            args.push_arg(function)?;
            push_ask(&mut args, js, kind, &ask)?;
            core.entry(js, "drawBlock")?.call_arg(args)
        })
    }

    fn forget(&self, block: &Arc<str>) {
        forget(&self.callback, block);
    }
}

/// A function of an extension that chooses what draws a tool.
pub(in crate::bridge) struct JsToolResolver(Arc<Callback>);

impl JsToolResolver {
    pub(in crate::bridge) fn handle(callback: Arc<Callback>) -> Handle {
        let resolver: Arc<dyn ResolvesTools> = Arc::new(Self(callback));
        Handle::new(resolver)
    }
}

impl ResolvesTools for JsToolResolver {
    fn resolve(&self, tool: &str, next: ToolRenderers) -> ToolRenderers {
        let renders = |handle: &Option<Handle>| handle.as_ref()?.get::<Arc<dyn Renders>>().cloned();
        let (call, result) = (renders(&next.call), renders(&next.result));
        let mut resolvers = vec![Arc::clone(&self.0)];
        let mut own = [None, None];
        for (place, renders) in [&call, &result].into_iter().enumerate() {
            let Some(renders) = renders else { continue };
            let renders: &dyn Any = &**renders;
            if let Some(resolved) = renders.downcast_ref::<JsResolved>()
                && self.0.is_beside(&resolved.resolvers[0])
            {
                resolvers = [&resolvers[..1], &resolved.resolvers].concat();
                own.clone_from(&resolved.own);
            } else if let Some(renderer) = renders.downcast_ref::<JsRenderer>()
                && self.0.is_beside(&renderer.callback)
            {
                own[place] = Some(Arc::clone(&renderer.callback));
            }
        }
        let resolved = |kind, otherwise| {
            let resolved: Arc<dyn Renders> = Arc::new(JsResolved {
                resolvers: resolvers.clone(),
                own: own.clone(),
                tool: tool.into(),
                kind,
                otherwise,
            });
            Some(Handle::new(resolved))
        };
        ToolRenderers { call: resolved(Kind::Call, call), result: resolved(Kind::Result, result) }
    }
}

/// What such functions choose for a part of a tool's block.
struct JsResolved {
    /// The first is asked first; there is at least one.
    resolvers: Vec<Arc<Callback>>,
    /// What the tool itself is drawn by: its call and its result.
    own: [Option<Arc<Callback>>; 2],
    tool: Arc<str>,
    kind: Kind,
    /// What draws it when none of them does: of another engine, or in Rust.
    otherwise: Option<Arc<dyn Renders>>,
}

impl Renders for JsResolved {
    fn render(&self, ask: RenderAsk) -> BoxFuture<Result<Drawn, HandlerError>> {
        let numbers: Vec<u32> = self.resolvers.iter().map(|resolver| resolver.id()).collect();
        let number = |place: usize| self.own[place].as_ref().map(|callback| callback.id());
        let own = match (number(0), number(1)) {
            (None, None) => serde_json::json!({}),
            (Some(call), None) => serde_json::json!({ "call": call }),
            (None, Some(result)) => serde_json::json!({ "result": result }),
            (Some(call), Some(result)) => serde_json::json!({ "call": call, "result": result }),
        };
        let (tool, kind, otherwise) = (Arc::clone(&self.tool), self.kind, self.otherwise.clone());
        let (block, redraw) = (Arc::clone(&ask.block), ask.redraw.clone());
        let asked = ask.clone();
        let drawn = drawing(Arc::clone(&self.resolvers[0]), block, redraw, move |js, core| {
            let mut args = Args::new(js.clone(), 9);
            args.push_arg(numbers)?;
            args.push_arg(&*tool)?;
            args.push_arg(crate::convert::to_js(js, &own)?)?;
            push_ask(&mut args, js, kind, &asked)?;
            core.entry(js, "drawResolved")?.call_arg(args)
        });
        Box::pin(async move {
            let drawn = drawn.await?;
            match otherwise {
                Some(otherwise) if drawn.lines.is_none() => otherwise.render(ask).await,
                _ => Ok(drawn),
            }
        })
    }

    fn forget(&self, block: &Arc<str>) {
        forget(&self.resolvers[0], block);
    }
}
