//! The form that the arguments of a tool once had, beside the present one.
//!
//! A call of `edit` names its changes in `edits`. Hooks of the older dialects know one change, as `oldText` and
//! `newText`: they find all old texts joined there, and all new ones, so that a gate that looks at `newText` sees
//! everything that would be written. What a handler changes reaches the tool in either form, as far as it says which
//! edit is meant. Where it does not, nobody guesses: the result is malformed, and a gate stays shut.

use std::borrow::Cow;

use serde_json::{Value, json};
use tau_ai::JsonMap;

/// A tool whose arguments had another form: one change, where they have a list of changes now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OlderInput {
    /// The name of the tool.
    pub tool: &'static str,
    /// The field with the list of changes.
    pub list: &'static str,
    /// The text that a change replaces: a field of a change, and of the older form.
    pub old: &'static str,
    /// The text in its place.
    pub new: &'static str,
}

/// The tool that edits files.
pub const OLDER_EDIT: OlderInput = OlderInput { tool: "edit", list: "edits", old: "oldText", new: "newText" };

/// Between the texts of two changes.
const JOINT: &str = "\n";

impl OlderInput {
    /// The arguments of a call with the older form beside the present one; `None` for calls that have none.
    pub(crate) fn shown(&self, tool: &str, input: &Value) -> Option<Value> {
        let older = self.joined_in(tool, input)?;
        let mut shown = input.clone();
        let fields = shown.as_object_mut()?;
        fields.insert(self.old.to_owned(), older.old.into());
        fields.insert(self.new.to_owned(), older.new.into());
        Some(shown)
    }

    /// The arguments as the tool knows them, from what a handler made of those that [`Self::shown`] showed it. `input` is
    /// what they were made from.
    ///
    /// # Errors
    /// When the older form was changed in a way that does not say which edit is meant; the text is for the user.
    pub(crate) fn taken(&self, tool: &str, input: &Value, changed: Value) -> Result<Value, String> {
        let Self { tool: name, list, old: old_name, new: new_name } = *self;
        let Some(older) = self.joined_in(tool, input) else { return Ok(changed) };
        let Value::Object(mut fields) = changed else { return Ok(changed) };
        let (old, new) = (fields.shift_remove(old_name), fields.shift_remove(new_name));
        let was = &input[list];
        let edits = fields.get(list).filter(|edits| !edits.is_null()).unwrap_or(was).clone();
        let is = |now: &Option<Value>, before: &str| now.as_ref().and_then(Value::as_str) == Some(before);
        // A handler that took the older form away speaks the present one.
        let gone = old.is_none() && new.is_none();
        let edits = if gone || is(&old, &older.old) && is(&new, &older.new) {
            edits
        } else {
            let (Some(Value::String(old)), Some(Value::String(new))) = (old, new) else {
                return Err(format!("`{old_name}` and `{new_name}` of `{name}` must be texts"));
            };
            let said_twice =
                edits != *was && self.joined(&edits).is_some_and(|joined| joined.old == old && joined.new == new);
            match was.as_array().map(Vec::as_slice) {
                _ if said_twice => edits,
                Some([edit]) if edits == *was => json!([self.with_texts(edit, old, new)]),
                _ if edits != *was => {
                    return Err(format!(
                        "`{old_name}` and `{new_name}` of `{name}` were changed in another way than `{list}`"
                    ));
                }
                _ => {
                    return Err(format!(
                        "`{old_name}` and `{new_name}` stand for several edits here, so a change of them does not say which edit is \
                     meant; change `{list}`"
                    ));
                }
            }
        };
        fields.insert(list.to_owned(), edits);
        Ok(Value::Object(fields))
    }

    /// All texts of a call, joined.
    fn joined_in(&self, tool: &str, input: &Value) -> Option<Older> {
        let fields = input.as_object().filter(|_| tool == self.tool)?;
        // A tool that has these arguments of its own is another one.
        if fields.contains_key(self.old) || fields.contains_key(self.new) {
            return None;
        }
        self.joined(fields.get(self.list)?)
    }

    fn joined(&self, changes: &Value) -> Option<Older> {
        let changes = changes.as_array().filter(|changes| !changes.is_empty())?;
        let texts = |name: &str| {
            let texts = changes.iter().map(|change| change.get(name)?.as_str().map(Cow::Borrowed));
            texts.collect::<Option<Vec<_>>>().map(|texts| texts.join(JOINT))
        };
        Some(Older { old: texts(self.old)?, new: texts(self.new)? })
    }

    /// A change with other texts and whatever else it has.
    fn with_texts(&self, change: &Value, old: String, new: String) -> Value {
        let mut fields: JsonMap = change.as_object().cloned().unwrap_or_default();
        fields.insert(self.old.to_owned(), old.into());
        fields.insert(self.new.to_owned(), new.into());
        Value::Object(fields)
    }
}

/// All texts of a call, joined.
struct Older {
    old: String,
    new: String,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOOL: &str = OLDER_EDIT.tool;
    const EDITS: &str = OLDER_EDIT.list;
    const OLD: &str = OLDER_EDIT.old;
    const NEW: &str = OLDER_EDIT.new;

