//! Lists of models that a function of an extension knows: `refreshModels`.

use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::IntoJs;
use serde_json::{Value as Data, json};
use tau_hooks::{HandlerError, ModelListRequest, ModelSource};

use super::Callback;
use super::callback::{making, reading};
use super::signal::watch;

/// A function of an extension that says which models a provider has.
pub(super) struct JsModelSource(pub Arc<Callback>);

#[async_trait]
impl ModelSource for JsModelSource {
    async fn now(&self, asked: ModelListRequest) -> Result<Option<Data>, HandlerError> {
        let arguments = making(move |js, core, call| {
            let data = json!({
                "credential": asked.credential,
                "baseUrl": asked.base_url,
                "allowNetwork": asked.allow_network,
                "online": asked.online,
                "force": asked.allow_network && asked.force,
            });
            let signal = watch(js, core, call, asked.cancel)?;
            Ok(vec![crate::convert::to_js(js, &data)?, signal.into_js(js)?])
        });
        let read = reading(|js, _, value, _| crate::convert::from_js(js, &value));
        let answer: Option<Data> = self.0.call(arguments, read).await?;
        Ok(answer.filter(|answer| !answer.is_null()))
    }
}
