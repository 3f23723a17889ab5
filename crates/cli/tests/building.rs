//! How tau is built and checked: what every build keeps, and the guard that ends tests that hang.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The manifests and build scripts of the workspace, and what is said to cargo beside them.
fn building(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", ".git", "src", "tests", "runtime"].contains(&&*name) {
            building(&path, found);
        } else if ["Cargo.toml", "build.rs", "config.toml"].contains(&&*name) {
            found.push(path);
        }
    }
}

/// A program that runs other people's code begins at an address that nobody knows.
#[cfg(target_os = "linux")]
#[test]
fn the_program_is_position_independent() {
    let mut head = [0; 18];
    std::fs::File::open(env!("CARGO_BIN_EXE_tau")).expect("the program").read_exact(&mut head).expect("its beginning");
    assert_eq!(&head[..4], b"\x7fELF");
    let kind = u16::from_ne_bytes([head[16], head[17]]);
    assert_eq!(kind, 3, "ET_DYN: the system chooses where it lies");
}

#[test]
fn no_build_asks_for_a_fixed_address() {
    let mut files = Vec::new();
    building(&root(), &mut files);
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        for word in ["no-pie", "relocation-model", "rustc-link-arg"] {
            assert!(!text.contains(word), "{} has {word}", file.display());
        }
    }
}

#[test]
fn panics_unwind_in_every_profile() {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let (mut profile, mut without) = (None, Vec::new());
    for line in text.lines().map(str::trim).chain(["[end]"]) {
        if let Some(section) = line.strip_prefix('[') {
            without.extend(profile.take());
            let name = section.trim_end_matches(']').strip_prefix("profile.").unwrap_or_default();
            profile = Some(name.to_owned()).filter(|name| !name.is_empty() && !name.contains('.'));
        } else if line == r#"panic = "unwind""# {
            profile = None;
        }
        assert!(!line.contains("abort"), "{line}");
    }
    // Cargo takes what panics do in tests from nowhere else, and refuses to be told.
    assert_eq!(without, ["test"]);
}

/// What CI runs tests with, and its end.
fn watch(seconds: &str, script: &str, stdin: impl Into<Stdio>) -> (Option<i32>, String) {
    let mut command = Command::new(root().join(".ci/watch"));
    let output = command.args([seconds, "sh", "-c", script]).stdin(stdin).output().expect("bash");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_hung_test_is_ended_and_named() {
    let (mut left, held) = std::io::pipe().expect("a pipe");
    // What hangs, and what it started, hold an end of the pipe.
    let script = "exec 9<&0; echo '     Running tests/main.rs (deps/it)'; \
                  echo 'test one::hangs has been running for over 60 seconds'; \
                  echo 'test two::is_slow has been running for over 60 seconds'; \
                  echo 'test two::is_slow ... ok'; sleep 100000 & sleep 100000";
    let (code, text) = watch("5", script, held);
    assert_eq!(code, Some(124), "{text}");
    assert!(text.contains("== hung: one::hangs") && !text.contains("hung: two"), "{text}");
    assert!(text.contains("ended: tests/main.rs (deps/it)"), "{text}");
    let mut nothing = Vec::new();
    left.read_to_end(&mut nothing).expect("the other end is closed when all of it is gone");
}

#[test]
fn tests_that_get_on_are_left_alone_and_their_end_is_passed_on() {
    for code in [0, 1, 101] {
        let script = format!("echo 'test a ... ok'; echo 'on stderr' >&2; printf 'no line'; exit {code}");
        let (got, text) = watch("1000", &script, Stdio::null());
        assert_eq!((got, &*text), (Some(code), "test a ... ok\non stderr\nno line"));
    }
}
