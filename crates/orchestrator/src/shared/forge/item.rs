//! An issue or a pull request.

use serde::Deserialize;

use super::{ForgeError, Place};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An issue.
    Issue,
    /// A pull request.
    PullRequest,
}

/// An issue or a pull request. Its texts are fit for one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// `open`, `closed`, `merged` or `draft`.
    pub state: String,
    /// Where it is on the web.
    pub url: String,
    /// The branch of a pull request.
    pub branch: String,
}

impl Kind {
    /// What it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::PullRequest => "pull request",
        }
    }

    /// The command of `gh` for it.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::PullRequest => "pr",
        }
    }

    /// The part of an address for it.
    fn path(self) -> &'static str {
        match self {
            Self::Issue => "issues",
            Self::PullRequest => "pull",
        }
    }

    /// The fields that are asked for.
    pub(super) fn fields(self) -> &'static str {
        match self {
            Self::Issue => "number,title,state,url",
            Self::PullRequest => "number,title,state,url,isDraft,headRefName",
        }
    }
}

/// An item as `gh` gives it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    number: u64,
    title: String,
    state: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    is_draft: bool,
    #[serde(default)]
    head_ref_name: String,
}

/// An item as the interface of the forge gives it.
#[derive(Deserialize)]
struct RawOne {
    number: u64,
    title: String,
    state: String,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    pull_request: Option<serde_json::Value>,
}

/// Reads an item that the interface of the forge gave.
pub(super) fn read_one(place: &Place, json: &str, what: &str) -> Result<Item, ForgeError> {
    let RawOne { number, title, state, draft, pull_request } =
        serde_json::from_str(json).map_err(|error| unreadable(what, &error))?;
    let merged = pull_request.as_ref().is_some_and(|pull| pull["merged_at"].is_string());
    let state = if merged { "merged".to_owned() } else { state };
    let kind = if pull_request.is_some() { Kind::PullRequest } else { Kind::Issue };
    let raw = Raw { number, title, state, url: String::new(), is_draft: draft, head_ref_name: String::new() };
    Ok(item(kind, place, raw))
}

fn unreadable(what: &str, error: &serde_json::Error) -> ForgeError {
    ForgeError::Unreadable { what: what.to_owned(), why: error.to_string() }
}

/// Reads what `gh` listed.
pub(super) fn read(kind: Kind, place: &Place, json: &str, what: &str) -> Result<Vec<Item>, ForgeError> {
    let raw: Vec<Raw> = serde_json::from_str(json).map_err(|error| unreadable(what, &error))?;
    Ok(raw.into_iter().map(|raw| item(kind, place, raw)).collect())
}

fn item(kind: Kind, place: &Place, raw: Raw) -> Item {
    let Raw { number, title, state, url, is_draft, head_ref_name } = raw;
    let state = line(&state).to_lowercase();
    let is_address = url.starts_with("https://") && !url.contains(|c: char| c.is_whitespace() || c.is_control());
    Item {
        kind,
        number,
        title: line(&title),
        state: if is_draft && state == "open" { "draft".to_owned() } else { state },
        // The address goes into the prompt, so it has to be one.
        url: if is_address { url } else { format!("{}/{}/{number}", place.address(), kind.path()) },
        branch: line(&head_ref_name),
    }
}

fn line(text: &str) -> String {
    tau_view::untrusted::plain(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gh_says_is_data() {
        let place = Place { host: "github.com".into(), slug: "a/b".into() };
        let json = r#"[{"number":7,"title":"One\u001b[31m\nline","state":"OPEN","url":"javascript:x","isDraft":true,
            "headRefName":"fix","more":1}]"#;
        let found = read(Kind::PullRequest, &place, json, "pr list").expect("a list");
        let [item] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((item.title.as_str(), item.state.as_str()), ("One line", "draft"));
        assert_eq!(item.url, "https://github.com/a/b/pull/7");
        let error = read(Kind::Issue, &place, "{}", "issue list").expect_err("no list");
        assert!(error.to_string().starts_with("`gh issue list` gave an answer that tau cannot read: "), "{error}");
    }
}
