//! The request to the provider: body and headers.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tau_hooks::events::{BeforeProviderHeaders, BeforeProviderRequest};
use tau_hooks::payload::{BeforeProviderHeadersEvent, BeforeProviderHeadersResult, BeforeProviderRequestEvent};
use tau_testkit::Stage;

use super::{Round, Style, both, run, to_json};

#[tokio::test]
async fn any_json_value_is_a_request_body() {
    let before = json!({ "payload": { "model": "m" } });
    for body in [json!({ "model": "x", "extra": [1] }), json!([]), json!("text"), json!(0), json!(false), Value::Null] {
        let event = BeforeProviderRequestEvent { payload: json!({ "model": "m" }) };
        let after = json!({ "payload": body });
        assert_eq!(
            both::<BeforeProviderRequest>(event, &[None, Some(body.clone()), None]).await,
            Round {
                seen: vec![before.clone(), before.clone(), after.clone()],
                payload: after,
                output: Some(body),
                stopped_by: None,
                reports: vec![],
            }
        );
    }
}

fn headers(list: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    list.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect()
}

fn event() -> BeforeProviderHeadersEvent {
    BeforeProviderHeadersEvent { headers: headers(&[("a", Some("1")), ("b", Some("2"))]) }
}

#[tokio::test]
async fn headers_are_changed_in_place_and_null_removes_one() {
    let stage = Stage::new();
    stage.add("set", |registrar| {
        registrar.on::<BeforeProviderHeaders>(|mut event, _| async move {
            event.headers.insert("c".into(), Some("3".into()));
            event.headers.insert("a".into(), None);
            Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
        });
    });
    stage.add("see", |registrar| {
        registrar.on_json("before_provider_headers", |event, _| async move {
            assert_eq!(event["headers"], json!({ "a": null, "b": "2", "c": "3" }));
            Ok(None)
        });
    });
    let after = stage.fold::<BeforeProviderHeaders>(event()).await;
    assert_eq!(after.headers, headers(&[("a", None), ("b", Some("2")), ("c", Some("3"))]));
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_handler_of_headers_returns_is_ignored() {
    for returned in [json!({ "headers": { "x": "1" } }), json!("v"), json!(1), json!([]), json!({}), Value::Null] {
        let round = run::<BeforeProviderHeaders>(Style::Json, event(), &[Some(returned.clone())]).await;
        let expected = Round {
            seen: vec![to_json(&event())],
            payload: to_json(&event()),
            output: None,
            stopped_by: None,
            reports: vec![],
        };
        assert_eq!(round, expected, "{returned}");
    }
}
