//! Settings that extensions declare: `pi.tau.settings`.

use rquickjs::Ctx;
use tau_hooks::SettingSpec;

use super::extract::Caller;
use super::refused;
use super::register::register;
use crate::ops::table::ops;
use crate::ops::{Json, OpError};

ops! {
    /// Settings that extensions declare.
    pub(crate) static OPS: always;

    /// Declares a setting.
    fn extSetting(id, spec) = ext_setting, Pure;
    /// The value of a setting that the extension declared.
    fn getSetting(id, key) -> "SettingValue" = get_setting, Recorded;
}

fn ext_setting<'js>(ctx: Ctx<'js>, Caller { bridge, extension, .. }: Caller, spec: Json) -> rquickjs::Result<()> {
    let failed = |error: serde_json::Error| OpError::message(format!("the setting's definition: {error}"));
    let spec: SettingSpec = serde_json::from_value(spec.0).map_err(|error| failed(error).throw(&ctx))?;
    bridge.count(&ctx, &extension, "setting", &spec.key)?;
    register(&ctx, &extension, |registrar| registrar.setting(spec).map(drop))
}

fn get_setting<'js>(ctx: Ctx<'js>, Caller { extension, .. }: Caller, key: String) -> rquickjs::Result<Json> {
    let value = match &*extension.registrar.borrow() {
        Some(registrar) => registrar.setting_value(&key),
        None => extension.api.setting(&key),
    };
    let value = value.map_err(|error| refused(&ctx, &error))?;
    let value = serde_json::to_value(&value).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
    Ok(Json(value))
}
