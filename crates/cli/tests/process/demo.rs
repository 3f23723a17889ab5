//! `--demo`: an answer from real tools without a key.

use crate::support::{Done, Place, transcript};

#[test]
fn an_empty_directory_is_said_to_be_empty() {
    let place = Place::new();
    assert_eq!(
        place.tau(["--demo", "-p", "What is in this directory?"]).run(),
        Done::ok(
            "This directory is empty: `ls` found neither files nor folders.\n\n\
             (Scripted demo: no model was involved. The answer comes from one real tool call.)\n"
        )
    );
}

#[test]
fn the_answer_is_made_of_what_is_there() {
    let place = Place::new();
    place.write("work/README.md", "# Kettle\n\nBoils water.\n");
    place.write("work/src/main.rs", "fn main() {}\n");
    let done = place.tau(["--demo", "-p", "What is in this directory?"]).run();
    insta::assert_snapshot!(done.stdout, @r"
    This directory holds 1 file and 1 folder.

    Folders: src/
    Files: README.md

    The README begins:

    > # Kettle
    > Boils water.

    (Scripted demo: no model was involved. The answer comes from two real tool calls.)
    ");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        transcript(&place.session()),
        [
            "user: What is in this directory?",
            "assistant: I am a script, not a model. Let me look at the current directory with real tools.: [ls]",
            "toolResult: README.md\nsrc/",
            "assistant: There is a README. Let me read its beginning.: [read]",
            "toolResult: # Kettle\n\nBoils water.\n",
            &format!("assistant: {}", done.stdout.trim_end()),
        ]
    );
}
