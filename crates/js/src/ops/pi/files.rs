//! Files that several want to change: the queue of changes that extensions share with the tools.

use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Ctx, Value};
use tau_tools::MutationQueue;

use crate::ops::Ops;

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    // A promise of the right to change a file: a resource that is closed to pass it on.
    ops.function("piMutationLock", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<Value<'js>> {
        let path = host.resolve(&path);
        let owner = Rc::clone(&host);
        host.spawn(&ctx, async move {
            let guard = MutationQueue::shared().lock(&path).await;
            Ok(owner.resources().add(Rc::new(guard)))
        })
    })?;
    let host = ops.host();
    // Waits for another program, milliseconds; for pauses that nobody notices.
    ops.function("piSleep", move |ms: u32| {
        host.without_deadline(|| std::thread::sleep(Duration::from_millis(u64::from(ms.min(100)))));
    })
}
