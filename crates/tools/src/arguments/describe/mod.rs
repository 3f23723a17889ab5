//! Complaints in the words that models and extensions know.

mod unions;

use std::collections::HashSet;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::order;
use crate::support::js_number;

/// More complaints than this do not help a model.
const MAX_COMPLAINTS: usize = 100;

/// More of the allowed values than this are not listed.
const MAX_VALUES: usize = 20;

/// What is wrong with the value at a place.
pub(super) struct Complaint {
    /// A JSON pointer into the arguments.
    pub(super) pointer: String,
    pub(super) message: String,
}

/// One line per complaint, `  - path: message`.
pub(super) fn complaints(validator: &Validator, schema: &Value, args: &Value) -> Vec<String> {
    let errors: Vec<_> = validator.iter_errors(args).collect();
    let found = Describe { schema, args }.all(&errors);
    let mut lines: Vec<String> = found.iter().take(MAX_COMPLAINTS).map(Complaint::line).collect();
    if found.len() > MAX_COMPLAINTS {
        lines.push(format!("  - and {} more", found.len() - MAX_COMPLAINTS));
    }
    lines
}

impl Complaint {
    fn line(&self) -> String {
        let path: Vec<String> = self.pointer.split('/').skip(1).map(order::unescape).collect();
        let path = if path.is_empty() { "root".to_owned() } else { path.join(".") };
        format!("  - {path}: {}", self.message)
    }
}

pub(super) struct Describe<'a> {
    /// The whole schema.
    pub(super) schema: &'a Value,
    /// All arguments.
    pub(super) args: &'a Value,
}

