use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use proptest::prelude::*;
use tempfile::TempDir;

use super::rank::Ranking;
use super::*;

fn folder(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, "").expect("a file");
    }
    dir
}

/// Searches until nothing more can come.
fn settled(index: &FileIndex, query: &str) -> Vec<String> {
    let (search, more) = begin(index, query);
    loop {
        let now = search.now();
        if now.settled {
            return now.paths;
        }
        more.recv().expect("the end is said");
    }
}

fn begin(index: &FileIndex, query: &str) -> (Search, Receiver<()>) {
    let (sender, receiver) = channel();
    // The receiver may be gone.
    let search = index.search(query, move |_| sender.send(()).unwrap_or_default());
    (search, receiver)
}

fn all(dir: &Path) -> Vec<String> {
    let mut paths = settled(&FileIndex::new(dir.to_owned()), "");
    paths.sort();
    paths
}

fn ranked(query: &str, recent: &[&str], paths: &[&str]) -> Vec<String> {
    let recent: Vec<String> = recent.iter().map(|path| (*path).to_owned()).collect();
    let mut ranking = Ranking::new(query, &recent, MOST_FOUND);
    paths.iter().for_each(|path| ranking.add(path));
    ranking.found()
}

#[test]
fn some_letters_find_a_file() {
    let dir = folder(&["src/main.rs", "src/markdown/render.rs", "docs/manual/reference.md", "Cargo.toml"]);
    let index = FileIndex::new(dir.path().to_owned());
    assert_eq!(settled(&index, "mr")[0], "src/main.rs");
    assert_eq!(settled(&index, "toml"), ["Cargo.toml"]);
    assert_eq!(settled(&index, "zzz"), [] as [&str; 0]);
}

#[test]
fn ignored_files_and_gits_own_are_left_out_and_hidden_ones_are_not() {
    let dir = folder(&[".git/HEAD", ".github/ci.yml", "target/out.bin", "sub/keep.rs", "sub/drop.log"]);
    fs::write(dir.path().join(".gitignore"), "/target\n*.log\n").expect("a file");
    assert_eq!(all(dir.path()), [".github/", ".github/ci.yml", ".gitignore", "sub/", "sub/keep.rs"]);
}

#[test]
fn links_are_followed_once_and_never_round() {
    let dir = folder(&["a/b/one.rs"]);
    let elsewhere = folder(&["two.rs"]);
    symlink("..", dir.path().join("a/b/up")).expect("a link");
    symlink(dir.path(), dir.path().join("a/root")).expect("a link");
    symlink("/", dir.path().join("a/slash")).expect("a link");
    symlink("nowhere", dir.path().join("a/dead")).expect("a link");
    symlink(elsewhere.path(), dir.path().join("first")).expect("a link");
    symlink(elsewhere.path(), dir.path().join("second")).expect("a link");
    let paths = all(dir.path());
    let expected = ["a/", "a/b/", "a/b/one.rs", "a/b/up/", "a/root/", "a/slash/", "first/", "second/"];
    let (links, others): (Vec<_>, Vec<_>) = paths.iter().partition(|path| path.ends_with("two.rs"));
    assert_eq!(others, expected);
    assert_eq!(links.len(), 1, "{links:?}");
}

#[test]
fn names_that_cannot_be_typed_or_shown_are_left_out() {
    let dir = folder(&[
        "plain.rs",
        "grüße.rs",
        "with space.rs",
        "bad\u{1b}[2J.rs",
        "bad\nline/inside.rs",
        "re\u{202e}sr.txt",
    ]);
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.rs");
    // Some file systems refuse such a name, and then there is nothing to leave out.
    drop(fs::write(dir.path().join(name), ""));
    assert_eq!(all(dir.path()), ["grüße.rs", "plain.rs", "with space.rs"]);
}

#[test]
fn a_limit_ends_the_walk_and_what_is_near_the_top_is_found_first() {
    let deep: Vec<String> = (0..200).map(|number| format!("a/b/c/deep{number}.rs")).collect();
    let files: Vec<&str> = deep.iter().map(String::as_str).chain(["z/near.rs"]).collect();
    let dir = folder(&files);
    let limits = Limits { paths: 20, ..Limits::default() };
    let index = FileIndex::with(dir.path().to_owned(), Manner { limits, ..Manner::default() });
    assert_eq!(settled(&index, "near"), ["z/near.rs"]);
    assert_eq!(index.count(), 20);
    let limits = Limits { time: Duration::ZERO, ..Limits::default() };
    let index = FileIndex::with(dir.path().to_owned(), Manner { limits, ..Manner::default() });
    assert_eq!(settled(&index, "near"), [] as [&str; 0]);
}

