//! What a script can run: a shell that follows every way at once, with what it does not know left open.

mod ansi_c;
mod arithmetic;
mod border;
mod braces;
mod builder;
mod builtin;
mod call;
mod code;
mod compound;
mod each;
mod effects;
mod external;
mod files;
mod limits;
mod lists;
mod names;
mod outcome;
mod output;
mod parameter;
mod parse;
mod pattern;
mod redirect;
mod shells;
mod simple;
mod starters;
mod state;
mod strings;
mod variables;
mod word;

use std::collections::HashSet;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use self::outcome::Outcome;
use self::parse::Parsed;
use self::state::{Dialect, State};
use crate::evaluation::{Evaluation, Opaque, Reason, Script, ScriptKind};
use crate::git::Repositories;
use crate::invocation::{Dir, Invocation, Stdin, Via};
use crate::site::{Site, Span};
use crate::text::{Source, Text};
use crate::world::World;

/// What a command of bash can do in a world.
///
/// It never fails: what is not understood is among [`Evaluation::opaque`]. It starts nothing, and reads only files that the
/// command runs as scripts. The time is bounded by a number of steps.
pub fn evaluate(command: &str, world: &dyn World) -> Evaluation {
    stacker::maybe_grow(limits::STACK, limits::STACK, || evaluated(command, world))
}

fn evaluated(command: &str, world: &dyn World) -> Evaluation {
    let mut shell = Shell {
        world,
        found: Evaluation::default(),
        seen: HashSet::new(),
        keys: RandomState::new(),
        steps: 0,
        is_exhausted: false,
        depth: 0,
    };
    let state = State {
        variables: Rc::default(),
        parameters: Some(Rc::default()),
        name: Text::unknown(Source::Local),
        functions: Rc::default(),
        exported: Rc::default(),
        readonly: Rc::default(),
        locals: None,
        doubts_functions: false,
        aliases: Rc::default(),
        directory: Dir::Known(world.directory().to_owned()),
        before: None,
        files: Rc::default(),
        repositories: Repositories::default(),
        stdin: Stdin::Inherited,
        is_elsewhere: false,
    };
    let context = Context { script: 0, parsed: None, dialect: Dialect::Bash, via: Vec::new(), site: Site::default() };
    shell.script(&Text::from(command), ScriptKind::Command, None, Rc::new(state), &context);
    shell.found
}

/// An evaluation while it runs.
struct Shell<'w> {
    world: &'w dyn World,
    found: Evaluation,
    /// What was found already, so that loops and ways that meet do not repeat it.
    seen: HashSet<u64>,
    keys: RandomState,
    steps: usize,
    /// Whether it was said that no steps are left.
    is_exhausted: bool,
    depth: usize,
}

/// Where in the scripts something stands, and through what it runs.
#[derive(Clone)]
struct Context {
    /// The script.
    script: usize,
    /// Its tree, for places.
    parsed: Option<Rc<Parsed>>,
    dialect: Dialect,
    via: Vec<Via>,
    /// The command that runs it.
    site: Site,
}

impl Context {
    /// The same place, reached through one thing more.
    fn through(&self, via: Via) -> Self {
        let mut new = self.clone();
        if new.via.last() != Some(&via) {
            new.via.push(via);
        }
        new
    }

    /// A range of characters of the script.
    fn site(&self, start: usize, end: usize) -> Site {
        let span = self.parsed.as_ref().map_or(Span { start, end }, |parsed| parsed.span(start, end));
        Site { script: self.script, span }
    }
}

impl Shell<'_> {
    /// Counts a step. `false` when there are none left: what was found then says so, and nothing more is looked at.
    fn step(&mut self, context: &Context) -> bool {
        self.steps += 1;
        let has_steps = self.steps < limits::STEPS;
        if !has_steps && !self.is_exhausted {
            self.is_exhausted = true;
            self.opaque(Reason::TooManySteps, context.site, false, context);
        }
        has_steps
    }

    /// Notes something that cannot be known.
    fn opaque(&mut self, reason: Reason, site: Site, is_remote: bool, context: &Context) {
        let new = Opaque { reason, site, is_remote, via: context.via.clone() };
        if !self.found.opaque.contains(&new) {
            self.found.opaque.push(new);
        }
    }

    /// Notes a program.
    fn note(&mut self, invocation: Invocation) {
        let Invocation { argv, environment, directory, redirects, stdin, site, via, git } = &invocation;
        let mut key = self.keys.build_hasher();
        (argv, environment, directory, redirects, stdin, site, via).hash(&mut key);
        if let Some(git) = git {
            format!("{git:?}").hash(&mut key);
        }
        if self.seen.insert(key.finish()) {
            self.found.invocations.push(invocation);
        }
    }

    /// Runs a text as a script.
    fn script(
        &mut self,
        text: &Text,
        kind: ScriptKind,
        parent: Option<Site>,
        state: Rc<State>,
        context: &Context,
    ) -> Outcome {
        if !self.step(context) {
            return Outcome::either(&state, Text::unknown(Source::Local));
        }
        let site = parent.unwrap_or_default();
        let Some(known) = text.known() else {
            let shell = context.via.last().map_or_else(|| "the shell".to_owned(), names::of_via);
            self.opaque(Reason::Script { shell }, site, text.is_remote(), context);
            return Outcome::either(&state, Text::unknown(Source::Local));
        };
        let script = self.found.scripts.len();
        self.found.scripts.push(Script { kind, text: Arc::from(known), parent });
        let whole = Site { script, span: Span { start: 0, end: known.len() } };
        let parsed = match parse::script(known) {
            Ok(parsed) => Rc::new(parsed),
            Err(reason) => {
                self.opaque(reason, whole, false, context);
                return Outcome::either(&state, Text::unknown(Source::Local));
            }
        };
        if self.depth >= limits::DEPTH {
            self.opaque(Reason::TooDeep { limit: limits::DEPTH }, whole, false, context);
            return Outcome::either(&state, Text::unknown(Source::Local));
        }
        self.depth += 1;
        let inner = Context { script, parsed: Some(Rc::clone(&parsed)), site: whole, ..context.clone() };
        let mut outcome = Outcome::success(state, Text::default());
        for list in &parsed.program.complete_commands {
            outcome = self.then(outcome, &inner, |shell, state| shell.list(list, state, &inner));
        }
        self.depth -= 1;
        outcome
    }

    /// Runs something wherever a script may be, whether the last command succeeded or not.
    fn then(
        &mut self,
        before: Outcome,
        _context: &Context,
        mut run: impl FnMut(&mut Self, Rc<State>) -> Outcome,
    ) -> Outcome {
        let output = before.output.clone();
        let mut sum = Outcome::nothing();
        for state in before.all() {
            sum = sum.or(run(self, state));
        }
        sum.output = state::concatenated(&output, &sum.output);
        sum
    }

    /// A path that a word names in a state; `None` if it is not known.
    fn path(&self, state: &State, text: &str) -> Option<PathBuf> {
        let path = std::path::Path::new(text);
        if path.is_absolute() {
            return Some(files::normal(path));
        }
        state.directory.known().map(|directory| files::normal(&directory.join(path)))
    }
}
