//! Conditions: data that asks about one invocation, one opaque part, or one file.

mod amount;
mod answer;
mod argv;
mod branch;
mod context;
mod git;
mod pattern;
mod place;
mod read;

pub(crate) use answer::{Answer, Evidence};
pub(crate) use context::{Context, Subject};
pub(crate) use pattern::{Pattern, escaped};
pub(crate) use read::facts;

use self::branch::BranchState;
use self::place::ViaKind;
use crate::arguments::Takes;
use crate::git::Effect;
use crate::invocation::RedirectKind;
pub(crate) use argv::Operands;
pub(crate) use place::Where;

/// A condition. What it is about something else than what it is asked about has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// All of these facts.
    Has(Vec<String>),
    /// Exactly these words.
    Argv(Vec<String>),
    /// Exactly through these wrappers, shells, files and machines.
    Route(Vec<ViaKind>),
    /// The words of the call with blanks between them.
    Line(Vec<Pattern>),
    /// The name of the program.
    Program(Vec<Pattern>),
    /// One of these options is given.
    Option(Vec<String>, Takes),
    /// Operands.
    Operands(Operands, Vec<Where>, Takes),
    /// The value of one of these options.
    Value(Vec<String>, Vec<Where>, Takes),
    /// The first operands are these words.
    Subcommand(Vec<Vec<Pattern>>, Takes),
    /// An argument at any place.
    Argument(Vec<Pattern>),
    /// There are this many words, the program among them.
    Words {
        at_least: usize,
    },
    /// The number of operands.
    Count {
        at_least: usize,
        at_most: Option<usize>,
        takes: Takes,
    },
    /// Variables of the environment that the command sets; by `None` that it unsets them.
    Variable(Vec<(Pattern, Option<Pattern>)>),
    /// Redirections.
    Redirect(Vec<RedirectKind>, Vec<Where>),
    /// Files that are or may be written, by redirections, by programs that do not only read, or by tools.
    Writes(Vec<Where>),
    /// Files that tools read.
    Reads(Vec<Where>),
    /// What it reads.
    Stdin(Vec<place::StdinKind>),
    /// Through what it runs.
    Via(Vec<ViaKind>),
    /// Where it runs.
    Directory(Vec<Where>),
    /// The tool of a file.
    Tool(Vec<Pattern>),
    /// What a call of git does.
    Effect(Vec<Effect>),
    /// The command of git.
    GitCommand(Vec<Pattern>),
    /// Where the head is.
    Branch(Vec<BranchState>),
    /// The branches of a remote that it changes.
    Target(Vec<BranchState>),
    /// The branches of the repository that it changes by name.
    Changes(Vec<BranchState>),
    /// It adds files that are ignored.
    StagesIgnored,
    /// A time in seconds that is longer than this: of the operands, or of these options.
    Seconds {
        more_than: f64,
        options: Vec<String>,
        takes: Takes,
    },
    /// What cannot be known, by these reasons; remote or not.
    Opaque {
        reasons: Vec<String>,
        is_remote: Option<bool>,
    },
}

impl Condition {
    /// What it says; `None` if it is about something else.
    pub(crate) fn ask(&self, context: &Context<'_>) -> Option<Answer> {
        match self {
            Self::All(conditions) => {
                let mut whole = Answer::Yes(Evidence::default());
                for condition in conditions {
                    whole = whole.and(condition.ask(context)?);
                    if whole == Answer::No {
                        break;
                    }
                }
                Some(whole)
            }
            Self::Any(conditions) => {
                conditions.iter().filter_map(|condition| condition.ask(context)).reduce(Answer::or)
            }
            Self::Not(condition) => condition.ask(context).map(Answer::negated),
            Self::Has(facts) => Some(Answer::when(facts.iter().all(|fact| is_there(context.world, fact)))),
            _ => match context.subject {
                Subject::Invocation(invocation) => self.ask_invocation(invocation, context),
                Subject::Opaque(opaque) => self.ask_opaque(opaque),
                Subject::File(file) => self.ask_file(file, context),
            },
        }
    }