#[test]
fn many_files_are_ranked_by_a_thread_and_the_first_results_are_there_at_once() {
    let files: Vec<String> = (0..300).map(|number| format!("src/file{number}.rs")).collect();
    let dir = folder(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let manner = Manner { at_once: 10, ..Manner::default() };
    let index = FileIndex::with(dir.path().to_owned(), manner);
    assert_eq!(settled(&index, "file29")[0], "src/file29.rs");
    let (earlier, more) = begin(&index, "file29");
    while !earlier.now().settled {
        more.recv().expect("the end is said");
    }
    // More letters: what was found for fewer is narrowed before any thread runs.
    let (search, _more) = begin(&index, "file299");
    assert_eq!(search.now().paths, ["src/file299.rs"]);
}

#[test]
fn a_stale_index_looks_again_and_keeps_what_it_knows_meanwhile() {
    let dir = folder(&["one.rs"]);
    let manner = Manner { stale: Duration::ZERO, rest: 0, ..Manner::default() };
    let index = FileIndex::with(dir.path().to_owned(), manner);
    assert_eq!(settled(&index, "rs"), ["one.rs"]);
    fs::write(dir.path().join("two.rs"), "").expect("a file");
    fs::remove_file(dir.path().join("one.rs")).expect("the file is there");
    let (search, more) = begin(&index, "rs");
    let mut seen = vec![search.now()];
    while !seen.last().expect("one").settled {
        more.recv().expect("the end is said");
        seen.push(search.now());
    }
    assert_eq!(seen.last().expect("one").paths, ["two.rs"]);
    assert!(seen[..seen.len() - 1].iter().all(|found| found.paths == ["one.rs"]), "{seen:?}");
}

#[test]
fn a_folder_that_takes_long_to_read_is_read_less_often() {
    let dir = folder(&["one.rs"]);
    let manner = Manner { stale: Duration::ZERO, rest: u32::MAX, ..Manner::default() };
    let index = FileIndex::with(dir.path().to_owned(), manner);
    assert_eq!(settled(&index, "rs"), ["one.rs"]);
    let (search, _more) = begin(&index, "rs");
    assert!(search.now().settled && !index.is_reading());
}

#[test]
fn recent_files_come_first_unless_they_match_much_worse() {
    let paths = ["src/main.rs", "src/model.rs", "notes/marmalade-recipes.txt", "src/mod.rs"];
    assert_eq!(ranked("mod", &["src/model.rs"], &paths)[0], "src/model.rs");
    assert_eq!(ranked("main.rs", &["notes/marmalade-recipes.txt"], &paths)[0], "src/main.rs");
    assert_eq!(ranked("", &["src/mod.rs", "src/main.rs", "gone.rs"], &paths)[..2], ["src/mod.rs", "src/main.rs"]);
    // Each once.
    assert_eq!(ranked("", &["src/mod.rs", "src/mod.rs"], &paths).len(), 4);
}

#[test]
fn a_name_counts_before_a_path_and_a_named_folder_before_both() {
    let paths = ["main/deep/other.txt", "src/main.rs", "src/domain.rs", "src/main/", "lib/src/main.rs"];
    assert_eq!(ranked("main", &[], &paths)[..2], ["src/main/", "src/main.rs"]);
    assert_eq!(ranked("MAIN.RS", &[], &paths)[0], "src/main.rs");
    assert_eq!(ranked("src/", &[], &paths)[..3], ["src/main/", "src/domain.rs", "src/main.rs"]);
    assert_eq!(ranked("src/dm", &[], &paths)[0], "src/domain.rs");
    assert_eq!(ranked("lib/mai", &[], &paths), ["lib/src/main.rs"]);
}

#[test]
fn without_a_query_what_is_near_comes_first_and_folders_before_files() {
    let paths = ["a/b/c.rs", "z.rs", ".hidden", "a/", "b.rs", "a/b/", ".config/"];
    assert_eq!(ranked("", &[], &paths), ["a/", "b.rs", "z.rs", ".config/", ".hidden", "a/b/", "a/b/c.rs"]);
}

#[test]
fn nobody_who_searches_means_nobody_who_reads() {
    let dir = folder(&["one.rs"]);
    let manner = Manner { grace: Duration::ZERO, ..Manner::default() };
    let index = FileIndex::with(dir.path().to_owned(), manner);
    assert!(!index.is_reading());
    assert_eq!(settled(&index, "one"), ["one.rs"]);
    assert!(!index.is_reading());
    // A search that is given up at once leaves an index that still answers the next one.
    let index = FileIndex::with(dir.path().to_owned(), manner);
    drop(begin(&index, "one"));
    assert_eq!(settled(&index, "one"), ["one.rs"]);
}

#[test]
fn a_folder_that_is_not_there_has_no_files() {
    let dir = folder(&[]);
    assert_eq!(all(&dir.path().join("missing")), [] as [&str; 0]);
}

proptest! {
    /// In whatever order and parts paths come, the same are found; they are at most so many, and each matches.
    #[test]
    fn results_do_not_depend_on_the_order(
        paths in proptest::collection::hash_set("[abm]{1,3}(/[amr.]{1,4}){0,3}/?", 0..60),
        query in "[amr/. ]{0,4}",
        seed in any::<u64>(),
    ) {
        let mut paths: Vec<String> = paths.into_iter().collect();
        let texts: Vec<&str> = paths.iter().map(String::as_str).collect();
        let found = ranked(&query, &[], &texts);
        let turn = usize::try_from(seed % 61).expect("small") % paths.len().max(1);
        paths.rotate_left(turn);
        let texts: Vec<&str> = paths.iter().map(String::as_str).collect();
        prop_assert_eq!(&found, &ranked(&query, &[], &texts));
        prop_assert!(found.len() <= MOST_FOUND);
        for path in &found {
            let letters: Vec<char> = path.to_lowercase().chars().collect();
            for word in query.split_whitespace() {
                let mut rest = letters.iter();
                let bare = word.trim_end_matches('/');
                prop_assert!(bare.chars().all(|letter| rest.any(|other| *other == letter)), "{} in {}", query, path);
            }
        }
    }

    /// Any text is a query.
    #[test]
    fn any_text_can_be_searched(query in "\\PC{0,20}", path in "\\PC{1,30}") {
        ranked(&query, &[], &[&path, "src/main.rs"]);
    }
}
