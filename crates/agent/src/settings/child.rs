//! The settings of a child session: those of its folder, never weaker than those of the session that opened it.

use std::sync::Arc;

use serde_json::{Map, Value};
use tau_hooks::{SettingGuard, SettingSource, SettingValue};

use super::extension::{Declared, joined};
use super::guard::{self, is_off, is_on};
use super::key::{KeyPath, look_up};
use super::layers::{Inherited, Settings};
use super::place::Layer;
use super::table::{GUARDS, Guard, Key, Rule, keys};
use super::tau::Limits;

/// The variable that says that a session is a child.
pub(crate) const IS_CHILD: &str = "PI_SUBAGENT_CHILD";
/// The variable with the name of the child.
pub(crate) const CHILD_NAME: &str = "PI_AGENT_NAME";

const MIB: u64 = 1024 * 1024;

impl Inherited {
    /// A setting of an extension, with where it comes from, no weaker than its guard lets a project make what counts for the
    /// parent: a gate reads it, and a gate that both sessions load is asked in the child.
    pub(super) fn declared(
        &self,
        declared: &Declared,
        own: Option<Value>,
        source: SettingSource,
    ) -> (Option<Value>, SettingSource) {
        let SettingValue { value: above, source: from } = self.parent.declared(declared);
        let spec = &declared.spec;
        let value = own.as_ref().unwrap_or(&spec.default);
        if spec.guard == SettingGuard::AddOnly {
            let all = joined(&above, value);
            return if all == *value { (own, source) } else { (Some(all), from) };
        }
        let before = (from != SettingSource::Default).then_some(&above);
        let is_weaker = *value != above && spec.refusal(before, value).is_some();
        if is_weaker { (Some(above), from) } else { (own, source) }
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }
}

impl Settings {
    /// These settings for a child of a session with the settings `parent`, with what the one who opens it wants on top.
    ///
    /// # Errors
    /// The guarded key that is wanted weaker than it is for the parent. A limit that is higher than the parent's is no
    /// error: the parent's holds.
    pub(crate) fn below(self, parent: &Arc<Self>, wanted: &Value) -> Result<Self, &'static str> {
        let mut rest = match wanted {
            Value::Object(_) => wanted.clone(),
            _ => Value::Object(Map::new()),
        };
        let mut guarded = Vec::with_capacity(GUARDS.len());
        for guard in GUARDS.iter() {
            let of_parent = match guard.rule {
                Rule::UserFirst => look_up(guard.key, parent.layer(Layer::Global)),
                _ => look_up(guard.key, parent.merged()),
            };
            let asked = look_up(guard.key, wanted).filter(|asked| !asked.is_null());
            let value = match asked {
                Some(asked) => tightened(parent, guard, of_parent, asked).map_err(|Weaker| guard.key)?,
                None => of_parent.cloned(),
            };
            guarded.push((guard.key, guard.rule, value));
            KeyPath::dotted(guard.key).set(&mut rest, None);
        }
        let mut required = parent.tau().required;
        if let Some(above) = parent.inherited() {
            required.extend(above.required.iter().cloned());
        }
        Ok(self.inheriting(Some(Arc::new(Inherited { guarded, wanted: rest, required, parent: Arc::clone(parent) }))))
    }

    /// Whether the session is a child: of a session of this program, or, by what its environment says, of another one. The
    /// environment is believed because a child has less.
    pub(crate) fn is_of_child(&self) -> bool {
        let says = |name: &str| self.env.vars.get(name).is_some_and(|value| !value.is_empty());
        self.inherited().is_some() || says(tau_script::PARENT_GATES) || says(IS_CHILD)
    }

    /// Whether an extension is required by a session above, which sees to it.
    pub(crate) fn is_required_above(&self, name: &str) -> bool {
        self.inherited().is_some_and(|above| above.requires(name))
    }
}

/// What is wanted is weaker than what the parent has.
struct Weaker;

/// The value of a guarded key for a child.
fn tightened(parent: &Settings, guard: &Guard, has: Option<&Value>, wanted: &Value) -> Result<Option<Value>, Weaker> {
    if has == Some(wanted) {
        return Ok(has.cloned());
    }
    let is_isolation = guard.key == keys::ISOLATE.name();
    if guard.covers(keys::SOFT_MS) {
        return lower(&parent.tau().limits, has, wanted).map(Some);
    }
    if guard.covers(keys::SHELL_HOOKS_STRICT) {
        return stricter(parent, has, wanted).map(Some);
    }
    match guard.rule {
        // All of them is `true`, and more than any list.
        _ if is_isolation && (has.is_some_and(is_on) || is_on(wanted)) => Ok(Some(Value::Bool(true))),
        Rule::AddOnly if wanted.is_array() => Ok(guard::add(has, Some(wanted))),
        _ if is_isolation && wanted.is_array() => Ok(guard::add(has, Some(wanted))),
        Rule::OnlyOn if is_on(wanted) => Ok(Some(Value::Bool(true))),
        Rule::OnlyOn if *wanted == Value::Bool(false) && has.is_none() && is_off(guard.key) => Ok(Some(wanted.clone())),
        Rule::UserFirst if has.is_none() => Ok(Some(wanted.clone())),
        _ => Err(Weaker),
    }
}

