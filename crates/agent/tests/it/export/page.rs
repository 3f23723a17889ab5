//! What a page shows.

use tau_agent::export::{HtmlOptions, ToolInfo, export_html};
use tau_session::{EntryBody, LEAF_MARKER, NewSession, Session};

use super::audit::{audit, select, texts};
use super::every_kind;

fn options() -> HtmlOptions {
    let tool = |name: &str| ToolInfo { name: name.to_owned(), description: "Does <it>.".to_owned() };
    HtmlOptions { system_prompt: Some("You are <b>tau</b>.".to_owned()), tools: vec![tool("read"), tool("bash")] }
}

/// The body without the script; the style and the script stand in files of their own.
fn body(page: &str) -> &str {
    let begin = page.find("<body>").expect("a body");
    &page[begin..page.find("<script>").expect("a script")]
}

#[test]
fn every_kind_of_entry_is_shown() {
    let page = export_html(&every_kind(), &options());
    let document = audit(&page);
    assert_eq!(document.errors, [] as [&str; 0]);
    assert_eq!(texts(&document, "title"), ["Garden plan"]);
    insta::assert_snapshot!(body(&page));
}

#[test]
fn every_entry_has_one_place_and_every_link_leads_to_one() {
    let session = every_kind();
    let document = audit(&export_html(&session, &options()));
    let mut places: Vec<String> =
        select(&document, "[id^=e]").filter_map(|e| e.attr("id").map(str::to_owned)).collect();
    places.sort_by_key(|place| place[1..].parse::<usize>().expect("a number"));
    let entries = session.entries();
    let is_mark = |entry: &tau_session::Entry| matches!(&*entry.body(), EntryBody::Custom(body) if body.custom_type == LEAF_MARKER);
    assert_eq!(entries.iter().filter(|entry| is_mark(entry)).count(), 1);
    let shown = entries.iter().enumerate().filter(|(_, entry)| !is_mark(entry));
    let expected: Vec<String> = shown.map(|(at, _)| format!("e{at}")).collect();
    assert_eq!(places, expected);
    for link in select(&document, "a[href^='#']") {
        let target = link.attr("href").expect("an address").trim_start_matches('#');
        assert!(expected.iter().any(|place| place == target), "{target}");
    }
}

#[test]
fn the_branch_of_the_leaf_comes_first_and_others_follow() {
    let session = every_kind();
    let document = audit(&export_html(&session, &HtmlOptions::default()));
    let shown = |selector: &str| select(&document, selector).filter_map(|e| e.attr("id").map(str::to_owned)).count();
    let hidden_results = 3;
    assert_eq!(shown("section.branch > article"), session.branch_path(None).len() - hidden_results);
    let others = texts(&document, ".branch.other > summary");
    assert_eq!(
        others,
        [
            "Branch: Another try 2 entries",
            "Branch: How tall do beans get? 2 entries",
            "Branch: A second beginning 1 entry"
        ]
    );
}

#[test]
fn an_empty_session_is_a_page_too() {
    let new = NewSession { id: Some("empty".to_owned()), ..NewSession::default() };
    let session = Session::in_memory("/work".as_ref(), new).expect("a session");
    let document = audit(&export_html(&session, &HtmlOptions::default()));
    assert_eq!(texts(&document, "title"), ["Session empty"]);
    assert_eq!(texts(&document, "article"), [] as [&str; 0]);
}

#[test]
fn a_long_chain_and_many_branches_are_no_problem() {
    let session = Session::in_memory("/work".as_ref(), NewSession::default()).expect("a session");
    let user = |text: &str| EntryBody::message(tau_ai::Message::User(tau_ai::UserMessage::new(text.to_owned())));
    let first = session.append(user("first")).expect("appended");
    for round in 0..2000 {
        session.append(user("more")).expect("appended");
        if round % 10 == 0 {
            session.set_leaf(first.id()).expect("moved");
        }
    }
    let page = export_html(&session, &HtmlOptions::default());
    assert_eq!(page.matches("<article ").count(), session.entries().len());
}
