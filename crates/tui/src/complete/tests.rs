use std::fs;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use parking_lot::Mutex;
use proptest::prelude::*;
use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;
use tempfile::TempDir;

use super::*;
use crate::editor::{EditorView, Took};
use crate::keymap::Keymap;
use crate::style::{ColorDepth, Styles};

const TAB: &str = "\t";
const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const PAGE_DOWN: &str = "\x1b[6~";
const BACKSPACE: &str = "\x7f";

/// An editor with completion, as a front end puts them together.
struct Desk {
    editor: EditorView,
    completion: Completion,
    builtin: Arc<Builtin>,
    answers: Receiver<()>,
    keymap: Keymap,
    /// What was sent by completing a command.
    sent: Vec<String>,
    folder: TempDir,
}

impl Desk {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, "").expect("a file");
        }
        let builtin = Arc::new(Builtin::new(Places { cwd: folder.path().to_owned(), home: None }));
        builtin.set_commands(commands());
        let (sender, answers) = channel();
        let provider: Arc<dyn Provider> = Arc::<Builtin>::clone(&builtin);
        // The test may be over.
        let completion = Completion::new(provider, move || sender.send(()).unwrap_or_default());
        let editor = EditorView::new();
        Self { editor, completion, builtin, answers, keymap: Keymap::default(), sent: Vec::new(), folder }
    }

    fn press(&mut self, key: &str) -> Became {
        let mut became = self.completion.key(key, &self.keymap, &mut self.editor.model);
        if became == Became::Nothing {
            if self.editor.key(key, &self.keymap) == Took::Submit {
                self.sent.push(self.editor.model.submit());
            }
            became = self.completion.changed(&self.editor.model);
        } else if became == Became::Submit {
            self.sent.push(self.editor.model.submit());
            self.completion.reset(&self.editor.model);
        }
        became
    }

    fn write(&mut self, text: &str) {
        for character in text.chars() {
            self.press(&character.to_string());
        }
    }

    /// Takes answers until one does this.
    fn until(&mut self, is_done: impl Fn(&Self, Became) -> bool) {
        loop {
            self.answers.recv().expect("an answer");
            let became = self.completion.wake(&mut self.editor.model);
            if is_done(self, became) {
                return;
            }
        }
    }

    /// Writes, and waits until what is suggested first is this.
    fn expect(&mut self, text: &str, label: &str) {
        self.write(text);
        let has = |desk: &Self| desk.completion.items().first().is_some_and(|item| item.value == label);
        if !has(self) {
            self.until(|desk, _| has(desk));
        }
    }

    fn labels(&self) -> Vec<&str> {
        self.completion.items().iter().map(|item| item.label.as_str()).collect()
    }

    fn text(&self) -> String {
        self.editor.model.text()
    }

    fn draw(&self, width: usize) -> Vec<String> {
        let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
        self.completion.draw(width, &styles).iter().map(|line| strip(line)).collect()
    }
}

fn commands() -> Vec<Command> {
    let command = |name: &str, description: &str| Command {
        name: name.to_owned(),
        description: description.to_owned(),
        ..Command::default()
    };
    let mut all = vec![command("settings", "Change settings"), command("model", "Choose a model")];
    all.extend(["mcp", "name", "new", "reload", "resume"].map(|name| command(name, "")));
    all.push(Command { source: "u".into(), ..command("skill:release", "How to release") });
    all
}

/// Completes models, and answers when the test says so.
#[derive(Default)]
struct Models {
    waiting: Mutex<Vec<(String, ArgumentReply)>>,
}

impl Arguments for Models {
    fn knows(&self, command: &str) -> bool {
        command == "model"
    }

    fn complete(&self, _command: &str, text: &str, reply: ArgumentReply) {
        self.waiting.lock().push((text.to_owned(), reply));
    }
}

