//! What the settings of a child session take over from the session that opened it.

use std::sync::Arc;

use serde_json::Value;

use super::{Settings, merge};
use crate::settings::guard::{self, is_on};
use crate::settings::key::{KeyPath, look_up};
use crate::settings::table::Rule;

/// What the settings of a child take over, also when its files are read again.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::settings) struct Inherited {
    /// Each guarded key with the value that counts for the child.
    pub(in crate::settings) guarded: Vec<(&'static str, Rule, Option<Value>)>,
    /// What the one who opened the child wants besides.
    pub(in crate::settings) wanted: Value,
    /// The extensions that the parent requires: whether they are there is decided in the parent.
    pub(in crate::settings) required: Vec<String>,
    /// The settings of the parent.
    pub(in crate::settings) parent: Arc<Settings>,
}

impl Inherited {
    /// Changes merged settings of a folder to those of the child.
    pub(super) fn apply(&self, merged: &mut Value) {
        merge(merged, &self.wanted);
        for (key, rule, parent) in &self.guarded {
            let own = look_up(key, merged);
            let value = match rule {
                Rule::UserOnly => parent.clone(),
                Rule::UserFirst => parent.as_ref().or(own).cloned(),
                Rule::OnlyOn => own.filter(|value| is_on(value)).or(parent.as_ref()).or(own).cloned(),
                Rule::AddOnly => guard::add(parent.as_ref(), own),
            };
            KeyPath::dotted(key).set(merged, value);
        }
    }
}
