use super::*;

async fn check(matcher: &str, messages: Value) -> Result<(), String> {
    let api = script(&format!("replies: [[{{expect: {matcher}}}, fine]]"));
    let message = answer(&api, messages).await;
    match message.error_message {
        None => Ok(()),
        Some(problem) => Err(problem),
    }
}

#[tokio::test]
async fn every_key_holds_where_it_should() {
    for matcher in [
        "{request: 1, model: scripted, system: Be brief., system_contains: brief, system_not_contains: [long, verbose]}",
        "{last_user: look, last_user_contains: [lo, ok], last_role: toolResult, messages: 3, images: 0}",
        "{tools: [ls, read], has_tools: read, contains: [look, b.txt], not_contains: c.txt}",
        "{tool_result: {name: ls, id: c1, is_error: false, contains: a., not_contains: z, has_line: [a.txt, b.txt]}}",
        "{tool_result: {text: \"a.txt\\nb.txt\"}}",
    ] {
        assert_eq!(check(matcher, after_tool("look", "c1", "ls", "a.txt\nb.txt", false)).await, Ok(()), "{matcher}");
    }
}

#[tokio::test]
async fn every_key_says_what_it_expected_and_got() {
    let mut report = String::new();
    for matcher in [
        "{request: 2}",
        "{model: other}",
        "{system: Be long.}",
        "{system_contains: [Be, verbose]}",
        "{system_not_contains: brief}",
        "{last_user: listen}",
        "{last_user_contains: xyz}",
        "{last_role: user}",
        "{messages: 1}",
        "{images: 2}",
        "{tools: [read, ls]}",
        "{has_tools: [ls, bash]}",
        "{contains: c.txt}",
        "{not_contains: b.txt}",
        "{tool_result: {name: read}}",
        "{tool_result: {is_error: true, contains: [x, y], has_line: z}}",
    ] {
        let problem = check(matcher, after_tool("look", "c1", "ls", "a.txt\nb.txt", false)).await.expect_err(matcher);
        report += &format!("{problem}\n");
    }
    insta::assert_snapshot!(report);
}

#[tokio::test]
async fn only_results_that_came_with_the_request_count() {
    let mut messages = after_tool("look", "c1", "ls", "a.txt", false);
    let later = json!([{"role": "assistant", "content": []}, {"role": "user", "content": "and?"}]);
    messages.as_array_mut().expect("list").extend(later.as_array().expect("list").clone());
    assert_eq!(
        check("{tool_result: {name: ls}}", messages).await.expect_err("no new result"),
        "Scripted model: reply 1, step 1: expect.tool_result: expected {name: ls}, got no tool result"
    );
}

#[tokio::test]
async fn a_named_reply_is_named_in_failures() {
    let api = script("replies: [{name: greet, expect: {last_user: hello}, steps: [hi]}]");
    assert_eq!(
        failure(&api, user("bye")).await,
        "Scripted model: reply 1 (greet), step 1: expect.last_user: expected \"hello\", got \"bye\""
    );
}

#[tokio::test]
async fn images_are_counted() {
    let image = json!([{"role": "user", "content": [
        {"type": "text", "text": "see"}, {"type": "image", "data": "AA==", "mimeType": "image/png"},
    ]}]);
    assert_eq!(check("{images: 1, last_user: see}", image).await, Ok(()));
}
