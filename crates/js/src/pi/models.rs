//! Models and credentials.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::Ctx;
use rquickjs::prelude::Opt;
use serde_json::json;
use tau_ai::{Model, ModelRegistry, ValueResolver};

use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError};

ops! {
    /// Models and credentials.
    pub(crate) static OPS: watched;

    /// The models of every type that are known without any configuration.
    fn piModels() -> "Model[]" = pi_models, Pure;
    /// The key of a provider in the environment, on which another may be laid.
    fn piEnvKey(provider, over: "Record<string, string>") = pi_env_key, Recorded;
    /// A registry of models, from the texts of a `models.json` and an `auth.json`.
    fn piRegistry(models, auth) -> "{ rid: number; errors: string[] }" = pi_registry, Pure;
    /// The models of a registry: all of every type, or those that can be asked.
    fn piRegistryModels(rid, available) -> "Model[]" = pi_registry_models, Pure;
    /// The credentials of a model.
    fn piRegistryAuth(rid, model) -> "ModelAuth" = pi_registry_auth, Recorded;
}

/// A registry as a resource.
struct Registry(Arc<ModelRegistry>);

/// The environment of one engine, as it was.
struct Environment(BTreeMap<String, String>);

impl ValueResolver for Environment {
    fn env(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    fn command(&self, command: &str) -> Result<String, String> {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command]).env_clear().envs(&self.0);
        let output = tau_sys::process::output(shell).map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        } else {
            Err(output.status.to_string())
        }
    }

    fn file(&self, path: &str) -> Result<String, String> {
        tau_tools::read_small_text(std::path::Path::new(path)).map_err(|error| format!("{path}: {error}"))
    }
}

fn list<'a>(models: impl IntoIterator<Item = &'a Arc<Model>>) -> Json {
    Json(models.into_iter().map(|model| tau_ai::to_json(&**model)).collect())
}

fn pi_models() -> Json {
    list(&ModelRegistry::new(Arc::new(Environment(BTreeMap::new()))).every())
}

fn pi_env_key(Host(host): Host, provider: String, over: Opt<Json>) -> Option<String> {
    let mut env = host.env().clone();
    let over: BTreeMap<String, String> =
        over.0.and_then(|over| serde_json::from_value(over.0).ok()).unwrap_or_default();
    env.extend(over);
    let registry = ModelRegistry::new(Arc::new(Environment(env)));
    let model = serde_json::from_value::<Model>(json!({ "id": "", "provider": provider })).ok()?;
    registry.auth(&model).ok()?.api_key.map(|key| key.expose().to_owned())
}

fn pi_registry(Host(host): Host, models: Option<String>, auth: Option<String>) -> Json {
    let registry = ModelRegistry::new(Arc::new(Environment(host.env().clone())));
    let mut errors = Vec::new();
    if let Some(Err(problems)) = models.map(|text| registry.load_models_json(&text)) {
        errors.extend(problems.iter().map(ToString::to_string));
    }
    if let Some(Err(problem)) = auth.map(|text| registry.load_auth_json(&text)) {
        errors.push(problem.to_string());
    }
    let rid = host.resources().add(Rc::new(Registry(Arc::new(registry))));
    Json(json!({ "rid": rid, "errors": errors }))
}

fn pi_registry_models<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, available: bool) -> rquickjs::Result<Json> {
    let registry = host.resources().get::<Registry>(rid).map_err(|error| error.throw(&ctx))?;
    Ok(if available { list(&registry.0.available()) } else { list(&registry.0.every()) })
}

fn pi_registry_auth<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    model: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let registry = host.resources().get::<Registry>(rid).map_err(|error| error.throw(&ctx))?;
    let model: Model = serde_json::from_value(model.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(&ctx))?;
    let registry = Arc::clone(&registry.0);
    host.spawn(&ctx, async move {
        // A key may come from a command.
        let auth = tokio::task::spawn_blocking(move || registry.auth(&model)).await;
        Ok(Json(match auth {
            Ok(Ok(auth)) => json!({
                "ok": true,
                "apiKey": auth.api_key.as_ref().map(|key| key.expose()),
                "headers": auth.headers,
                "env": auth.env,
            }),
            Ok(Err(error)) => json!({ "ok": false, "error": error.to_string() }),
            Err(error) => json!({ "ok": false, "error": error.to_string() }),
        }))
    })
}
