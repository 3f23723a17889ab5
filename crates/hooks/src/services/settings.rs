//! Settings that an extension declares, in the files in which the user's other settings are.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::named::Name;
use crate::owner::Owner;
use crate::registry::Hooks;

/// A setting of an extension: `tau.extensions.NAME.KEY` in the user's and the project's file, with the short name of the
/// extension.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingSpec {
    /// The key below the extension's name: a name, or several with dots between them.
    pub key: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its value. A value that does not fit is reported and not used.
    #[serde(default)]
    pub schema: Value,
    /// What holds when no file says anything; `null` is nothing.
    #[serde(default)]
    pub default: Value,
    /// Whose files may set it.
    #[serde(default)]
    pub scope: SettingScope,
    /// What a project may do to it, where it may set it at all.
    #[serde(default)]
    pub guard: SettingGuard,
}

/// Whose files may set a setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettingScope {
    /// Only the user's: a project has no say.
    User,
    /// The user's, and that of a trusted project.
    #[default]
    Project,
}

/// What a trusted project may do to a setting. Everything but the first keeps it from loosening what protects the user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettingGuard {
    /// Replace it.
    #[default]
    None,
    /// Set it while the user has not.
    UserFirst,
    /// Add entries to the list, and remove none.
    AddOnly,
    /// Turn it on, not off.
    OnlyOn,
    /// Turn it off, not on.
    OnlyOff,
    /// Make the number smaller.
    OnlyLower,
}

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "layer", content = "path")]
pub enum SettingSource {
    /// No file says anything that counts.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file, alone or with the user's.
    Project(PathBuf),
}

/// The value of a setting, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingValue {
    /// The value; it fits the schema, or is the default.
    pub value: Value,
    /// Where it comes from.
    pub source: SettingSource,
}

impl Name for SettingSpec {
    fn name(&self) -> &str {
        &self.key
    }
}

impl SettingSpec {
    /// A setting that every value fits, with a default.
    pub fn new(key: &str, description: &str, default: impl Into<Value>) -> Self {
        Self { key: key.to_owned(), description: description.to_owned(), default: default.into(), ..Self::default() }
    }

    /// With a JSON Schema.
    #[must_use]
    pub fn schema(self, schema: Value) -> Self {
        Self { schema, ..self }
    }

    /// Only the user may set it.
    #[must_use]
    pub fn of_user(self) -> Self {
        Self { scope: SettingScope::User, ..self }
    }

    /// With what a project may do to it.
    #[must_use]
    pub fn guarded(self, guard: SettingGuard) -> Self {
        Self { guard, ..self }
    }

    /// What is wrong with a value, in words; nothing when it fits.
    pub fn complaints(&self, value: &Value) -> Vec<String> {
        let mut complaints =
            if self.schema.is_null() { Vec::new() } else { tau_tools::arguments::complaints(&self.schema, value) };
        let wanted = match self.guard {
            SettingGuard::OnlyOn | SettingGuard::OnlyOff if !value.is_boolean() => Some("true or false"),
            SettingGuard::AddOnly if !value.is_array() => Some("a list"),
            SettingGuard::OnlyLower if !value.is_number() => Some("a number"),
            _ => None,
        };
        if complaints.is_empty() {
            complaints.extend(wanted.map(|wanted| format!("expected {wanted}")));
        }
        complaints
    }

    /// Why a project may not set this value, in words; `None` when it may. `of_user` is what the user set.
    pub fn refusal(&self, of_user: Option<&Value>, of_project: &Value) -> Option<&'static str> {
        if self.scope == SettingScope::User {
            return Some("only your own file may set it");
        }
        let before = of_user.unwrap_or(&self.default);
        match self.guard {
            SettingGuard::None | SettingGuard::AddOnly => None,
            SettingGuard::UserFirst => of_user.map(|_| "a project may not replace what you set"),
            SettingGuard::OnlyOn => (*of_project != Value::Bool(true) && *before == Value::Bool(true))
                .then_some("a project may not turn it off"),
            SettingGuard::OnlyOff => (*of_project != Value::Bool(false) && *before != Value::Bool(true))
                .then_some("a project may not turn it on"),
            SettingGuard::OnlyLower => (before.is_number() && of_project.as_f64() > before.as_f64())
                .then_some("a project may only make it smaller"),
        }
    }

    fn check(&self) -> Result<(), HandlerError> {
        let failed = |why: String| Err(HandlerError::msg(format!("setting \"{}\": {why}", self.key)));
        if self.key.split('.').any(str::is_empty) {
            return failed("a name of the key is empty".to_owned());
        }
        if !self.schema.is_null()
            && let Err(why) = tau_tools::arguments::check_schema(&self.schema)
        {
            return failed(format!("the schema cannot be used: {why}"));
        }
        if self.default.is_null() || self.complaints(&self.default).is_empty() {
            Ok(())
        } else {
            failed(format!("the default does not fit: {}", self.complaints(&self.default).join("; ")))
        }
    }
}

impl SettingValue {
    /// The value as a type of Rust; `null` is the default of the type.
    ///
    /// # Errors
    /// When the schema of the setting allows what the type cannot hold.
    pub fn get<T: DeserializeOwned + Default>(&self) -> Result<T, HandlerError> {
        if self.value.is_null() { Ok(T::default()) } else { Ok(serde_json::from_value(self.value.clone())?) }
    }
}

impl Hooks {
    /// The settings that extensions declared, in load order.
    pub fn setting_specs(&self) -> Vec<(std::sync::Arc<Owner>, SettingSpec)> {
        self.all_of(|registered| &registered.settings)
    }

    fn setting_value(&self, owner: &Owner, spec: &SettingSpec) -> Result<SettingValue, ActionError> {
        Ok(self.services()?.setting(owner, spec))
    }
}

impl Registrar {
    /// Declares a setting. What the files say about it is read with [`Api::setting`].
    ///
    /// # Errors
    /// When the key has an empty name, the schema is none, or the default does not fit.
    pub fn setting(&mut self, spec: SettingSpec) -> Result<&mut Self, HandlerError> {
        spec.check()?;
        self.staged.settings.put(spec);
        Ok(self)
    }

    /// The value of a setting that was declared already.
    ///
    /// # Errors
    /// When it was not declared, and for extensions of the program, which register before any settings are read.
    pub fn setting_value(&self, key: &str) -> Result<SettingValue, ActionError> {
        let spec = self.staged.settings.iter().find(|spec| spec.key == key).ok_or_else(|| undeclared(key))?;
        self.hooks.setting_value(&self.owner, spec)
    }
}

impl Api {
    /// The value of a setting that this extension declared, as the files have it now.
    ///
    /// # Errors
    /// When it was not declared, while tau starts, and when the session or the extension is gone.
    pub fn setting(&self, key: &str) -> Result<SettingValue, ActionError> {
        self.owner().check()?;
        self.hooks()?.setting_value(self.owner(), &self.declared_setting(key)?)
    }

    /// The setting of this key that this extension declared.
    pub(super) fn declared_setting(&self, key: &str) -> Result<SettingSpec, ActionError> {
        let all = self.hooks()?.setting_specs().into_iter();
        let mut own = all.filter(|(owner, spec)| std::sync::Arc::ptr_eq(owner, self.owner()) && spec.key == key);
        own.next().map(|(_, spec)| spec).ok_or_else(|| undeclared(key))
    }
}

fn undeclared(key: &str) -> ActionError {
    ActionError::Refused(format!("the setting \"{key}\" was not declared by this extension"))
}
