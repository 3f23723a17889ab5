//! Answers that are kept for a while.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tau_hooks::Api;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ForgeError;

/// How long an answer is new.
const NEW: Duration = Duration::from_secs(5 * 60);
/// How long a failure counts.
const FAILED: Duration = Duration::from_secs(60);

/// An answer, or why there is none.
type Answer<T> = Result<Arc<T>, ForgeError>;

/// The last answer to a question, and the work on the next one.
///
/// An answer is new for five minutes. After that it is still given, while the next one is fetched, and stays when that fails.
/// A failure counts for a minute. All who ask while something is fetched wait for the same work. An answer to another
/// question is forgotten.
pub struct Kept<K, T>(Arc<Mutex<State<K, T>>>);

struct State<K, T> {
    question: Option<K>,
    /// The last answer, and when it came.
    answer: Option<(i64, Answer<T>)>,
    /// Where the next answer will be; closed when nobody works on it any more.
    next: Option<watch::Receiver<Option<Answer<T>>>>,
}

impl<K, T> Default for Kept<K, T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State { question: None, answer: None, next: None })))
    }
}

impl<K: PartialEq + Clone + Send + 'static, T: Send + Sync + 'static> Kept<K, T> {
    /// The answer to a question, which `fetch` finds if need be, in a task of the extension: nobody has to wait for it.
    ///
    /// # Errors
    /// What the fetch failed with.
    pub async fn get<F, Fut>(&self, api: &Api, question: &K, fetch: F) -> Answer<T>
    where
        F: FnOnce(Api, CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, ForgeError>> + Send + 'static,
    {
        let now = api.sources()?.clock.now_ms();
        let mut next = {
            let mut state = self.0.lock();
            if state.question.as_ref() != Some(question) {
                *state = State { question: Some(question.clone()), answer: None, next: None };
            }
            if let Some((since, answer)) = &state.answer
                && is_new(now, *since, answer.is_ok())
            {
                return answer.clone();
            }
            let at_work = state.next.clone().filter(|next| next.has_changed().is_ok());
            let next = match at_work {
                Some(next) => next,
                None => {
                    let (sender, next) = watch::channel(None);
                    state.next = Some(next.clone());
                    self.begin(api, question.clone(), sender, fetch)?;
                    next
                }
            };
            if let Some((_, Ok(old))) = &state.answer {
                return Ok(Arc::clone(old));
            }
            next
        };
        // The work is given up when the extension goes.
        let answer = next.wait_for(Option::is_some).await.map_err(|_| ForgeError::Ended)?;
        answer.clone().unwrap_or(Err(ForgeError::Ended))
    }

    /// Has the answer fetched, and puts it away if it still answers the question then.
    fn begin<F, Fut>(
        &self,
        api: &Api,
        question: K,
        sender: watch::Sender<Option<Answer<T>>>,
        fetch: F,
    ) -> Result<(), ForgeError>
    where
        F: FnOnce(Api, CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, ForgeError>> + Send + 'static,
    {
        let state = Arc::clone(&self.0);
        let work = move |task: tau_hooks::Task| async move {
            let api = task.api().clone();
            let answer: Answer<T> = fetch(api.clone(), task.ends().clone()).await.map(Arc::new);
            let Ok(sources) = api.sources() else { return };
            let mut state = state.lock();
            if state.question.as_ref() == Some(&question) {
                let now = sources.clock.now_ms();
                state.answer = Some(match (&answer, state.answer.take()) {
                    // What was known is better than a failure; it is tried again as soon as after one.
                    (Err(_), Some((_, Ok(old)))) => (now.saturating_sub(millis(NEW) - millis(FAILED)), Ok(old)),
                    _ => (now, answer.clone()),
                });
            }
            drop(state);
            sender.send_replace(Some(answer));
        };
        Ok(api.spawn("gh", work)?)
    }
}

/// Whether an answer from that time is still new. A clock that was set back makes it old.
fn is_new(now: i64, since: i64, is_answer: bool) -> bool {
    (0..millis(if is_answer { NEW } else { FAILED })).contains(&now.saturating_sub(since))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
