use super::*;

const LISTING: &str = "a.txt\nb/\n\nc.txt";

async fn render(template: &str) -> Result<String, String> {
    let yaml = json!({"replies": [[{"text": template}]]}).to_string();
    let api = ScriptedApi::from_json("t", &yaml).map_err(|e| e.message)?.with_vars([("cwd", "/work"), ("empty", "")]);
    let message = answer(&api, after_tool("go on", "c1", "ls", LISTING, false)).await;
    match message.error_message {
        None => Ok(message.texts().collect()),
        Some(problem) => Err(problem),
    }
}

#[tokio::test]
async fn places_are_filled_in() {
    for (template, expected) in [
        ("plain { } }}", "plain { } }}"),
        (r"\{{user}}", "{{user}}"),
        ("{{ user }}!", "go on!"),
        ("{{cwd}} {{model}} {{messages}} {{request}} {{system}}", "/work scripted 3 1 Be brief."),
        ("{{tools|join:+}}", "ls+read"),
        ("{{tool.c1.text}}", LISTING),
        ("{{tool.ls.lines}} {{tool.last.lines}}", "4 4"),
        ("{{tool.c1.first_lines:2}}", "a.txt\nb/"),
        ("{{tool.ls.last_lines:1}}", "c.txt"),
        ("{{tool.ls.text|skip_lines:3}}", "c.txt"),
        ("{{tool.ls.text|non_empty|join:, }}", "a.txt, b/, c.txt"),
        ("{{tool.ls.text|starting:a}}", "a.txt"),
        ("{{tool.ls.text|until_blank_line|not_ending:/}}", "a.txt"),
        ("{{tool.ls.text|ending:/|plural:folder:folders}}", "1 folder"),
        ("{{tool.ls.text|containing:.txt|plural:file:files}}", "2 files"),
        ("{{tool.ls.text|containing:zip|count_as:# archives}}", ""),
        ("{{tool.ls.text|containing:txt|count_as:# texts}}", "2 texts"),
        ("{{user|if_has:go:yes: really}}{{user|if_has:stop:no}}", "yes: really"),
        ("{{user|prefix_lines:> }}", "> go on"),
        ("{{user|limit:2|trim}}", "go"),
        ("{{empty|or:nothing}}{{empty|if_any:(#)}}{{user|if_any:(#)}}", "nothing(go on)"),
    ] {
        assert_eq!(render(template).await.as_deref(), Ok(expected), "{template}");
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let mut report = String::new();
    for template in [
        "{{usr}}",
        "{{nonsense}}",
        "{{tool.c9.text}}",
        "{{tool.ls}}",
        "{{tool.ls.frist_lines:2}}",
        "{{user|xyzzy}}",
        "{{user|first_lines}}",
        "{{user|first_lines:two}}",
        "{{user|trim:1}}",
        "{{user",
        "{{ }}",
    ] {
        report += &format!("{}\n", render(template).await.expect_err(template));
    }
    insta::assert_snapshot!(report);
}

#[tokio::test]
async fn arguments_are_templates_too() {
    let api = script(
        r#"replies: [[{tool_call: {name: read, arguments: {path: "{{tool.ls.first_lines:1}}", n: 3, l: ["{{user}}"]}}}]]"#,
    );
    let message = answer(&api, after_tool("go", "c1", "ls", "x.md\ny", false)).await;
    let call = message.tool_calls().next().expect("a call");
    assert_eq!(call.arguments, json!({"path": "x.md", "n": 3, "l": ["go"]}));
}

#[tokio::test]
async fn the_latest_result_of_a_name_counts() {
    let api = script("replies: ['{{tool.ls.text}}']");
    let mut messages = after_tool("go", "c1", "ls", "old", false);
    messages
        .as_array_mut()
        .expect("list")
        .extend(after_tool("go", "c2", "ls", "new", false).as_array().expect("list").clone());
    assert_eq!(text(&api, messages).await, "new");
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_template_or_a_clear_error(text in ".{0,60}") {
        let _ = super::super::template::Template::parse(&text);
    }

    #[test]
    fn text_without_braces_stays_itself(text in "[^{]{0,60}") {
        let template = super::super::template::Template::parse(&text).expect("no place in it");
        let api = script("replies: []");
        let payload = super::super::payload::Payload::new(&request(&api, user("x")));
        let vars = Default::default();
        let scope = super::super::template::Scope { payload: &payload, vars: &vars, request: 1 };
        proptest::prop_assert_eq!(template.render(&scope), Ok(text));
    }
}
