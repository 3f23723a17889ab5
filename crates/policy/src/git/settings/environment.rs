//! Settings in variables: `GIT_CONFIG_COUNT` with keys and values, and `GIT_CONFIG_PARAMETERS`.

use crate::text::Text;

use super::parameters;

/// How many settings variables may make.
const MOST: usize = 256;

/// Settings that variables make.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Environment {
    /// Names and values, in their order.
    pub(super) settings: Vec<(String, Option<Text>)>,
    /// Whether there may be others.
    pub(super) is_unknown: bool,
}

impl Environment {
    /// Reads them.
    pub(super) fn new(variable: &dyn Fn(&str) -> Option<Text>) -> Self {
        let mut new = Self::default();
        new.read_counted(variable);
        if let Some(text) = variable("GIT_CONFIG_PARAMETERS") {
            match text.known().and_then(parameters::settings) {
                Some(made) => {
                    let text = |value: Option<String>| Some(Text::new(value.unwrap_or_else(|| "true".to_owned())));
                    new.settings.extend(made.into_iter().map(|(key, value)| (key, text(value))));
                }
                None => new.is_unknown = true,
            }
        }
        new
    }

    fn read_counted(&mut self, variable: &dyn Fn(&str) -> Option<Text>) {
        let Some(count) = variable("GIT_CONFIG_COUNT") else { return };
        let Some(count) = count.known().and_then(|count| count.trim().parse::<usize>().ok()) else {
            return self.is_unknown |= count.is_unknown();
        };
        self.is_unknown |= count > MOST;
        for at in 0..count.min(MOST) {
            let Some(key) = variable(&format!("GIT_CONFIG_KEY_{at}")) else { continue };
            let value = variable(&format!("GIT_CONFIG_VALUE_{at}"));
            match key.known() {
                Some(key) => self.settings.push((key.to_owned(), value)),
                None => self.is_unknown = true,
            }
        }
    }
}
