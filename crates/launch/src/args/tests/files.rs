use std::path::Path;

use tau_ai::{ContentBlock, ImageBlock, JsonMap};

use super::*;

const PNG: &[u8] = &[0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 1, 2];

fn file(path: &str) -> FileArg {
    FileArg { position: 0, path: path.to_owned() }
}

#[test]
fn files_become_text_and_images_in_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).expect("written");
    write("a.txt", "\u{feff}Grüße\n".as_bytes());
    write("empty", b"");
    write("p.png", PNG);
    write("binary", &[b'x', 0xff]);
    let files = ["a.txt", "empty", "p.png", "binary"].map(file);
    let got = process_file_args(&files, |text| resolve_path(text, dir.path()), attach_as_is).expect("readable");
    let name = |name: &str| dir.path().join(name).display().to_string();
    let text = format!(
        "<file name=\"{}\">\nGrüße\n\n</file>\n<file name=\"{}\"></file>\n<file name=\"{}\">\nx\u{fffd}\n</file>\n",
        name("a.txt"),
        name("p.png"),
        name("binary")
    );
    assert_eq!(got, Attached { text, images: vec![ContentBlock::image("iVBORw0KGgoBAg==", "image/png")] });
}

#[test]
fn whoever_examines_a_file_decides_what_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("p"), PNG).expect("written");
    let path = dir.path().join("p").display().to_string();
    let block = ImageBlock { data: "AA==".to_owned(), mime_type: "image/jpeg".to_owned(), extra: JsonMap::new() };
    let small = FileContent::Image { block: block.clone(), notes: vec!["made".to_owned(), "smaller".to_owned()] };
    for (content, body, images) in [
        (small, "made\nsmaller", vec![ContentBlock::Image(block)]),
        (FileContent::Omitted("too large".to_owned()), "too large", Vec::new()),
    ] {
        let got = process_file_args(&[file("p")], |text| resolve_path(text, dir.path()), |_, _| content.clone());
        let text = format!("<file name=\"{path}\">{body}</file>\n");
        assert_eq!(got.expect("readable"), Attached { text, images });
    }
}

#[test]
fn missing_and_unreadable_files_are_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    let error = |path: &str| {
        process_file_args(&[file(path)], |text| resolve_path(text, dir.path()), attach_as_is)
            .expect_err("no such file")
            .to_string()
    };
    assert_eq!(error("gone"), format!("File not found: {}", dir.path().join("gone").display()));
    let problem = error(".");
    assert!(problem.starts_with(&format!("Could not read file {}: ", dir.path().display())), "{problem}");
}

#[test]
fn paths_become_absolute() {
    let cwd = Path::new("/a/b");
    let home = std::env::home_dir().expect("a home directory");
    for (text, expected) in [
        ("c", Path::new("/a/b/c").to_owned()),
        ("./c/../d", "/a/b/d".into()),
        ("../../../x", "/x".into()),
        ("/y/./z", "/y/z".into()),
        ("~", home.clone()),
        ("~/z", home.join("z")),
        ("~user/z", "/a/b/~user/z".into()),
    ] {
        assert_eq!(resolve_path(text, cwd), expected, "{text}");
    }
}
