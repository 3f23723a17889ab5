//! `docs/events.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::catalogue::{Catalogue, DEFINITIONS, Shapes, lists, walk};
use super::types::inline;
use crate::table::{Deadline, Delivery, EventRow, Failure, Fires, FoldRule, Nesting, Returned};

/// The events for people: a section each.
pub fn events_markdown() -> String {
    let catalogue = Catalogue::build();
    let mut page = String::from(
        "<!-- Generated from the event table: do not edit. -->\n\n\
         # Events\n\n\
         Extensions subscribe to an event by its name. Handlers are called in the order in which extensions were\n\
         loaded and, within one, in the order of registration. What is called a field of the payload below is a\n\
         property of the event that a handler gets; an extension in JavaScript also finds the name of the event in\n\
         `type`. Types are written as in TypeScript; [`events.d.ts`](events.d.ts) declares all of them, and\n\
         [`events.schema.json`](events.schema.json) is the same as a JSON schema.\n\n\
         A handler that returns nothing changes nothing; where a result is an object, neither does `null`, and neither does\n\
         an object without fields unless the last result wins: then `{}` is the last, and drops an earlier one.\n\n",
    );
    page.push_str("| Event | Results | Since |\n|---|---|---|\n");
    for event in &catalogue.events {
        let (name, row) = (event.row.name, event.row);
        let pending = if row.fires == Fires::Now { "" } else { " (pending)" };
        let stop = row.fold.stop().map(|said| format!(" until `{said}`")).unwrap_or_default();
        let rule = row.fold.rule();
        let _ = writeln!(page, "| [`{name}`](#{}){pending} | {rule:?}{stop} | {} |", anchor(name), row.since);
    }
    for mut event in catalogue.events {
        spell_out(&mut event.payload, &catalogue.definitions);
        event.result.iter_mut().for_each(|result| spell_out(result, &catalogue.definitions));
        section(&mut page, &event);
    }
    page
}

/// Puts the values of an enumeration in the place of its name: they are what a reader looks for.
fn spell_out(schema: &mut Value, definitions: &BTreeMap<String, Value>) {
    walk(schema, &mut |map| {
        let name = map.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(DEFINITIONS));
        let Some(definition) = name.and_then(|name| definitions.get(name)) else { return };
        let variants = ["oneOf", "anyOf"].iter().find_map(|key| definition.get(*key)?.as_array());
        let values = variants.into_iter().flatten().map(|variant| variant.get("const").cloned());
        if let Some(values) = values.collect::<Option<Vec<_>>>().filter(|values| !values.is_empty()) {
            map.remove("$ref");
            map.insert("enum".to_owned(), values.into());
        }
    });
}

fn section(page: &mut String, event: &Shapes) {
    let row = event.row;
    let _ = write!(page, "\n## {}\n\n{}\n\n", row.name, row.doc.trim());
    if let Fires::With(feature) = row.fires {
        let _ = write!(page, "**Pending:** tau does not fire this event yet; it comes with {feature}.\n\n");
    }
    let _ = writeln!(page, "- Results: **{:?}**. {}", row.fold.rule(), fold(row));
    let _ = writeln!(page, "- A handler that fails: **{:?}**. {}", row.failure, failure(row.failure));
    if row.withholds {
        page.push_str(
            "- A handler that tau ends before it answers, by a limit or with its engine: what the event is about is \
             withheld, naming the extension.\n",
        );
    }
    let _ = writeln!(page, "- Time: **{:?}**. {}", row.deadline, deadline(row.deadline));
    if row.delivery == Delivery::Queued {
        page.push_str(
            "- Delivery: through a bounded queue, in order, without stopping the stream while there is room.\n",
        );
    }
    if row.nesting == Nesting::Outward {
        page.push_str("- Where extensions of several dialects are loaded, the innermost dialect is asked first.\n");
    }
    if !row.projected.is_empty() {
        let names = row.projected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let _ = writeln!(page, "- Other dialects call it {}.", names.join(", "));
    }
    if row.signal {
        page.push_str("- In TypeScript, `event.signal` is the `AbortSignal` of what is under way.\n");
    }
    if row.since.starts_with(|c: char| c.is_ascii_digit()) {
        writeln!(page, "- Since version {} of the extension API.", row.since)
    } else {
        writeln!(page, "- Comes from the {} dialect.", row.since)
    }
    .unwrap_or_default();
    page.push_str("\n**Payload**\n\n");
    if !fields(page, &event.payload) {
        page.push_str("No fields.\n");
    }
    page.push_str("\n**Result**\n\n");
    match &event.result {
        Some(result) => describe_result(page, result),
        None if row.returned == Returned::Ignored => page.push_str("None: the payload is changed in place.\n"),
        None => page.push_str("None.\n"),
    }
}

