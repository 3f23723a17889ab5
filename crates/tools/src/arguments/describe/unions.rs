//! Complaints about values that fit none of several alternatives: those about the alternative that was meant.

use jsonschema::ValidationError;
use serde_json::{Map, Value};

use super::{Complaint, Describe, listed};

/// The complaints about the alternative that `value` comes nearest to; `branches` holds the errors of each.
pub(super) fn nearest(
    describe: &Describe<'_>,
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> Vec<Complaint> {
    let pointer = error.instance_path().as_str();
    let value = describe.args.pointer(pointer).and_then(Value::as_object);
    let nodes = describe.schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
    let nodes: Vec<&Value> =
        nodes.map_or(&[][..], Vec::as_slice).iter().map(|node| resolved(node, describe.schema)).collect();
    if let (Some(value), Some((name, tags))) = (value, tag(&nodes)) {
        let chosen = value.get(name).and_then(|value| tags.iter().position(|tag| *tag == value));
        return match chosen.and_then(|index| branches.get(index)) {
            Some(errors) => describe.all(errors),
            None => {
                let tags: Vec<Value> = tags.into_iter().cloned().collect();
                let name = name.replace('~', "~0").replace('/', "~1");
                vec![Complaint {
                    pointer: format!("{pointer}/{name}"),
                    message: format!("expected one of {}", listed(&tags)),
                }]
            }
        };
    }
    let mut best: Option<(usize, usize, Vec<Complaint>)> = None;
    for (index, errors) in branches.iter().enumerate() {
        let complaints = describe.all(errors);
        let Some(first) = complaints.first() else { continue };
        let declared = nodes.get(index).zip(value).map_or(0, |(node, value)| declared(node, value));
        let depth = first.pointer.len();
        if best.as_ref().is_none_or(|(most, deepest, _)| (declared, depth) > (*most, *deepest)) {
            best = Some((declared, depth, complaints));
        }
    }
    best.map_or_else(
        || vec![Complaint { pointer: pointer.to_owned(), message: "matches no alternative".to_owned() }],
        |(_, _, complaints)| complaints,
    )
}

/// What a node that is no more than a reference refers to.
fn resolved<'a>(node: &'a Value, root: &'a Value) -> &'a Value {
    let target = node.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    target.and_then(|target| root.pointer(target)).unwrap_or(node)
}

fn properties(node: &Value) -> Option<&Map<String, Value>> {
    node.get("properties")?.as_object()
}

/// How many properties of `value` an alternative names.
fn declared(node: &Value, value: &Map<String, Value>) -> usize {
    properties(node).map_or(0, |properties| value.keys().filter(|name| properties.contains_key(*name)).count())
}

/// The property by which alternatives differ, and its value in each.
fn tag<'a>(nodes: &[&'a Value]) -> Option<(&'a str, Vec<&'a Value>)> {
    let first = properties(nodes.first()?)?;
    first.keys().find_map(|name| {
        let tags: Option<Vec<&Value>> = nodes
            .iter()
            .map(|node| properties(node)?.get(name)?.get("const").filter(|tag| !tag.is_object() && !tag.is_array()))
            .collect();
        let tags = tags?;
        let distinct = tags.iter().enumerate().all(|(index, tag)| !tags[..index].contains(tag));
        distinct.then_some((name.as_str(), tags))
    })
}
