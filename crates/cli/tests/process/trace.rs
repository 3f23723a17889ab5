//! `--trace`.

use crate::support::{Done, Place};

#[test]
fn the_trace_file_is_there_and_a_bad_place_is_only_a_warning() {
    let place = Place::new();
    let run = |path: &str| place.play("replies: [Hello]", ["--trace", path, "-p", "Hi"]).run();
    assert_eq!(run("trace.jsonl"), Done::ok("Hello\n"));
    // No extension, no handler, no record.
    assert_eq!(place.read("work/trace.jsonl"), "");
    let bad = run("none/trace.jsonl");
    assert_eq!((bad.code, bad.stdout.as_str()), (Some(0), "Hello\n"));
    assert!(bad.stderr.contains("none/trace.jsonl: the trace cannot be written: "), "{bad:?}");
}
