use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Barrier;

use proptest::prelude::*;
use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;
use tempfile::TempDir;

use super::*;
use crate::keymap::Keymap;
use crate::style::{ColorDepth, Styles};

const DOWN: &str = "\x1b[B";
const CTRL_R: &str = "\x12";
const CTRL_S: &str = "\x13";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn open(path: &Path) -> History {
    let (history, error) = History::open(path.to_owned());
    assert!(error.is_none(), "{error:?}");
    history
}

fn add(history: &mut History, texts: &[&str]) {
    texts.iter().for_each(|text| history.add(text).expect("the prompt is kept"));
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn prompts_come_back_in_another_process_and_are_nobody_elses() {
    let dir = folder();
    let path = dir.path().join("project/history.jsonl");
    let mut history = open(&path);
    assert!(!path.exists(), "nothing is made before there is something to keep");
    add(&mut history, &["first", "two\nlines \"quoted\"", "  first  ", " "]);
    let kept = ["first", "two\nlines \"quoted\"", "first"];
    assert_eq!(open(&path).prompts(), kept);
    assert_eq!(history.prompts(), kept);
    assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
}

#[test]
fn a_file_that_others_can_read_is_closed_to_them() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    fs::write(&path, "{\"prompt\":\"old\"}\n").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("permissions");
    add(&mut open(&path), &["new"]);
    assert_eq!((mode(&path), open(&path).prompts().len()), (0o600, 2));
}

#[test]
fn repetitions_blanks_and_secrets_are_not_kept() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let mut history = open(&path);
    add(&mut history, &["a", "a", "", "\n", "/login anthropic sk-secret", "  /LOGIN x", "a", "b"]);
    assert_eq!(history.prompts(), ["a", "b"]);
    assert!(!fs::read_to_string(&path).expect("the file").to_lowercase().contains("login"));
}

#[test]
fn damaged_lines_are_skipped_and_counted_and_take_no_other_along() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let torn = b"{\"prompt\":\"one\"}\nnot json\n\xff\xfe\n{\"prompt\":7}\n\n{\"prompt\":\"two\",\"later\":1}\n{\"prompt\":\"to";
    fs::write(&path, torn).expect("a file");
    let mut history = open(&path);
    assert_eq!((history.prompts(), history.damaged()), (&["one".to_owned(), "two".to_owned()][..], 4));
    add(&mut history, &["three"]);
    assert_eq!(open(&path).prompts(), ["one", "two", "three"]);
}

#[test]
fn no_more_than_so_many_are_kept_in_memory_and_in_the_file() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let mut history = open(&path);
    let last = MOST_PROMPTS + SLACK + 50;
    (0..last).for_each(|number| history.add(&number.to_string()).expect("the prompt is kept"));
    assert_eq!(history.prompts().len(), MOST_PROMPTS);
    let lines = fs::read_to_string(&path).expect("the file").lines().count();
    assert_eq!(lines, MOST_PROMPTS + 50, "it was shortened once");
    let again = open(&path);
    assert_eq!((again.prompts().len(), again.prompts().last()), (MOST_PROMPTS, Some(&(last - 1).to_string())));
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_prompt_that_is_too_long_stays_in_memory() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let mut history = open(&path);
    add(&mut history, &["short", &"x".repeat(LONGEST + 1)]);
    assert_eq!(history.prompts().len(), 2);
    history.reload().expect("the file can be read");
    assert_eq!(history.prompts().len(), 2);
    assert_eq!(open(&path).prompts(), ["short"]);
}

#[test]
fn a_link_to_the_file_stays_one_when_it_is_shortened() {
    let dir = folder();
    let (target, link) = (dir.path().join("target.jsonl"), dir.path().join("link.jsonl"));
    fs::write(&target, "").expect("a file");
    symlink(&target, &link).expect("a link");
    add(&mut open(&link), &["a", "b", "c"]);
    file::shorten(&link, 2, 1000).expect("the file is shortened");
    assert!(link.is_symlink());
    assert_eq!(open(&target).prompts(), ["b", "c"]);
}

