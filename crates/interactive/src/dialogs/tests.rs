//! Each panel, as it is drawn and as it takes keys.

use std::path::{Path, PathBuf};

use serde_json::json;
use tau_hooks::dialogs::{DialogAnswer, DialogKind, DialogRequest};
use tau_hooks::mount::{Menu, MenuFit, MenuLine, MenuPage, MenuRow, MenuTone};
use tau_session::{EntryBody, NewSession, Session, SessionInfo};
use tau_tui::style::{ColorDepth, Styles};
use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;
use tau_view::width::visible_width;

use super::*;

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const PAGE_DOWN: &str = "\x1b[6~";
const CTRL_A: &str = "\x01";
const CTRL_D: &str = "\x04";
const CTRL_P: &str = "\x10";
const CTRL_S: &str = "\x13";
const CTRL_X: &str = "\x18";
const ALT_UP: &str = "\x1b[1;3A";
const ALT_DOWN: &str = "\x1b[1;3B";

/// The rows of a panel, without styles.
fn draw(panel: &mut dyn Panel, width: usize, rows: usize) -> Vec<String> {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    let look = Look::plain(Styles::new(&theme, ColorDepth::None));
    let keys = Keymap::default();
    let drawn = panel.draw(&Space { width, rows, from_end: false, look: &look, keys: &keys, note: "", owner: None });
    drawn.lines.iter().map(|line| strip(line).trim_end().to_owned()).collect()
}

fn shown(panel: &mut dyn Panel) -> String {
    draw(panel, 100, 26).join("\n")
}

fn shows(panel: &mut dyn Panel, text: &str) {
    let all = shown(panel);
    assert!(all.contains(text), "{text}\n{all}");
}

/// Presses keys; what became of the last one.
fn press(panel: &mut dyn Panel, pressed: &[&str]) -> Took {
    let keys = Keymap::default();
    let mut took = Took::Nothing;
    for key in pressed {
        took = panel.key(key, &keys);
        draw(panel, 100, 26);
    }
    took
}

fn types(panel: &mut dyn Panel, text: &str) {
    for letter in text.chars() {
        press(panel, &[&letter.to_string()]);
    }
}

fn sent(took: Took) -> String {
    match took {
        Took::Closes(Effect::Send(line)) => line,
        _ => panic!("nothing is sent"),
    }
}

fn done(took: Took) -> Deed {
    match took {
        Took::Acts(Effect::Do(deed)) => deed,
        _ => panic!("nothing is done"),
    }
}

fn answer(took: Took) -> DialogAnswer {
    match took {
        Took::Closes(Effect::Answer(_, answer)) => answer,
        _ => panic!("nothing is answered"),
    }
}

fn models() -> ModelsPanel {
    let row = |provider: &str, id: &str, name: &str| ModelRow {
        provider: provider.to_owned(),
        id: id.to_owned(),
        name: name.to_owned(),
        is_current: id == "gamma",
        is_default: id == "beta",
        is_scoped: id == "alpha",
    };
    ModelsPanel::new(vec![
        row("there", "delta", "delta"),
        row("here", "alpha", "Alpha One"),
        row("here", "beta", "beta"),
        row("there", "gamma", "gamma"),
    ])
}

fn scoped() -> ScopedPanel {
    let row = |full: &str, is_in: bool| ScopedRow {
        full: full.to_owned(),
        provider: full.split('/').next().unwrap_or_default().to_owned(),
        name: full.to_uppercase(),
        is_in,
    };
    ScopedPanel::new(vec![row("here/alpha", true), row("here/beta", false), row("there/gamma", false)])
}

fn settings() -> SettingsPanel {
    let names: [&'static str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    SettingsPanel::new(move || {
        let row = |key: &'static str| SettingRow {
            key,
            label: key,
            doc: "What it does",
            values: vec![json!("one"), json!("two"), json!("three")],
            value: json!("one"),
            origin: "default".to_owned(),
        };
        names.into_iter().map(row).collect()
    })
}

