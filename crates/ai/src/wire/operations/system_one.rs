//! `typesafe-system-one` and `cloudflare-workers-ai-system-one`: TypeSafe's classifiers, at home and at Cloudflare.

use std::marker::PhantomData;

use serde_json::{Value, json};

use super::answers::{AnswerShape, number, odd, usage};
use super::{Classifier, Door};
use crate::wire::error::WireError;
use crate::wire::reported_cost::is_open_router;
use crate::wire::rules::Rules;
use crate::{
    ClassifierAnswer, ClassifierContext, ClassifierQuestion, ClassifierResult, ImageBlock, JsonMap, Model, to_json,
};

/// Most pictures in one request to a service that takes them as a list of data URLs.
const MOST_LISTED_IMAGES: usize = 4;
/// TypeSafe's pictures are an experiment, which a request opts in to.
const OPT_IN: (&str, &str) = ("typesafe-danger-zone-images", "true");

const SHAPE: AnswerShape = AnswerShape { bool_type: "noul", bool_field: "noul", probabilities };

/// How a service takes pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageInput {
    /// As named assets, which the state refers to.
    Assets,
    /// As a list of data URLs.
    Images,
    /// As parts of the state.
    StateImageUrls,
}

/// What one service has of its own.
pub(super) trait Service: Default + Send + Sync + 'static {
    const API: &'static str;
    const LABEL: &'static str;
    const RULES: Rules;
    /// What follows the base URL.
    const PATH: &'static str;

    /// How a model takes pictures, and whether a header opts in to them, where `compat` does not say it.
    fn pictures(model: &Model) -> (ImageInput, bool);
    /// The body around a request.
    fn body(model: &Model, request: JsonMap) -> Value;
    /// The object with `answers` and `usage` in a document.
    fn output(document: &Value) -> Result<&Value, WireError>;
}

/// The format of a service.
#[derive(Default)]
pub(super) struct SystemOne<S>(PhantomData<S>);

/// TypeSafe's own interface; OpenRouter and others have it, too.
pub(super) type TypeSafe = SystemOne<AtTypeSafe>;
/// Cloudflare's interface.
pub(super) type WorkersAi = SystemOne<AtCloudflare>;

#[derive(Default)]
pub(super) struct AtTypeSafe;

impl Service for AtTypeSafe {
    const API: &'static str = "typesafe-system-one";
    const LABEL: &'static str = "System One API";
    const RULES: Rules =
        Rules { refusal: |status, body| format!("System One API error ({status}): {body}"), ..Rules::DOCUMENT };
    const PATH: &'static str = "systemone";

    fn pictures(model: &Model) -> (ImageInput, bool) {
        if is_open_router(model) { (ImageInput::StateImageUrls, false) } else { (ImageInput::Assets, true) }
    }

    fn body(model: &Model, request: JsonMap) -> Value {
        let mut body = JsonMap::from_iter([("model".to_owned(), model.id.clone().into())]);
        body.extend(request);
        body.into()
    }

    fn output(document: &Value) -> Result<&Value, WireError> {
        Ok(document)
    }
}

#[derive(Default)]
pub(super) struct AtCloudflare;

impl Service for AtCloudflare {
    const API: &'static str = "cloudflare-workers-ai-system-one";
    const LABEL: &'static str = "Cloudflare Workers AI";
    const RULES: Rules =
        Rules { refusal: |status, body| format!("Cloudflare Workers AI error ({status}): {body}"), ..Rules::DOCUMENT };
    const PATH: &'static str = "run";

    fn pictures(model: &Model) -> (ImageInput, bool) {
        let own = model.id.starts_with("@cf/cloudflare/clef");
        (if own { ImageInput::Images } else { ImageInput::Assets }, false)
    }

    fn body(model: &Model, request: JsonMap) -> Value {
        json!({"model": model.id, "input": request})
    }

    /// Models of others come with a record of their run around the output.
    fn output(document: &Value) -> Result<&Value, WireError> {
        if document["success"] == false {
            let said = document["errors"].as_array().into_iter().flatten();
            let said: Vec<&str> = said.filter_map(|error| error["message"].as_str()).collect();
            let said = if said.is_empty() { "no reason was given".to_owned() } else { said.join("; ") };
            return Err(WireError::Provider(format!("{} error: {said}", Self::LABEL)));
        }
        let result = &document["result"];
        if result.get("answers").is_some() {
            return Ok(result);
        }
        match (result["state"].as_str(), result.get("result")) {
            (Some("Completed"), Some(output)) => Ok(output),
            (Some("Completed") | None, _) => Err(odd(Self::LABEL, "it has no result")),
            (Some(state), _) => Err(WireError::Provider(format!("{}: the run ended as {state}", Self::LABEL))),
        }
    }
}

impl<S: Service> Classifier for SystemOne<S> {
    const API: &'static str = S::API;