/// Limits, each the lower one of both; zero is none.
fn lower(limits: &Limits, has: Option<&Value>, wanted: &Value) -> Result<Value, Weaker> {
    let Value::Object(wanted) = wanted else { return Err(Weaker) };
    let millis = |limit: std::time::Duration| match limit {
        Limits::NONE => 0,
        limit => u64::try_from(limit.as_millis()).unwrap_or(0),
    };
    let known: [(Key<u64>, u64); 8] = [
        (keys::SOFT_MS, millis(limits.soft)),
        (keys::OBSERVE_MS, millis(limits.observe)),
        (keys::HANDLER_MS, millis(limits.handler.unwrap_or(Limits::DEFAULT_HANDLER))),
        (keys::STRETCH_MS, millis(limits.stretch)),
        (keys::LOAD_MS, millis(limits.load)),
        (keys::SHUTDOWN_MS, millis(limits.shutdown)),
        (keys::MEMORY_MB, limits.memory / MIB),
        (keys::ISOLATED_MEMORY_MB, limits.isolated_memory / MIB),
    ];
    let mut all = has.cloned().unwrap_or_else(|| Value::Object(Map::new()));
    for (name, value) in wanted {
        let Some((_, now)) = known.iter().find(|(key, _)| key.last_name() == name) else { continue };
        let value = value.as_u64().ok_or(Weaker)?;
        if value != 0 && (*now == 0 || value < *now) {
            KeyPath::of([name.as_str()]).set(&mut all, Some(value.into()));
        }
    }
    Ok(all)
}

