//! Prompts that are kept in the caches of their providers.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tau_agent::{PromptError, Prompted, WarmingStatus, WarmingStopped};
use tau_ai::scripted::ScriptedApi;
use tau_ai::{MessageStream, StreamApi, StreamItem, StreamRequest};
use tau_hooks::payload::SessionShutdownReason;
use tau_testkit::FixedSources;
use tokio::task::JoinHandle;

use crate::builtins::said;
use crate::common::tools::{Barrier, waiting};
use crate::common::{Log, Running, World, calls};

/// A session whose prompts cost much and stay cached for five minutes, with a tool `slow` that stays at a barrier.
pub struct Dear {
    pub world: World,
    pub clock: FixedSources,
    pub barrier: Barrier,
    /// For each request: its limit of output tokens, and whether the conversation continues from its answer.
    sent: Log<(Option<u64>, bool)>,
    /// The model does not come to the end of a refresh; says when one is dropped.
    stuck: Barrier,
}

/// A model that remembers what it was asked with.
struct Watched {
    script: ScriptedApi,
    sent: Log<(Option<u64>, bool)>,
    stuck: Option<Barrier>,
}

/// Says that it is dropped.
struct Dropped(Barrier);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.reach();
    }
}

impl StreamApi for Watched {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let options = &request.options;
        self.sent.push((options.max_tokens, !options.disable_continuation));
        match &self.stuck {
            Some(stuck) if options.max_tokens == Some(1) => {
                stuck.reach();
                let dropped = Dropped(stuck.clone());
                let never = async move {
                    let _dropped = dropped;
                    std::future::pending::<StreamItem>().await
                };
                futures_util::stream::once(never).boxed()
            }
            _ => self.script.stream(request),
        }
    }
}

fn model() -> Value {
    json!({"id": "planner", "promptCache": {"short": 300},
        "cost": {"input": 10.0, "output": 50.0, "cacheRead": 1.0, "cacheWrite": 12.5}})
}

/// The answer to a refresh.
fn warm() -> Value {
    json!([{"usage": {"cache_read": 100_000, "output": 1}}, "x"])
}

impl Dear {
    /// The first prompt has that many tokens, and calls the tool. Refreshes find it in the cache.
    pub fn new(tokens: u64) -> Self {
        Self::answering(tokens, json!([warm(), "Done.", "More."]))
    }

    fn answering(tokens: u64, more: Value) -> Self {
        Self::with_model(model(), tokens, more, json!({}))
    }

    fn with_model(model: Value, tokens: u64, more: Value, settings: Value) -> Self {
        let mut first = calls([("call", "slow", json!({}))]);
        first.as_array_mut().expect("steps").insert(0, json!({"usage": {"input": tokens, "output": 10}}));
        let replies: Vec<Value> = std::iter::once(first).chain(more.as_array().expect("replies").clone()).collect();
        Self::of(World::scripted(model, replies.into()).settings(settings), false)
    }

    /// Nothing is called: the first prompt is answered, with that many tokens.
    fn idle(tokens: u64, more: Value, stuck: bool) -> Self {
        let first = json!([{"usage": {"input": tokens, "output": 10}}, "Yes."]);
        let replies: Vec<Value> = std::iter::once(first).chain(more.as_array().expect("replies").clone()).collect();
        Self::of(World::scripted(model(), replies.into()).settings(json!({"cacheWarming": "idle"})), stuck)
    }

    fn of(world: World, is_stuck: bool) -> Self {
        let clock = FixedSources::new(1, 1_800_000_000_000);
        let (barrier, stuck, sent) = (Barrier::default(), Barrier::default(), Log::default());
        let script = world.script.clone();
        let api = Watched { script, sent: sent.clone(), stuck: is_stuck.then(|| stuck.clone()) };
        let world = world.with_api(api).with_sources(clock.sources());
        world.extend("slow", |registrar| waiting(registrar, "slow", &barrier));
        Self { world, clock, barrier, sent, stuck }
    }

    /// Starts the session and a prompt, and waits until the tool is at work.
    pub async fn work(&self) -> (Running, JoinHandle<Result<Prompted, PromptError>>) {
        let running = self.world.start().await;
        let run = running.say_later("Hi");
        self.barrier.reached(1).await;
        (running, run)
    }

    /// Waits until nobody waits for a time any more.
    pub async fn rested(&self) {
        while self.clock.is_awaited() {
            tokio::task::yield_now().await;
        }
    }
}

/// Waits until the prompt is kept warm no longer, and gives why.
pub async fn stopped(running: &Running) -> WarmingStopped {
    loop {
        match running.session.cache_warming() {
            WarmingStatus::Stopped(why) => return why,
            _ => tokio::task::yield_now().await,
        }
    }
}

