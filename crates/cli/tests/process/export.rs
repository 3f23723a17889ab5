//! `--export`: a session file as a page or as lines, and nothing else happens.

use tau_session::Session;

use crate::support::{Done, Place, files_below};

/// A session of version 1.
const OLD: &str = concat!(
    r#"{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi <b>","timestamp":1}}"#,
    "\n"
);

fn run(place: &Place, args: &[&str]) -> Done {
    place.tau(args).run()
}

fn names(place: &Place) -> Vec<String> {
    let mut names: Vec<String> = files_below(place.root())
        .iter()
        .map(|path| path.strip_prefix(place.root()).unwrap_or(path).display().to_string())
        .collect();
    names.sort();
    names
}

#[test]
fn a_session_file_becomes_a_page_and_stays_as_it_is() {
    let place = Place::new();
    let source = place.write("work/old.jsonl", OLD);
    assert_eq!(run(&place, &["--export", "old.jsonl"]), Done::ok("Exported to: tau-session-old.html\n"));
    assert_eq!(run(&place, &["--export=old.jsonl", "pages/a b.html"]), Done::ok("Exported to: pages/a b.html\n"));
    assert_eq!(names(&place), ["work/old.jsonl", "work/pages/a b.html", "work/tau-session-old.html"]);
    assert_eq!(std::fs::read_to_string(&source).expect("a file"), OLD);
    let page = |name: &str| std::fs::read_to_string(place.work().join(name)).expect("a page");
    assert!(page("tau-session-old.html").contains("<p>Hi &lt;b&gt;</p>"));
    assert_eq!(page("tau-session-old.html"), page("pages/a b.html"));
}

#[test]
fn a_target_that_ends_in_jsonl_gets_the_branch() {
    let place = Place::new();
    let source = place.write("work/old.jsonl", OLD);
    assert_eq!(run(&place, &["--export", "old.jsonl", "new.jsonl"]), Done::ok("Exported to: new.jsonl\n"));
    let (old, new) = (Session::view(&source), Session::view(&place.work().join("new.jsonl")));
    assert_eq!(new.expect("a session").context(), old.expect("a session").context());
}

#[test]
fn what_cannot_be_exported_is_said() {
    let place = Place::new();
    let missing = place.work().join("none.jsonl");
    assert_eq!(
        run(&place, &["--export", "none.jsonl"]),
        Done::failed(&format!("Error: File not found: {}", missing.display()))
    );
    let text = place.write("work/note.jsonl", "no session\n");
    let refused = run(&place, &["--export", "note.jsonl"]);
    assert!(refused.stderr.starts_with(&format!("Error: {} is not a session file", text.display())), "{refused:?}");
    let source = place.write("work/s.jsonl", OLD);
    let own = format!("Error: {} is the session's own file; choose another one", source.display());
    assert_eq!(run(&place, &["--export", "s.jsonl", "./s.jsonl"]), Done::failed(&own));
    assert_eq!(run(&place, &["--export"]).code, run(&place, &["--name"]).code);
    assert_eq!(names(&place), ["work/note.jsonl", "work/s.jsonl"]);
}

/// What a pattern of the shell makes of a folder of sessions: each but the first would be a file to write.
#[test]
fn other_sessions_are_never_written_over() {
    let place = Place::new();
    let old = place.write("work/a.jsonl", OLD);
    let text = OLD.replacen("\"id\":\"", "\"id\":\"b-", 1);
    assert_ne!(text, OLD);
    let other = place.write("work/b.jsonl", &text);
    let refused = format!("Error: {} holds another session; choose another file", other.display());
    assert_eq!(run(&place, &["--export", "a.jsonl", "b.jsonl"]), Done::failed(&refused));
    let refused = "Error: --export takes one session file and one file to write; page.html is too much";
    assert_eq!(run(&place, &["--export", "a.jsonl", "b.jsonl", "page.html"]), Done::failed(refused));
    // An earlier export of the same session is replaced.
    assert_eq!(run(&place, &["--export", "a.jsonl", "c.jsonl"]), Done::ok("Exported to: c.jsonl\n"));
    assert_eq!(run(&place, &["--export", "a.jsonl", "c.jsonl"]), Done::ok("Exported to: c.jsonl\n"));
    assert_eq!(names(&place), ["work/a.jsonl", "work/b.jsonl", "work/c.jsonl"]);
    assert_eq!(std::fs::read_to_string(&old).expect("a file"), OLD);
    assert_eq!(std::fs::read_to_string(&other).expect("a file"), text);
}
