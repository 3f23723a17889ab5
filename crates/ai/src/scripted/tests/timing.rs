use std::time::Duration;

use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn delays_take_the_time_of_the_clock() {
    let api = script("{delta_ms: 10, replies: [[{delay_ms: 500}, {text: abc, chunk: 1}, {text: d, delta_ms: 0}]]}");
    let begin = Instant::now();
    assert_eq!(text(&api, user("hi")).await, "abcd");
    assert_eq!(begin.elapsed(), Duration::from_millis(530));
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_a_delay() {
    let api = script("replies: [[half, {delay_ms: 60000}, never]]");
    let request = request(&api, user("hi"));
    let cancel = request.cancel.clone();
    let begin = Instant::now();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        cancel.cancel();
    });
    let items = items(request, &api).await;
    assert_eq!(begin.elapsed(), Duration::from_millis(5));
    assert_eq!(lines(&items).last().map(String::as_str), Some(r#"error Aborted "Request was aborted""#));
    let message = items.last().and_then(|item| item.event.final_message()).expect("final");
    assert_eq!(message.texts().collect::<Vec<_>>(), ["half"]);
}

#[tokio::test]
async fn a_request_that_is_already_cancelled_says_so() {
    let api = script("replies: [hello]");
    let request = request(&api, user("hi"));
    request.cancel.cancel();
    assert_eq!(lines(&items(request, &api).await), [r#"error Aborted "Request was aborted""#]);
    assert_eq!(api.unplayed(), 1);
}