/// The entries of refreshes in the session.
pub fn refreshes(running: &Running) -> Vec<Value> {
    running.file().into_iter().filter(|line| line["type"] == "usage").collect()
}

#[tokio::test]
async fn a_prompt_stays_warm_while_a_tool_takes_long() {
    let dear = Dear::answering(100_000, json!([warm(), warm(), "Done."]));
    let decisions = dear.world.watch();
    let (running, run) = dear.work().await;
    assert_eq!(dear.clock.advance_to_timer().await.as_secs(), 270);
    assert_eq!(dear.clock.awaited().await.as_secs(), 270);
    dear.clock.advance_to_timer().await;
    assert_eq!(dear.clock.awaited().await.as_secs(), 270);
    assert!(matches!(running.session.cache_warming(), WarmingStatus::Due(_)));

    // The same request, for an answer of one token that the conversation does not keep.
    let asked = running.script.requests();
    assert_eq!((asked.len(), &asked[1], &asked[2]), (3, &asked[0], &asked[0]));
    assert_eq!(dear.sent.all(), [(None, true), (Some(1), false), (Some(1), false)]);

    dear.barrier.open();
    run.await.expect("the run").expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(stopped(&running).await, WarmingStopped::Settled);
    dear.rested().await;

    let decided: Vec<Value> =
        decisions.all().into_iter().filter(|event| event["type"] == "cache_warming_decision").collect();
    assert_eq!(decided.len(), 2);
    let (action, probability) = (&decided[0]["action"], &decided[0]["continuationProbability"]);
    assert_eq!((action, probability), (&json!("warm"), &json!(1.0)));
    let cents = |key: &str| decided[0][key].as_f64().map(|dollars| (dollars * 1e5).round());
    assert_eq!((cents("warmCost"), cents("missCost")), (Some(10_005.0), Some(115_000.0)));
    let entries = refreshes(&running);
    let told: Vec<Value> = running.events.all().into_iter().filter(|event| event["type"] == "entry_appended").collect();
    assert_eq!((entries.len(), told.len(), &told[0]["entry"]), (2, 2, &entries[0]));
    let entry = &entries[0];
    assert_eq!(
        (&entry["kind"], &entry["provider"], &entry["model"]),
        (&json!("cache_warm"), &json!("scripted"), &json!("planner"))
    );
    assert_eq!((&entry["usage"]["cacheRead"], &entry["note"]), (&json!(100_000), &Value::Null));
    // It is paid for, and no part of the conversation.
    let stats = running.session.stats();
    assert_eq!((stats.tokens.cache_read, stats.assistant_messages), (200_000, 2));
    let (count, cost) = running.session.cache_warmings();
    assert_eq!((count, (cost * 1e5).round()), (2, 20_010.0));
    let roles: Vec<String> = running.conversation().into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "assistant"]);
}

#[tokio::test]
async fn nothing_is_sent_while_nobody_is_there_unless_that_is_wanted() {
    let dear = Dear::new(100_000);
    let (running, run) = dear.work().await;
    dear.barrier.open();
    run.await.expect("the run").expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!(stopped(&running).await, WarmingStopped::Settled);
    dear.rested().await;
    assert_eq!(running.script.requests().len(), 2);

    let dear = Dear::idle(100_000, Value::Array(vec![warm(); 6]), false);
    let decisions = dear.world.watch();
    let running = dear.world.start().await;
    running.say("Hi").await;
    for _ in 0..6 {
        assert_eq!(dear.clock.advance_to_timer().await.as_secs(), 270);
    }
    // The next one would be more than half an hour after the request.
    assert_eq!(stopped(&running).await, WarmingStopped::TooLong);
    assert_eq!(refreshes(&running).len(), 6);
    let decided = decisions.all();
    let decided = decided.iter().find(|event| event["type"] == "cache_warming_decision").expect("a decision");
    assert_eq!(decided["continuationProbability"], json!(0.15));
}

