//! Refreshes of cached prompts.

use tau_hooks::events::CacheWarmingDecision;
use tau_hooks::payload::{CacheWarmingAction, CacheWarmingDecisionResult};

use crate::warming::{Dear, refreshes, stopped};

/// The last handler decides, whatever tau would have done.
pub async fn cache_warming_decision() {
    use CacheWarmingAction::{Stop, Warm};
    for (tokens, said, sent) in [(100_000, [Stop, Warm], 1), (100_000, [Warm, Stop], 0), (10, [Stop, Warm], 1)] {
        let dear = Dear::new(tokens);
        dear.world.extend("deciding", |registrar| {
            for action in said {
                registrar.on::<CacheWarmingDecision>(move |event, _| async move {
                    assert_eq!(event.action, if tokens == 10 { Stop } else { Warm });
                    Some(CacheWarmingDecisionResult { action: Some(action) })
                });
            }
        });
        let (running, run) = dear.work().await;
        dear.clock.advance_to_timer().await;
        if sent == 1 {
            assert_eq!(dear.clock.awaited().await.as_secs(), 270);
        } else {
            assert_eq!(stopped(&running).await, tau_agent::WarmingStopped::ByExtension);
        }
        dear.barrier.open();
        run.await.expect("the run").expect("a run");
        let all = refreshes(&running);
        assert_eq!(all.len(), sent, "{said:?}");
        let note = if tokens == 10 { "extension override".into() } else { serde_json::Value::Null };
        assert!(all.iter().all(|entry| entry["note"] == note), "{all:?}");
    }
}