/// Rules for scripts, each the stricter one of both.
fn stricter(parent: &Settings, has: Option<&Value>, wanted: &Value) -> Result<Value, Weaker> {
    let Value::Object(wanted) = wanted else { return Err(Weaker) };
    let now = parent.tau().shell_hooks;
    let mut all = has.cloned().unwrap_or_else(|| Value::Object(Map::new()));
    let is = |name: &str, key: &'static str| key.rsplit('.').next() == Some(name);
    for (name, value) in wanted {
        let value = match value {
            // What guards, or adds guards, may be switched on.
            Value::Bool(on) if is(name, keys::SHELL_HOOKS_STRICT.name()) && (*on || !now.strict) => value.clone(),
            Value::Bool(on) if is(name, keys::SHELL_HOOKS_CLAUDE_SETTINGS.name()) && (*on || !now.claude_settings) => {
                value.clone()
            }
            Value::Bool(on)
                if is(name, keys::SHELL_HOOKS_INPUT_REWRITE.name()) && (!*on || now.allow_input_rewrite) =>
            {
                value.clone()
            }
            Value::String(what)
                if is(name, keys::SHELL_HOOKS_ON_FAILURE.name()) && (what != "allow" || now.allow_on_failure) =>
            {
                value.clone()
            }
            Value::Array(_) if is(name, keys::SHELL_HOOKS_PROVIDERS.name()) => {
                let known = has.and_then(|has| has.get(keys::SHELL_HOOKS_PROVIDERS.last_name()));
                guard::add(known, Some(value)).unwrap_or_default()
            }
            value if is(name, keys::SHELL_HOOKS_TIMEOUT_MS.name()) => {
                let value = value.as_u64().ok_or(Weaker)?;
                let now = now.timeout.map_or(0, |limit| u64::try_from(limit.as_millis()).unwrap_or(0));
                if value == 0 || (now != 0 && value >= now) {
                    continue;
                }
                value.into()
            }
            _ => return Err(Weaker),
        };
        KeyPath::of([name.as_str()]).set(&mut all, Some(value));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::Environment;

    fn settings(user: Value, project: Value) -> Arc<Settings> {
        Arc::new(Settings::in_memory(&Environment::new("/home/ada", "/project"), user, project))
    }

    fn of_folder(project: Value) -> Settings {
        Settings::in_memory(&Environment::new("/home/ada", "/elsewhere"), json!({}), project)
    }

    fn child(parent: &Arc<Settings>, own: Value, wanted: Value) -> Result<Value, &'static str> {
        of_folder(own).below(parent, &wanted).map(|child| child.merged().clone())
    }

    #[test]
    fn guards_of_the_parent_hold_whatever_the_folder_of_the_child_says() {
        let parent = settings(
            json!({"tau": {"limits": {"handlerMs": 100}}, "shellPath": "/bin/safe"}),
            json!({"tau": {"required": ["guard"]}, "images": {"blockImages": true}}),
        );
        let own = json!({
            "tau": {"required": ["other"], "limits": {"handlerMs": 9000}}, "images": {"blockImages": false},
            "shellPath": "/bin/own", "theme": "dark"
        });
        let merged = child(&parent, own, json!({"theme": "light"})).expect("nothing guarded is wanted");
        assert_eq!(
            merged,
            json!({
                "tau": {"required": ["guard", "other"], "limits": {"handlerMs": 100}}, "images": {"blockImages": true},
                "shellPath": "/bin/safe", "theme": "light"
            })
        );
    }

    #[test]
    fn what_is_wanted_can_only_be_tighter() {
        let parent = settings(
            json!({"tau": {
                "limits": {"handlerMs": 100, "memoryMb": 0}, "shellHooks": {"strict": true}, "isolate": ["a"]
            }, "httpProxy": "http://proxy", "images": {"blockImages": true}}),
            json!({}),
        );
        let weaker = [
            (json!({"tau": {"shellHooks": {"strict": false}}}), "tau.shellHooks"),
            (json!({"tau": {"shellHooks": {"onFailure": "allow"}}}), "tau.shellHooks"),
            (json!({"tau": {"shellHooks": {"allowInputRewrite": true}}}), "tau.shellHooks"),
            (json!({"tau": {"limits": 5}}), "tau.limits"),
            (json!({"httpProxy": "http://other"}), "httpProxy"),
            (json!({"disabledProviders": ["shell"]}), "disabledProviders"),
            (json!({"discovery": {"disabledExtensions": ["guard"]}}), "discovery.disabledExtensions"),
            (json!({"images": {"blockImages": false}}), "images.blockImages"),
            (json!({"ttsr": {"enabled": false}}), "ttsr.enabled"),
            (json!({"hookTimeout": 1}), "hookTimeout"),
        ];
        for (wanted, key) in weaker {
            assert_eq!(child(&parent, json!({}), wanted.clone()), Err(key), "{wanted}");
        }
        let wanted = json!({"tau": {
            "limits": {"handlerMs": 200, "memoryMb": 64, "loadMs": 5, "observeMs": 0}, "required": ["more"],
            "shellHooks": {"strict": true, "timeoutMs": 7}, "isolate": ["b"]
        }, "httpProxy": "http://proxy"});
        let merged = child(&parent, json!({}), wanted).expect("nothing is weaker");
        assert_eq!(
            merged["tau"],
            json!({
                "limits": {"handlerMs": 100, "memoryMb": 64, "loadMs": 5},
                "shellHooks": {"strict": true, "timeoutMs": 7}, "isolate": ["a", "b"], "required": ["more"]
            })
        );
    }

    #[test]
    fn what_a_grandparent_requires_is_seen_to_above() {
        let top = settings(json!({"tau": {"required": ["guard"]}}), json!({}));
        let middle = Arc::new(of_folder(json!({})).below(&top, &json!({})).expect("settings"));
        let bottom = of_folder(json!({"tau": {"required": ["own"]}})).below(&middle, &json!({}));
        let bottom = bottom.expect("settings");
        assert_eq!(bottom.tau().required, ["guard", "own"]);
        assert_eq!((bottom.is_required_above("guard"), bottom.is_required_above("own")), (true, false));
    }

    #[test]
    fn settings_of_extensions_are_no_weaker_than_for_the_parent() {
        let own = |value: Value| json!({"tau": {"extensions": {"guard": {"key": value}}}});
        let cases = [
            (SettingGuard::OnlyOn, json!(false), json!(true), json!(false), json!(true)),
            (SettingGuard::OnlyOn, json!(false), json!(false), json!(true), json!(true)),
            (SettingGuard::OnlyOff, json!(true), json!(false), json!(true), json!(false)),
            (SettingGuard::OnlyLower, json!(9), json!(3), json!(7), json!(3)),
            (SettingGuard::OnlyLower, json!(9), json!(3), json!(2), json!(2)),
            (SettingGuard::AddOnly, json!([]), json!(["a"]), json!(["b"]), json!(["a", "b"])),
            (SettingGuard::UserFirst, json!("x"), json!("y"), json!("z"), json!("y")),
            (SettingGuard::None, json!("x"), json!("y"), json!("z"), json!("z")),
        ];
        for (guard, default, of_parent, of_folder_says, counts) in cases {
            let spec = tau_hooks::SettingSpec::new("key", "", default).guarded(guard);
            let declared = Declared { extension: "guard".to_owned(), spec };
            let parent = settings(json!({}), own(of_parent));
            let below = of_folder(own(of_folder_says)).below(&parent, &json!({})).expect("nothing guarded is wanted");
            assert_eq!(below.declared(&declared).value, counts, "{guard:?}");
        }
    }
}
