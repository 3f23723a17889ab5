//! Where prompts come from: arguments, piped input, files.

use crate::support::{Done, Place};

/// Answers every request with the last user message.
const ECHO: &str = r#"replies: [{repeat: forever, steps: [{text: "<{{user}}>"}]}]"#;

#[test]
fn several_prompts_are_one_conversation_and_the_last_answer_is_printed() {
    let place = Place::new();
    let script = r#"
replies:
  - - expect: {messages: 1, last_user: one}
    - First answer
  - - expect: {messages: 3, last_user: two, contains: First answer}
    - {text: Second}
    - {text: answer}
"#;
    assert_eq!(place.play(script, ["-p", "one", "two"]).run(), Done::ok("Second\nanswer\n"));
}

#[test]
fn piped_input_stands_in_front_of_the_first_prompt() {
    let place = Place::new();
    let run = |args: &[&str], stdin: &str| place.play(ECHO, args).stdin(stdin).run();
    assert_eq!(run(&["-p", "Sum up"], " piped\ntext \n"), Done::ok("<piped\ntext\n\nSum up>\n"));
    assert_eq!(run(&["-p"], "only piped\n"), Done::ok("<only piped>\n"));
    assert_eq!(run(&["-p", "alone"], "\n"), Done::ok("<alone>\n"));
    assert_eq!(run(&["-p", "one", "two"], "piped"), Done::ok("<two>\n"));
}

/// A script whose input is empty must not go on as if it had an answer.
#[test]
fn no_prompt_at_all_is_an_error_unless_there_is_an_answer_to_print() {
    let place = Place::new();
    let nothing = "Error: there is no prompt and no earlier answer to print: give a prompt, for example `tau -p \"What is in this \
                   directory?\"`, or pipe one in";
    for stdin in ["", " \n"] {
        assert_eq!(place.play(ECHO, ["-p"]).stdin(stdin).run(), Done::failed(nothing), "{stdin:?}");
    }
    assert_eq!(place.play(ECHO, ["-p", "one"]).run(), Done::ok("<one>\n"));
    assert_eq!(place.play(ECHO, ["-c", "-p"]).run(), Done::ok("<one>\n"));
    // Who prints for itself and ends the program needs no prompt.
    let ends = "export default (pi) => pi.on('session_start', (_, ctx) => ctx.shutdown());";
    place.write("work/ends.ts", ends);
    assert_eq!(place.play(ECHO, ["-e", "ends.ts", "-p"]).run(), Done::ok(""));
}

/// A script whose variable is empty must not go on as if it had an answer.
#[test]
fn an_empty_prompt_is_an_error() {
    let place = Place::new();
    place.write("work/empty.txt", "");
    for args in [vec!["-p", ""], vec!["-p", " \n"], vec!["-p", "@empty.txt"], vec!["--mode", "json", ""]] {
        let done = place.play(ECHO, &args).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(1), "Error: the prompt is empty\n"), "{args:?}");
    }
    assert_eq!(place.play(ECHO, ["-p", "one", ""]).run(), Done::ok("<one>\n"));
}

#[test]
fn piped_input_need_not_be_text() {
    let place = Place::new();
    assert_eq!(place.play(ECHO, ["-p", "!"]).stdin(b"a\xffb").run(), Done::ok("<a\u{fffd}b\n\n!>\n"));
}

#[test]
fn attached_files_stand_between_piped_input_and_prompt() {
    let place = Place::new();
    let a = place.write("work/a.txt", "alpha\n");
    let b = place.write("home/b.txt", "\u{feff}beta");
    place.write("work/empty.txt", "");
    let done = place.play(ECHO, ["-p", "@a.txt", "Go", "@~/b.txt", "@empty.txt"]).stdin("piped").run();
    let (a, b) = (a.display(), b.display());
    assert_eq!(
        done,
        Done::ok(&format!(
            "<piped\n\n<file name=\"{a}\">\nalpha\n\n</file>\n<file name=\"{b}\">\nbeta\n</file>\nGo>\n"
        ))
    );
}

#[test]
fn an_attached_image_is_sent_as_an_image() {
    let place = Place::new();
    // One white pixel.
    let png = place.write("work/dot.png", include_bytes!("dot.png"));
    let script = r#"replies: [[{expect: {images: 1}}, {text: "<{{user}}>"}]]"#;
    assert_eq!(
        place.play(script, ["-p", "@dot.png", "What is this?"]).run(),
        Done::ok(&format!("<<file name=\"{}\"></file>\nWhat is this?>\n", png.display()))
    );
}

