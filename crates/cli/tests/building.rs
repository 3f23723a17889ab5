//! How tau is built and checked: what every build keeps, and the guard that ends tests that hang.

use std::path::{Path, PathBuf};
use std::process::Command;

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
    let head = std::fs::read(env!("CARGO_BIN_EXE_tau")).expect("the program");
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

/// Runs what CI runs tests with.
fn watch(seconds: &str, script: &str) -> (Option<i32>, String) {
    let output = Command::new(root().join(".ci/watch")).args([seconds, "sh", "-c", script]).output().expect("bash");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_hung_test_is_ended_and_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let alive = dir.path().join("alive");
    assert!(Command::new("mkfifo").arg(&alive).status().expect("mkfifo").success());
    // Both ends of the pipe are held by what hangs, and by nobody when it is gone.
    let script = format!(
        "echo '     Running tests/main.rs (deps/it)'; echo 'test one::hangs has been running for over 60 seconds'; \
         echo 'test two::is_slow has been running for over 60 seconds'; echo 'test two::is_slow ... ok'; \
         (exec 9<>'{0}'; sleep 100000) & exec 9<>'{0}'; sleep 100000",
        alive.display()
    );
    let (code, text) = watch("5", &script);
    assert_eq!(code, Some(124), "{text}");
    assert!(text.contains("== hung: one::hangs") && !text.contains("hung: two"), "{text}");
    assert!(text.contains("ended: tests/main.rs (deps/it)"), "{text}");
    let without_waiting = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
    let left = rustix::fs::open(&alive, without_waiting, rustix::fs::Mode::empty());
    assert_eq!(left.err(), Some(rustix::io::Errno::NXIO), "what it started is gone too");
}

#[test]
fn tests_that_get_on_are_left_alone_and_their_end_is_passed_on() {
    for code in [0, 1, 101] {
        let (got, text) =
            watch("1000", &format!("echo 'test a ... ok'; echo 'on stderr' >&2; printf 'no line'; exit {code}"));
        assert_eq!((got, &*text), (Some(code), "test a ... ok\non stderr\nno line"));
    }
}