impl Describe<'_> {
    /// The complaints about `errors`, in the order of the schema.
    pub(super) fn all(&self, errors: &[ValidationError<'_>]) -> Vec<Complaint> {
        let mut errors: Vec<&ValidationError<'_>> = errors.iter().collect();
        errors.sort_by_cached_key(|error| order::key(error, self.schema, self.args));
        let mistyped: HashSet<(&str, &str)> = errors
            .iter()
            .filter(|error| matches!(error.kind(), Kind::Type { .. }))
            .map(|error| (parent(error.evaluation_path().as_str()), error.instance_path().as_str()))
            .collect();
        let mut found = Vec::new();
        for error in errors {
            if matches!(error.kind(), Kind::Type { .. }) || !below(error, &mistyped) {
                self.one(error, &mut found);
            }
        }
        found
    }

    fn one(&self, error: &ValidationError<'_>, found: &mut Vec<Complaint>) {
        let pointer = error.instance_path().as_str();
        let at = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut add = |pointer: String, message: String| found.push(Complaint { pointer, message });
        match error.kind() {
            Kind::Required { property } => {
                let property = property.as_str().unwrap_or_default();
                add(at(property), self.missing(error, property));
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().for_each(|name| add(at(name), "unknown field".to_owned()));
            }
            Kind::UnevaluatedItems { unexpected } => {
                let all = self.args.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
                // Whatever a schema names comes first.
                let first = all.saturating_sub(unexpected.len());
                (first..all).for_each(|index| add(format!("{pointer}/{index}"), "unexpected item".to_owned()));
            }
            Kind::AdditionalItems { limit } => {
                let all = self.args.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
                let message = "no value is allowed here";
                (*limit..all).for_each(|index| add(format!("{pointer}/{index}"), message.to_owned()));
            }
            Kind::PropertyNames { error } => {
                add(at(error.instance().as_str().unwrap_or_default()), "invalid property name".to_owned());
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                found.extend(unions::nearest(self, error, context));
            }
            _ => add(pointer.to_owned(), self.plain(error)),
        }
    }

    fn missing(&self, error: &ValidationError<'_>, property: &str) -> String {
        // The keyword is `required`, a list, or it names the properties that need others.
        let node = self.schema.pointer(error.schema_path().as_str()).and_then(Value::as_object);
        let needing = node.into_iter().flatten().find(|(name, others)| {
            error.instance().get(name).is_some()
                && others.as_array().is_some_and(|others| others.iter().any(|other| other == property))
        });
        match needing {
            Some((name, _)) => format!("required when {name} is present"),
            None => "missing".to_owned(),
        }
    }

    fn plain(&self, error: &ValidationError<'_>) -> String {
        match error.kind() {
            Kind::Type { kind } => format!("expected {}, got {}", self.types(error, kind), type_name(error.instance())),
            Kind::FalseSchema => "no value is allowed here".to_owned(),
            Kind::Constant { expected_value } => format!("expected {expected_value}"),
            Kind::Enum { options } => {
                format!("expected one of {}", listed(options.as_array().map_or(&[], Vec::as_slice)))
            }
            Kind::Minimum { limit } => format!("expected >= {}", bound(limit)),
            Kind::Maximum { limit } => format!("expected <= {}", bound(limit)),
            Kind::ExclusiveMinimum { limit } => format!("expected > {}", bound(limit)),
            Kind::ExclusiveMaximum { limit } => format!("expected < {}", bound(limit)),
            Kind::MultipleOf { multiple_of } => format!("expected a multiple of {}", js_number(*multiple_of)),
            Kind::MinLength { limit } => format!("expected at least {limit} characters"),
            Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
            Kind::MinItems { limit } => format!("expected at least {limit} items"),
            Kind::MaxItems { limit } => format!("expected at most {limit} items"),
            Kind::MinProperties { limit } => format!("expected at least {limit} properties"),
            Kind::MaxProperties { limit } => format!("expected at most {limit} properties"),
            Kind::Pattern { pattern } => format!("expected to match {pattern}"),
            Kind::Format { format } => format!("expected format {format}"),
            Kind::UniqueItems => "expected unique items".to_owned(),
            Kind::Contains => self.contains(error),
            Kind::Not { .. } => "must not match the schema in not".to_owned(),
            Kind::OneOfMultipleValid { .. } => "matches more than one alternative".to_owned(),
            Kind::Custom { message, .. } => message.clone(),
            _ => error.masked().to_string(),
        }
    }

    fn types(&self, error: &ValidationError<'_>, kind: &TypeKind) -> String {
        match kind {
            TypeKind::Single(name) => name.to_string(),
            TypeKind::Multiple(set) => {
                // The set has lost the order in which the schema names the types.
                let named = self.schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
                let names: Vec<String> = match named {
                    Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                    None => set.iter().map(|name| name.to_string()).collect(),
                };
                names.join(" or ")
            }
        }
    }

    fn contains(&self, error: &ValidationError<'_>) -> String {
        let node = self.schema.pointer(parent(error.schema_path().as_str()));
        let limit = |name| node.and_then(|node| node.get(name)).and_then(Value::as_u64);
        let items = |count| if count == 1 { "item" } else { "items" };
        match (limit("minContains").unwrap_or(1), limit("maxContains")) {
            (least, None) => format!("expected at least {least} matching {}", items(least)),
            (0, Some(most)) => format!("expected at most {most} matching {}", items(most)),
            (least, Some(most)) => format!("expected between {least} and {most} matching items"),
        }
    }
}

/// The values that are allowed, as JSON.
pub(super) fn listed(values: &[Value]) -> String {
    let shown: Vec<String> = values.iter().take(MAX_VALUES).map(Value::to_string).collect();
    let rest = values.len() - shown.len();
    let rest = if rest > 0 { format!(", ... and {rest} more") } else { String::new() };
    format!("[{}{rest}]", shown.join(","))
}

/// Whether an error is about a value that has the wrong type already, or about a part of one: that says enough.
fn below(error: &ValidationError<'_>, mistyped: &HashSet<(&str, &str)>) -> bool {
    let above = |pointer| std::iter::successors(Some(pointer), |pointer: &&str| Some(pointer.rsplit_once('/')?.0));
    !mistyped.is_empty()
        && above(parent(error.evaluation_path().as_str()))
            .any(|node| above(error.instance_path().as_str()).any(|place| mistyped.contains(&(node, place))))
}

/// The node a keyword stands in.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn bound(limit: &Value) -> String {
    match limit.as_f64() {
        Some(float) if limit.is_f64() => js_number(float),
        _ => limit.to_string(),
    }
}