#[test]
fn a_binary_file_is_named_and_not_sent() {
    let place = Place::new();
    let file = place.write("work/a.bin", b"ELF\0\x01\xff");
    let file = file.display();
    let done = place.play(ECHO, ["-p", "@a.bin", "What is it?"]).run();
    let told = format!("<<file name=\"{file}\">[Binary file of 6 bytes, not shown.]</file>\nWhat is it?>\n");
    assert_eq!((done.code, done.stdout), (Some(0), told));
    let why = "the file is binary; the model gets its name and size, not its content";
    assert_eq!(done.stderr, format!("Warning: {file}: {why}\n"));
    let why = "Error: standard input is binary, so it cannot be part of a prompt; name the file in the prompt instead";
    assert_eq!(place.play(ECHO, ["-p", "What is it?"]).stdin(b"ELF\0\x01\xff").run(), Done::failed(why));
}

#[test]
fn a_missing_file_ends_everything_before_it_began() {
    let place = Place::new();
    let missing = place.work().join("missing.txt");
    assert_eq!(
        place.play(ECHO, ["-p", "@missing.txt", "Go"]).run(),
        Done::failed(&format!("Error: File not found: {}", missing.display()))
    );
    assert_eq!(place.session_files(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn everything_behind_two_dashes_is_text() {
    let place = Place::new();
    let run = |args: &[&str]| place.play(ECHO, args).run();
    assert_eq!(run(&["-p", "--", "--demo"]), Done::ok("<--demo>\n"));
    assert_eq!(run(&["-p", "--", "@a"]), Done::ok("<@a>\n"));
    assert_eq!(run(&["-p", "---\ntitle: x\n---"]), Done::ok("<---\ntitle: x\n--->\n"));
}

#[test]
fn without_anything_to_do_it_says_what_could_be_done() {
    let place = Place::new();
    assert_eq!(
        place.play(ECHO, [] as [&str; 0]).run(),
        Done::failed(
            "Error: nothing to do: give a prompt, for example `tau -p \"What is in this directory?\"`, or start `tau` in a \
             terminal"
        )
    );
}

/// The header of a PNG that claims these sides, with the end of the file behind it.
fn claiming(side: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    file.extend(side.to_be_bytes());
    file.extend(side.to_be_bytes());
    file.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(b"\0\0\0\0IDAT\0\0\0\0\0\0\0\0IEND\xae\x42\x60\x82");
    file
}

#[test]
fn an_image_that_claims_to_be_huge_is_named_and_left_out() {
    let place = Place::new();
    let path = place.write("work/huge.png", claiming(200_000));
    let done = place.play(ECHO, ["-p", "@huge.png", "Look"]).run();
    let why = format!(
        "{} is 200000x200000 pixels large; at most 65535 pixels a side and 64 million in all can be decoded",
        path.display()
    );
    let stdout = format!("<<file name=\"{}\">[Image omitted: {why}.]</file>\nLook>\n", path.display());
    assert_eq!((done.code, done.stdout), (Some(0), stdout));
    assert!(done.stderr.contains(&why), "{}", done.stderr);
}

#[test]
fn files_of_any_size_are_named_with_the_limit() {
    let place = Place::new();
    let sparse = |path: &str| {
        let path = place.write(path, "");
        std::fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(1 << 40)).expect("a file");
        path
    };
    let attached = sparse("work/large.txt");
    let error = |path: &std::path::Path| {
        Done::failed(&format!(
            "Error: Could not read file {}: it has more than 128 MB, the most that can be attached",
            path.display()
        ))
    };
    assert_eq!(place.play(ECHO, ["-p", "@large.txt", "Go"]).run(), error(&attached));
    assert_eq!(place.play(ECHO, ["-p", "@/dev/zero", "Go"]).run(), error(std::path::Path::new("/dev/zero")));
    for path in ["work/AGENTS.md", "agent/settings.json", "agent/skills/brew/SKILL.md", "agent/prompts/greet.md"] {
        let file = sparse(path);
        let done = place.play(ECHO, ["-p", "Go"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "<Go>\n"), "{path}: {}", done.stderr);
        let named = done
            .stderr
            .lines()
            .any(|line| line.contains(&*file.to_string_lossy()) && line.contains("the file has more than 16 MB"));
        assert!(named, "{path}: {}", done.stderr);
        std::fs::remove_file(&file).expect("removed");
    }
}

/// Nobody can tell from what was printed that some of it is missing, so the exit code says it.
#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    for args in [&["-p", "hi"][..], &["--mode", "json", "hi"], &["--list-models"], &["-p", "/session"]] {
        let place = Place::new();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let child = place.play(ECHO, args).spawn_into(full);
        let done = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{args:?}: {said}");
        assert_eq!(said.matches("standard output cannot be written").count(), 1, "{args:?}: {said}");
    }
}