    fn call(edits: &[(String, String)]) -> Value {
        let edits = edits.iter().map(|(old, new)| json!({ OLD: old, NEW: new })).collect::<Vec<_>>();
        json!({ "path": "a.txt", EDITS: edits })
    }

    fn edits() -> impl Strategy<Value = Vec<(String, String)>> {
        proptest::collection::vec(("[a-c\\n]{0,4}", "[a-c\\n]{0,4}"), 1..4)
    }

    proptest! {
        #[test]
        fn what_nobody_changed_comes_back_as_it_was(edits in edits()) {
            let input = call(&edits);
            let shown = OLDER_EDIT.shown(TOOL, &input).expect("an older form");
            let joined = |which: fn(&(String, String)) -> &str| {
                json!(edits.iter().map(which).collect::<Vec<_>>().join("\n"))
            };
            prop_assert_eq!(&shown[OLD], &joined(|edit| &edit.0));
            prop_assert_eq!(&shown[NEW], &joined(|edit| &edit.1));
            prop_assert_eq!(&shown[EDITS], &input[EDITS]);
            prop_assert_eq!(OLDER_EDIT.taken(TOOL, &input, shown), Ok(input));
        }

        #[test]
        fn a_changed_list_reaches_the_tool_whatever_it_is(edits in edits(), others in edits()) {
            let (input, other) = (call(&edits), call(&others));
            let mut shown = OLDER_EDIT.shown(TOOL, &input).expect("an older form");
            shown[EDITS] = other[EDITS].clone();
            prop_assert_eq!(OLDER_EDIT.taken(TOOL, &input, shown), Ok(other));
        }

        #[test]
        fn a_changed_pair_reaches_the_tool_or_is_refused(edits in edits(), old in "[a-c]{0,4}", new in "[a-c]{0,4}") {
            let input = call(&edits);
            let mut shown = OLDER_EDIT.shown(TOOL, &input).expect("an older form");
            let before = (shown[OLD].clone(), shown[NEW].clone());
            shown[OLD] = json!(old);
            shown[NEW] = json!(new);
            let same = before == (json!(old), json!(new));
            let made = OLDER_EDIT.taken(TOOL, &input, shown);
            match edits.len() {
                _ if same => prop_assert_eq!(made, Ok(input)),
                1 => prop_assert_eq!(made, Ok(call(&[(old, new)]))),
                _ => prop_assert!(made.is_err()),
            }
        }

        #[test]
        fn both_forms_may_say_the_same(edits in edits(), others in edits()) {
            let (input, other) = (call(&edits), call(&others));
            let shown = OLDER_EDIT.shown(TOOL, &other).expect("an older form");
            // Unless the list is as it was: then the pair alone was changed, which is the case above.
            prop_assume!(edits != others);
            prop_assert_eq!(OLDER_EDIT.taken(TOOL, &input, shown), Ok(other));
        }

        #[test]
        fn other_arguments_are_left_alone(tool in "[a-z]{1,5}", value in "[a-z]{0,5}") {
            let input = json!({ "path": value, NEW: value, EDITS: [{ OLD: "a", NEW: "b" }] });
            prop_assert_eq!(OLDER_EDIT.shown(&tool, &input), None);
            prop_assert_eq!(OLDER_EDIT.shown(TOOL, &input), None);
            prop_assert_eq!(OLDER_EDIT.taken(TOOL, &json!({}), input.clone()), Ok(input));
        }
    }

    #[test]
    fn the_two_forms_must_not_contradict_each_other() {
        let input = call(&[("a".into(), "b".into())]);
        let mut shown = OLDER_EDIT.shown(TOOL, &input).expect("an older form");
        shown[EDITS] = json!([{ OLD: "x", NEW: "y" }]);
        shown[NEW] = json!("z");
        let refused = OLDER_EDIT.taken(TOOL, &input, shown);
        assert_eq!(refused, Err("`oldText` and `newText` of `edit` were changed in another way than `edits`".into()));
    }

    #[test]
    fn what_else_an_edit_and_a_call_have_stays() {
        let input = json!({ "path": "a", "dry": true, EDITS: [{ OLD: "a", NEW: "b", "all": true }] });
        let mut shown = OLDER_EDIT.shown(TOOL, &input).expect("an older form");
        shown["path"] = json!("b");
        shown[NEW] = json!("c");
        let made = json!({ "path": "b", "dry": true, EDITS: [{ OLD: "a", NEW: "c", "all": true }] });
        assert_eq!(OLDER_EDIT.taken(TOOL, &input, shown), Ok(made));
    }

    #[test]
    fn half_a_pair_is_refused_and_none_means_the_list() {
        let input = call(&[("a".into(), "b".into())]);
        let half = json!({ "path": "a.txt", EDITS: input[EDITS], OLD: "a" });
        assert!(OLDER_EDIT.taken(TOOL, &input, half).is_err());
        let none = json!({ "path": "b.txt", EDITS: input[EDITS] });
        assert_eq!(OLDER_EDIT.taken(TOOL, &input, none.clone()), Ok(none));
        let pair = json!({ "path": "b.txt", OLD: "c", NEW: "d" });
        let made = json!({ "path": "b.txt", EDITS: [{ OLD: "c", NEW: "d" }] });
        assert_eq!(OLDER_EDIT.taken(TOOL, &input, pair), Ok(made));
    }
}
