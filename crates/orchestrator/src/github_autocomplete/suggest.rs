//! The provider around the one of tau.

use std::sync::Arc;

use tau_git::Limits;
use tau_hooks::mount::{Suggested, SuggestedItem, Suggests, WrapSuggests, Written};
use tau_hooks::{Api, BoxFuture, HandlerError};
use tokio_util::sync::CancellationToken;

use super::older::Older;
use super::token::query;
use crate::shared::forge::{Ask, ForgeError, Item, Kept, Kind, Place, Told, list, look};
use crate::shared::rank::{MOST, best};

/// The most that is known of issues, and of pull requests.
const KNOWN: u32 = 200;
/// Of the repository only its remotes matter.
const LIMITS: fn() -> Limits = || Limits { names: 1, commits: 1, ..Limits::default() };

/// Where items come from.
pub(super) struct Source {
    api: Api,
    kept: Kept<Place, Vec<Item>>,
    older: Older,
    told: Arc<Told>,
}

/// Puts a provider around another one.
pub(super) struct Around(pub(super) Arc<Source>);

/// The provider.
struct Provider {
    source: Arc<Source>,
    /// Suggests everything else.
    current: Arc<dyn Suggests>,
}

impl WrapSuggests for Around {
    fn wrap(&self, current: Arc<dyn Suggests>) -> BoxFuture<Result<Arc<dyn Suggests>, HandlerError>> {
        let provider: Arc<dyn Suggests> = Arc::new(Provider { source: Arc::clone(&self.0), current });
        Box::pin(async { Ok(provider) })
    }
}

impl Suggests for Provider {
    fn suggest(&self, written: Written, force: bool) -> BoxFuture<Result<Option<Suggested>, HandlerError>> {
        let Some(query) = query(&written).map(str::to_owned) else { return self.current.suggest(written, force) };
        let (source, current) = (Arc::clone(&self.source), Arc::clone(&self.current));
        Box::pin(async move {
            let items = source.find(&query).await;
            if items.is_empty() {
                return current.suggest(written, force).await;
            }
            Ok(Some(Suggested { items, prefix: format!("#{query}") }))
        })
    }

    fn triggers(&self) -> Vec<char> {
        let mut all = self.current.triggers();
        all.push('#');
        all
    }
}

impl Source {
    pub(super) fn new(api: Api) -> Self {
        Self { api, kept: Kept::default(), older: Older::default(), told: Arc::default() }
    }

    /// What fits to a query. Nothing without a repository on a forge, and while the forge cannot be asked.
    async fn find(&self, query: &str) -> Vec<SuggestedItem> {
        let Ok(ctx) = self.api.ctx(CancellationToken::new(), false) else { return Vec::new() };
        let Some(place) = look(ctx.cwd(), LIMITS()).await.and_then(|facts| Place::of(&facts)) else {
            return Vec::new();
        };
        let (asked, told) = (place.clone(), Arc::clone(&self.told));
        let all = self.kept.get(&self.api, &place, move |api, cancel| fetch(api, asked, told, cancel)).await;
        let all = match all {
            Ok(all) => all,
            Err(error) => {
                // The user was told when it was fetched.
                tracing::debug!(%error, "no issues are suggested");
                return Vec::new();
            }
        };
        let older = self.older.find(&self.api, &place, query, &all).await;
        older.iter().chain(matching(query, &all)).take(MOST).map(suggested).collect()
    }
}

/// Asks for issues and pull requests at once. One of the two is better than nothing.
async fn fetch(api: Api, place: Place, told: Arc<Told>, cancel: CancellationToken) -> Result<Vec<Item>, ForgeError> {
    let ask = |kind| list(&api, &place, Ask { kind, state: "all", most: KNOWN }, &cancel);
    let (issues, pulls) = tokio::join!(ask(Kind::Issue), ask(Kind::PullRequest));
    let error = [&issues, &pulls].into_iter().find_map(|answer| answer.as_ref().err().cloned());
    match &error {
        Some(error) => told.failed(&api, &place, "Issues and pull requests", error),
        None => told.worked(),
    }
    let all: Vec<Item> = match (issues, pulls, error) {
        (Err(_), Err(_), Some(error)) => return Err(error),
        (issues, pulls, _) => issues.into_iter().chain(pulls).flatten().collect(),
    };
    Ok(newest_first(all))
}

fn newest_first(mut all: Vec<Item>) -> Vec<Item> {
    all.sort_by_key(|item| std::cmp::Reverse(item.number));
    all
}

/// The items that fit best: those whose number begins with the query, else those whose number and title hold its letters.
fn matching<'a>(query: &str, all: &'a [Item]) -> Vec<&'a Item> {
    if !query.is_empty() && query.bytes().all(|byte| byte.is_ascii_digit()) {
        let begins = |item: &&Item| item.number.to_string().starts_with(query);
        let mut found: Vec<&Item> = all.iter().filter(begins).collect();
        if !found.is_empty() {
            // The number that is written comes before those that it begins.
            found.sort_by_key(|item| item.number.to_string() != query);
            found.truncate(MOST);
            return found;
        }
    }
    best(query, all, |item| item.title.clone(), |item| item.number.to_string())
}

fn suggested(item: &Item) -> SuggestedItem {
    let Item { kind, number, title, state, url, .. } = item;
    SuggestedItem {
        value: format!("#{number} ({url})"),
        label: format!("#{number}"),
        description: Some(format!("{state} {}: {title}", kind.as_str())),
    }
}
