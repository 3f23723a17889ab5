//! Gates and filters of hooks.

use serde_json::json;

use super::{Hooked, calling, omp, original, pi, results};
use crate::bus::heard;

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_throws_blocks_in_every_dialect() {
    let body = "pi.on('tool_call', async () => { throw new Error('no idea'); });";
    for source in [pi(body), omp(body), original(body)] {
        let hooked = Hooked::new(calling("bash", json!({"command": "true"})), &[source]).await;
        let running = hooked.say("hi").await;
        let [(text, _, failed)] = results(&running).try_into().expect("one result");
        assert!(failed && text.contains("no idea"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_blocks_with_its_reason_or_with_that_of_the_dialect() {
    for (source, expected) in [
        (omp("pi.on('tool_call', () => ({ block: true, reason: 'because' }));"), "because"),
        (
            omp("pi.on('tool_call', () => ({ block: true }));"),
            "Tool execution was blocked by a hook: FILE gives no reason",
        ),
        (
            original("pi.on('tool_call', () => ({ block: true }));"),
            "Tool execution was blocked by a hook: FILE gives no reason",
        ),
    ] {
        let result = format!("{}\n", "pi.on('tool_result', () => pi.events.emit('log', 'told'));");
        let source = source.replace("{\npi.on", &format!("{{\n{result}pi.on"));
        let hooked = Hooked::new(calling("bash", json!({"command": "true"})), &[source]).await;
        let running = hooked.say("hi").await;
        let [(text, _, failed)] = results(&running).try_into().expect("one result");
        let file = hooked.outcomes[0].path.display().to_string();
        assert_eq!((text.replace(&file, "FILE").as_str(), failed), (expected, true));
        assert_eq!(hooked.log.all().len(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn input_that_is_edited_reaches_the_tool_where_the_dialect_lets_it() {
    let body = "pi.on('tool_call', (event) => { event.input.command = 'echo changed'; });";
    for (source, expected) in [(pi(body), "changed\n"), (omp(body), "as asked\n"), (original(body), "changed\n")] {
        let hooked = Hooked::new(calling("bash", json!({"command": "echo as asked"})), &[source]).await;
        let running = hooked.say("hi").await;
        let [(text, ..)] = results(&running).try_into().expect("one result");
        assert_eq!(text.trim(), expected.trim());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_hook_does_to_the_input_another_does_not_see_where_it_is_a_copy() {
    let change = "pi.on('tool_call', (event) => { event.input.command = 'echo changed'; });";
    let look = "pi.on('tool_call', (event) => { pi.events.emit('log', event.input.command); });";
    for (sources, expected) in
        [([omp(change), omp(look)], "echo as asked"), ([original(change), original(look)], "echo changed")]
    {
        let hooked = Hooked::new(calling("bash", json!({"command": "echo as asked"})), &sources).await;
        hooked.say("hi").await;
        assert_eq!(heard(&hooked.log, 1).await, [json!(expected)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_add_up_by_the_rules_of_the_dialect() {
    let one = "pi.on('tool_result', () => ({ content: [{ type: 'text', text: 'A' }] }));";
    let two = "pi.on('tool_result', (event) => { pi.events.emit('log', event.content[0].text); return { details: { by: 'B' }, isError: true }; });";
    let cases = [
        // Each field by itself, seen by those behind, and a failure when they say so.
        ([pi(one), pi(two)], ("A", true, "A")),
        // The last object as a whole, each sees the original, and it is no failure.
        ([omp(one), omp(two)], ("original\n", false, "original\n")),
        ([original(one), original(two)], ("original\n", false, "original\n")),
    ];
    for (sources, (text, failed, seen)) in cases {
        let hooked = Hooked::new(calling("bash", json!({"command": "echo original"})), &sources).await;
        let running = hooked.say("hi").await;
        let [(got, details, is_error)] = results(&running).try_into().expect("one result");
        assert_eq!((got.trim(), details, is_error), (text.trim(), json!({"by": "B"}), failed));
        assert_eq!(heard(&hooked.log, 1).await[0].as_str().map(str::trim), Some(seen.trim()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_fails_is_told_or_not_and_stays_failed() {
    let body = "pi.on('tool_result', (event) => { pi.events.emit('log', event.isError); return { content: [{ type: 'text', text: 'fine' }], isError: false }; });
pi.on('turn_end', () => pi.events.emit('log', 'end'));";
    for (source, told, stays) in [
        (pi(body), vec![json!(true), json!("end")], false),
        (omp(body), vec![json!(true), json!("end")], true),
        (original(body), vec![json!("end")], true),
    ] {
        let hooked = Hooked::new(calling("read", json!({"path": "/no/such/file"})), &[source]).await;
        let running = hooked.say("hi").await;
        let [(text, _, failed)] = results(&running).try_into().expect("one result");
        assert_eq!(failed, stays, "{text}");
        assert_eq!(text == "fine", !stays);
        assert_eq!(heard(&hooked.log, told.len()).await[..told.len()], told);
    }
}
