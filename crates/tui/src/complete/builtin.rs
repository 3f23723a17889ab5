//! What tau itself completes: commands and what follows them, files, paths.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tau_view::editor::Position;

use super::commands::{ArgumentReply, Arguments, Command, find};
use super::files::{FileIndex, Found, Search};
use super::listing::{Lister, Places, is_outside, list, path_suggestion};
use super::provider::{Edit, Provider, Reply, Request, Suggestion, Suggestions};
use super::token::{Slash, Word, slash, word};

/// Gives commands that come and go; asked whenever commands are suggested, so it must not wait.
pub type LateCommands = Arc<dyn Fn() -> Vec<Command> + Send + Sync>;

/// The innermost provider.
pub struct Builtin {
    places: Places,
    files: FileIndex,
    commands: RwLock<Arc<[Command]>>,
    late: RwLock<Option<LateCommands>>,
    arguments: RwLock<Option<Arc<dyn Arguments>>>,
    lister: Arc<Lister>,
    /// Goes on as long as the list is open.
    search: Mutex<Option<Search>>,
}

impl Builtin {
    /// Completes paths from these places, and files of the working folder.
    pub fn new(places: Places) -> Self {
        let files = FileIndex::new(places.cwd.clone());
        Self::with_files(places, files)
    }

    /// As [`Builtin::new`], with the files of another index.
    pub(crate) fn with_files(places: Places, files: FileIndex) -> Self {
        Self {
            places,
            files,
            commands: RwLock::new(Arc::new([])),
            late: RwLock::default(),
            arguments: RwLock::default(),
            lister: Arc::default(),
            search: Mutex::default(),
        }
    }

    /// The commands that there are, in the order in which they are shown.
    pub fn set_commands(&self, commands: Vec<Command>) {
        *self.commands.write() = commands.into();
    }

    /// Sets the commands that come and go. One of a name that is there already is left out.
    pub fn set_late_commands(&self, late: LateCommands) {
        *self.late.write() = Some(late);
    }

    /// All commands as they are now.
    fn all_commands(&self) -> Arc<[Command]> {
        let known = Arc::clone(&self.commands.read());
        let late = self.late.read().clone();
        let mut late = late.map(|late| late()).unwrap_or_default();
        late.retain(|command| !known.iter().any(|other| other.name == command.name));
        if late.is_empty() { known } else { known.iter().cloned().chain(late).collect() }
    }

    /// Sets the completion of arguments.
    pub fn set_arguments(&self, arguments: Arc<dyn Arguments>) {
        *self.arguments.write() = Some(arguments);
    }

    /// The files that are found.
    pub fn files(&self) -> &FileIndex {
        &self.files
    }

    fn mention(&self, word: &Word<'_>, reply: &Reply) {
        if is_outside(word.path) {
            return self.list(word, reply);
        }
        let (prefix, is_quoted) = (word.text.to_owned(), word.is_quoted);
        let answer = move |found: &Found| {
            let items = found.paths.iter().map(|path| path_suggestion(path, true, is_quoted)).collect();
            Some(Suggestions { items, prefix: prefix.clone(), more: !found.settled })
        };
        let (later, first) = (reply.clone(), answer.clone());
        let search = self.files.search(word.path, move |found| later.send(answer(found)));
        reply.send(first(&search.now()));
        // The previous search ends after the new one has started, so that the walk continues.
        *self.search.lock() = Some(search);
    }

    fn list(&self, word: &Word<'_>, reply: &Reply) {
        list_with(&self.lister, self.places.clone(), word.text.to_owned(), reply.clone());
    }

    /// Completes the arguments of a command; `false` if they cannot be completed.
    fn argument(&self, name: &str, text: &str, request: &Request, reply: &Reply) -> bool {
        let arguments = self.arguments.read().clone();
        let Some(arguments) = arguments.filter(|arguments| arguments.knows(name)) else { return false };
        let prefix = text.to_owned();
        let path = request.forced.then(|| word(request.before()).text.to_owned());
        let (lister, places) = (Arc::clone(&self.lister), self.places.clone());
        let give = move |reply: &Reply, items: Option<Vec<Suggestion>>, more: bool| match (items, &path) {
            (Some(items), _) if !items.is_empty() => {
                reply.send(Some(Suggestions { items, prefix: prefix.clone(), more }));
            }
            // Without suggestions, the completion key still completes paths.
            (_, Some(path)) => list_with(&lister, places.clone(), path.clone(), reply.clone()),
            _ => reply.send(None),
        };
        arguments.complete(name, text, ArgumentReply::new(reply.clone(), give));
        true
    }
}

/// Answers with what a word could become as a path, from another thread.
fn list_with(lister: &Lister, places: Places, text: String, reply: Reply) {
    lister.run(move || {
        if reply.is_wanted() {
            let items = list(&places, &word(&text));
            reply.send(Some(Suggestions { items, prefix: text, more: false }));
        }
    });
}

impl Provider for Builtin {
    fn suggest(&self, request: &Arc<Request>, reply: &Reply) {
        let before = request.before();
        let word = word(before);
        if word.is_mention {
            return self.mention(&word, reply);
        }
        match slash(request.cursor, before) {
            Some(Slash { name, argument: None }) => {
                let items = find(&self.all_commands(), name);
                // If no command matches, it may be an absolute path.
                if !items.is_empty() || !request.forced {
                    let prefix = format!("/{name}");
                    return reply.send(Some(Suggestions { items, prefix, more: false }));
                }
            }
            Some(Slash { name, argument: Some(text) }) if self.argument(name, text, request, reply) => return,
            _ => {}
        }
        if request.forced { self.list(&word, reply) } else { reply.send(None) }
    }

    fn apply(&self, request: &Request, item: &Suggestion, prefix: &str) -> Edit {
        let after = request.after();
        let goes_on = after.starts_with(' ');
        if is_command(request, item, prefix) {
            let space = if goes_on { "" } else { " " };
            return Edit::of_prefix(request, prefix, format!("/{}{space}", item.value));
        }
        let mut edit = Edit::of_prefix(request, prefix, item.value.clone());
        let has_mark = item.value.ends_with('"');
        if has_mark && prefix.trim_start_matches('@').starts_with('"') && after.starts_with('"') {
            edit.to.column += 1;
        }
        let is_folder = item.value.trim_end_matches('"').ends_with('/');
        match is_folder {
            // The rest of the path goes before the quotation mark.
            true if has_mark => edit.cursor -= 1,
            false if prefix.starts_with('@') && !goes_on => {
                edit.text.push(' ');
                edit.cursor += 1;
            }
            _ => {}
        }
        edit
    }

    fn closed(&self) {
        *self.search.lock() = None;
    }
}

/// Whether a suggestion is a command: it stands for what begins the prompt with a slash, and is no path.
pub(super) fn is_command(request: &Request, item: &Suggestion, prefix: &str) -> bool {
    let lead = request.before().strip_suffix(prefix).unwrap_or_default();
    let Position { line, .. } = request.cursor;
    line == 0 && prefix.starts_with('/') && lead.trim().is_empty() && !item.value.starts_with(['/', '"'])
}