/// Several histories in one process hold their locks as several processes do: locks belong to open files.
#[test]
fn processes_that_write_at_the_same_time_lose_and_tear_nothing() {
    const WRITERS: usize = 8;
    const EACH: usize = 60;
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let start = Barrier::new(WRITERS + 1);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (path, start) = (&path, &start);
            scope.spawn(move || {
                let mut history = open(path);
                start.wait();
                for number in 0..EACH {
                    history.add(&format!("{writer}:{number} {}", "x".repeat(number * 97))).expect("the prompt is kept");
                }
            });
        }
        start.wait();
        // Meanwhile the file is rewritten again and again.
        for _ in 0..20 {
            match file::shorten(&path, MOST_PROMPTS, usize::MAX) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
                _ => {}
            }
        }
    });
    let history = open(&path);
    assert_eq!((history.prompts().len(), history.damaged()), (WRITERS * EACH, 0));
    for writer in 0..WRITERS {
        let own = history.prompts().iter().filter_map(|prompt| prompt.strip_prefix(&format!("{writer}:")));
        let numbers: Vec<usize> = own.filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect();
        assert_eq!(numbers, (0..EACH).collect::<Vec<_>>(), "each in its order");
    }
}

#[test]
fn a_full_disk_is_reported_once_and_costs_no_prompt() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    // Whatever is written there finds the disk full.
    symlink("/dev/full", &path).expect("a link");
    let mut history = open(&path);
    let error = history.add("one").expect_err("the disk is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(
        error.to_string().starts_with("cannot write to ") && error.to_string().contains("history.jsonl"),
        "{error}"
    );
    add(&mut history, &["two", "three"]);
    assert_eq!(history.prompts(), ["one", "two", "three"]);
    // Space again, and then none: that is said again.
    fs::remove_file(&path).expect("the link is there");
    add(&mut history, &["four"]);
    fs::remove_file(&path).expect("the file is there");
    symlink("/dev/full", &path).expect("a link");
    history.add("five").expect_err("the disk is full again");
}

#[test]
fn a_file_that_cannot_be_read_gives_an_empty_history_and_the_reason() {
    let dir = folder();
    let path = dir.path().join("file/history.jsonl");
    fs::write(dir.path().join("file"), "").expect("a file");
    let (history, error) = History::open(path);
    assert_eq!(history.prompts(), [] as [&str; 0]);
    assert!(error.expect("a reason").to_string().starts_with("cannot read "));
}

#[test]
fn what_others_added_is_there_after_reading_again() {
    let dir = folder();
    let path = dir.path().join("history.jsonl");
    let (mut one, mut other) = (open(&path), open(&path));
    add(&mut one, &["of one"]);
    add(&mut other, &["of other"]);
    one.reload().expect("the file can be read");
    assert_eq!(one.prompts(), ["of one", "of other"]);
}

#[test]
fn a_draft_is_taken_over_when_its_process_has_ended_and_not_before() {
    let dir = folder();
    let path = dir.path().join("drafts");
    let mut first = Drafts::new(path.clone());
    first.save_draft("half a sen").expect("the draft is kept");
    first.save_draft("half a sentence").expect("the draft is kept");
    let mut second = Drafts::new(path.clone());
    assert_eq!(second.take_draft().expect("the folder can be read"), None, "its owner lives");
    second.save_draft("another").expect("the draft is kept");
    // Its process ends, in whatever way: the lock is free.
    drop(first);
    let mut third = Drafts::new(path.clone());
    assert_eq!(third.take_draft().expect("the folder can be read").as_deref(), Some("half a sentence"));
    assert_eq!(third.take_draft().expect("the folder can be read"), None);
    drop((second, third));
    let mut fourth = Drafts::new(path.clone());
    let mut texts = [(); 2].map(|()| fourth.take_draft().expect("the folder can be read").expect("a draft"));
    texts.sort();
    assert_eq!(texts, ["another", "half a sentence"]);
    assert_eq!(mode(&path), 0o700);
    assert!(fs::read_dir(&path).expect("the folder").all(|entry| mode(&entry.expect("an entry").path()) == 0o600));
}

