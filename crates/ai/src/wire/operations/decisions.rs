//! `openai-decisions`: OpenAI's Decisions interface.

use serde_json::{Value, json};

use super::answers::{AnswerShape, number, odd, usage};
use super::{Classifier, Door};
use crate::wire::error::WireError;
use crate::wire::rules::Rules;
use crate::{ClassifierAnswer, ClassifierContext, ClassifierQuestion, ClassifierResult};

const LABEL: &str = "OpenAI Decisions";
/// Most pictures that the interface takes in one request.
const MOST_IMAGES: usize = 128;
/// What the gateway in front of it answers to an input that takes too long. The same input takes as long again.
const TOO_LONG: u16 = 504;

const RULES: Rules = Rules {
    refusal: |status, body| format!("{LABEL} error ({status}): {body}"),
    final_statuses: &[TOO_LONG],
    ..Rules::DOCUMENT
};

const SHAPE: AnswerShape = AnswerShape {
    bool_type: "predicate",
    bool_field: "probability",
    probabilities: |_, id, given| probabilities(id, given),
};

/// The `openai-decisions` wire format.
#[derive(Default)]
pub(super) struct Format;

impl Classifier for Format {
    const API: &'static str = "openai-decisions";

    async fn ask(
        &self,
        door: &Door,
        context: &ClassifierContext,
        result: &mut ClassifierResult,
    ) -> Result<(), WireError> {
        let model = door.model();
        let body = json!({
            "model": model.id,
            "input": input(context)?,
            "questions": context.questions.iter().map(|(id, question)| wire(id, question)).collect::<Vec<_>>(),
        });
        let document = match door.post(format!("{}/decisions", door.base_url()), body, RULES).await {
            Err(WireError::Refused { status: TOO_LONG, .. }) => {
                let text = format!("{LABEL} error ({TOO_LONG}): it took too long. A smaller input may help.");
                return Err(WireError::Provider(text));
            }
            answer => answer?,
        };
        result.usage = usage(&document["usage"], model);
        result.answers = answers(&document["answers"], &context.questions)?;
        Ok(())
    }
}

/// The state as text, with the pictures behind it.
fn input(context: &ClassifierContext) -> Result<Value, WireError> {
    let (state, count) = (context.state.to_string(), context.images.len());
    if count == 0 {
        return Ok(state.into());
    }
    if count > MOST_IMAGES {
        return Err(WireError::Config(format!("{LABEL} takes at most {MOST_IMAGES} pictures, and there are {count}")));
    }
    let mut content = vec![json!({"type": "input_text", "text": state})];
    content.extend(context.images.iter().map(
        |image| json!({"type": "input_image", "image_url": format!("data:{};base64,{}", image.mime_type, image.data)}),
    ));
    Ok(json!([{"role": "user", "content": content}]))
}

fn wire(id: &str, question: &ClassifierQuestion) -> Value {
    match question {
        ClassifierQuestion::Choice { instructions, criteria } => {
            let choice = |(value, meaning): &(String, String)| match &**meaning {
                "" => json!({"value": value}),
                meaning => json!({"value": value, "description": meaning}),
            };
            let choices: Vec<Value> = criteria.iter().map(choice).collect();
            json!({"type": "choice", "name": id, "instructions": instructions, "choices": choices})
        }
        ClassifierQuestion::Score { instructions, criteria } => {
            let levels: Vec<Value> = criteria.iter().map(|label| json!({"label": label})).collect();
            json!({"type": "score", "name": id, "instructions": instructions, "levels": levels})
        }
        // There is no field for what the answers mean.
        ClassifierQuestion::Bool { instructions, criteria } => {
            let meanings = [("True", &criteria.yes), ("False", &criteria.no)];
            let meanings = meanings.iter().filter(|(_, meaning)| !meaning.is_empty());
            let lines: Vec<String> = meanings.map(|(answer, meaning)| format!("{answer} means: {meaning}")).collect();
            let gap = if lines.is_empty() { "" } else { "\n\n" };
            let instructions = format!("{instructions}{gap}{}", lines.join("\n"));
            json!({"type": "predicate", "name": id, "instructions": instructions})
        }
    }
}

fn answers(
    given: &Value,
    questions: &[(String, ClassifierQuestion)],
) -> Result<Vec<(String, ClassifierAnswer)>, WireError> {
    let given = given.as_array().ok_or_else(|| odd(LABEL, "it has no answers"))?;
    let read = |(id, question): &(String, ClassifierQuestion)| {
        // The last one of a name is the answer.
        let answer = given.iter().rfind(|answer| answer["name"] == **id).unwrap_or(&Value::Null);
        if answer["type"] == "refusal" {
            return Err(WireError::Provider(format!("{LABEL} refused to answer {id}")));
        }
        Ok((id.clone(), SHAPE.read(LABEL, id, question, answer)?))
    };
    questions.iter().map(read).collect()
}

fn probabilities(id: &str, given: &Value) -> Result<Vec<(String, f64)>, WireError> {
    let missing = || odd(LABEL, format!("no probabilities for {id}"));
    let read = |entry: &Value| {
        let value = entry["value"].as_str().ok_or_else(missing)?;
        Ok((value.to_owned(), number(LABEL, &entry["probability"], format!("{value} of {id}"))?))
    };
    given.as_array().ok_or_else(missing)?.iter().map(read).collect()
}
