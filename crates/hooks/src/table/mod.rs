//! The shape of the event table's rows, and looking events up by name.

mod columns;
pub mod fold;
pub(crate) mod render;
pub(crate) mod rows;

use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::error::HandlerError;
use crate::events::{EventId, TABLE};
use crate::handle::Handle;
use crate::occasion::Occasion;
use crate::payload::{Attaches, Edits, Output};

pub use self::columns::{About, Deadline, Delivery, Failure, Fires, Inherited, Nesting, Returned};
pub use self::fold::{Fold, FoldRule};
pub use self::render::{Late, Render};

/// An event as a type: what handlers get and what they may return.
pub trait Event: Send + Sync + 'static {
    /// The event's row.
    const ID: EventId;
    /// What handlers get.
    type Payload: Clone + Serialize + JsonSchema + Send + Sync + 'static;
    /// What handlers may return.
    type Output: Output<Self::Payload>;
}

/// Makes a result of its event's type from its plain part and its live objects.
pub type WithLive = fn(Value, Vec<(&'static str, Handle)>) -> Result<Box<dyn Any + Send>, HandlerError>;

/// Adds a field that was changed in place to an `Option` of a result of the event's type.
pub(crate) type EditInPlace = fn(&mut dyn Any, &str, Value) -> Result<(), String>;

/// One row of the event table.
#[derive(Debug)]
pub struct EventRow {
    /// Which event.
    pub id: EventId,
    /// The name extensions subscribe to.
    pub name: &'static str,
    /// Other names under which other dialects know the event.
    pub projected: &'static [&'static str],
    /// How results add up.
    pub fold: Fold,
    /// What a failing handler means.
    pub failure: Failure,
    /// How long a handler may take.
    pub deadline: Deadline,
    /// How handlers are reached.
    pub delivery: Delivery,
    /// In which order dialects are asked.
    pub nesting: Nesting,
    /// Version of the published extension API that introduced the event, or the dialect it belongs to.
    pub since: &'static str,
    /// Fields of the payload that a handler may change in place; a dialect may allow fewer.
    pub in_place: &'static [&'static str],
    /// Adds such a field to a result.
    pub(crate) edit: Option<EditInPlace>,
    /// What a result from outside is worth.
    pub returned: Returned,
    /// How the payload is made for handlers in other languages.
    pub render: Render,
    /// What an event is about, where a dialect may care; `None` when it always is about the same.
    pub occasion: Option<fn(&dyn Any) -> Occasion>,
    /// What a handler of the event is at work on, for those who show that or make it ready.
    pub about: About,
    /// Whether handlers in other languages find the signal of what is under way on the event, too.
    pub signal: bool,
    /// Whether what the event is about is kept from everybody when tau ends a handler before it answered: it may have been
    /// about to take something out.
    pub withholds: bool,
    /// Whether extensions of the sessions above hear of it, too, when it happens in a child session.
    pub inherited: Inherited,
    /// Fields of the result that are live objects of the extension.
    pub live: &'static [&'static str],
    /// A result from outside together with its live objects, in the event's own type.
    ///
    /// # Errors
    /// When the result is malformed.
    pub with_live: WithLive,
    /// Whether and when tau fires it.
    pub fires: Fires,
    /// What it is for.
    pub doc: &'static str,
    /// Schema of the payload.
    pub payload_schema: fn(&mut SchemaGenerator) -> Schema,
    /// Schema of the result.
    pub output_schema: fn(&mut SchemaGenerator) -> Schema,
    /// Type of the result; tells events without one.
    pub output_type: fn() -> TypeId,
}

