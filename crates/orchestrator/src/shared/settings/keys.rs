//! The settings of the suite: a row for each. A module that has one adds its row here.

use serde_json::{Value, json};
use tau_hooks::{SettingGuard, SettingSpec};

/// Whether commits name the agent as an author.
pub const CO_AUTHOR: &str = "co_author";
/// Whether tasks work in git worktrees of their own.
pub const USE_WORKTREES: &str = "use_worktrees";
/// The hours between two rounds in which memories are put in order.
pub const DREAM_INTERVAL_HOURS: &str = "dream_interval_hours";

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Its name, in all files.
    pub key: &'static str,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// What it takes, and what it is when nobody sets it.
    pub kind: Kind,
    /// What a trusted project may do to it. No kind of value is a list, so [`SettingGuard::AddOnly`] fits none.
    pub guard: SettingGuard,
    /// What it is for, in a line.
    pub about: &'static str,
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// On or off.
    Switch {
        /// What holds when nobody sets it.
        default: bool,
    },
    /// A number, bounds included.
    Number {
        /// What holds when nobody sets it.
        default: f64,
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
        /// What is counted.
        unit: &'static str,
    },
}

/// All of them, in the order in which they are shown.
pub const KEYS: &[Row] = &[
    Row {
        key: CO_AUTHOR,
        variable: "PI_CO_AUTHOR",
        kind: Kind::Switch { default: false },
        guard: SettingGuard::None,
        about: "commits name the agent as an author, too",
    },
    Row {
        key: USE_WORKTREES,
        variable: "PI_USE_WORKTREES",
        kind: Kind::Switch { default: false },
        guard: SettingGuard::None,
        about: "tasks work in git worktrees of their own",
    },
    Row {
        key: DREAM_INTERVAL_HOURS,
        variable: "PI_DREAM_INTERVAL_HOURS",
        kind: Kind::Number { default: 3.0, least: 0.5, most: 24.0, unit: "hours" },
        guard: SettingGuard::None,
        about: "hours between two rounds in which memories are put in order",
    },
];

/// Keys that pi-config has and tau does not: files that both read may have them. A star stands for any end.
const OF_PI_CONFIG: &[&str] = &[
    "$schema",
    "acpx_agents",
    "agent_model",
    "agent_overrides",
    "agent_provider",
    "allow_push_to_protected_branches",
    "cli_agents",
    "coms_*",
    "comment_signature",
    "commit_trailer",
    "dco",
    "enforcement_*",
    "image_model",
    "internal_operations_*",
    "log_*",
    "orchestrator_edit_write_block",
    "pidash_enable",
    "pidash_port",
    "pidiff_enable",
    "review_loop_*",
];

/// The words for on and off in variables and where somebody types a value.
const ON: &[&str] = &["true", "1", "yes", "on"];
const OFF: &[&str] = &["false", "0", "no", "off"];

/// The row of a key.
pub fn row(key: &str) -> Option<&'static Row> {
    KEYS.iter().find(|row| row.key == key)
}

/// Whether pi-config has a setting of this name and tau does not.
pub(super) fn is_of_pi_config(key: &str) -> bool {
    OF_PI_CONFIG.iter().any(|known| match known.strip_suffix('*') {
        Some(begin) => key.starts_with(begin),
        None => key == *known,
    })
}

/// The key that a name which is none probably means.
pub fn nearest(name: &str) -> Option<&'static str> {
    // A name that is much longer than every key means none of them, and is not worth comparing.
    let is_short = name.len() <= 2 * KEYS.iter().map(|row| row.key.len()).max().unwrap_or(0);
    let distance = |key: &str| strsim::damerau_levenshtein(key, &name.to_ascii_lowercase().replace('-', "_"));
    let (far, key) = KEYS.iter().filter(|_| is_short).map(|row| (distance(row.key), row.key)).min()?;
    (far <= (key.len() / 4).max(1)).then_some(key)
}

/// A number as JSON, without a fraction where it has none.
fn number(value: f64) -> Value {
    // A whole number of this size is one of both types.
    if value.fract() == 0.0 && value.abs() < 1e9 { json!(value as i64) } else { json!(value) }
}

