use super::*;

#[test]
fn a_faulty_script_is_refused_with_place_and_reason() {
    let mut report = String::new();
    for yaml in [
        "replys: []",
        "replies:\n  - - txet: hi",
        "replies:\n  - - tool_call: {nam: ls}",
        "replies:\n  - - expect:\n        last_usr: hi",
        "replies:\n  - - expect: {tool_result: {nmae: ls}}",
        "replies:\n  - - expect: {last_role: usr}",
        "replies:\n  - - ok\n  - - text: hi\n      error: no",
        "replies:\n  - - {}",
        "replies:\n  - - {delay_ms: 5, chunk: 3}",
        "replies:\n  - - {text: hi, chunk: 0}",
        "replies:\n  - - text: '{{tool.ls}}'",
        "replies:\n  - - tool_call: {name: ls, arguments: {a: '{{b'}}",
        "replies:\n  - - tool_call: {name: ls, arguments: {}, raw_arguments: x}",
        "replies:\n  - - error: no\n    - text: never",
        "replies:\n  - - text: well\n    - error: {message: no, status: 500}",
        "replies:\n  - - error: {message: no, status: 200}",
        "replies:\n  - - error: {}",
        "replies:\n  - {steps: [a], repeat: 0}",
        "replies:\n  - {steps: [a], repeat: often}",
        "replies:\n  - {steps: [a], repeat: 2, once: true}",
        "replies:\n  - {stps: [a]}",
        "replies:\n  - 7",
        "model: {contextwindow: 3}\nreplies: []",
        "model: {cost: {inptu: 3}}\nreplies: []",
        "replies: [\n",
        "- a",
        "",
    ] {
        let error = ScriptedApi::from_yaml("demo.yaml", yaml).err().expect(yaml);
        report += &format!("{yaml:?}\n  {error}\n");
    }
    let json = "{\n  \"replies\": [\n    [{\"txt\": \"x\"}]\n  ]\n}";
    let error = ScriptedApi::from_str("x.JSON", json).err().expect("a misspelt key");
    report += &format!("{json:?}\n  {error}\n");
    insta::assert_snapshot!(report);
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_script_or_an_error(text in "(?s).{0,200}") {
        let _ = ScriptedApi::from_yaml("x", &text);
        let _ = ScriptedApi::from_json("x", &text);
    }
}
