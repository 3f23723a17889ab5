use serde_json::json;
use tau_tools::arguments::{check_schema, validate};
use tau_tools::{BuiltinOptions, DEFAULT_ACTIVE, builtin_tools};

use crate::support::{temp, text};

#[test]
fn seven_tools_with_usable_schemas() {
    let tools = builtin_tools(&BuiltinOptions::new("/"));
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    assert_eq!(names, ["read", "bash", "edit", "write", "grep", "find", "ls"]);
    assert_eq!(names[..4], DEFAULT_ACTIVE);
    for tool in &tools {
        let spec = tool.spec();
        assert_eq!((&spec.name, check_schema(&spec.parameters)), (&spec.label, Ok(())));
        assert!(spec.prompt_snippet.is_some());
    }
}

#[tokio::test]
async fn options_reach_the_tools() {
    let dir = temp();
    let temp_dir = temp();
    let options = BuiltinOptions {
        command_prefix: Some("shopt -s expand_aliases".to_owned()),
        env: Some(std::sync::Arc::new(|| vec![("WHO".to_owned(), Some("me".to_owned()))])),
        temp_dir: temp_dir.path().to_owned(),
        shell_path: Some("/bin/sh".into()),
        ..BuiltinOptions::new(dir.path())
    };
    let options = BuiltinOptions { command_prefix: Some("set -u".to_owned()), ..options };
    let tools = builtin_tools(&options);
    let args =
        validate("bash", &tools[1].spec().parameters, json!({"command": "echo $WHO $0", "timeout": "5"})).unwrap();
    assert_eq!(text(&*tools[1], args).await, "me /bin/sh\n");
    let long = json!({"command": "i=0; while [ $i -lt 2001 ]; do i=$((i+1)); echo; done"});
    text(&*tools[1], long).await;
    assert_eq!(std::fs::read_dir(temp_dir.path()).unwrap().count(), 1);
}