fn session(id: &str, name: Option<&str>, parent: Option<&str>, at: i64) -> SessionInfo {
    SessionInfo {
        path: format!("/s/{id}").into(),
        id: id.to_owned(),
        cwd: "/home/me".to_owned(),
        name: name.map(str::to_owned),
        parent_session: parent.map(|parent| format!("/s/{parent}")),
        created_ms: None,
        modified_ms: at,
        message_count: 3,
        first_message: Some(format!("about {id}")),
    }
}

fn sessions() -> SessionsPanel {
    let shelf = Shelf::default();
    shelf.add(vec![session("apples", Some("Fruit"), None, 3), session("pears", None, Some("apples"), 2)], true, 0);
    shelf.add(vec![session("elsewhere", None, None, 1)], false, 0);
    SessionsPanel::new(shelf, Some("/s/apples".into()), Box::new(Effect::Session))
}

/// A session in memory: a prompt, and two others behind it.
fn tree() -> TreePanel {
    tree_that(false)
}

fn tree_that(skips_summary: bool) -> TreePanel {
    let session = Session::in_memory(Path::new("/work"), NewSession::default()).expect("a session");
    let user = |text: &str| EntryBody::message(tau_ai::Message::User(tau_ai::UserMessage::new(text)));
    let first = session.append(user("first")).expect("an entry");
    session.append(user("left")).expect("an entry");
    session.set_leaf(first.id().as_str()).expect("a move");
    session.append(user("right")).expect("an entry");
    session.append(EntryBody::label(first.id().as_str(), Some("mark"))).expect("a label");
    TreePanel::new(rows_of(&session), "default", skips_summary)
}

fn question(kind: DialogKind) -> Box<dyn Panel> {
    panel_of(&DialogRequest::new("gate.ts".into(), kind)).expect("a panel")
}

fn select(count: usize) -> Box<dyn Panel> {
    let options = (1..=count).map(|number| format!("option {number}")).collect();
    question(DialogKind::Select { title: "Which?".to_owned(), options })
}

fn forks() -> ForkPanel {
    let prompt = |number: usize| (format!("id{number}"), format!("prompt\nnumber {number}"));
    ForkPanel::new((1..=12).map(prompt).collect())
}

fn all() -> Vec<(&'static str, Box<dyn Panel>)> {
    let text = |lines: usize| "A line that is too long for a screen of only a few columns.\n".repeat(lines);
    vec![
        ("models", Box::new(models())),
        ("scoped", Box::new(scoped())),
        ("settings", Box::new(settings())),
        ("sessions", Box::new(sessions())),
        ("tree", Box::new(tree())),
        ("forks", Box::new(forks())),
        ("list", Box::new(ListPanel::new("Title", Vec::new(), None, |_| Effect::Nothing))),
        ("select", select(12)),
        ("searched", select(30)),
        ("confirm", question(DialogKind::Confirm { title: text(1), message: text(40) })),
        ("input", question(DialogKind::Input { title: text(30), placeholder: Some("a hint".to_owned()) })),
        ("editor", question(DialogKind::Editor { title: "Text".to_owned(), prefill: Some(text(3)) })),
    ]
}

#[test]
fn every_panel_stands_between_two_rules_on_screens_of_any_size() {
    for (name, mut panel) in all() {
        for (width, rows) in [(100, 26), (40, 16), (20, 14), (1, 14)] {
            let lines = draw(&mut *panel, width, rows);
            let rule = "─".repeat(width);
            assert_eq!((lines.first(), lines.last()), (Some(&rule), Some(&rule)), "{name} at {width}");
            let wide = lines.iter().find(|line| visible_width(line) > width);
            assert!(width == 1 || wide.is_none(), "{name} at {width}: {wide:?}");
            assert!(width < 40 || lines.len() <= rows, "{name} at {width}x{rows}: {lines:#?}");
        }
    }
}

