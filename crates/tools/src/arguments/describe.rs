//! Complaints in the words that models and extensions know.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::order;
use crate::support::js_number;

/// More complaints than this do not help a model.
const MAX_COMPLAINTS: usize = 8;

/// One line per complaint, `  - path: message`.
pub(super) fn complaints(validator: &Validator, schema: &Value, args: &Value) -> Vec<String> {
    let mut out = Complaints { schema, args, lines: Vec::new() };
    out.describe_all(&validator.iter_errors(args).collect::<Vec<_>>());
    out.lines.truncate(MAX_COMPLAINTS);
    out.lines
}

struct Complaints<'a> {
    schema: &'a Value,
    args: &'a Value,
    lines: Vec<String>,
}

impl Complaints<'_> {
    fn describe_all(&mut self, errors: &[ValidationError<'_>]) {
        let mut errors: Vec<&ValidationError<'_>> = errors.iter().collect();
        errors.sort_by_cached_key(|error| order::key(error, self.schema, self.args));
        let mut rest = errors.as_slice();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            if let Kind::Required { .. } = first.kind() {
                // All properties missing from one object share a line.
                let same = |other: &&&ValidationError<'_>| {
                    matches!(other.kind(), Kind::Required { .. })
                        && other.instance_path() == first.instance_path()
                        && other.evaluation_path() == first.evaluation_path()
                };
                let siblings = rest.iter().take_while(same).count();
                self.missing(first, &rest[..siblings]);
                rest = &rest[siblings..];
            } else {
                self.describe(first);
            }
        }
    }

    fn missing(&mut self, first: &ValidationError<'_>, siblings: &[&ValidationError<'_>]) {
        let names: Vec<&str> = std::iter::once(first)
            .chain(siblings.iter().copied())
            .filter_map(|error| match error.kind() {
                Kind::Required { property } => property.as_str(),
                _ => None,
            })
            .collect();
        let path = first.instance_path().as_str();
        let message = format!("must have required properties {}", names.join(", "));
        self.line(&format!("{path}/{}", names.first().copied().unwrap_or_default()), &message);
    }

    fn describe(&mut self, error: &ValidationError<'_>) {
        let path = error.instance_path().as_str().to_owned();
        let message = match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                for name in unexpected {
                    self.line(&format!("{path}/{name}"), "schema is false");
                }
                "must not have additional properties".to_owned()
            }
            Kind::AnyOf { context } => {
                self.describe_branches(context);
                "must match a schema in anyOf".to_owned()
            }
            Kind::OneOfNotValid { context } => {
                self.describe_branches(context);
                "must match exactly one schema in oneOf".to_owned()
            }
            Kind::OneOfMultipleValid { .. } => "must match exactly one schema in oneOf".to_owned(),
            Kind::PropertyNames { error } => {
                let name = error.instance().as_str().unwrap_or_default().to_owned();
                let inner = plain_message(error, self.schema);
                self.line(&format!("{path}/{name}"), &inner);
                format!("property names {name} are invalid")
            }
            _ => plain_message(error, self.schema),
        };
        self.line(&path, &message);
    }

    fn describe_branches(&mut self, branches: &[Vec<ValidationError<'static>>]) {
        for branch in branches {
            self.describe_all(branch);
        }
    }

    fn line(&mut self, pointer: &str, message: &str) {
        let path = pointer.trim_start_matches('/').replace('/', ".").replace("~1", ".").replace("~0", "~");
        let path = if path.is_empty() { "root" } else { &path };
        self.lines.push(format!("  - {path}: {message}"));
    }
}

fn plain_message(error: &ValidationError<'_>, schema: &Value) -> String {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(name) } => format!("must be {name}"),
        Kind::Type { kind: TypeKind::Multiple(set) } => {
            // The set has lost the order in which the schema names the types.
            let named = schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
            let names: Vec<String> = match named {
                Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                None => set.iter().map(|name| name.to_string()).collect(),
            };
            format!("must be either {}", names.join(" or "))
        }
        Kind::FalseSchema => "schema is false".to_owned(),
        Kind::Constant { .. } => "must be equal to constant".to_owned(),
        Kind::Enum { .. } => "must be equal to one of the allowed values".to_owned(),
        Kind::Minimum { limit } => format!("must be >= {}", bound(limit)),
        Kind::Maximum { limit } => format!("must be <= {}", bound(limit)),
        Kind::ExclusiveMinimum { limit } => format!("must be > {}", bound(limit)),
        Kind::ExclusiveMaximum { limit } => format!("must be < {}", bound(limit)),
        Kind::MultipleOf { multiple_of } => format!("must be multiple of {}", js_number(*multiple_of)),
        Kind::MinLength { limit } => format!("must not have fewer than {limit} characters"),
        Kind::MaxLength { limit } => format!("must not have more than {limit} characters"),
        Kind::MinItems { limit } => format!("must not have fewer than {limit} items"),
        Kind::MaxItems { limit } => format!("must not have more than {limit} items"),
        Kind::AdditionalItems { limit } => format!("must not have more than {limit} items"),
        Kind::MinProperties { limit } => format!("must not have fewer than {limit} properties"),
        Kind::MaxProperties { limit } => format!("must not have more than {limit} properties"),
        Kind::Pattern { pattern } => format!("must match pattern \"{pattern}\""),
        Kind::Format { format } => format!("must match format \"{format}\""),
        Kind::UniqueItems => "must not have duplicate items".to_owned(),
        Kind::Contains => "must contain at least 1 valid item".to_owned(),
        Kind::Not { .. } => "must not be valid".to_owned(),
        Kind::UnevaluatedItems { .. } => "must not have unevaluated items".to_owned(),
        Kind::UnevaluatedProperties { .. } => "must not have unevaluated properties".to_owned(),
        _ => error.masked().to_string(),
    }
}

fn bound(limit: &Value) -> String {
    match limit.as_f64() {
        Some(float) if limit.is_f64() => js_number(float),
        _ => limit.to_string(),
    }
}
