//! `$x`, `${x…}` and what variables are.

use super::state::{Field, State, Value, unknown_of};
use super::strings::{replaced, substring, trimmed};
use super::word::joined;
use super::{Context, Shell};
use crate::text::{Source, Text};
use brush_parser::word::{Parameter, ParameterExpr, ParameterTestType, ParameterTransformOp, SpecialParameter};

/// Variables that the shell itself sets, and whose value nobody knows before.
const OWN: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "BASHPID",
    "PPID",
    "UID",
    "EUID",
    "GROUPS",
    "HOSTNAME",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "REPLY",
    "PIPESTATUS",
    "FUNCNAME",
    "HISTCMD",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "OPTARG",
    "OPTIND",
    "COLUMNS",
    "LINES",
    "DIRSTACK",
    "SHELLOPTS",
    "BASHOPTS",
    "SHLVL",
    "_",
    "MAPFILE",
    "COPROC",
    "BASH",
];

impl Shell<'_> {
    /// A variable as a string; `None` if it is not set.
    pub(super) fn variable(&self, state: &State, name: &str) -> Option<Text> {
        if let Some(variable) = state.variables.get(name) {
            return match &variable.value {
                Value::Unset => None,
                Value::One(text) => Some(text.clone()),
                Value::Array(Some(all)) => all.first().cloned(),
                Value::Array(None) => Some(Text::unknown(Source::Local)),
            };
        }
        if name == "PWD" {
            let directory = state.directory.known().and_then(std::path::Path::to_str);
            return Some(directory.map_or_else(|| Text::unknown(Source::Local), Text::from));
        }
        if state.is_elsewhere || OWN.contains(&name) || name.starts_with("BASH_") || name.starts_with("COMP_") {
            return Some(Text::unknown(Source::Local));
        }
        self.world.variable(name).map(Text::new)
    }

    /// A text that the shell expands once more: a prompt, the index of an array. What is in it runs.
    pub(super) fn again(&mut self, state: &mut State, text: &Text, context: &Context) -> Text {
        match text.known() {
            Some(known) if known.contains(['$', '`']) => {
                self.string_of(state, known, context);
                Text::unknown(Source::Local)
            }
            _ => text.clone(),
        }
    }

    /// Whether the session has a variable, so that a program gets what a script makes of it.
    pub(super) fn is_inherited(&self, name: &str) -> bool {
        self.world.variable(name).is_some()
    }

    /// The characters that words are split by; `None` if they are unknown.
    pub(super) fn separators(&self, state: &State) -> Option<String> {
        match state.variables.get("IFS").map(|variable| &variable.value) {
            None | Some(Value::Unset) => Some(" \t\n".to_owned()),
            Some(Value::One(text)) => text.known().map(str::to_owned),
            Some(Value::Array(_)) => None,
        }
    }

    /// `"$@"`
    pub(super) fn parameters(&self, state: &State) -> Vec<Field> {
        match &state.parameters {
            Some(all) => all.iter().cloned().map(Field::new).collect(),
            None => vec![Field { is_many: true, ..Field::new(Text::unknown(Source::Local)) }],
        }
    }

    /// The values of a parameter: one, or those of a list. Empty if it is not set.
    fn values(&mut self, state: &State, parameter: &Parameter, context: &Context) -> Vec<Field> {
        let one = |text: Text| vec![Field::new(text)];
        let unknown = || one(Text::unknown(Source::Local));
        match parameter {
            Parameter::Positional(0) => one(state.name.clone()),
            Parameter::Positional(number) => match &state.parameters {
                None => unknown(),
                Some(all) => {
                    let index = usize::try_from(*number).unwrap_or(usize::MAX).saturating_sub(1);
                    all.get(index).cloned().map(Field::new).into_iter().collect()
                }
            },
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => self.parameters(state),
            Parameter::Special(SpecialParameter::PositionalParameterCount) => match &state.parameters {
                Some(all) => one(Text::new(all.len().to_string())),
                None => unknown(),
            },
            Parameter::Special(SpecialParameter::ShellName) => one(state.name.clone()),
            Parameter::Special(_) => unknown(),
            Parameter::Named(name) => self.variable(state, name).map(Field::new).into_iter().collect(),
            Parameter::NamedWithIndex { name, index } => match state.variables.get(name).map(|known| &known.value) {
                _ if index.contains(['$', '`']) => {
                    self.string_of(&mut state.clone(), index, context);
                    unknown()
                }
                Some(Value::Array(Some(all))) => match index.parse::<usize>() {
                    Ok(index) => all.get(index).cloned().map(Field::new).into_iter().collect(),
                    Err(_) => one(unknown_of(&all.iter().collect::<Vec<_>>())),
                },
                Some(Value::One(text)) if index == "0" => one(text.clone()),
                Some(Value::Unset) => Vec::new(),
                _ => unknown(),
            },
            Parameter::NamedWithAllIndices { name, .. } => match state.variables.get(name).map(|known| &known.value) {
                Some(Value::Array(Some(all))) => all.iter().cloned().map(Field::new).collect(),
                Some(Value::Array(None)) => vec![Field { is_many: true, ..Field::new(Text::unknown(Source::Local)) }],
                _ => self.variable(state, name).map(Field::new).into_iter().collect(),
            },
        }
    }

    /// What an expansion becomes.
    pub(super) fn parameter(
        &mut self,
        state: &mut State,
        expression: &ParameterExpr,
        is_quoted: bool,
        context: &Context,
    ) -> Vec<Field> {
        use ParameterExpr as E;
        match expression {
            E::Parameter { parameter, indirect } => {
                let values = self.indirect(state, parameter, *indirect, context);
                if concatenates(parameter) && is_quoted {
                    vec![Field { is_many: false, ..Field::new(joined(values.iter().map(|field| &field.text), " ")) }]
                } else {
                    values
                }
            }
            E::UseDefaultValues { parameter, indirect, test_type, default_value } => {
                self.or_else(state, (parameter, *indirect, test_type), default_value.as_deref(), false, context)
            }
            E::AssignDefaultValues { parameter, indirect, test_type, default_value } => {
                self.or_else(state, (parameter, *indirect, test_type), default_value.as_deref(), true, context)
            }
            E::IndicateErrorIfNullOrUnset { parameter, indirect, .. } => {
                self.indirect(state, parameter, *indirect, context)
            }
            E::UseAlternativeValue { parameter, indirect, test_type, alternative_value } => {
                let values = self.indirect(state, parameter, *indirect, context);
                let alternative = self.word_of(state, alternative_value.as_deref(), context);
                match is_set(&values, test_type) {
                    Some(true) => vec![Field::new(alternative)],
                    Some(false) => Vec::new(),
                    None => vec![Field::new(unknown_of(&[&alternative]))],
                }
            }
            E::ParameterLength { parameter, indirect } => {
                let values = self.indirect(state, parameter, *indirect, context);
                let length = match values.as_slice() {
                    _ if is_list(parameter) && values.iter().all(|field| !field.is_many) => Some(values.len()),
                    [] => Some(0),
                    [one] => one.text.known().map(|text| text.chars().count()),
                    _ => None,
                };
                vec![Field::new(
                    length.map_or_else(|| Text::unknown(Source::Local), |length| Text::new(length.to_string())),
                )]
            }
            E::RemoveSmallestSuffixPattern { parameter, indirect, pattern } => {
                self.changed(state, (parameter, *indirect), pattern.as_deref(), context, |text, pattern| {
                    trimmed(text, pattern, false, false)
                })
            }
            E::RemoveLargestSuffixPattern { parameter, indirect, pattern } => {
                self.changed(state, (parameter, *indirect), pattern.as_deref(), context, |text, pattern| {
                    trimmed(text, pattern, false, true)
                })
            }
            E::RemoveSmallestPrefixPattern { parameter, indirect, pattern } => {
                self.changed(state, (parameter, *indirect), pattern.as_deref(), context, |text, pattern| {
                    trimmed(text, pattern, true, false)
                })
            }
            E::RemoveLargestPrefixPattern { parameter, indirect, pattern } => {
                self.changed(state, (parameter, *indirect), pattern.as_deref(), context, |text, pattern| {
                    trimmed(text, pattern, true, true)
                })
            }
            E::Substring { parameter, offset, length, .. } if is_list(parameter) => {
                // A part of a list.
                self.arithmetic(state, &offset.value, context);
                if let Some(length) = length {
                    self.arithmetic(state, &length.value, context);
                }
                vec![Field { is_many: true, ..Field::new(Text::unknown(Source::Local)) }]
            }
            E::Substring { parameter, indirect, offset, length } => {
                let offset = self.arithmetic(state, &offset.value, context);
                let length = length.as_ref().map(|length| self.arithmetic(state, &length.value, context));
                self.changed(state, (parameter, *indirect), None, context, |text, _| substring(text, offset?, length))
            }
            E::UppercasePattern { parameter, indirect, pattern }
            | E::LowercasePattern { parameter, indirect, pattern }
                if pattern.as_deref().is_none_or(str::is_empty) =>
            {
                let is_upper = matches!(expression, E::UppercasePattern { .. });
                self.changed(state, (parameter, *indirect), None, context, |text, _| {
                    Some(if is_upper { text.to_uppercase() } else { text.to_lowercase() })
                })
            }
            E::Transform { parameter, indirect, op: ParameterTransformOp::ToUpperCase } => {
                self.changed(state, (parameter, *indirect), None, context, |text, _| Some(text.to_uppercase()))
            }
            E::Transform { parameter, indirect, op: ParameterTransformOp::ToLowerCase } => {
                self.changed(state, (parameter, *indirect), None, context, |text, _| Some(text.to_lowercase()))
            }
            E::Transform { parameter, indirect, op: ParameterTransformOp::PromptExpand } => {
                let mut values = self.indirect(state, parameter, *indirect, context);
                for value in &mut values {
                    value.text = self.again(state, &value.text, context);
                }
                values
            }
            E::Transform { parameter, indirect, op: ParameterTransformOp::ExpandEscapeSequences } => {
                self.changed(state, (parameter, *indirect), None, context, |text, _| super::ansi_c::decoded(text))
            }
            E::ReplaceSubstring { parameter, indirect, pattern, replacement, match_kind } => {
                let replacement = self.word_of(state, replacement.as_deref(), context);
                self.changed(state, (parameter, *indirect), Some(pattern), context, |text, pattern| {
                    replaced(text, pattern, replacement.known()?, match_kind)
                })
            }
            E::UppercaseFirstChar { parameter, indirect, .. }
            | E::UppercasePattern { parameter, indirect, .. }
            | E::LowercaseFirstChar { parameter, indirect, .. }
            | E::LowercasePattern { parameter, indirect, .. }
            | E::Transform { parameter, indirect, .. } => {
                self.changed(state, (parameter, *indirect), None, context, |_, _| None)
            }
            E::VariableNames { .. } | E::MemberKeys { .. } => {
                vec![Field { is_many: true, ..Field::new(Text::unknown(Source::Local)) }]
            }
        }
    }

    fn indirect(&mut self, state: &State, parameter: &Parameter, is_indirect: bool, context: &Context) -> Vec<Field> {
        let values = self.values(state, parameter, context);
        if !is_indirect {
            return values;
        }
        match values.as_slice() {
            [one] => match one.text.known() {
                Some(name) => match name.parse::<u32>() {
                    Ok(number) => self.values(state, &Parameter::Positional(number), context),
                    Err(_) => self.variable(state, name).map(Field::new).into_iter().collect(),
                },
                None => vec![Field::new(unknown_of(&[&one.text]))],
            },
            [] => Vec::new(),
            _ => vec![Field::new(Text::unknown(Source::Local))],
        }
    }

    fn word_of(&mut self, state: &mut State, raw: Option<&str>, context: &Context) -> Text {
        raw.map(|raw| self.string_of(state, raw, context)).unwrap_or_default()
    }

    fn or_else(
        &mut self,
        state: &mut State,
        (parameter, is_indirect, test): (&Parameter, bool, &ParameterTestType),
        word: Option<&str>,
        assigns: bool,
        context: &Context,
    ) -> Vec<Field> {
        let values = self.indirect(state, parameter, is_indirect, context);
        match is_set(&values, test) {
            Some(true) => values,
            known => {
                let word = self.word_of(state, word, context);
                let text = match known {
                    Some(_) => word,
                    None => unknown_of(&values.iter().map(|field| &field.text).chain([&word]).collect::<Vec<_>>()),
                };
                if let (true, Parameter::Named(name)) = (assigns, parameter) {
                    state.set(name, Value::One(text.clone()), self.is_inherited(name));
                }
                vec![Field::new(text)]
            }
        }
    }

    /// Changes each value that is known.
    fn changed(
        &mut self,
        state: &mut State,
        (parameter, is_indirect): (&Parameter, bool),
        raw: Option<&str>,
        context: &Context,
        change: impl Fn(&str, &str) -> Option<String>,
    ) -> Vec<Field> {
        let pattern = match raw {
            None => Some(String::new()),
            Some(raw) => self.pattern_in(state, raw, context),
        };
        let one = |field: Field| {
            let new = field.text.known().zip(pattern.as_deref()).and_then(|(text, pattern)| change(text, pattern));
            Field { text: new.map_or_else(|| unknown_of(&[&field.text]), Text::new), ..field }
        };
        self.indirect(state, parameter, is_indirect, context).into_iter().map(one).collect()
    }
}

fn concatenates(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::NamedWithAllIndices { concatenate: true, .. }
            | Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: true })
    )
}

fn is_list(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::NamedWithAllIndices { .. } | Parameter::Special(SpecialParameter::AllPositionalParameters { .. })
    )
}

/// Whether a parameter is set, as the test means it; `None` if that is unknown.
fn is_set(values: &[Field], test: &ParameterTestType) -> Option<bool> {
    match values {
        [] => Some(false),
        [one] => match (test, one.text.known()) {
            (ParameterTestType::Unset, _) if !one.text.is_unknown() => Some(true),
            (ParameterTestType::UnsetOrNull, Some(text)) => Some(!text.is_empty()),
            (ParameterTestType::UnsetOrNull, None) if !one.text.prefix().is_empty() => Some(true),
            _ => None,
        },
        _ => Some(true),
    }
}