const DRAFTS_OF_CHILD: &str = "DRAFTS_OF_CHILD";

/// The other process of the test below.
#[test]
#[ignore = "only as a process of its own"]
fn holds_a_draft_until_it_is_killed() {
    let folder = tau_sys::variable(DRAFTS_OF_CHILD).expect("the folder is given");
    let mut drafts = Drafts::new(folder.into());
    drafts.save_draft("written before the crash").expect("the draft is kept");
    println!("kept");
    io::stdin().read_line(&mut String::new()).expect("there is an input");
}

#[tokio::test]
async fn a_draft_survives_the_death_of_its_process() {
    use std::process::{Command, Stdio};

    use tau_sys::process::{GroupChild, Place};
    use tokio::io::{AsyncBufReadExt, BufReader};

    let dir = folder();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let name = "history::tests::holds_a_draft_until_it_is_killed";
    command.args([name, "--exact", "--ignored", "--nocapture"]).env(DRAFTS_OF_CHILD, dir.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut other = GroupChild::spawn(command, Place::Group).expect("it starts");
    let mut lines = BufReader::new(other.child().stdout.take().expect("a pipe")).lines();
    loop {
        let line = lines.next_line().await.expect("it can be read").expect("it keeps the draft");
        if line.contains("kept") {
            break;
        }
    }
    let mut drafts = Drafts::new(dir.path().to_owned());
    assert_eq!(drafts.take_draft().expect("the folder can be read"), None, "its owner lives");
    other.handle().send(9).expect("it can be killed");
    other.wait().await.expect("it has ended");
    let taken = drafts.take_draft().expect("the folder can be read");
    assert_eq!(taken.as_deref(), Some("written before the crash"));
}

#[test]
fn a_draft_that_was_sent_is_gone_and_leaves_no_file() {
    let dir = folder();
    let path = dir.path().join("drafts");
    let mut drafts = Drafts::new(path.clone());
    drafts.save_draft("  ").expect("nothing to keep");
    assert!(!path.exists());
    drafts.save_draft("text").expect("the draft is kept");
    drafts.save_draft("").expect("the draft is dropped");
    drop(drafts);
    assert_eq!(fs::read_dir(&path).expect("the folder").count(), 0);
    assert_eq!(Drafts::new(path).take_draft().expect("the folder can be read"), None);
}

#[test]
fn a_secret_is_no_draft() {
    let dir = folder();
    let path = dir.path().join("drafts");
    let mut drafts = Drafts::new(path.clone());
    drafts.save_draft("/log").expect("the draft is kept");
    drafts.save_draft("/login anthropic sk-secret").expect("it is dropped");
    drop(drafts);
    assert_eq!(Drafts::new(path).take_draft().expect("the folder can be read"), None);
}

#[test]
fn the_same_failure_of_drafts_is_reported_once() {
    let dir = folder();
    fs::write(dir.path().join("file"), "").expect("a file");
    let mut drafts = Drafts::new(dir.path().join("file/drafts"));
    drafts.save_draft("text").expect_err("there can be no folder");
    drafts.save_draft("texts").expect("that was said");
}

fn search(prompts: &[&str], draft: &str) -> HistorySearch {
    let prompts: Vec<String> = prompts.iter().map(|prompt| (*prompt).to_owned()).collect();
    HistorySearch::new(&prompts, draft, 3)
}

fn press(search: &mut HistorySearch, keys: &[&str]) -> Searched {
    let keymap = Keymap::default();
    keys.iter().map(|key| search.key(key, &keymap)).last().expect("a key")
}

fn draw(search: &HistorySearch, width: usize) -> (Vec<String>, Option<(usize, usize)>) {
    let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
    let drawn = search.draw(width, &styles);
    (drawn.lines.iter().map(|line| strip(line)).collect(), drawn.cursor)
}

const PROMPTS: [&str; 5] = ["fix the parser", "add tests", "fix\nthe  build", "explain", "add tests"];

#[test]
fn the_newest_prompt_that_has_the_words_comes_first() {
    let mut search = search(&PROMPTS, "draft");
    assert_eq!(search.found().collect::<Vec<_>>(), ["add tests", "explain", "fix\nthe  build", "fix the parser"]);
    press(&mut search, &["t", "h", "e", " ", "F", "i"]);
    assert_eq!(search.found().collect::<Vec<_>>(), ["fix\nthe  build", "fix the parser"]);
    assert_eq!(
        draw(&search, 30),
        (vec!["→ fix ↵ the  build".into(), "  fix the parser".into(), "history: the Fi".into()], Some((2, 15)))
    );
    assert_eq!(press(&mut search, &[CTRL_R, CTRL_R, "\r"]), Searched::Accepted("fix the parser".into()));
    assert_eq!(press(&mut search, &[CTRL_S, "\t"]), Searched::Accepted("fix\nthe  build".into()));
    // Fewer letters: the best is selected again.
    press(&mut search, &["\x15"]);
    assert_eq!((search.query(), search.selected()), ("", Some("add tests")));
}

#[test]
fn letters_find_when_words_do_not() {
    let mut search = search(&PROMPTS, "");
    press(&mut search, &["x", "p", "n"]);
    assert_eq!(search.found().collect::<Vec<_>>(), ["explain"]);
    press(&mut search, &["q"]);
    assert_eq!(draw(&search, 30).0, ["  No prompt has that", "history: xpnq"]);
    assert_eq!(press(&mut search, &["\r"]), Searched::Taken);
}

#[test]
fn leaving_the_search_gives_the_draft_back() {
    let mut search = search(&PROMPTS, "half a\nsentence");
    assert_eq!(press(&mut search, &["f", DOWN, "\x1b"]), Searched::Cancelled("half a\nsentence".into()));
    assert_eq!(press(&mut search, &["\x03"]), Searched::Cancelled("half a\nsentence".into()));
    assert_eq!(press(&mut search, &["\x1b[24~"]), Searched::Nothing);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any prompts come back as they were added, but for repetitions and blanks.
    #[test]
    fn any_prompt_is_kept_as_it_is(texts in proptest::collection::vec("\\PC{0,6}|[\\n\"\\\\a ]{0,6}", 0..12)) {
        let dir = folder();
        let path = dir.path().join("history.jsonl");
        let mut history = open(&path);
        let mut expected: Vec<String> = Vec::new();
        for text in &texts {
            history.add(text).expect("the prompt is kept");
            let text = text.trim();
            if !text.is_empty() && !is_secret(text) && expected.last().is_none_or(|last| last != text) {
                expected.push(text.to_owned());
            }
        }
        let again = open(&path);
        prop_assert_eq!(again.prompts(), expected);
    }

    /// Whatever bytes the file has, it can be opened and added to, and what is added is read.
    #[test]
    fn any_file_can_be_added_to(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let dir = folder();
        let path = dir.path().join("history.jsonl");
        fs::write(&path, &bytes).expect("a file");
        add(&mut open(&path), &["new"]);
        let again = open(&path);
        prop_assert_eq!(again.prompts().last().map(String::as_str), Some("new"));
    }

    /// No row is wider than the screen, whatever is searched.
    #[test]
    fn rows_fit(prompts in proptest::collection::vec("\\PC{0,30}", 0..6), query in "\\PC{0,12}", width in 1usize..40) {
        let mut search = HistorySearch::new(&prompts, "", 3);
        search.paste(&query);
        let (rows, cursor) = draw(&search, width);
        prop_assert!(rows.iter().all(|row| tau_view::width::visible_width(row) <= width), "{:?}", rows);
        prop_assert!(cursor.is_some_and(|(row, column)| row < rows.len() && column < width));
    }
}