#[test]
fn the_cursor_of_the_terminal_stands_where_text_is_typed() {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    let look = Look::plain(Styles::new(&theme, ColorDepth::None));
    let keys = Keymap::default();
    for (name, mut panel) in all() {
        press(&mut *panel, &["x"]);
        let drawn = panel.draw(&Space {
            width: 100,
            rows: 26,
            from_end: false,
            look: &look,
            keys: &keys,
            note: "",
            owner: None,
        });
        let line = drawn.lines.iter().position(|line| strip(line).starts_with(" > x"));
        assert_eq!(drawn.cursor.filter(|_| line.is_some()), line.map(|line| (line, 4)), "{name}");
        let typed = !matches!(name, "select" | "confirm" | "editor");
        assert_eq!(line.is_some(), typed, "{name}");
    }
}

#[test]
fn escape_and_ctrl_c_leave_every_panel() {
    for key in ["\x1b", "\x03"] {
        for (name, mut panel) in all() {
            draw(&mut *panel, 100, 26);
            assert!(matches!(press(&mut *panel, &[key]), Took::Closes(_)), "{name}: {key:?}");
        }
    }
}

#[test]
fn models_stand_in_order_are_searched_and_kept() {
    let mut panel = models();
    // From those of the scope to all.
    press(&mut panel, &["\t", UP, UP]);
    let rows: Vec<String> = draw(&mut panel, 100, 26).into_iter().filter(|line| line.contains('[')).collect();
    let expected = ["→ ✓ gamma [there]", "  beta [here] · default", "  alpha (Alpha One) [here]", "  delta [there]"];
    assert_eq!(rows, expected);
    shows(&mut panel, "Model Name: gamma");
    types(&mut panel, "one");
    shows(&mut panel, "→ alpha (Alpha One) [here]");
    let Deed::SaveModel { provider, id } = done(press(&mut panel, &[CTRL_S])) else { panic!("another deed") };
    assert_eq!((&*provider, &*id), ("here", "alpha"));
    shows(&mut panel, "→ alpha (Alpha One) [here] · default");
    assert_eq!(sent(press(&mut panel, &["\r"])), "/model here/alpha");
}

#[test]
fn only_models_of_the_scope_are_shown_until_all_are_wanted() {
    let mut panel = models();
    let before = shown(&mut panel);
    assert!(before.contains("◉ scoped") && !before.contains("gamma"), "{before}");
    press(&mut panel, &["\t"]);
    shows(&mut panel, "◉ all");
    shows(&mut panel, "gamma");
}

fn scope_of(took: Took) -> Vec<String> {
    match done(took) {
        Deed::SetScope(names) | Deed::SaveScope(names) => names,
        _ => panic!("another deed"),
    }
}

#[test]
fn the_scope_is_filled_emptied_ordered_and_kept() {
    let mut panel = scoped();
    assert_eq!(scope_of(press(&mut panel, &[CTRL_A])), ["here/alpha", "here/beta", "there/gamma"]);
    shows(&mut panel, "(unsaved)");
    assert_eq!(scope_of(press(&mut panel, &[CTRL_X])), [""; 0]);
    // All of a provider, and none of it again.
    assert_eq!(scope_of(press(&mut panel, &[CTRL_P])), ["here/alpha", "here/beta"]);
    assert_eq!(scope_of(press(&mut panel, &[CTRL_P])), [""; 0]);
    assert_eq!(scope_of(press(&mut panel, &["\r"])), ["here/alpha"]);
    assert_eq!(scope_of(press(&mut panel, &[DOWN, "\r"])), ["here/alpha", "here/beta"]);
    assert_eq!(scope_of(press(&mut panel, &[ALT_UP])), ["here/beta", "here/alpha"]);
    assert_eq!(scope_of(press(&mut panel, &[ALT_DOWN])), ["here/alpha", "here/beta"]);
    assert_eq!(scope_of(press(&mut panel, &[CTRL_S])), ["here/alpha", "here/beta"]);
    assert!(!shown(&mut panel).contains("(unsaved)"));
    // What is found is all that these keys mean.
    types(&mut panel, "gamma");
    assert_eq!(scope_of(press(&mut panel, &[CTRL_A])), ["here/alpha", "here/beta", "there/gamma"]);
}

