//! Names that nobody knows are reported with the place and the nearest one that exists.

use serde_json::{Value, json};
use tau_hooks::events::{EventId, Input, TABLE, ToolCall};
use tau_hooks::payload::{InputEvent, InputSource, ToolCallEvent};
use tau_testkit::Stage;
use tau_testkit::host::extension;

fn call() -> ToolCallEvent {
    ToolCallEvent { tool_name: "bash".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input: json!({}) }
}

fn input() -> InputEvent {
    InputEvent { text: "a".into(), images: None, source: InputSource::Rpc, streaming_behavior: None }
}

/// A gate under a name that is nearly right would never be asked.
#[test]
fn a_gate_with_a_misspelt_name_is_refused() {
    for (name, gate) in [
        ("tool_cal", Some("tool_call")),
        ("toolCall", Some("tool_call")),
        ("user_bsah", Some("user_bash")),
        ("tool_listen", None),
    ] {
        let stage = Stage::new();
        let loaded = stage.hooks.load_with(tau_hooks::Owner::native("typo", &tau_hooks::dialect::PI), |registrar| {
            registrar.on_json(name, |_, _| async { Ok(None) });
            registrar.on_json("input", |_, _| async { Ok(None) });
            Ok(())
        });
        let told = gate
            .map(|gate| format!("there is no event `{name}`, so its handler guards nothing; did you mean `{gate}`?"));
        assert_eq!(loaded.err().map(|error| error.error.to_string()), told);
        assert_eq!(stage.hooks.dispatcher.has_handlers(EventId::Input), gate.is_none());
    }
}

#[test]
fn an_unknown_event_is_reported_with_the_nearest_one() {
    let stage = Stage::new();
    let mut line = 0;
    let loaded = stage.hooks.load_with(tau_hooks::Owner::native("typo", &tau_hooks::dialect::PI), |registrar| {
        line = line!() + 1;
        registrar.on_json("agent_strat", |_, _| async { Ok(None) });
        registrar.on_json("zzz", |_, _| async { Ok(None) });
        registrar.on_json("input", |_, _| async { Ok(None) });
        Ok(())
    });
    loaded.expect("the rest of it is loaded");
    let file = file!();
    assert_eq!(
        stage.take_report_texts(),
        [
            format!(
                "Extension error (<native:typo>): unknown event `agent_strat`; did you mean `agent_start`? [agent_strat at \
                 {file}:{line}]"
            ),
            format!("Extension error (<native:typo>): unknown event `zzz` [zzz at {file}:{}]", line + 1),
        ]
    );
    assert!(stage.hooks.dispatcher.has_handlers(EventId::Input));
    assert!(!stage.hooks.dispatcher.has_handlers(EventId::ToolCall));
}

/// A comparison with every event would take minutes.
#[test]
fn a_name_of_megabytes_is_compared_with_none_and_shown_in_short() {
    let stage = Stage::new();
    let name = "tool_call".repeat(1 << 19);
    let loaded = stage.hooks.load_with(tau_hooks::Owner::native("long", &tau_hooks::dialect::PI), |registrar| {
        registrar.on_json(&name, |_, _| async { Ok(None) });
        Ok(())
    });
    loaded.expect("it can be loaded");
    let [told] = &stage.take_report_texts()[..] else { panic!("one report") };
    let brief = format!("Extension error (<native:long>): unknown event `{}…` [", &name[..100]);
    assert!(told.starts_with(&brief) && told.len() < 500, "{}", told.len());
}

#[test]
fn an_event_is_known_under_the_names_of_its_dialect() {
    for row in TABLE {
        let stage = Stage::new();
        stage.add("ext", |registrar| {
            registrar.on_json(row.name, |_, _| async { Ok(None) });
        });
        assert!(stage.hooks.dispatcher.has_handlers(row.id), "{}", row.name);
        for name in row.projected {
            assert_eq!(EventId::parse(name), Some(row.id));
            // Only other dialects call it so.
            assert_eq!((tau_hooks::dialect::PI.event)(name), None, "{name}");
        }
    }
}

/// What is reported of a handler that answers with this, without its place.
async fn report_of(event: &'static str, answer: Value) -> Vec<String> {
    let stage = Stage::new();
    let mut place = String::new();
    let loaded = stage.hooks.load_with(tau_hooks::Owner::native("ext", &tau_hooks::dialect::PI), |registrar| {
        let answer = answer.clone();
        place = format!(" [{event} at {}:{}]", file!(), line!() + 1);
        registrar.on_json(event, move |_, _| std::future::ready(Ok(Some(answer.clone()))));
        Ok(())
    });
    loaded.expect("it can be loaded");
    match event {
        "input" => drop(stage.fire::<Input>(input()).await),
        _ => drop(stage.fire::<ToolCall>(call()).await),
    }
    let reports = stage.take_report_texts().into_iter();
    reports.map(|report| report.strip_suffix(&place).expect("the place is told").to_owned()).collect()
}

#[tokio::test]
async fn an_unknown_result_field_is_reported_with_the_nearest_one() {
    let start = "Extension error (<native:ext>): unknown result field";
    let report = async |event, answer| report_of(event, answer).await;
    assert_eq!(
        report("tool_call", json!({ "blocked": true })).await,
        [
            "Extension error (<native:ext>): answered with the unknown field `blocked` and with no field of `tool_call`, so it blocked \
          nothing; did you mean `block`?"
        ]
    );
    assert_eq!(
        report("tool_call", json!({ "block": true, "resaon": "x", "qqq": 1 })).await,
        [format!("{start} `resaon`; did you mean `reason`?"), format!("{start} `qqq`")]
    );
    assert_eq!(
        report("input", json!({ "action": "transform", "text": "b", "image": [] })).await,
        [format!("{start} `image`; did you mean `images`?")]
    );
    assert_eq!(report("tool_call", json!({ "block": true, "reason": "x" })).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_unknown_value_is_reported_with_the_nearest_one() {
    assert_eq!(
        report_of("input", json!({ "action": "handle" })).await,
        ["Extension error (<native:ext>): returned a malformed result: unknown variant `handle`, expected one of \
          `continue`, `transform`, `handled`; did you mean `handled`?"]
    );
    assert_eq!(
        report_of("input", json!({ "action": "qqq" })).await,
        ["Extension error (<native:ext>): returned a malformed result: unknown variant `qqq`, expected one of \
          `continue`, `transform`, `handled`"]
    );
}

#[tokio::test]
async fn the_known_fields_of_a_result_with_unknown_ones_still_count() {
    let stage = Stage::new();
    let loaded = stage.load(&extension("ext", |registrar| {
        registrar.on_json("tool_call", |_, _| async { Ok(Some(json!({ "block": true, "why": "x" }))) });
        Ok(())
    }));
    loaded.expect("it can be loaded");
    assert!(stage.fire::<ToolCall>(call()).await.stopped_by.is_some());
}
