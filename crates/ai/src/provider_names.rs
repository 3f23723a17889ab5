//! Providers that were renamed. Files of users keep the former name for years, so every reader goes through here.

use std::collections::BTreeMap;

/// The former name and the present one.
const RENAMED: &[(&str, &str)] = &[("azure-openai-responses", "azure")];

/// The present name of a provider; most are what they always were. Names of wire formats are another matter.
pub fn provider_name(name: &str) -> &str {
    RENAMED.iter().find(|(former, _)| *former == name).map_or(name, |(_, present)| present)
}

/// The name that a provider had before, if it was renamed.
pub fn former_provider_name(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(_, present)| *present == name).map(|(former, _)| *former)
}

/// A table of providers by their present names. What stands under a present name outranks what stands under a former one.
pub(crate) fn under_present_names<T>(table: BTreeMap<String, T>) -> BTreeMap<String, T> {
    let (former, mut present): (BTreeMap<_, _>, BTreeMap<_, _>) =
        table.into_iter().partition(|(name, _)| provider_name(name) != name);
    for (name, value) in former {
        present.entry(provider_name(&name).to_owned()).or_insert(value);
    }
    present
}
