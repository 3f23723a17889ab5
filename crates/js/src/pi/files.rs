//! Files that several want to change: the queue of changes that extensions share with the tools.

use std::rc::Rc;
use std::time::Duration;

use rquickjs::Ctx;
use tau_tools::MutationQueue;

use crate::ops::table::{Host, Promised, ops};

ops! {
    /// Files that several want to change.
    pub(crate) static OPS: watched;

    /// A promise of the right to change a file: a resource that is closed to pass it on.
    fn piMutationLock(path) = pi_mutation_lock, Pure;
    /// Waits for another program, milliseconds; for pauses that nobody notices.
    fn piSleep(ms) = pi_sleep, Pure;
}

fn pi_mutation_lock<'js>(ctx: Ctx<'js>, Host(host): Host, path: String) -> rquickjs::Result<Promised<'js, u32>> {
    let path = host.resolve(&path);
    let owner = Rc::clone(&host);
    host.spawn(&ctx, async move {
        let guard = MutationQueue::shared().lock(&path).await;
        Ok(owner.resources().add(Rc::new(guard)))
    })
}

fn pi_sleep(Host(host): Host, ms: u32) {
    host.without_deadline(|| std::thread::sleep(Duration::from_millis(u64::from(ms.min(100)))));
}
