use super::*;

fn result(messages: &mut Value, message: &AssistantMessage, text: &str, is_error: bool) {
    let call = message.tool_calls().next().expect("a call");
    let list = messages.as_array_mut().expect("list");
    list.push(serde_json::to_value(Message::Assistant(message.clone())).expect("json"));
    list.push(json!({
        "role": "toolResult", "toolCallId": call.id, "toolName": call.name, "isError": is_error,
        "content": [{"type": "text", "text": text}],
    }));
}

/// The calls and the last words of a demo in which the tools return these texts.
async fn demo(results: &[(&str, bool)]) -> String {
    let api = ScriptedApi::demo().expect("the demo script");
    let mut messages = user("What is in this directory?");
    let mut report = String::new();
    for (text, is_error) in results {
        let message = answer(&api, messages.clone()).await;
        let call = message.tool_calls().next().expect("a call");
        report += &format!("[{} {}]\n", call.name, call.arguments);
        result(&mut messages, &message, text, *is_error);
    }
    let last = answer(&api, messages).await;
    assert_eq!((last.stop_reason, last.error_message), (StopReason::Stop, None));
    let texts: Vec<String> = last.content.iter().filter_map(|block| block.as_text().map(str::to_owned)).collect();
    report + &texts.join("\n---\n")
}

#[tokio::test]
async fn an_ordinary_directory() {
    let listing = ".git/\nCargo.toml\nREADME.md\nsrc/";
    let readme = "# A tool\n\nIt does things.\nMany.\n\nAnd more.\nAnd even more.";
    insta::assert_snapshot!(demo(&[(listing, false), (readme, false)]).await);
}

#[tokio::test]
async fn a_directory_without_a_readme() {
    insta::assert_snapshot!(demo(&[("one.txt", false)]).await);
}

#[tokio::test]
async fn an_empty_directory() {
    insta::assert_snapshot!(demo(&[("(empty directory)", false)]).await);
}

#[tokio::test]
async fn a_huge_directory() {
    let mut listing: String = (0..500).map(|n| format!("file-{n:04}{}\n", if n % 5 == 0 { "/" } else { "" })).collect();
    listing += "\n[500 entries limit reached. Use limit=1000 for more]";
    insta::assert_snapshot!(demo(&[(&listing, false)]).await);
}

#[tokio::test]
async fn tools_that_fail() {
    insta::assert_snapshot!(demo(&[("Tool ls not found", true)]).await);
    insta::assert_snapshot!(demo(&[("README", false), ("no permission", true)]).await);
}

#[tokio::test]
async fn every_prompt_is_answered_anew() {
    let api = ScriptedApi::demo().expect("the demo script");
    let mut messages = user("hi");
    for _ in 0..3 {
        let message = answer(&api, messages.clone()).await;
        result(&mut messages, &message, "a", false);
        let last = answer(&api, messages.clone()).await;
        assert_eq!(last.stop_reason, StopReason::Stop);
        let list = messages.as_array_mut().expect("list");
        list.push(serde_json::to_value(Message::Assistant(last)).expect("json"));
        list.push(json!({"role": "user", "content": "again"}));
    }
    assert_eq!(api.requests().len(), 6);
}
