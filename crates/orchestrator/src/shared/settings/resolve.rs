//! What counts of all that is said about a setting, and why.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::files::{brief, shown};
use super::keys::Row;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// A file of the user.
    UserFile(PathBuf),
    /// An environment variable.
    Variable(&'static str),
    /// A file of the project.
    ProjectFile(PathBuf),
}

/// What a place says about a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// Nothing.
    Nothing,
    /// The file as a whole is not used, for this reason.
    Unread(String),
    /// Something that the setting does not take, as it is shown.
    Wrong(String),
    /// A value that a project may not set, with the reason.
    Refused(Value, &'static str),
    /// A value that a place which counts more outranks.
    Outranked(Value),
    /// The value that counts.
    Counts(Value),
}

/// A place, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The place.
    pub source: Source,
    /// The line in the file, from 1, where it is known.
    pub line: Option<usize>,
    /// What it says.
    pub says: Says,
    /// tau itself tells what is wrong here, when a session starts.
    pub(super) is_told: bool,
}

/// A setting, with everything that is said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The setting.
    pub row: &'static Row,
    /// What counts.
    pub value: Value,
    /// Where that comes from.
    pub source: Source,
    /// All places, the one that counts most first. The default is none of them.
    pub said: Vec<Said>,
}

/// What a place says, before anybody has looked at it.
pub(super) struct Claim {
    pub(super) source: Source,
    pub(super) line: Option<usize>,
    /// The value; `None` is nothing.
    pub(super) value: Result<Option<Value>, Says>,
    /// The place is one of tau's own files of settings.
    pub(super) is_core: bool,
}

/// Decides between claims, those that count least first.
pub(super) fn resolve(row: &'static Row, claims: Vec<Claim>) -> Resolved {
    let spec = row.spec();
    let (mut of_user, mut of_core_user) = (None, None);
    let mut said: Vec<Said> = Vec::with_capacity(claims.len());
    for Claim { source, line, value, is_core } in claims {
        let is_project = matches!(source, Source::ProjectFile(_));
        let mut is_told = false;
        let says = match value {
            Err(says) => says,
            Ok(None) => Says::Nothing,
            Ok(Some(value)) if !row.accepts(&value) => {
                is_told = is_core;
                Says::Wrong(brief(&value.to_string()))
            }
            Ok(Some(value)) if is_project => match spec.refusal(of_user.as_ref(), &value) {
                Some(why) => {
                    is_told = is_core && spec.refusal(of_core_user.as_ref(), &value).is_some();
                    Says::Refused(value, why)
                }
                None => Says::Counts(value),
            },
            Ok(Some(value)) => {
                of_user = Some(value.clone());
                if is_core {
                    of_core_user = Some(value.clone());
                }
                Says::Counts(value)
            }
        };
        said.push(Said { source, line, says, is_told });
    }
    said.reverse();
    let mut counts: Option<(Value, Source)> = None;
    for one in &mut said {
        if let Says::Counts(value) = &one.says {
            match &counts {
                Some(_) => one.says = Says::Outranked(value.clone()),
                None => counts = Some((value.clone(), one.source.clone())),
            }
        }
    }
    let (value, source) = counts.unwrap_or_else(|| (row.default(), Source::Default));
    Resolved { row, value, source, said }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UserFile(path) => write!(f, "user {}", shown(path)),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::ProjectFile(path) => write!(f, "project {}", shown(path)),
        }
    }
}

impl fmt::Display for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Unread(why) => write!(f, "not used: {}", brief(why)),
            Self::Wrong(value) => write!(f, "{value}, which does not count: the setting does not take it"),
            Self::Refused(value, why) => write!(f, "{value}, which does not count: {why}"),
            Self::Outranked(value) => write!(f, "{value}, which a place above outranks"),
            Self::Counts(value) => write!(f, "{value}, which counts"),
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.says)
    }
}

/// A line: the key, what counts, where it comes from.
impl fmt::Display for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}  ({})", self.row.key, self.value, self.source)
    }
}

