//! Settings that extensions declare: `pi.tau.settings`.

use rquickjs::Ctx;
use tau_hooks::SettingSpec;

use super::register::register;
use super::{Area, refused};
use crate::ops::{Json, OpError};

pub(super) fn install<'js>(area: &Area<'js>) -> rquickjs::Result<()> {
    let bridge = area.bridge();
    let declare = move |ctx: Ctx<'js>, id: u32, spec: Json| -> rquickjs::Result<()> {
        let extension = bridge.extension(&ctx, id)?;
        let failed = |error: serde_json::Error| OpError::message(format!("the setting's definition: {error}"));
        let spec: SettingSpec = serde_json::from_value(spec.0).map_err(|error| failed(error).throw(&ctx))?;
        bridge.count(&ctx, &extension, "setting", &spec.key)?;
        register(&ctx, &extension, |registrar| registrar.setting(spec).map(drop))
    };
    area.function("extSetting", declare)?;

    let bridge = area.bridge();
    let get = move |ctx: Ctx<'js>, id: u32, key: String| -> rquickjs::Result<Json> {
        let extension = bridge.extension(&ctx, id)?;
        let value = match &*extension.registrar.borrow() {
            Some(registrar) => registrar.setting_value(&key),
            None => extension.api.setting(&key),
        };
        let value = value.map_err(|error| refused(&ctx, &error))?;
        let value = serde_json::to_value(&value).map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
        Ok(Json(value))
    };
    area.function("getSetting", get)
}