#[test]
fn settings_are_found_and_go_through_their_values() {
    let mut panel = settings();
    shows(&mut panel, "(1/12)");
    shows(&mut panel, "What it does");
    let value = |took: Took| match done(took) {
        Deed::ChangeSetting(key, value) => (key, value),
        _ => panic!("another deed"),
    };
    for (key, expected) in [(" ", "two"), ("\r", "two"), ("\x1b[C", "two"), ("\x1b[D", "three")] {
        assert_eq!(value(press(&mut panel, &[key])), ("first", json!(expected)), "{key:?}");
    }
    press(&mut panel, &[UP]);
    shows(&mut panel, "→ twelfth");
    press(&mut panel, &[DOWN, PAGE_DOWN]);
    shows(&mut panel, "(11/12)");
    types(&mut panel, "nth");
    // From here on a space is a part of the query.
    assert!(matches!(press(&mut panel, &[" "]), Took::Stays));
    types(&mut panel, "zzz");
    shows(&mut panel, "No matching settings");
}

#[test]
fn sessions_are_narrowed_sorted_and_told_apart() {
    let mut panel = sessions();
    let all = shown(&mut panel);
    assert!(all.contains("◉ Current Folder") && all.contains("Sort: Threaded"), "{all}");
    assert!(all.contains("→ ✓ Fruit") && all.contains("└─ about pears") && all.contains("3 msgs"), "{all}");
    for sort in ["Recent", "Fuzzy", "Threaded"] {
        press(&mut panel, &[CTRL_S]);
        shows(&mut panel, &format!("Sort: {sort}"));
    }
    press(&mut panel, &[CTRL_P]);
    shows(&mut panel, "/s/pears");
    press(&mut panel, &["\x0e"]);
    let named = shown(&mut panel);
    assert!(named.contains("Name: Named") && !named.contains("pears"), "{named}");
    press(&mut panel, &["\x0e", "\t"]);
    let all = shown(&mut panel);
    assert!(all.contains("◉ All") && all.contains("→ about elsewhere"), "{all}");
}

#[test]
fn the_open_session_is_not_deleted_and_others_only_after_a_question() {
    let mut panel = sessions();
    press(&mut panel, &[CTRL_D]);
    shows(&mut panel, "the session that is open cannot be deleted");
    press(&mut panel, &[DOWN, CTRL_D]);
    shows(&mut panel, "Delete this session?");
    // The first answer keeps it.
    assert!(matches!(press(&mut panel, &["\r"]), Took::Stays));
    shows(&mut panel, "→ └─ about pears");
    press(&mut panel, &[CTRL_D]);
    let Deed::DeleteSession(path, _) = done(press(&mut panel, &[DOWN, "\r"])) else { panic!("another deed") };
    assert_eq!(path, PathBuf::from("/s/pears"));
}

#[test]
fn the_tree_shows_the_branch_that_is_open_labels_and_when_they_were_set() {
    let mut panel = tree();
    let all = shown(&mut panel);
    assert!(all.contains("• ⊟ [mark] user: first"), "{all}");
    assert!(all.contains("→   • user: right") && all.contains("    user: left"), "{all}");
    press(&mut panel, &["T"]);
    let timed = shown(&mut panel);
    assert!(timed.contains("[mark 2"), "{timed}");
    press(&mut panel, &[UP, UP]);
    let Deed::Copy(text) = done(press(&mut panel, &[CTRL_X])) else { panic!("another deed") };
    assert_eq!(text, "first");
    // From one place to another, with a summary of what is left or without.
    press(&mut panel, &["\r"]);
    shows(&mut panel, "Summarize the branch that is left?");
    press(&mut panel, &[DOWN, DOWN, "\r"]);
    types(&mut panel, "the tests");
    let line = sent(press(&mut panel, &["\r"]));
    assert!(line.starts_with("/tree ") && line.ends_with(" summarize the tests"), "{line}");
}