impl Resolved {
    /// A line for each place, and what the setting is.
    pub fn explained(&self) -> String {
        let mut text = format!("{self}\n  {}; it takes {}", self.row.about, self.row.takes());
        for said in &self.said {
            text.push_str(&format!("\n  {said}"));
        }
        text.push_str(&format!("\n  default: {}", self.row.default()));
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tau_hooks::SettingGuard;

    use super::*;
    use crate::shared::settings::keys::Kind;

    const fn switch(guard: SettingGuard, default: bool) -> Row {
        Row { key: "x", variable: "X", kind: Kind::Switch { default }, guard, about: "" }
    }

    static NONE: Row = switch(SettingGuard::None, false);
    static ONLY_ON: Row = switch(SettingGuard::OnlyOn, true);
    static ONLY_OFF: Row = switch(SettingGuard::OnlyOff, false);
    static USER_FIRST: Row = switch(SettingGuard::UserFirst, false);
    static ONLY_LOWER: Row = Row {
        kind: Kind::Number { default: 3.0, least: 0.5, most: 24.0, unit: "hours" },
        guard: SettingGuard::OnlyLower,
        ..NONE
    };

    /// What the places say, those that count least first.
    fn claims(values: [Value; 5]) -> Vec<Claim> {
        let user = |name: &str| Source::UserFile(name.into());
        let project = |name: &str| Source::ProjectFile(name.into());
        let sources = [user("pi"), user("core"), Source::Variable("X"), project("pi"), project("core")];
        let claim = |(source, value): (Source, Value)| {
            let is_core =
                matches!(&source, Source::UserFile(path) | Source::ProjectFile(path) if path.ends_with("core"));
            Claim { source, line: None, value: Ok(Some(value).filter(|value| !value.is_null())), is_core }
        };
        sources.into_iter().zip(values).map(claim).collect()
    }

    fn counts(row: &'static Row, values: [Value; 5]) -> (Value, String) {
        let resolved = resolve(row, claims(values));
        (resolved.value, resolved.source.to_string())
    }

    #[test]
    fn each_place_outranks_those_below_and_no_other() {
        let names = ["user pi", "user core", "variable X", "project pi", "project core"];
        // Each set of places that say something.
        for set in 0..32_usize {
            let top = (0..5).rev().find(|place| set & (1 << place) != 0);
            let values = std::array::from_fn(|place| match set & (1 << place) {
                0 => Value::Null,
                _ => json!(Some(place) == top),
            });
            let expected = top.map_or((json!(false), "default"), |top| (json!(true), names[top]));
            assert_eq!(counts(&NONE, values), (expected.0, expected.1.to_owned()), "{set:05b}");
        }
    }

    #[test]
    fn a_value_that_does_not_fit_leaves_what_holds_without_it() {
        let bad = json!("on");
        let values = [json!(true), bad.clone(), bad.clone(), bad.clone(), bad];
        let resolved = resolve(&NONE, claims(values));
        assert_eq!((&resolved.value, resolved.source.to_string()), (&json!(true), "user pi".to_owned()));
        let told: Vec<bool> = resolved.said.iter().map(|said| said.is_told).collect();
        assert_eq!(told, [true, false, false, true, false]);
    }

    #[test]
    fn a_project_never_loosens_what_protects_the_user() {
        let (on, off, no) = (json!(true), json!(false), Value::Null);
        for (row, user, variable, project, expected) in [
            (&ONLY_ON, &no, &no, &off, "default"),
            (&ONLY_ON, &on, &no, &off, "user pi"),
            (&ONLY_ON, &off, &no, &on, "project pi"),
            (&ONLY_ON, &off, &on, &off, "variable X"),
            (&ONLY_OFF, &no, &no, &on, "default"),
            (&ONLY_OFF, &on, &no, &off, "project pi"),
            (&ONLY_OFF, &on, &off, &on, "variable X"),
            (&USER_FIRST, &no, &no, &on, "project pi"),
            (&USER_FIRST, &no, &off, &on, "variable X"),
            (&ONLY_LOWER, &no, &no, &json!(4), "default"),
            (&ONLY_LOWER, &json!(9), &no, &json!(4), "project pi"),
            (&ONLY_LOWER, &json!(9), &json!(2), &json!(4), "variable X"),
        ] {
            let values = [user.clone(), no.clone(), variable.clone(), project.clone(), no.clone()];
            assert_eq!(counts(row, values).1, expected, "{:?} {user} {variable} {project}", row.guard);
        }
    }

    #[test]
    fn what_tau_itself_refuses_is_not_told_twice() {
        let told = |values| {
            let said = resolve(&ONLY_ON, claims(values)).said;
            (matches!(said[0].says, Says::Refused(..)), said[0].is_told)
        };
        let (on, off, no) = (json!(true), json!(false), Value::Null);
        assert_eq!(told([no.clone(), on.clone(), no.clone(), no.clone(), off.clone()]), (true, true));
        // tau does not know of variables.
        assert_eq!(told([no.clone(), off.clone(), on, no, off]), (true, false));
    }
}
