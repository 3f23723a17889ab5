//! Reading conditions.

use super::Condition;
use super::argv::Operands;
use super::branch::STATES;
use super::pattern::Pattern;
use super::place::{StdinKind, VIA, ViaKind, Where};
use crate::arguments::Takes;
use crate::evaluation::Reason;
use crate::git::Effect;
use crate::invocation::RedirectKind;
use crate::paths::{classes, named};
use crate::rules::document::{Field, Node, Value};
use crate::rules::document::{one_of, strings};
use crate::rules::problem::{Fault, unknown};

type Reader = fn(&Field, &Takes) -> Result<Condition, Fault>;

/// The keys of a condition.
const KEYS: &[(&str, Reader)] = &[
    ("all", |field, takes| Ok(Condition::All(conditions(field, takes)?))),
    ("any", |field, takes| Ok(Condition::Any(conditions(field, takes)?))),
    ("not", |field, takes| Ok(Condition::Not(Box::new(Condition::read(&field.node, takes)?)))),
    ("has", |field, _| Ok(Condition::Has(facts(&field.node)?))),
    ("argv", |field, _| Ok(Condition::Argv(command(&field.node)?))),
    ("route", |field, _| {
        Ok(Condition::Route(field.node.list("\"route\"")?.iter().map(via).collect::<Result<_, _>>()?))
    }),
    ("program", |field, _| Ok(Condition::Program(words(field)?))),
    ("option", |field, takes| Ok(Condition::Option(options(&field.node)?, takes.clone()))),
    ("operand", |field, takes| Ok(Condition::Operands(Operands::Some, wheres(&field.node)?, takes.clone()))),
    ("operands", |field, takes| Ok(Condition::Operands(Operands::All, wheres(&field.node)?, takes.clone()))),
    ("value", value),
    ("subcommand", subcommand),
    ("argument", |field, _| Ok(Condition::Argument(words(field)?))),
    ("count", count),
    ("words", words_count),
    ("variable", variable),
    ("redirect", redirect),
    ("writes", |field, _| Ok(Condition::Writes(wheres(&field.node)?))),
    ("reads", |field, _| Ok(Condition::Reads(wheres(&field.node)?))),
    ("stdin", |field, _| Ok(Condition::Stdin(each(field, |node| one_of(node, "stdin", STDIN))?))),
    ("via", |field, _| Ok(Condition::Via(each(field, via)?))),
    ("directory", |field, _| Ok(Condition::Directory(wheres(&field.node)?))),
    ("tool", |field, _| Ok(Condition::Tool(words(field)?))),
    ("effect", |field, _| Ok(Condition::Effect(each(field, |node| one_of(node, "effect", EFFECTS))?))),
    ("git-command", |field, _| Ok(Condition::GitCommand(words(field)?))),
    ("branch", |field, _| Ok(Condition::Branch(each(field, |node| one_of(node, "state of a branch", STATES))?))),
    ("target", |field, _| Ok(Condition::Target(each(field, |node| one_of(node, "state of a branch", STATES))?))),
    ("changes", |field, _| Ok(Condition::Changes(each(field, |node| one_of(node, "state of a branch", STATES))?))),
    ("stages-ignored", stages_ignored),
    ("seconds", seconds),
    ("opaque", opaque),
];

/// Says which options take a value, for the conditions beside it and in it.
const TAKES: &str = "takes-value";

const STDIN: &[(&str, StdinKind)] = &[
    ("text", StdinKind::Text),
    ("unknown", StdinKind::Unknown),
    ("remote", StdinKind::Remote),
    ("inherited", StdinKind::Inherited),
];

const REDIRECTS: &[(&str, RedirectKind)] = &[
    ("read", RedirectKind::Read),
    ("write", RedirectKind::Write),
    ("append", RedirectKind::Append),
    ("read-write", RedirectKind::ReadWrite),
];

const EFFECTS: &[(&str, Effect)] = &[
    ("stages", Effect::Stages),
    ("stages-all", Effect::StagesAll),
    ("stages-ignored", Effect::StagesIgnored),
    ("commits", Effect::Commits),
    ("rewrites", Effect::Rewrites),
    ("publishes", Effect::Publishes),
    ("force-publishes", Effect::ForcePublishes),
    ("merges-published", Effect::MergesPublished),
    ("discards", Effect::Discards),
    ("deletes-reference", Effect::DeletesReference),
    ("moves-head", Effect::MovesHead),
    ("creates-branch", Effect::CreatesBranch),
    ("configures", Effect::Configures),
    ("bypasses-hooks", Effect::BypassesHooks),
    ("runs-code", Effect::RunsCode),
];

/// Facts that are there by their first part.
const FACTS: &[&str] = &["program:", "agent:", "module:", "setting:", "session:", "container", "ui", "child"];