#[test]
fn without_a_question_about_summaries_the_tree_goes_at_once() {
    let mut panel = tree_that(true);
    let line = sent(press(&mut panel, &[UP, "\r"]));
    assert!(line.starts_with("/tree ") && !line.contains("summarize"), "{line}");
    let mut panel = tree();
    press(&mut panel, &[CTRL_A]);
    // What is no part of the conversation is shown when everything is.
    shows(&mut panel, "(label)");
}

#[test]
fn the_newest_prompt_is_offered_for_a_fork_first() {
    let mut panel = forks();
    let all = shown(&mut panel);
    assert!(all.contains("→ prompt number 12") && all.contains("Message 12 of 12"), "{all}");
    assert!(all.contains("(12/12)") && !all.contains("number 2\n"), "{all}");
    press(&mut panel, &[UP]);
    shows(&mut panel, "Message 11 of 12");
    types(&mut panel, "number 3");
    shows(&mut panel, "Message 3 of 12");
    assert_eq!(sent(press(&mut panel, &["\r"])), "/fork id3");
}

#[test]
fn a_select_shows_ten_options_and_takes_letters_that_move() {
    let mut panel = select(12);
    let lines = draw(&mut *panel, 100, 26);
    assert_eq!(lines.iter().filter(|line| line.contains("option ")).count(), 10, "{lines:#?}");
    shows(&mut *panel, "(1/12)");
    press(&mut *panel, &["j", "j", "k"]);
    shows(&mut *panel, "→ option 2");
    press(&mut *panel, &[UP, UP]);
    shows(&mut *panel, "(12/12)");
    assert_eq!(answer(press(&mut *panel, &["\r"])), DialogAnswer::Value("option 12".to_owned()));
    assert_eq!(answer(press(&mut *select(2), &["\x1b"])), DialogAnswer::Cancelled);
}

#[test]
fn many_options_are_searched_by_what_is_typed() {
    let mut panel = select(47);
    press(&mut *panel, &["4", "1"]);
    shows(&mut *panel, "→ option 41");
    panel.paste("9");
    shows(&mut *panel, "Nothing matches");
    press(&mut *panel, &["\x7f"]);
    assert_eq!(answer(press(&mut *panel, &["\r"])), DialogAnswer::Value("option 41".to_owned()));
}

#[test]
fn a_long_question_is_read_page_by_page_and_answered_by_letters() {
    let confirm = || {
        let message = (1..=40).map(|number| format!("line {number}\n")).collect();
        question(DialogKind::Confirm { title: "Run it?".to_owned(), message })
    };
    let mut panel = confirm();
    let first = shown(&mut *panel);
    assert!(first.contains("line 1\n") && !first.contains("line 40"), "{first}");
    press(&mut *panel, &[PAGE_DOWN, PAGE_DOWN, PAGE_DOWN]);
    shows(&mut *panel, "line 40");
    shows(&mut *panel, "→ Yes");
    assert_eq!(answer(press(&mut *panel, &["y"])), DialogAnswer::Confirmed(true));
    for no in ["n", "\x1b"] {
        assert_eq!(answer(press(&mut *confirm(), &[no])), DialogAnswer::Confirmed(false), "{no:?}");
    }
    assert_eq!(answer(press(&mut *confirm(), &[DOWN, "\r"])), DialogAnswer::Confirmed(false));
}

#[test]
fn a_line_shows_its_placeholder_until_something_is_typed_and_never_a_secret() {
    let mut panel = question(DialogKind::Input { title: "Name?".to_owned(), placeholder: Some("a hint".to_owned()) });
    shows(&mut *panel, "a hint");
    types(&mut *panel, "text");
    assert!(!shown(&mut *panel).contains("a hint"));
    assert_eq!(answer(press(&mut *panel, &["\r"])), DialogAnswer::Value("text".to_owned()));
    let mut panel = question(DialogKind::Input { title: "Your API key?".to_owned(), placeholder: None });
    types(&mut *panel, "hunter2");
    shows(&mut *panel, "•••••••");
    assert!(!shown(&mut *panel).contains("hunter"));
    assert_eq!(answer(press(&mut *panel, &["\r"])), DialogAnswer::Value("hunter2".to_owned()));
}

