//! What results can do. The function that makes a [fold](crate::table::fold) asks for the traits that its rule needs, so an
//! event whose result lacks one does not compile under that rule.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::changes::Changes;
use crate::dialect::Terms;
use crate::handle::Handle;
use crate::owner::Owner;

/// What a handler returned for an event with payload `P`.
///
/// What has to be right for results to add up has no default here, or is in a trait of its own.
pub trait Output<P>: Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Results that are not JSON objects are malformed.
    const OBJECT: bool = true;

    /// What ends the round whatever the rule: a block, a cancel, or that the handler has done it all.
    const STOPS: Option<Stop<Self>>;

    /// Says nothing: the same as returning no result.
    fn is_empty(&self) -> bool;

    /// Rejects results that are well-formed but not allowed for this payload.
    ///
    /// # Errors
    /// Why it is not allowed.
    fn check(&self, _payload: &P) -> Result<(), String> {
        Ok(())
    }

    /// What its author must have meant and the result does not do, in words for them.
    fn meant(&self) -> Option<String> {
        None
    }

    /// Notes whose result this is, for results that are put together and must still tell whose part is whose.
    fn attribute(&mut self, _owner: &Owner) {}

    /// The payload as handlers of a dialect see it, where its own type can show the difference; `None` when it cannot.
    fn shown(_payload: &P, _terms: &Terms) -> Option<P> {
        None
    }

    /// Keeps what counts of a result under the rules of a dialect, in the terms of the event table.
    ///
    /// # Errors
    /// When it cannot be said in them.
    fn adopt(&mut self, _payload: &P, _terms: &Terms) -> Result<(), String> {
        Ok(())
    }

    /// What the results of a group come to, for the groups that follow and for the pipeline.
    fn conclude(&mut self, _terms: &Terms) {}
}

/// What ends a round.
#[derive(Debug)]
pub struct Stop<O> {
    /// How a handler says it in JSON, for the reference.
    pub said: &'static str,
    /// Whether a result says it.
    pub is: fn(&O) -> bool,
}

/// A result that changes the payload.
pub trait Transforms<P>: Output<P> {
    /// Changes the payload for the handlers that follow and, for transforming events, for the pipeline.
    fn apply(&self, payload: &mut P) -> Changes;
}

/// A result that later ones are merged into.
pub trait Merges {
    /// What that comes to, for the reference: half a sentence.
    const HOW: &'static str;

    /// Adds the result of a later handler.
    fn merge(&mut self, later: Self);
}

/// A result of which the first counts, and later ones add something to it.
pub trait Adds {
    /// Takes from the result of a later handler what adds to this one.
    fn add(&mut self, later: Self);
}

/// A result that takes fields of the payload that a handler changed in place.
pub trait Edits<P>: Output<P> {
    /// Adds such a field to what the handler returned.
    ///
    /// # Errors
    /// When the field is not what it must be.
    fn edit(result: Option<Self>, field: &str, value: Value) -> Result<Option<Self>, String>;
}

/// A result with live objects of the extension in it.
pub trait Attaches<P>: Output<P> {
    /// Takes over a live object.
    ///
    /// # Errors
    /// When the result has no such field.
    fn attach(&mut self, field: &str, object: Handle) -> Result<(), String>;
}