impl Row {
    /// What holds when nobody sets it.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Switch { default } => json!(default),
            Kind::Number { default, .. } => number(default),
        }
    }

    /// What it takes, in words.
    pub fn takes(&self) -> String {
        match self.kind {
            Kind::Switch { .. } => "true or false".to_owned(),
            Kind::Number { least, most, unit, .. } => format!("a number of {unit} from {least} to {most}"),
        }
    }

    /// The setting as it is declared for tau's own files.
    pub fn spec(&self) -> SettingSpec {
        let schema = match self.kind {
            Kind::Switch { .. } => json!({"type": "boolean"}),
            Kind::Number { least, most, .. } => {
                json!({"type": "number", "minimum": number(least), "maximum": number(most)})
            }
        };
        SettingSpec::new(self.key, self.about, self.default()).schema(schema).guarded(self.guard)
    }

    /// Whether it takes a value.
    pub fn accepts(&self, value: &Value) -> bool {
        match self.kind {
            Kind::Switch { .. } => value.is_boolean(),
            Kind::Number { least, most, .. } => value.as_f64().is_some_and(|value| (least..=most).contains(&value)),
        }
    }

    /// A value as somebody types it, or as a variable has it; `None` for what it does not take.
    pub fn typed(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        let is_one = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        let value = match self.kind {
            Kind::Switch { .. } if is_one(ON) => json!(true),
            Kind::Switch { .. } if is_one(OFF) => json!(false),
            Kind::Switch { .. } => return None,
            Kind::Number { .. } => number(text.parse().ok()?),
        };
        Some(value).filter(|value| self.accepts(value))
    }

    /// What can be typed, in words.
    pub fn typed_as(&self) -> String {
        match self.kind {
            Kind::Switch { .. } => format!("one of {}, {}", ON.join(", "), OFF.join(", ")),
            Kind::Number { .. } => self.takes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_what_they_declare() {
        for (at, row) in KEYS.iter().enumerate() {
            assert!(row.accepts(&row.default()), "{row:?}");
            let guard_fits = matches!(
                (row.guard, row.kind),
                (SettingGuard::None | SettingGuard::UserFirst, _)
                    | (SettingGuard::OnlyOn | SettingGuard::OnlyOff, Kind::Switch { .. })
                    | (SettingGuard::OnlyLower, Kind::Number { .. })
            );
            assert!(guard_fits && !row.key.contains('.') && !is_of_pi_config(row.key), "{row:?}");
            let spec = row.spec();
            assert_eq!(spec.complaints(&spec.default), [""; 0]);
            assert!(KEYS[at + 1..].iter().all(|other| other.key != row.key && other.variable != row.variable));
        }
    }

    #[test]
    fn each_spelling_of_a_switch_is_known_and_nothing_else_is() {
        let row = row(CO_AUTHOR).expect("a row");
        for (words, value) in [(["true", "1", "yes", "on"], true), (["false", "0", "no", "off"], false)] {
            for word in words {
                for text in [word.to_owned(), word.to_uppercase(), format!(" {word}\n")] {
                    assert_eq!(row.typed(&text), Some(json!(value)), "{text:?}");
                }
            }
        }
        for text in ["", "2", "y", "enabled", "truе", "null"] {
            assert_eq!(row.typed(text), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_have_bounds_in_text_and_in_files() {
        let row = row(DREAM_INTERVAL_HOURS).expect("a row");
        for (text, value) in [("0.5", json!(0.5)), (" 24 ", json!(24)), ("3.0", json!(3)), ("1.25", json!(1.25))] {
            assert_eq!(row.typed(text), Some(value.clone()));
            assert!(row.accepts(&value) && row.spec().complaints(&value).is_empty(), "{value}");
        }
        for text in ["0", "off", "0.49", "24.1", "-3", "NaN", "inf", "3h", ""] {
            assert_eq!(row.typed(text), None, "{text:?}");
        }
        for value in [json!(0), json!(25), json!("3"), json!(true), json!([3]), json!(null)] {
            assert!(!row.accepts(&value), "{value}");
        }
    }

    #[test]
    fn the_nearest_key_is_found() {
        assert_eq!(nearest("co_auther"), Some(CO_AUTHOR));
        assert_eq!(nearest("co-author"), Some(CO_AUTHOR));
        assert_eq!(nearest("Dream_Interval_Hour"), Some(DREAM_INTERVAL_HOURS));
        assert_eq!((nearest("colour"), nearest(&"co_author".repeat(99))), (None, None));
        assert!(is_of_pi_config("review_loop_max") && is_of_pi_config("dco") && !is_of_pi_config("dcoo"));
    }
}
