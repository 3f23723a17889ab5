//! Logins written in JavaScript.

use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, IntoJs, Object, Value};
use serde_json::Value as Data;
use tau_ai::{JsonMap, LoginNotice, LoginQuestion, LoginUi, Model, OAuth};
use tau_hooks::HandlerError;
use tokio_util::sync::CancellationToken;

use super::callback::{making, reading};
use super::signal::watch;
use super::{Bridge, Callback};
use crate::ops::table::Promised;
use crate::ops::{Json, OpHost};

/// The functions of a provider's login.
pub(super) struct JsOAuth {
    extension: Arc<str>,
    name: String,
    login: Arc<Callback>,
    refresh: Arc<Callback>,
    key: Arc<Callback>,
    models: Option<Arc<Callback>>,
}

impl JsOAuth {
    /// From the object with the numbers of the kept functions.
    pub(super) fn read(
        bridge: &Bridge,
        extension: Arc<str>,
        id: u32,
        given: &Object<'_>,
    ) -> rquickjs::Result<Arc<dyn OAuth>> {
        let function = |name: &str| Ok::<_, rquickjs::Error>(bridge.callback(id, given.get(name)?, None));
        let models: Option<u32> = given.get("modifyModels")?;
        Ok(Arc::new(Self {
            extension,
            name: given.get("name")?,
            login: function("login")?,
            refresh: function("refresh")?,
            key: function("apiKey")?,
            models: models.map(|number| bridge.callback(id, number, None)),
        }))
    }
}

fn text(error: HandlerError) -> String {
    error.to_string()
}

fn object(given: Option<Data>, what: &str) -> Result<JsonMap, String> {
    match given {
        Some(Data::Object(object)) => Ok(object),
        _ => Err(format!("{what} gave no credentials")),
    }
}

#[async_trait]
impl OAuth for JsOAuth {
    fn name(&self) -> &str {
        &self.name
    }

    fn extension(&self) -> &str {
        &self.extension
    }

    async fn login(&self, ui: Arc<dyn LoginUi>, cancel: CancellationToken) -> Result<JsonMap, String> {
        let arguments = making(move |js, core, call| {
            let shown = Arc::clone(&ui);
            let show = move |notice: Json| {
                if let Some(notice) = notice_of(&notice.0) {
                    shown.show(notice);
                }
            };
            let ask = asking(js, Rc::clone(core.host()), ui)?;
            Ok(vec![Func::from(show).into_js(js)?, ask, watch(js, core, call, cancel)?])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        object(self.login.call(arguments, read).await.map_err(text)?, "login")
    }

    async fn refresh(&self, credential: &JsonMap, cancel: CancellationToken) -> Result<JsonMap, String> {
        let credential = Data::Object(credential.clone());
        let arguments = making(move |js, core, call| {
            Ok(vec![crate::convert::to_js(js, &credential)?, watch(js, core, call, cancel)?])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        object(self.refresh.call(arguments, read).await.map_err(text)?, "refreshToken")
    }

    async fn api_key(&self, credential: &JsonMap) -> Result<String, String> {
        match self.key.call_json(vec![Data::Object(credential.clone())]).await.map_err(text)? {
            Some(Data::String(key)) if !key.is_empty() => Ok(key),
            _ => Err("getApiKey gave no text".to_owned()),
        }
    }

    async fn modify_models(&self, models: &[Arc<Model>], credential: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        let Some(function) = &self.models else { return Ok(None) };
        let models = models.iter().map(|model| tau_ai::to_json(&**model)).collect();
        let changed = function.call_json(vec![models, Data::Object(credential.clone())]).await.map_err(text)?;
        let changed = changed.ok_or("modifyModels gave no models")?;
        let changed = serde_json::from_value(changed).map_err(|error| format!("modifyModels: {error}"))?;
        Ok(Some(changed))
    }
}

/// A function that asks the user and gives a promise of the answer.
fn asking<'js>(js: &Ctx<'js>, host: Rc<OpHost>, ui: Arc<dyn LoginUi>) -> rquickjs::Result<Value<'js>> {
    let ask = move |js: Ctx<'js>, question: Json| -> rquickjs::Result<Promised<'js, Json>> {
        let (ui, question) = (Arc::clone(&ui), question_of(&question.0));
        host.spawn(&js, async move { Ok(Json(ui.ask(question).await.map_or(Data::Null, Data::from))) })
    };
    Function::new(js.clone(), ask)?.into_js(js)
}

fn word(data: &Data, name: &str) -> Option<String> {
    data[name].as_str().map(str::to_owned)
}

fn notice_of(data: &Data) -> Option<LoginNotice> {
    Some(match data["type"].as_str()? {
        "url" => LoginNotice::Url { url: word(data, "url")?, instructions: word(data, "instructions") },
        "code" => LoginNotice::DeviceCode { code: word(data, "userCode")?, url: word(data, "verificationUri")? },
        _ => LoginNotice::Progress(word(data, "message")?),
    })
}

fn question_of(data: &Data) -> LoginQuestion {
    let message = word(data, "message").unwrap_or_default();
    match data["type"].as_str() {
        Some("code") => LoginQuestion::Code,
        Some("choice") => {
            let options = data["options"].as_array().into_iter().flatten();
            let option = |option: &Data| Some((word(option, "id")?, word(option, "label")?));
            LoginQuestion::Choice { message, options: options.filter_map(option).collect() }
        }
        _ => LoginQuestion::Text { message, placeholder: word(data, "placeholder") },
    }
}
