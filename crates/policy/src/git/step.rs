//! One call of git, and what it leaves.

use crate::argument::Arg;
use crate::evaluation::Reason;
use crate::invocation::Invocation;
use crate::site::Site;
use crate::text::Text;
use crate::world::World;

use super::commands::{self, Failure, Outcome, Work};
use super::commands::{hooks, runs};
use super::globals::Globals;
use super::options::Parsed;
use super::place::{Located, locate};
use super::program::{self, Program};
use super::settings::Settings;
use super::state::Repositories;
use super::words::quoted;
use super::{Effect, GitUse, alias, forge};

/// How many aliases may stand for each other.
const LONGEST_CHAIN: usize = 10;

/// What a call does, and what it leaves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Step {
    /// What it does.
    pub(crate) usage: GitUse,
    /// What is left when it succeeds.
    pub(crate) succeeded: Repositories,
    /// What is left when it fails; `None` if it cannot fail as far as anyone can tell.
    pub(crate) failed: Option<Repositories>,
    /// What it runs.
    pub(crate) runs: Vec<Runs>,
    /// Why something of it cannot be known.
    pub(crate) opaque: Option<Reason>,
}

/// Something that git runs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Runs {
    /// A text for a shell.
    Shell {
        /// The text.
        text: Text,
        /// The argument it comes from.
        site: Site,
    },
    /// A program with its arguments.
    Program(Vec<Arg>),
}

/// What a call does; `None` when it has nothing to do with git.
pub(crate) fn step(invocation: &Invocation, repositories: &Repositories, world: &dyn World) -> Option<Step> {
    let context = Context { invocation, state: repositories, world };
    Some(match program::of(invocation)? {
        Program::Git { arguments, is_hub } => context.git(Globals::new(arguments), is_hub),
        Program::Command { name, site, arguments } => {
            let command = Arg { text: Text::new(name), is_many: false, site, is_exact: false };
            let globals = Globals { command: Some(command), arguments: arguments.to_vec(), ..Globals::default() };
            context.git(globals, false)
        }
        Program::Forge(arguments) => context.forge(arguments),
    })
}

/// What a call is judged by.
struct Context<'a> {
    invocation: &'a Invocation,
    state: &'a Repositories,
    world: &'a dyn World,
}

/// What a word stands for.
enum Meaning {
    Command(&'static str),
    /// A text for a shell.
    Shell(Text),
    /// A program of another maker, `git-` before its name.
    Other(String),
    /// Nothing that can be known.
    Unknown,
    /// Git only answers.
    Nothing,
}

impl Context<'_> {
    fn locate(&self, globals: &Globals) -> (Located, Settings) {
        let located = locate(self.invocation, globals, self.state, self.world);
        let settings = Settings::new(self.invocation, globals, &located, self.state, self.world);
        (located, settings)
    }

    fn git(&self, mut globals: Globals, is_hub: bool) -> Step {
        let (mut located, mut settings) = self.locate(&globals);
        let mut meaning = Meaning::Unknown;
        let mut seen: Vec<String> = Vec::new();
        while seen.len() < LONGEST_CHAIN {
            let found = self.meaning(&globals, &settings, &located, is_hub);
            match found {
                Ok(found) => {
                    meaning = found;
                    break;
                }
                // An alias, which may name another one and have options of git itself.
                Err((name, more)) if !seen.contains(&name) => {
                    seen.push(name);
                    globals = more;
                    (located, settings) = self.locate(&globals);
                }
                // Git refuses a loop.
                Err(_) => {
                    meaning = Meaning::Nothing;
                    break;
                }
            }
        }
        self.finish(&globals, &located, &settings, meaning)
    }

    /// What the command is, or the name of an alias with what it stands for.
    fn meaning(
        &self,
        globals: &Globals,
        settings: &Settings,
        located: &Located,
        is_hub: bool,
    ) -> Result<Meaning, (String, Globals)> {
        let Some(command) = &globals.command else { return Ok(Meaning::Nothing) };
        let Some(name) = command.known().filter(|_| !globals.is_unknown) else { return Ok(Meaning::Unknown) };
        if let Some(name) = commands::canonical(name) {
            return Ok(Meaning::Command(name));
        }
        match settings.get(&format!("alias.{name}")) {
            Some(text) => {
                let Some(text) = text.known() else { return Ok(Meaning::Unknown) };
                if let Some(text) = text.strip_prefix('!') {
                    return Ok(Meaning::Shell(self.shell(text, globals, located)));
                }
                let Some(words) = alias::words(text, command.site) else { return Ok(Meaning::Nothing) };
                let mut more = Globals::new(&[words, globals.arguments.clone()].concat());
                more.options = [globals.options.clone(), more.options].concat();
                Err((name.to_owned(), more))
            }
            None if is_hub || settings.is_unknown || self.invocation.is_elsewhere() => Ok(Meaning::Unknown),
            // The alias of a repository that is not known.
            None if located.directory.known().is_none() || located.reason.is_some() => Ok(Meaning::Unknown),
            None => Ok(self.other(name, settings)),
        }
    }