#[tokio::test]
async fn what_cannot_pay_or_is_not_wanted_costs_nothing() {
    let without = |key: &str| {
        let mut model = model();
        model.as_object_mut().expect("an object").remove(key);
        model
    };
    let cases = [
        (model(), json!({"cacheWarming": "off"}), WarmingStopped::Off),
        (without("promptCache"), json!({}), WarmingStopped::Unsuitable),
    ];
    for (model, settings, why) in cases {
        let dear = Dear::with_model(model, 100_000, json!(["Done."]), settings);
        let (running, run) = dear.work().await;
        assert_eq!(running.session.cache_warming(), WarmingStatus::Stopped(why));
        assert!(!dear.clock.is_awaited());
        dear.barrier.open();
        run.await.expect("the run").expect("a run");
    }
    // Nobody knows what it saves, or it is too little.
    for (model, tokens) in [(without("cost"), 100_000), (model(), 1000)] {
        let dear = Dear::with_model(model, tokens, json!(["Done."]), json!({}));
        let (running, run) = dear.work().await;
        dear.clock.advance_to_timer().await;
        assert_eq!(stopped(&running).await, WarmingStopped::NotWorthIt);
        dear.barrier.open();
        run.await.expect("the run").expect("a run");
        assert_eq!(running.script.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_request_of_the_user_ends_a_refresh_that_is_on_its_way() {
    let dear = Dear::idle(100_000, json!(["At once."]), true);
    let running = dear.world.start().await;
    running.say("Hi").await;
    dear.clock.advance_to_timer().await;
    dear.stuck.reached(1).await;
    assert_eq!(running.session.cache_warming(), WarmingStatus::Refreshing);
    running.say("And now?").await;
    // It was dropped, and the prompt of the new request is the one to keep.
    dear.stuck.reached(2).await;
    assert_eq!(running.conversation().last().expect("an answer").1, "At once.");
    assert!(matches!(running.session.cache_warming(), WarmingStatus::Due(_)));
    assert_eq!((refreshes(&running).len(), dear.world.reports.all()), (0, Vec::new()));
    running.session.shut_down(SessionShutdownReason::Quit).await;
    assert_eq!(stopped(&running).await, WarmingStopped::Ended);
    dear.rested().await;
}

#[tokio::test]
async fn a_refresh_that_fails_disturbs_nobody() {
    let busy = json!([{"error": {"message": "Overloaded", "status": 529}}]);
    let dear = Dear::answering(100_000, json!([busy, "Done."]));
    let (running, run) = dear.work().await;
    dear.clock.advance_to_timer().await;
    let why = stopped(&running).await;
    assert!(matches!(&why, WarmingStopped::Failed(error) if error.contains("Overloaded")), "{why}");
    // The prompt is gone soon: to send it again would cost its full price.
    dear.rested().await;
    dear.barrier.open();
    run.await.expect("the run").expect("a run");
    assert_eq!(running.conversation().last().expect("an answer").1, "Done.");
    assert_eq!((refreshes(&running).len(), dear.world.reports.all()), (0, Vec::new()));
    assert!(!running.events.all().iter().any(|event| event["type"] == "auto_retry_start"));
}

#[tokio::test]
async fn a_prompt_that_was_not_cached_is_not_sent_again_and_again() {
    let missed = json!([{"usage": {"cache_write": 100_000, "output": 1}}, "x"]);
    let dear = Dear::answering(100_000, json!([missed, "Done."]));
    let (running, run) = dear.work().await;
    dear.clock.advance_to_timer().await;
    assert_eq!(stopped(&running).await, WarmingStopped::NotCached);
    dear.barrier.open();
    run.await.expect("the run").expect("a run");
    // It was paid for all the same.
    assert_eq!(refreshes(&running)[0]["usage"]["cacheWrite"], json!(100_000));
}

#[tokio::test]
async fn what_changed_or_is_late_is_not_refreshed() {
    let dear = Dear::new(100_000);
    let (running, run) = dear.work().await;
    dear.clock.awaited().await;
    // The machine slept.
    dear.clock.advance(std::time::Duration::from_secs(286));
    assert_eq!(stopped(&running).await, WarmingStopped::TooLate);
    dear.barrier.open();
    run.await.expect("the run").expect("a run");
    assert_eq!(refreshes(&running).len(), 0);

    let dear = Dear::idle(100_000, json!([]), false);
    let running = dear.world.start().await;
    running.say("Hi").await;
    running.say("/model scripted/other").await;
    dear.clock.advance_to_timer().await;
    assert_eq!(stopped(&running).await, WarmingStopped::Changed);
    assert_eq!(running.script.requests().len(), 1);
}

#[tokio::test]
async fn a_session_says_whether_its_prompt_is_kept_warm() {
    let dear = Dear::idle(100_000, json!([warm()]), false);
    let running = dear.world.start().await;
    running.say("Hi").await;
    dear.clock.advance_to_timer().await;
    dear.clock.awaited().await;
    let text = said(&dear.world, &running, "/session").await;
    assert!(text.contains("\nCache warming: idle (next decision in 270 s); 1 refresh for $0.1001"), "{text}");
}