    async fn ask(
        &self,
        door: &Door,
        context: &ClassifierContext,
        result: &mut ClassifierResult,
    ) -> Result<(), WireError> {
        let model = door.model();
        let mut request = JsonMap::from_iter([
            ("state".to_owned(), context.state.clone()),
            ("questions".to_owned(), questions(&context.questions)),
        ]);
        let mut opts_in = false;
        if !context.images.is_empty() {
            let (input, opt_in) = compat(model, S::pictures(model));
            opts_in = opt_in;
            add_pictures(S::LABEL, input, &context.images, &mut request)?;
        }
        let (url, body) = (format!("{}/{}", door.base_url(), S::PATH), S::body(model, request));
        let document = if opts_in {
            door.post_with(OPT_IN, url, body, S::RULES).await?
        } else {
            door.post(url, body, S::RULES).await?
        };
        let output = S::output(&document)?;
        result.usage = usage(&output["usage"], model);
        result.answers = answers(S::LABEL, &output["answers"], &context.questions)?;
        Ok(())
    }
}

fn compat(model: &Model, (mut input, mut opts_in): (ImageInput, bool)) -> (ImageInput, bool) {
    let compat = model.extra.get("compat").unwrap_or(&Value::Null);
    match compat["imageInput"].as_str() {
        Some("assets") => input = ImageInput::Assets,
        Some("images") => input = ImageInput::Images,
        Some("state-image-urls") => input = ImageInput::StateImageUrls,
        _ => {}
    }
    if let Some(told) = compat["sendImageOptInHeader"].as_bool() {
        opts_in = told;
    }
    (input, opts_in)
}

/// The questions, of which those for yes or no have another name here.
fn questions(questions: &[(String, ClassifierQuestion)]) -> Value {
    let wire = |question: &ClassifierQuestion| {
        let mut wire = to_json(question);
        if matches!(question, ClassifierQuestion::Bool { .. }) {
            wire["type"] = "noul".into();
        }
        wire
    };
    questions.iter().map(|(id, question)| (id.clone(), wire(question))).collect::<JsonMap>().into()
}

fn data_url(image: &ImageBlock) -> String {
    format!("data:{};base64,{}", image.mime_type, image.data)
}

fn add_pictures(label: &str, input: ImageInput, images: &[ImageBlock], request: &mut JsonMap) -> Result<(), WireError> {
    let refused =
        |image: &ImageBlock| WireError::Config(format!("{label} takes no pictures of type {}", image.mime_type));
    // What stands before the state, in its place.
    let mut before: Vec<Value> = Vec::new();
    match input {
        ImageInput::Images => {
            if images.len() > MOST_LISTED_IMAGES {
                let count = images.len();
                let text = format!("{label} takes at most {MOST_LISTED_IMAGES} pictures, and there are {count}");
                return Err(WireError::Config(text));
            }
            if let Some(odd) =
                images.iter().find(|image| !matches!(&*image.mime_type, "image/png" | "image/jpeg" | "image/webp"))
            {
                return Err(refused(odd));
            }
            request.insert("images".to_owned(), images.iter().map(data_url).collect());
            return Ok(());
        }
        ImageInput::StateImageUrls => {
            let part = |image| json!({"type": "image_url", "image_url": {"url": data_url(image)}});
            before.extend(images.iter().map(part));
        }
        ImageInput::Assets => {
            let mut assets = JsonMap::new();
            for (number, image) in images.iter().enumerate() {
                let format = match &*image.mime_type {
                    "image/png" => "png",
                    "image/jpeg" => "jpeg",
                    _ => return Err(refused(image)),
                };
                // The service wants each of them named in the request.
                let name = format!("<image-{}>", number + 1);
                before.push(name.clone().into());
                assets.insert(name, json!({"type": "image", "format": format, "data_base64": image.data}));
            }
            request.insert("assets".to_owned(), assets.into());
        }
    }
    let state = request.get("state").cloned().unwrap_or_default();
    before.push(state);
    request.insert("state".to_owned(), before.into());
    Ok(())
}

fn answers(
    label: &str,
    given: &Value,
    questions: &[(String, ClassifierQuestion)],
) -> Result<Vec<(String, ClassifierAnswer)>, WireError> {
    let read = |(id, question): &(String, ClassifierQuestion)| {
        Ok((id.clone(), SHAPE.read(label, id, question, &given[&**id])?))
    };
    questions.iter().map(read).collect()
}

fn probabilities(label: &str, id: &str, given: &Value) -> Result<Vec<(String, f64)>, WireError> {
    let given = given.as_object().ok_or_else(|| odd(label, format!("no probabilities for {id}")))?;
    given.iter().map(|(name, value)| Ok((name.clone(), number(label, value, format!("{name} of {id}"))?))).collect()
}
