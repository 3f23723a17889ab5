use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use super::*;

/// Long, for processors that are busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Watches a file; what it held each time that a change was reported comes out.
fn watch(file: &Path, pace: Pace) -> (FileWatch, Receiver<String>) {
    let (sender, receiver) = channel();
    let read = file.to_owned();
    let watch = FileWatch::with(file.to_owned(), pace, move || {
        sender.send(fs::read_to_string(&read).unwrap_or_default()).unwrap_or_default();
    });
    (watch, receiver)
}

fn soon() -> Pace {
    Pace { settled: Duration::from_millis(20), poll: Duration::from_millis(20), polls: false }
}

fn next(reports: &Receiver<String>, wanted: &str) {
    // A file that is written in place may be seen half written.
    while reports.recv_timeout(PATIENCE).expect("a report") != wanted {}
}

#[test]
fn a_file_is_reported_at_the_start_and_after_each_change_however_it_is_written() {
    for pace in [soon(), Pace { polls: true, ..soon() }] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "one").expect("a file");
        let (_watch, reports) = watch(&file, pace);
        next(&reports, "one");
        fs::write(&file, "two").expect("a file");
        next(&reports, "two");
        fs::write(folder.path().join("new"), "three").expect("a file");
        fs::rename(folder.path().join("new"), &file).expect("it takes its place");
        next(&reports, "three");
        // Gone, and there again.
        fs::remove_file(&file).expect("it is removed");
        fs::write(&file, "four").expect("a file");
        next(&reports, "four");
    }
}

#[test]
fn what_a_link_leads_to_is_watched_and_so_is_the_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (file, first, second) =
        (folder.path().join("file"), elsewhere.path().join("first"), elsewhere.path().join("second"));
    fs::write(&first, "one").expect("a file");
    fs::write(&second, "other").expect("a file");
    symlink(&first, &file).expect("a link");
    let (_watch, reports) = watch(&file, soon());
    next(&reports, "one");
    fs::write(&first, "two").expect("a file");
    next(&reports, "two");
    symlink(&second, folder.path().join("new")).expect("a link");
    fs::rename(folder.path().join("new"), &file).expect("it takes its place");
    next(&reports, "other");
    fs::write(&second, "last").expect("a file");
    next(&reports, "last");
}

#[test]
fn a_file_that_comes_later_and_one_in_a_new_folder_are_found() {
    let root = tempfile::tempdir().expect("a folder");
    let file = root.path().join("folder/file");
    let (_watch, reports) = watch(&file, soon());
    fs::create_dir(root.path().join("folder")).expect("a folder");
    fs::write(&file, "one").expect("a file");
    next(&reports, "one");
    fs::remove_dir_all(root.path().join("folder")).expect("it is removed");
    fs::create_dir(root.path().join("folder")).expect("a folder");
    fs::write(&file, "two").expect("a file");
    next(&reports, "two");
}

#[test]
fn other_files_and_the_same_content_are_no_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "one").expect("a file");
    let (watch, reports) = watch(&file, soon());
    next(&reports, "one");
    fs::write(folder.path().join("other"), "x").expect("a file");
    fs::write(folder.path().join("same"), "one").expect("a file");
    fs::rename(folder.path().join("same"), &file).expect("it takes its place");
    fs::write(&file, "two").expect("a file");
    next(&reports, "two");
    drop(watch);
    // The thread ends with the watch: nobody sends any more.
    assert!(reports.recv_timeout(PATIENCE).is_err());
}

#[test]
fn several_files_are_watched_and_one_that_is_gone_is_a_change() {
    let root = tempfile::tempdir().expect("a folder");
    let (one, other) = (root.path().join("one"), root.path().join("some/where/other"));
    let (sender, reports) = channel();
    let files = vec![one.clone(), other.clone()];
    let read = move |file: &Path| fs::read_to_string(file).unwrap_or_default();
    let both = files.clone();
    let _watch = FileWatch::of_all(files, move || {
        sender.send(format!("{} {}", read(&both[0]), read(&both[1]))).unwrap_or_default();
    });
    fs::write(&one, "1").expect("a file");
    next(&reports, "1 ");
    // Neither of its folders was there.
    fs::create_dir_all(other.parent().expect("a folder")).expect("folders");
    fs::write(&other, "2").expect("a file");
    next(&reports, "1 2");
    fs::remove_file(&one).expect("it is removed");
    next(&reports, " 2");
    fs::remove_dir_all(root.path().join("some")).expect("it is removed");
    next(&reports, " ");
}