impl Models {
    fn answer(&self, text: &str, values: &[&str]) {
        let mut waiting = self.waiting.lock();
        let at = waiting.iter().position(|(asked, _)| asked == text).expect("it was asked");
        let (_, reply) = waiting.remove(at);
        drop(waiting);
        let item = |value: &&str| Suggestion {
            value: (*value).to_owned(),
            label: (*value).to_owned(),
            ..Suggestion::default()
        };
        reply.send(Some(values.iter().map(item).collect()));
    }
}

#[test]
fn a_slash_at_the_start_opens_the_commands_and_enter_sends_the_best_one() {
    let mut desk = Desk::new(&[]);
    assert_eq!(desk.press("/"), Became::Taken);
    assert_eq!(desk.draw(60)[0], "→ settings       Change settings");
    assert_eq!(desk.draw(60).last().expect("rows"), "  (1/8)");
    desk.write("mod");
    assert_eq!(desk.labels(), ["model"]);
    assert_eq!(desk.press(ENTER), Became::Submit);
    assert_eq!((desk.sent.as_slice(), desk.completion.is_open()), (&["/model".to_owned()][..], false));
}

#[test]
fn a_skill_is_found_without_its_kind_and_tab_writes_it() {
    let mut desk = Desk::new(&[]);
    desk.write("  /release");
    assert_eq!(desk.draw(60), ["→ skill:release  [u] How to release"]);
    assert_eq!(desk.press(TAB), Became::Applied);
    assert_eq!((desk.text().as_str(), desk.completion.is_open()), ("  /skill:release ", false));
    desk.editor.model.undo();
    assert_eq!(desk.text(), "  /release", "one step of undo");
}

#[test]
fn the_list_follows_what_is_typed_and_closes_when_nothing_fits() {
    let mut desk = Desk::new(&[]);
    desk.write("/re");
    assert_eq!(desk.labels()[..2], ["reload", "resume"]);
    assert_eq!(
        (desk.press(DOWN), desk.completion.selected().map(|item| item.label.as_str())),
        (Became::Taken, Some("resume"))
    );
    // What the user moved to stays selected while it fits.
    desk.write("e");
    assert_eq!(desk.completion.selected().map(|item| item.label.as_str()), Some("resume"));
    assert_eq!(desk.press("q"), Became::Closed);
    desk.press(BACKSPACE);
    assert!(desk.completion.is_open());
    assert_eq!((desk.press(ESCAPE), desk.completion.is_open()), (Became::Closed, false));
    assert_eq!(desk.press(ENTER), Became::Nothing);
    assert_eq!(desk.sent, ["/ree"]);
}

#[test]
fn keys_move_by_rows_and_pages() {
    let mut desk = Desk::new(&[]);
    desk.completion.set_rows(1);
    desk.write("/");
    assert_eq!(desk.draw(40).len(), 4, "no fewer than three rows, and where they are");
    let selected = |desk: &Desk| desk.completion.selected().map(|item| item.label.clone()).expect("one");
    assert_eq!((desk.press(UP), selected(&desk)), (Became::Taken, "skill:release".to_owned()));
    assert_eq!((desk.press(DOWN), selected(&desk)), (Became::Taken, "settings".to_owned()));
    assert_eq!((desk.press(PAGE_DOWN), selected(&desk)), (Became::Taken, "name".to_owned()));
    assert!(desk.draw(40).iter().any(|row| row == "  (4/8)"));
}

#[test]
fn slashes_elsewhere_open_nothing() {
    let mut desk = Desk::new(&[]);
    desk.write("see /");
    assert!(!desk.completion.is_open());
    desk.editor.set_text("first\n");
    desk.completion.reset(&desk.editor.model);
    desk.write("/");
    assert!(!desk.completion.is_open());
}

#[test]
fn a_text_that_was_not_typed_opens_nothing() {
    let mut desk = Desk::new(&[]);
    desk.editor.paste("/model");
    desk.completion.changed(&desk.editor.model);
    assert!(!desk.completion.is_open());
    desk.editor.model.submit();
    desk.editor.model.add_to_history("/model");
    desk.completion.reset(&desk.editor.model);
    desk.press(UP);
    assert_eq!((desk.text().as_str(), desk.completion.is_open()), ("/model", false));
}

