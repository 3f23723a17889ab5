//! A branch as a file of its own, and looking at files without touching them.

use serde_json::Value;
use tau_session::Session;

use crate::support::*;

#[test]
fn a_branch_becomes_a_chain_with_all_its_fields() {
    let session = open(&branches());
    let lines = session.branch_jsonl().expect("lines");
    let values: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let path = session.branch_path(None);
    let header = &values[0];
    assert_eq!(
        (&header["type"], &header["version"], &header["id"], &header["cwd"]),
        (&Value::from("session"), &Value::from(3), &Value::from(session.id()), &Value::from("/home/ann/garden"))
    );
    let mut parent = Value::Null;
    for (value, entry) in values[1..].iter().zip(&path) {
        let mut expected = entry.to_value().expect("an object");
        expected.insert("parentId".to_owned(), parent);
        assert_eq!(value, &Value::Object(expected));
        parent = Value::from(entry.id().as_str());
    }
    assert_eq!(values.len(), path.len() + 1);

    let (_dir, file) = file(&lines);
    let reopened = open(&file);
    assert_eq!(problems(&reopened), Vec::<String>::new());
    assert_eq!(reopened.context(), session.context());
}

#[test]
fn a_file_that_is_looked_at_stays_as_it_is() {
    let old = concat!(
        r#"{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#,
        "\n",
        r#"{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi","timestamp":1}}"#,
        "\nno JSON\n"
    );
    let (_dir, path) = file(old);
    let session = Session::view(&path).expect("a session");
    session.append(user("more")).expect("appended in memory");
    assert_eq!((session.entries().len(), session.problems().len(), session.file()), (2, 1, None));
    assert_eq!(text(&path), old);
    assert!(Session::view(&path.with_extension("none")).is_err());
}