    fn other(&self, name: &str, settings: &Settings) -> Meaning {
        let program = format!("git-{name}");
        if self.world.program(&program).is_some() || self.invocation.variable("PATH").is_some() {
            return Meaning::Other(program);
        }
        // Git takes a word with a slip for the command that it is closest to.
        let corrects = settings.get("help.autocorrect");
        let is_off =
            |value: &Text| matches!(value.known(), Some("0" | "never" | "false" | "no" | "off" | "show" | "prompt"));
        if corrects.is_some_and(|value| !is_off(&value)) { Meaning::Unknown } else { Meaning::Nothing }
    }

    /// The text of an alias for a shell, which runs in the root of the work tree.
    fn shell(&self, text: &str, globals: &Globals, located: &Located) -> Text {
        let mut script = Text::default();
        if let Some(root) = located.work_tree().filter(|root| self.invocation.directory.known() != Some(*root)) {
            script.append(&Text::new("cd "));
            script.append(&quoted(&Text::new(root.to_string_lossy())));
            script.append(&Text::new(" && "));
        }
        script.append(&commands::with_arguments(&Text::new(text), &globals.arguments));
        script
    }

    fn finish(&self, globals: &Globals, located: &Located, settings: &Settings, meaning: Meaning) -> Step {
        let site = globals.command.as_ref().map_or(self.invocation.site, |command| command.site);
        let heads = located.heads(self.state, self.world);
        let mut work = Work {
            invocation: self.invocation,
            world: self.world,
            state: self.state,
            located,
            settings,
            name: "",
            site,
            parsed: Parsed::default(),
            arguments: &globals.arguments,
            heads,
            outcome: Outcome::new(self.state),
        };
        let mut command = None;
        match meaning {
            Meaning::Command(name) => {
                command = Some(name.to_owned());
                work.name = name;
                if let Some(row) = commands::row(name) {
                    work.parsed = Parsed::new(&globals.arguments, row.options, row.end);
                    work.run(row);
                    hooks::look(&mut work);
                }
                if settings.is_unknown {
                    work.unknown();
                }
                runs::look(&mut work);
                // Commands may come from that folder.
                if let Some(given) = globals.last("exec-path") {
                    work.effect(Effect::RunsCode, given.site);
                    work.unknown();
                }
            }
            Meaning::Shell(text) => {
                command = globals.command.as_ref().map(|command| command.text.shown());
                work.shell(text, site);
            }
            Meaning::Other(program) => {
                command = globals.command.as_ref().map(|command| command.text.shown());
                let first = Arg { text: Text::new(program), is_many: false, site, is_exact: false };
                work.program([vec![first], globals.arguments.clone()].concat());
                hooks::look(&mut work);
                runs::look(&mut work);
            }
            Meaning::Unknown => {
                hooks::look(&mut work);
                runs::look(&mut work);
                let shown = globals.command.as_ref().map(|command| command.text.shown());
                work.outcome.unknown(shown.as_deref().unwrap_or_default());
            }
            Meaning::Nothing => command = globals.command.as_ref().and_then(Arg::known).map(str::to_owned),
        }
        let place = commands::place(work.name, &located.place);
        let changes = commands::row(work.name).is_some();
        if changes && let Some(reason) = &located.reason {
            work.outcome.opaque = Some(reason.clone());
        }
        let Work { outcome, heads, .. } = work;
        self.made(outcome, GitUse { command, place, heads, ..GitUse::default() })
    }

    fn forge(&self, arguments: &[Arg]) -> Step {
        let (located, _) = self.locate(&Globals::default());
        let mut outcome = Outcome::new(self.state);
        let heads = located.heads(self.state, self.world);
        let site = self.invocation.site;
        let command = forge::look(arguments, site, &located, &mut outcome);
        let usage = GitUse { command, place: located.place.clone(), heads, ..GitUse::default() };
        self.made(outcome, usage)
    }

    fn made(&self, outcome: Outcome, usage: GitUse) -> Step {
        let Outcome { effects, stages, publishes, changes, runs, opaque, after, failure } = outcome;
        let failed = match failure {
            Failure::Unchanged => Some(self.state.clone()),
            Failure::Never => None,
            Failure::State(state) => Some(state),
        };
        let usage = GitUse { effects, stages, publishes, changes, ..usage };
        Step { usage, succeeded: after, failed, runs, opaque }
    }
}