    fn ask_invocation(&self, invocation: &crate::Invocation, context: &Context<'_>) -> Option<Answer> {
        Some(match self {
            Self::Argv(words) => argv::exactly(invocation, words),
            Self::Line(patterns) => argv::line(invocation, patterns),
            Self::Route(wanted) => place::route(invocation, wanted),
            Self::Program(patterns) => argv::program(invocation, patterns),
            Self::Option(names, takes) => argv::option(invocation, names, takes),
            Self::Operands(which, wanted, takes) => argv::operands(invocation, *which, wanted, takes, context),
            Self::Value(names, wanted, takes) => argv::value(invocation, names, wanted, takes, context),
            Self::Subcommand(wanted, takes) => argv::subcommand(invocation, wanted, takes),
            Self::Argument(patterns) => argv::argument(invocation, patterns),
            Self::Words { at_least } => argv::words(invocation, *at_least),
            Self::Count { at_least, at_most, takes } => argv::count(invocation, *at_least, *at_most, takes),
            Self::Variable(wanted) => argv::variable(invocation, wanted),
            Self::Redirect(kinds, wanted) => place::redirect(invocation, kinds, wanted, context),
            Self::Writes(wanted) => place::writes(invocation, wanted, context),
            Self::Stdin(wanted) => place::stdin(invocation, wanted),
            Self::Via(wanted) => place::via(&invocation.via, invocation.site, wanted),
            Self::Directory(wanted) => place::directory(invocation, wanted, context),
            Self::Effect(effects) => git::effect(invocation.git.as_ref()?, effects),
            Self::GitCommand(patterns) => git::command(invocation.git.as_ref()?, patterns, invocation.site),
            Self::Branch(states) => git::head(invocation.git.as_ref()?, states, context),
            Self::Target(states) => git::targets(invocation.git.as_ref()?, |usage| &usage.publishes, states, context),
            Self::Changes(states) => git::targets(invocation.git.as_ref()?, |usage| &usage.changes, states, context),
            Self::StagesIgnored => return git::ignored(invocation, context),
            Self::Seconds { more_than, options, takes } => amount::seconds(invocation, *more_than, options, takes),
            Self::Reads(wanted) => place::reads(invocation, wanted, context),
            Self::Tool(_) | Self::Opaque { .. } => return None,
            Self::All(_) | Self::Any(_) | Self::Not(_) | Self::Has(_) => return None,
        })
    }

    fn ask_opaque(&self, opaque: &crate::Opaque) -> Option<Answer> {
        match self {
            Self::Opaque { reasons, is_remote } => {
                let is_wanted = reasons.is_empty() || reasons.iter().any(|reason| reason == opaque.reason.name());
                let is_wanted = is_wanted && is_remote.is_none_or(|wanted| wanted == opaque.is_remote);
                let evidence = || Evidence::at(opaque.site).with("reason", opaque.reason.to_string());
                Some(Answer::of(is_wanted.into(), evidence))
            }
            Self::Via(wanted) => Some(place::via(&opaque.via, opaque.site, wanted)),
            _ => None,
        }
    }

    fn ask_file(&self, file: &crate::paths::FileUse, context: &Context<'_>) -> Option<Answer> {
        match self {
            Self::Writes(wanted) => Some(place::file(file, true, wanted, context)),
            Self::Reads(wanted) => Some(place::file(file, false, wanted, context)),
            Self::Tool(patterns) => Some(Answer::when(patterns.iter().any(|pattern| pattern.is_match(&file.tool)))),
            _ => None,
        }
    }
}

/// Whether something that rules depend on is there.
pub(crate) fn is_there(world: &dyn crate::World, what: &str) -> bool {
    match what.strip_prefix("program:") {
        Some(program) => world.program(program).is_some(),
        None => world.has(what),
    }
}