#[test]
fn letters_after_an_at_sign_find_files() {
    let mut desk = Desk::new(&["src/main.rs", "src/markdown/render.rs", "with space/a file.md"]);
    desk.write("see (");
    desk.expect("@mr", "@src/main.rs");
    assert_eq!(desk.draw(60)[0].split_whitespace().collect::<Vec<_>>(), ["→", "main.rs", "src/main.rs"]);
    assert_eq!(desk.press(TAB), Became::Applied);
    assert_eq!(desk.text(), "see (@src/main.rs ");
    desk.expect("@afile", "@\"with space/a file.md\"");
    assert_eq!(desk.press(ENTER), Became::Applied);
    assert_eq!(desk.text(), "see (@src/main.rs @\"with space/a file.md\" ");
    assert_eq!(desk.sent, [] as [&str; 0]);
    desk.editor.model.undo();
    assert_eq!(desk.text(), "see (@src/main.rs @afile");
}

#[test]
fn a_folder_goes_on_without_a_space_and_inside_its_quotation_marks() {
    let mut desk = Desk::new(&["src/main.rs", "with space/file.md"]);
    desk.expect("@src", "@src/");
    desk.press(TAB);
    assert_eq!(desk.text(), "@src/");
    desk.expect("m", "@src/main.rs");
    desk.press(TAB);
    desk.expect("@with", "@\"with space/\"");
    desk.press(TAB);
    assert_eq!(desk.text(), "@src/main.rs @\"with space/\"");
    // The cursor stands before the mark, and the next choice takes that mark's place.
    desk.expect("f", "@\"with space/file.md\"");
    desk.press(TAB);
    assert_eq!(desk.text(), "@src/main.rs @\"with space/file.md\" ");
}

#[test]
fn recent_files_come_first() {
    let mut desk = Desk::new(&["a.rs", "b.rs", "c.rs"]);
    desk.builtin.files().set_recent(vec!["c.rs".into(), "b.rs".into()]);
    desk.expect("@", "@c.rs");
    desk.until_settled();
    assert_eq!(desk.labels(), ["c.rs", "b.rs", "a.rs"]);
}

impl Desk {
    fn until_settled(&mut self) {
        if self.builtin.files().is_reading() || self.labels().len() < 3 {
            self.until(|desk, _| desk.labels().len() == 3);
        }
    }
}

#[test]
fn a_mention_can_lead_out_of_the_folder() {
    let mut desk = Desk::new(&["inside/x.rs", "beside.rs"]);
    let start = format!("@{}/", desk.folder.path().display());
    let whole = format!("{start}beside.rs");
    desk.expect(&format!("{start}b"), &whole);
    desk.press(TAB);
    assert_eq!(desk.text(), format!("{whole} "));
}

#[test]
fn tab_completes_a_path_and_applies_the_only_one_at_once() {
    let mut desk = Desk::new(&["src/main.rs", "src/model.rs"]);
    desk.write("cat sr");
    assert_eq!(desk.press(TAB), Became::Taken);
    desk.until(|_, became| became == Became::Applied);
    assert_eq!(desk.text(), "cat src/");
    assert_eq!(desk.press(TAB), Became::Taken);
    desk.until(|desk, _| desk.completion.is_open());
    assert_eq!(desk.labels(), ["main.rs", "model.rs"]);
    // The list narrows while one types, and a single one is not written by itself then.
    desk.write("mo");
    desk.until(|desk, _| desk.labels() == ["model.rs"]);
    assert_eq!(desk.text(), "cat src/mo");
    assert_eq!(desk.press(ENTER), Became::Applied);
    assert_eq!((desk.text().as_str(), desk.completion.is_open()), ("cat src/model.rs", false));
}

#[test]
fn tab_completes_an_absolute_path_at_the_start() {
    let mut desk = Desk::new(&["deep/file.rs"]);
    let start = format!("{}/dee", desk.folder.path().display());
    desk.write(&start);
    assert!(!desk.completion.is_open());
    desk.press(TAB);
    desk.until(|_, became| became == Became::Applied);
    assert_eq!(desk.text(), format!("{start}p/"));
    assert_eq!(desk.press(ENTER), Became::Nothing, "a path is no command");
}