#[test]
fn a_longer_text_has_lines_and_can_be_edited_elsewhere() {
    let mut panel = question(DialogKind::Editor { title: "Text".to_owned(), prefill: Some("one".to_owned()) });
    press(&mut *panel, &["\x1b[13;2u"]);
    types(&mut *panel, "two");
    assert_eq!(panel.text().as_deref(), Some("one\ntwo"));
    panel.set_text("three");
    assert_eq!(answer(press(&mut *panel, &["\r"])), DialogAnswer::Value("three".to_owned()));
    assert_eq!(select(1).text(), None);
}

/// A menu whose pages a test sets.
struct Pages {
    page: std::sync::Mutex<MenuPage>,
    changes: tokio::sync::watch::Sender<u64>,
    chosen: std::sync::Mutex<Vec<String>>,
}

impl Pages {
    fn new(page: MenuPage) -> std::sync::Arc<Self> {
        let changes = tokio::sync::watch::Sender::new(0);
        std::sync::Arc::new(Self { page: page.into(), changes, chosen: std::sync::Mutex::default() })
    }

    fn set(&self, page: MenuPage) {
        *self.page.lock().expect("a page") = page;
        self.changes.send_modify(|count| *count += 1);
    }

    fn chosen(&self) -> Vec<String> {
        self.chosen.lock().expect("rows").clone()
    }
}

impl Menu for Pages {
    fn page(&self) -> MenuPage {
        self.page.lock().expect("a page").clone()
    }

    fn choose(&self, row: &str) -> bool {
        self.chosen.lock().expect("rows").push(row.to_owned());
        row == "last"
    }

    fn back(&self) -> bool {
        self.page().id == "first"
    }

    fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn menu_page(id: &str, rows: usize) -> MenuPage {
    let mut rows: Vec<MenuRow> =
        (1..=rows).map(|row| MenuRow::new(format!("r{row}"), format!("row {row}"), "about it")).collect();
    rows.push(MenuRow::new("last", "last", ""));
    MenuPage {
        id: id.to_owned(),
        title: "Things".to_owned(),
        rows,
        empty: "Nothing".to_owned(),
        does: "open".to_owned(),
        leaves: "close".to_owned(),
        ..MenuPage::default()
    }
}

fn menu_panel(pages: &std::sync::Arc<Pages>) -> MenuPanel {
    MenuPanel::new(Uuid::from_u128(1), std::sync::Arc::clone(pages) as _, || {})
}

#[tokio::test]
async fn a_menu_is_drawn_as_a_list_and_left_page_by_page() {
    let pages = Pages::new(menu_page("second", 2));
    let mut panel = menu_panel(&pages);
    let rule = "─".repeat(40);
    assert_eq!(
        draw(&mut panel, 40, 20)[..5],
        [&*rule, " Things", "→ row 1 · about it", "  row 2 · about it", "  last"]
    );
    shows(&mut panel, "enter open · escape close");
    assert!(matches!(press(&mut panel, &[DOWN, "\r"]), Took::Stays));
    assert_eq!(pages.chosen(), ["r2"]);
    // A menu that says so is not done when a page is left.
    assert!(matches!(press(&mut panel, &["\x1b"]), Took::Stays));
    pages.set(menu_page("first", 1));
    assert_eq!(draw(&mut panel, 100, 20)[2], "→ row 1       about it");
    // Who comes back finds the row selected.
    pages.set(menu_page("second", 2));
    shows(&mut panel, "→ row 2");
    pages.set(menu_page("first", 1));
    shows(&mut panel, "→ row 1");
    assert_eq!(answer(press(&mut panel, &[UP, "\r"])), DialogAnswer::Custom(serde_json::Value::Null));
    assert_eq!(answer(press(&mut panel, &["\x1b"])), DialogAnswer::Cancelled);
}

#[tokio::test]
async fn a_menu_follows_its_changes_and_keeps_what_is_selected() {
    let pages = Pages::new(menu_page("p", 3));
    let (told, mut changed) = tokio::sync::mpsc::unbounded_channel();
    let mut panel = MenuPanel::new(Uuid::from_u128(1), std::sync::Arc::clone(&pages) as _, move || {
        told.send(()).expect("a test");
    });
    press(&mut panel, &[DOWN]);
    let mut page = menu_page("p", 3);
    page.rows.remove(0);
    page.rows[0].about = "another text".to_owned();
    pages.set(page);
    assert_eq!(changed.recv().await, Some(()));
    shows(&mut panel, "→ row 2       another text");
    drop(panel);
    // Nobody follows it any more.
    assert_eq!(changed.recv().await, None);
}

#[tokio::test]
async fn a_long_menu_is_searched_and_its_texts_are_safe_and_bounded() {
    let mut page = menu_page("p", 30);
    page.lines = vec![
        MenuLine { text: format!("x\x1b[31m{}", "wide ".repeat(200)), tone: MenuTone::Error, fit: MenuFit::Wrap },
        MenuLine { text: "end".to_owned(), tone: MenuTone::Dim, fit: MenuFit::Wrap },
    ];
    page.rows[1].label = "row\n\x1b[2J2".to_owned();
    let pages = Pages::new(page);
    let mut panel = menu_panel(&pages);
    for (width, rows) in [(100, 26), (40, 16), (20, 8)] {
        let drawn = draw(&mut panel, width, rows);
        assert!(drawn.len() <= rows && drawn.iter().all(|line| visible_width(line) <= width), "{drawn:#?}");
        assert!(drawn.iter().any(|line| line.starts_with("→ row 1")), "{drawn:#?}");
        assert!(drawn.iter().any(|line| line.contains("more lines")) || width == 100, "{drawn:#?}");
    }
    shows(&mut panel, "  row 2 ");
    types(&mut panel, "27");
    shows(&mut panel, "→ row 27");
    press(&mut panel, &["\r"]);
    assert_eq!(pages.chosen(), ["r27"]);
}

#[tokio::test]
async fn lines_of_a_menu_scroll_where_there_is_no_room_and_paths_keep_their_ends() {
    let mut page = menu_page("p", 2);
    let line = |text: String, fit| MenuLine { text, tone: MenuTone::Dim, fit };
    page.lines = (1..=9).map(|number| line(format!("line {number}"), MenuFit::Wrap)).collect();
    page.lines.push(line(format!("/home/{}/mcp.json", "deep/".repeat(20)), MenuFit::Middle));
    let pages = Pages::new(page);
    let mut panel = menu_panel(&pages);
    let drawn = draw(&mut panel, 30, 12);
    assert!(drawn.contains(&" line 1".to_owned()) && drawn.contains(&"→ row 1 · about it".to_owned()), "{drawn:#?}");
    assert!(drawn.iter().any(|line| line.contains("more lines · pageDown")), "{drawn:#?}");
    let scroll = |panel: &mut MenuPanel, key: &str| {
        for _ in 0..10 {
            panel.key(key, &Keymap::default());
            draw(panel, 30, 12);
        }
    };
    scroll(&mut panel, "\x1b[6~");
    let drawn = draw(&mut panel, 30, 12);
    let path = drawn.iter().find(|line| line.ends_with("/mcp.json")).unwrap_or_else(|| panic!("{drawn:#?}"));
    assert!(path.starts_with(" /home/") && path.contains('…') && visible_width(path) <= 29, "{path}");
    assert!(drawn.iter().any(|line| line.contains("first lines · pageUp")), "{drawn:#?}");
    scroll(&mut panel, "\x1b[5~");
    assert!(draw(&mut panel, 30, 12).contains(&" line 1".to_owned()));
}
