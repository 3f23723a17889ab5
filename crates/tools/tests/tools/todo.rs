use serde_json::{Value, json};
use tau_tools::Tool;
use tau_tools::arguments::{check_schema, validate};
use tau_tools::todo::{TODO_WRITE, TodoWriteTool};

use crate::support::{call, failure, text_of};

fn args(todos: Value) -> Value {
    let tool = TodoWriteTool::default();
    validate(TODO_WRITE, &tool.spec().parameters, json!({ "todos": todos })).unwrap()
}

#[tokio::test]
async fn the_list_is_in_the_details_and_every_item_has_an_id() {
    let tool = TodoWriteTool::default();
    assert_eq!((tool.spec().name.as_str(), check_schema(&tool.spec().parameters)), ("todo_write", Ok(())));
    let list = json!([
        {"content": " Sow ", "status": "completed"},
        {"id": "1", "content": "Water", "status": "in_progress", "activeForm": "Watering"},
        {"id": "1", "content": "Reap", "status": "pending"},
    ]);
    let output = call(&tool, args(list)).await.unwrap();
    assert_eq!(text_of(&output), "1 of 3 done\n[x] 2. Sow\n[>] 1. Water\n[ ] 3. Reap");
    assert_eq!(
        output.details,
        Some(json!({"todos": [
            {"id": "2", "content": "Sow", "status": "completed"},
            {"id": "1", "content": "Water", "status": "in_progress", "activeForm": "Watering"},
            {"id": "3", "content": "Reap", "status": "pending"},
        ]}))
    );
    let empty = call(&tool, args(json!([]))).await.unwrap();
    assert_eq!((text_of(&empty), empty.details), ("The to-do list is empty.".to_owned(), Some(json!({"todos": []}))));
}

#[tokio::test]
async fn an_item_must_say_something() {
    let tool = TodoWriteTool::default();
    let why =
        failure(&tool, args(json!([{"content": "a", "status": "pending"}, {"content": " ", "status": "pending"}])))
            .await;
    assert_eq!(why, "Item 2 says nothing; give it a content");
    let unknown = json!({"todos": [{"content": "a", "status": "someday"}]});
    assert!(validate(TODO_WRITE, &tool.spec().parameters, unknown).is_err());
}