#[test]
fn what_fits_nothing_leaves_tab_without_effect() {
    let mut desk = Desk::new(&["a.rs"]);
    desk.write("zzz");
    assert_eq!(desk.press(TAB), Became::Taken);
    desk.until(|_, became| became == Became::Nothing);
    assert_eq!((desk.text().as_str(), desk.completion.is_open()), ("zzz", false));
}

#[test]
fn arguments_may_come_later_and_stale_ones_are_dropped() {
    let mut desk = Desk::new(&[]);
    let models = Arc::new(Models::default());
    desk.builtin.set_arguments(Arc::<Models>::clone(&models));
    desk.write("/mode");
    desk.press(TAB);
    assert_eq!(desk.text(), "/model ");
    models.answer("", &["opus", "sonnet"]);
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Taken);
    assert_eq!(desk.labels(), ["opus", "sonnet"]);
    desk.write("so");
    models.answer("s", &["stale"]);
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Nothing);
    // The list is about less than what is written, so that nothing of it is chosen.
    assert_eq!((desk.press(TAB), desk.text().as_str()), (Became::Taken, "/model so"));
    models.answer("so", &["sonnet"]);
    desk.completion.wake(&mut desk.editor.model);
    assert_eq!(desk.press(ENTER), Became::Applied);
    assert_eq!((desk.text().as_str(), desk.sent.len()), ("/model sonnet", 0));
}

#[test]
fn a_part_of_the_arguments_is_shown_while_others_are_looked_for() {
    let mut desk = Desk::new(&[]);
    let models = Arc::new(Models::default());
    desk.builtin.set_arguments(Arc::<Models>::clone(&models));
    desk.write("/model s");
    desk.press(TAB);
    let (_, reply) = models.waiting.lock().pop().expect("it was asked");
    let sonnet = Suggestion { value: "sonnet".into(), label: "sonnet".into(), ..Suggestion::default() };
    reply.so_far(Vec::new());
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Nothing);
    // The only one so far may not stay the only one.
    reply.so_far(vec![sonnet.clone()]);
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Taken);
    assert_eq!((desk.labels(), desk.text().as_str()), (vec!["sonnet"], "/model s"));
    let haiku = Suggestion { value: "haiku".into(), label: "haiku".into(), ..Suggestion::default() };
    reply.send(Some(vec![haiku, sonnet]));
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Taken);
    assert_eq!(desk.labels(), ["haiku", "sonnet"]);
}

#[test]
fn an_answer_for_a_text_that_is_gone_changes_nothing() {
    let mut desk = Desk::new(&[]);
    let models = Arc::new(Models::default());
    desk.builtin.set_arguments(Arc::<Models>::clone(&models));
    desk.write("/model ");
    assert!(!desk.completion.is_open(), "the name is written: the list of names is over");
    desk.editor.set_text("another text");
    models.answer("", &["opus"]);
    assert_eq!(desk.completion.wake(&mut desk.editor.model), Became::Nothing);
    assert!(!desk.completion.is_open());
}

#[test]
fn control_sequences_in_suggestions_are_not_drawn() {
    let mut desk = Desk::new(&[]);
    desk.builtin.set_commands(vec![Command {
        name: "evil".into(),
        description: "clears\x1b[2J the\nscreen".into(),
        ..Command::default()
    }]);
    desk.write("/");
    assert_eq!(desk.draw(60), ["→ evil        clears the screen"]);
    for width in 1..60 {
        assert!(desk.draw(width).iter().all(|row| tau_view::width::visible_width(row) <= width));
    }
}

/// Adds issues after `#`, and changes what the inner one says.
struct Issues(Arc<dyn Provider>);