impl Condition {
    /// Reads a condition: an object, all keys of which have to hold. Options that take a value are inherited.
    pub(crate) fn read(node: &Node, takes: &Takes) -> Result<Self, Fault> {
        let fields = node.object("a condition")?;
        let takes = match fields.iter().find(|field| field.key == TAKES) {
            Some(field) => Takes::new(options(&field.node)?),
            None => takes.clone(),
        };
        let mut conditions = Vec::new();
        for field in fields.iter().filter(|field| field.key != TAKES) {
            let reader = KEYS.iter().find(|(key, _)| *key == field.key).map(|(_, reader)| reader);
            let known = KEYS.iter().map(|(key, _)| *key).chain([TAKES]);
            let reader = reader.ok_or_else(|| Fault::new(field.at, unknown("condition", &field.key, known)))?;
            conditions.push(reader(field, &takes)?);
        }
        match conditions.len() {
            0 => Err(node.fault("a condition must not be empty")),
            1 => Ok(conditions.remove(0)),
            _ => Ok(Self::All(conditions)),
        }
    }
}

/// Facts: `container`, `program:uv`.
pub(crate) fn facts(node: &Node) -> Result<Vec<String>, Fault> {
    for item in node.one_or_more("a fact")? {
        let name = item.text("a fact")?;
        let is_known = FACTS.iter().any(|fact| match fact.strip_suffix(':') {
            Some(_) => name.strip_prefix(fact).is_some_and(|rest| !rest.is_empty()),
            None => name == *fact,
        });
        if !is_known {
            return Err(item.fault(unknown("fact", name, FACTS.iter().copied())));
        }
    }
    strings(node, "a fact")
}

fn each<T>(field: &Field, read: impl Fn(&Node) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    field.node.one_or_more(&format!("\"{}\"", field.key))?.iter().map(read).collect()
}

fn conditions(field: &Field, takes: &Takes) -> Result<Vec<Condition>, Fault> {
    let items = field.node.list(&format!("\"{}\"", field.key))?;
    if items.is_empty() {
        return Err(field.node.fault(format!("\"{}\" must not be an empty list", field.key)));
    }
    items.iter().map(|item| Condition::read(item, takes)).collect()
}

/// A whole command: one text would be one word, which is hardly ever meant.
fn command(node: &Node) -> Result<Vec<String>, Fault> {
    let items = node.list("\"argv\"")?;
    items.iter().map(|item| item.text("a word of \"argv\"").map(str::to_owned)).collect()
}

fn words(field: &Field) -> Result<Vec<Pattern>, Fault> {
    each(field, Pattern::word)
}

fn options(node: &Node) -> Result<Vec<String>, Fault> {
    for item in node.one_or_more("options")? {
        let name = item.text("an option")?;
        if name.len() < 2 || !name.starts_with('-') || name == "--" || name.contains(['=', ' ']) {
            return Err(
                item.fault(format!("\"{name}\" is not an option; write it with its dashes, as -r or --recursive"))
            );
        }
    }
    strings(node, "options")
}

/// Words, `path:…` and `class:…`.
fn wheres(node: &Node) -> Result<Vec<Where>, Fault> {
    let one = |item: &Node| {
        let text = item.text("a pattern")?;
        if let Some(name) = text.strip_prefix("class:") {
            let class = named(name)
                .ok_or_else(|| item.fault(unknown("class of paths", name, classes().iter().map(|class| class.name))))?;
            return Ok(Where::Class(class));
        }
        let Some(path) = text.strip_prefix("path:") else { return Pattern::word(item).map(Where::Word) };
        if !path.starts_with(['/', '~']) && !path.starts_with("**/") {
            return Err(item.fault("a path must begin with /, ~/ or **/"));
        }
        let path = Node { span: item.span, value: Value::Text(path.to_owned()) };
        Pattern::path(&path).map(Where::Path)
    };
    node.one_or_more("patterns")?.iter().map(one).collect()
}

/// The keys of an object, none of which is unknown.
fn object<'a>(field: &'a Field, keys: &[&str]) -> Result<Vec<Option<&'a Field>>, Fault> {
    let fields = field.node.object(&format!("\"{}\"", field.key))?;
    if let Some(other) = fields.iter().find(|field| !keys.contains(&field.key.as_str())) {
        return Err(Fault::new(
            other.at,
            unknown(&format!("key of \"{}\"", field.key), &other.key, keys.iter().copied()),
        ));
    }
    Ok(keys.iter().map(|key| fields.iter().find(|field| field.key == *key)).collect())
}

fn need<'a>(field: &'a Field, found: Option<Option<&'a Field>>, key: &str) -> Result<&'a Field, Fault> {
    found.flatten().ok_or_else(|| field.node.fault(format!("\"{}\" needs the key \"{key}\"", field.key)))
}

fn value(field: &Field, takes: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["of", "is"])?;
    let of = options(&need(field, keys.first().copied(), "of")?.node)?;
    let is = wheres(&need(field, keys.get(1).copied(), "is")?.node)?;
    Ok(Condition::Value(of, is, takes.clone()))
}