impl EventId {
    /// The event's row.
    pub fn row(self) -> &'static EventRow {
        &TABLE[self as usize]
    }

    /// The name extensions subscribe to.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The events whose handlers are at work on one thing.
    pub fn about(about: About) -> impl Iterator<Item = Self> {
        TABLE.iter().filter(move |row| row.about == about).map(|row| row.id)
    }

    /// The event of that name, under any of its names.
    pub fn parse(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name || row.projected.contains(&name)).map(|row| row.id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl EventRow {
    /// A row for the types of an event, with nothing special about it.
    pub(crate) const fn plain<E: Event>(name: &'static str, fold: Fold) -> Self {
        Self {
            id: E::ID,
            name,
            projected: &[],
            fold,
            failure: Failure::Report,
            deadline: Deadline::Decide,
            delivery: Delivery::Awaited,
            nesting: Nesting::Inward,
            since: "",
            in_place: &[],
            edit: None,
            returned: Returned::Counts,
            render: Render::Whole,
            occasion: None,
            about: About::Other,
            signal: false,
            withholds: false,
            inherited: Inherited::No,
            live: &[],
            with_live: without_live,
            fires: Fires::Now,
            doc: "",
            payload_schema: |generator| generator.subschema_for::<E::Payload>(),
            output_schema: <E::Output as JsonSchema>::json_schema,
            output_type: TypeId::of::<E::Output>,
        }
    }

    /// On which occasion the event fires with this payload.
    pub(crate) fn occasion(&self, payload: &dyn Any) -> Occasion {
        self.occasion.map_or(Occasion::Ordinary, |of| of(payload))
    }

    /// Whether handlers may return something.
    pub fn has_output(&self) -> bool {
        (self.output_type)() != TypeId::of::<crate::payload::Nothing>()
    }

    /// Whether what a handler in another language returns counts.
    pub fn takes_returned(&self) -> bool {
        self.has_output() && self.returned == Returned::Counts
    }

    /// The names of the fields a result may have; `None` when any value is a result.
    pub fn output_fields(&self) -> Option<&'static BTreeSet<String>> {
        static FIELDS: OnceLock<Vec<Option<BTreeSet<String>>>> = OnceLock::new();
        let all = FIELDS.get_or_init(|| TABLE.iter().map(EventRow::read_output_fields).collect());
        all[self.id as usize].as_ref()
    }

    fn read_output_fields(&self) -> Option<BTreeSet<String>> {
        let schema = (self.output_schema)(&mut SchemaGenerator::default());
        let mut fields = BTreeSet::new();
        let mut add = |schema: &Value| {
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                fields.extend(properties.keys().cloned());
            }
        };
        add(schema.as_value());
        for variant in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
            add(variant);
        }
        (!fields.is_empty()).then_some(fields)
    }
}

/// For the `live` column of a row: reads the plain part of a result and adds its live objects.
pub(crate) fn with_live<E: Event<Output: Attaches<E::Payload>>>(
    plain: Value,
    objects: Vec<(&'static str, Handle)>,
) -> Result<Box<dyn Any + Send>, HandlerError> {
    let mut output: E::Output =
        serde_json::from_value(plain).map_err(|error| HandlerError::Malformed(error.to_string()))?;
    for (field, object) in objects {
        output.attach(field, object).map_err(HandlerError::Malformed)?;
    }
    Ok(Box::new(output))
}

/// For rows without the column `live`.
pub(crate) fn without_live(
    _: Value,
    objects: Vec<(&'static str, Handle)>,
) -> Result<Box<dyn Any + Send>, HandlerError> {
    let fields = objects.iter().map(|(field, _)| format!("`{field}`")).collect::<Vec<_>>().join(", ");
    Err(HandlerError::Malformed(format!("{fields}: the event takes no live objects")))
}

/// For the `in_place` column of a row: adds a field that was changed in place to a result.
pub(crate) fn edit<E: Event<Output: Edits<E::Payload>>>(
    result: &mut dyn Any,
    field: &str,
    value: Value,
) -> Result<(), String> {
    let Some(result) = result.downcast_mut::<Option<E::Output>>() else {
        tau_ai::broken(&format!("a result of another event is edited as one of `{}`", E::ID));
        return Err(format!("`{field}` cannot be changed in place"));
    };
    *result = E::Output::edit(result.take(), field, value)?;
    Ok(())
}

/// Why a handler for this event is refused although other unknown names are only reported: it is nearly the name of a gate,
/// and a gate under such a name is never asked.
pub fn misspelt_gate(name: &str) -> Option<HandlerError> {
    let gates = TABLE.iter().filter(|row| row.failure == Failure::Block).map(|row| row.name);
    // A gate that only this dialect does not know is reported as other names are.
    let gate = slip_of(name, gates).filter(|gate| *gate != name)?;
    Some(HandlerError::msg(format!(
        "there is no event `{name}`, so its handler guards nothing; did you mean `{gate}`?"
    )))
}

/// Which of `names` a name nobody knows is a slip of the pen for: two letters are wrong at most.
pub fn slip_of<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MOST: usize = 2;
    // Each letter that one has more is wrong. What a comparison costs grows with the name, which may have megabytes.
    let is_near_in_length = |known: &&str| {
        let known = known.chars().count();
        let letters = name.chars().take(known + MOST + 1).count();
        letters.abs_diff(known) <= MOST
    };
    let names = names.into_iter().filter(is_near_in_length);
    let distances = names.map(|known| (strsim::osa_distance(&name.to_lowercase(), &known.to_lowercase()), known));
    distances.filter(|(slips, _)| *slips <= MOST).min().map(|(_, known)| known)
}

/// The nearest of `names` to a name nobody knows, if any is near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        // A name that is many times as long is near none, and may have megabytes to compare.
        .filter(|candidate| name.len() <= 4 * candidate.len())
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