impl Provider for Issues {
    fn suggest(&self, request: &Arc<Request>, reply: &Reply) {
        if let Some(number) = request.before().rsplit(' ').next().and_then(|word| word.strip_prefix('#')) {
            let item = Suggestion { value: format!("#{number}7"), label: "an issue".into(), ..Suggestion::default() };
            return reply.send(Some(Suggestions { items: vec![item], prefix: format!("#{number}"), more: false }));
        }
        let shout = |answer: Option<Suggestions>| {
            answer.map(|mut answer| {
                answer.items.iter_mut().for_each(|item| item.label = item.label.to_uppercase());
                answer
            })
        };
        self.0.suggest(request, &reply.map(shout));
    }

    fn apply(&self, request: &Request, item: &Suggestion, prefix: &str) -> Edit {
        if !prefix.starts_with('#') {
            return self.0.apply(request, item, prefix);
        }
        // As an extension gives it: all lines, and where the cursor is.
        let mut lines = request.lines.clone();
        let line = &mut lines[request.cursor.line];
        line.replace_range(request.cursor.column - prefix.len()..request.cursor.column, &item.value);
        let column = request.cursor.column - prefix.len() + item.value.len();
        Edit::of_lines(request, &lines, tau_view::editor::Position { column, ..request.cursor })
    }

    fn triggers(&self) -> Vec<char> {
        vec!['#']
    }

    fn completes_paths(&self, request: &Request) -> bool {
        !request.before().starts_with('!')
    }

    fn closed(&self) {
        self.0.closed();
    }
}

#[test]
fn a_provider_can_wrap_another() {
    let mut desk = Desk::new(&["a.rs"]);
    let inner = desk.completion.provider();
    desk.completion.set_provider(Arc::new(Issues(inner)));
    desk.write("/mod");
    assert_eq!(desk.labels(), ["MODEL"]);
    desk.press(ESCAPE);
    desk.editor.set_text("first\nfixes  now");
    desk.editor.model.move_left();
    (0..3).for_each(|_| desk.editor.model.move_left());
    desk.completion.reset(&desk.editor.model);
    desk.write("#4");
    assert_eq!(desk.labels(), ["an issue"]);
    assert_eq!(desk.press(TAB), Became::Applied);
    assert_eq!(desk.text(), "first\nfixes #47 now");
    desk.write("!");
    assert_eq!(desk.text(), "first\nfixes #47! now");
    desk.editor.set_text("!");
    desk.completion.reset(&desk.editor.model);
    assert_eq!(desk.press(TAB), Became::Nothing, "it says that no path is completed here");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is pressed, the list is drawn within its width, a choice leaves the rest of the text alone, and a
    /// closed list takes no keys.
    #[test]
    fn any_keys_are_fine(
        keys in proptest::collection::vec(prop_oneof![
            Just("/"), Just("@"), Just("m"), Just("r"), Just(" "), Just("\""), Just("("), Just(TAB), Just(ENTER), Just(ESCAPE),
            Just(UP), Just(DOWN), Just(BACKSPACE), Just("\x1b[D"), Just("\x1b[C"), Just("\n"), Just("\x17"), Just("\x1f"),
        ], 0..40),
        width in 1usize..50,
    ) {
        let mut desk = Desk::new(&["src/main.rs", "my dir/r.rs"]);
        for key in keys {
            let was_open = desk.completion.is_open();
            let cursor = desk.editor.model.cursor();
            let tail = desk.editor.model.lines()[cursor.line][cursor.column..].to_owned();
            let became = desk.press(key);
            prop_assert!(was_open || key == TAB || became != Became::Submit);
            if matches!(became, Became::Applied) {
                let cursor = desk.editor.model.cursor();
                let after = &desk.editor.model.lines()[cursor.line][cursor.column..];
                let rest = tail.strip_prefix('"').unwrap_or(&tail);
                prop_assert!(after.trim_start_matches('"').ends_with(rest.trim_start_matches('"')), "{:?} {:?}", tail, after);
            }
            desk.completion.wake(&mut desk.editor.model);
            prop_assert!(desk.draw(width).iter().all(|row| tau_view::width::visible_width(row) <= width));
            prop_assert!(desk.draw(width).len() <= USUAL_ROWS + 1);
        }
    }
}