fn subcommand(field: &Field, takes: &Takes) -> Result<Condition, Fault> {
    let one = |node: &Node| {
        let text = node.text("a subcommand")?;
        let word = |word: &str| Pattern::word(&Node { span: node.span, value: Value::Text(word.to_owned()) });
        let words: Vec<Pattern> = text.split_whitespace().map(word).collect::<Result<_, _>>()?;
        if words.is_empty() { Err(node.fault("a subcommand must not be empty")) } else { Ok(words) }
    };
    Ok(Condition::Subcommand(each(field, one)?, takes.clone()))
}

fn whole(field: &Field) -> Result<usize, Fault> {
    let number = field.node.number(&format!("\"{}\"", field.key))?;
    if number.fract() != 0.0 || number > 1e6 {
        return Err(field.node.fault(format!("\"{}\" must be a whole number", field.key)));
    }
    Ok(number as usize)
}

fn count(field: &Field, takes: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["at-least", "at-most"])?;
    let number = |at: usize| keys.get(at).copied().flatten().map(whole).transpose();
    let (at_least, at_most) = (number(0)?, number(1)?);
    if at_least.is_none() && at_most.is_none() {
        return Err(field.node.fault("\"count\" needs the key \"at-least\" or \"at-most\""));
    }
    Ok(Condition::Count { at_least: at_least.unwrap_or(0), at_most, takes: takes.clone() })
}

fn words_count(field: &Field, _: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["at-least"])?;
    let Some(least) = keys.first().copied().flatten() else {
        return Err(field.node.fault("\"words\" needs the key \"at-least\""));
    };
    Ok(Condition::Words { at_least: whole(least)? })
}

fn variable(field: &Field, _: &Takes) -> Result<Condition, Fault> {
    let mut wanted = Vec::new();
    for variable in field.node.object("\"variable\"")? {
        let name = Pattern::new(&variable.key, false);
        let name = name
            .map_err(|why| Fault::new(variable.at, format!("the pattern \"{}\" is not valid: {why}", variable.key)))?;
        let value = match variable.node.value {
            Value::Null => None,
            _ => Some(Pattern::word(&variable.node)?),
        };
        wanted.push((name, value));
    }
    if wanted.is_empty() {
        Err(field.node.fault("\"variable\" must not be empty"))
    } else {
        Ok(Condition::Variable(wanted))
    }
}

fn redirect(field: &Field, _: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["kind", "to"])?;
    let kinds = match keys.first().copied().flatten() {
        Some(kinds) => each(kinds, |node| one_of(node, "kind of redirection", REDIRECTS))?,
        None => REDIRECTS.iter().map(|(_, kind)| *kind).filter(|kind| *kind != RedirectKind::Read).collect(),
    };
    Ok(Condition::Redirect(kinds, wheres(&need(field, keys.get(1).copied(), "to")?.node)?))
}

fn via(node: &Node) -> Result<ViaKind, Fault> {
    let text = node.text("a way")?;
    let (kind, name) = text.split_once(':').map_or((text, None), |(kind, name)| (kind, Some(name)));
    let kind = one_of(&Node { span: node.span, value: Value::Text(kind.to_owned()) }, "way", VIA)?;
    let name = name.map(|name| Pattern::word(&Node { span: node.span, value: Value::Text(name.to_owned()) }));
    Ok(ViaKind { kind, name: name.transpose()? })
}

fn stages_ignored(field: &Field, _: &Takes) -> Result<Condition, Fault> {
    let wanted = field.node.bool("\"stages-ignored\"")?;
    Ok(if wanted { Condition::StagesIgnored } else { Condition::Not(Box::new(Condition::StagesIgnored)) })
}

fn seconds(field: &Field, takes: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["more-than", "of"])?;
    let limit = need(field, keys.first().copied(), "more-than")?;
    let of = keys.get(1).copied().flatten().map(|of| options(&of.node)).transpose()?.unwrap_or_default();
    let takes = if of.is_empty() { takes.clone() } else { Takes::new(of.clone()) };
    Ok(Condition::Seconds { more_than: limit.node.number("\"more-than\"")?, options: of, takes })
}

fn opaque(field: &Field, _: &Takes) -> Result<Condition, Fault> {
    let keys = object(field, &["reason", "remote"])?;
    let names: Vec<(&str, &str)> = Reason::NAMES.iter().map(|name| (*name, *name)).collect();
    let reasons = match keys.first().copied().flatten() {
        Some(reasons) => each(reasons, |node| one_of(node, "reason", &names).map(str::to_owned))?,
        None => Vec::new(),
    };
    let is_remote = keys.get(1).copied().flatten().map(|remote| remote.node.bool("\"remote\"")).transpose()?;
    Ok(Condition::Opaque { reasons, is_remote })
}