/// A table of an object's fields; `false` if it has none but its name.
fn fields(page: &mut String, schema: &Value) -> bool {
    let all = schema.get("properties").and_then(Value::as_object);
    let own = all.into_iter().flatten().filter(|(name, _)| *name != "type").collect::<Vec<_>>();
    if own.is_empty() {
        return false;
    }
    page.push_str("| Field | Type | Meaning |\n|---|---|---|\n");
    for (name, field) in own {
        let optional = if lists(schema.get("required"), name) { "" } else { "?" };
        let kind = inline(field);
        let _ = writeln!(page, "| `{name}{optional}` | `{}` | {} |", cell(&kind), cell(description(field)));
    }
    true
}

fn describe_result(page: &mut String, result: &Value) {
    let variants = ["oneOf", "anyOf"].iter().find_map(|key| result.get(*key)?.as_array());
    let Some(variants) = variants else {
        let _ = writeln!(page, "{}", description(result));
        let before = page.len();
        page.push('\n');
        if !fields(page, result) {
            page.truncate(before);
        }
        return;
    };
    let _ = write!(page, "{} One of:\n\n", description(result));
    for variant in variants {
        let _ = writeln!(page, "- `{}`: {}", inline(variant), description(variant));
        for (name, field) in variant.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if !description(field).is_empty() {
                let _ = writeln!(page, "  - `{name}`: {}", description(field));
            }
        }
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// Text that does not end a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The anchor of a heading as web views of Markdown make it.
fn anchor(heading: &str) -> String {
    heading.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '-').collect()
}

fn fold(row: &EventRow) -> String {
    let rule = match row.fold.rule() {
        FoldRule::Observe => "What handlers return is ignored",
        FoldRule::Transform if row.returned == Returned::Ignored => {
            "Handlers change the payload in place, one after another; what they return is ignored"
        }
        FoldRule::Transform => "Each handler sees what the ones before it made of the payload",
        FoldRule::Merge => "Each handler sees what the ones before it made of the payload",
        FoldRule::Collect => "The results of all handlers are put together",
        FoldRule::Last => "The last result wins",
        FoldRule::LastWhole => "The last result wins as a whole, `{}` too; every handler sees the original payload",
        FoldRule::First => "The first result that says something stops the round",
        FoldRule::FirstKept => "The first result that says something wins, but the remaining handlers still run",
    };
    let stop = row.fold.stop().map(|said| format!("; `{said}` stops the round")).unwrap_or_default();
    let how = row.fold.how().map(|how| format!("; {how}")).unwrap_or_default();
    format!("{rule}{how}{stop}.")
}

fn failure(failure: Failure) -> &'static str {
    match failure {
        Failure::Report => "The failure is reported and the round goes on.",
        Failure::Block => {
            "What was asked for is refused, naming the extension: if a handler throws, hangs past its limit or \
             returns something malformed, nothing runs."
        }
    }
}

fn deadline(deadline: Deadline) -> &'static str {
    match deadline {
        Deadline::Observe => "A handler that takes too long is left behind.",
        Deadline::Decide => "The pipeline waits for the result, up to the limit in the settings.",
        Deadline::Shutdown => "All handlers together get a few seconds.",
        Deadline::Hook => "A handler that takes longer than the setting `hookTimeout` counts as failed.",
        Deadline::Unlimited => "Handlers take as long as they want.",
    }
}
