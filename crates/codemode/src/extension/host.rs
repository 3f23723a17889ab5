//! What scripts of a session reach: its tools by nested calls, which pass every gate, and what is known about them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tau_hooks::Ctx;
use tau_tools::{NestedCall, NestedOutcome, ToolNamespace, ToolSpec};
use tokio_util::sync::CancellationToken;

use super::models::Models;
use super::progress::{End, Watched};
use crate::declarations::{Declaration, identifier, is_namespace_name};
use crate::engine::{Answer, Ask, Describe, Helper, ScriptHost, Target, ToolMember};
use crate::search::{Document, LIMIT, rank};

/// Answers the script of one call.
pub(super) struct SessionHost {
    ctx: Ctx,
    tools: Arc<[ToolSpec]>,
    /// Whether each tool gives data, by its name.
    gives_data: HashMap<String, bool>,
    models: Models,
    watched: Watched,
    /// How many pictures models made.
    pictures: Arc<AtomicUsize>,
}

impl SessionHost {
    pub(super) fn new(ctx: Ctx, tools: Vec<ToolSpec>, watched: Watched) -> Self {
        let gives_data = tools.iter().map(|tool| (tool.name.clone(), tool.output_schema.is_some())).collect();
        let models = Models::new(ctx.clone());
        Self { ctx, tools: tools.into(), gives_data, models, watched, pictures: Arc::default() }
    }

    /// The members of `tools`.
    pub(super) fn members(&self) -> Vec<ToolMember> {
        let member = |spec: &ToolSpec| ToolMember { name: spec.name.clone(), identifier: identifier(&spec.name) };
        self.tools.iter().map(member).collect()
    }

    /// What a script reads of them.
    pub(super) fn describe(&self) -> Describe {
        let tools = Arc::clone(&self.tools);
        Arc::new(move |name| {
            let tool = tools.iter().find(|tool| tool.name == name);
            tool.map(|tool| Declaration::of(tool).text()).unwrap_or_default()
        })
    }

    /// How many pictures models made for the script.
    pub(super) fn pictures(&self) -> usize {
        self.pictures.load(Ordering::Acquire)
    }

    /// Makes a call. It has its place among others when this returns.
    fn call(&self, call: NestedCall, cancel: CancellationToken, gives_data: bool) -> BoxFuture<'static, Answer> {
        let is_question = call.own.is_some();
        let shown = if is_question { model_of(&call.args) } else { call.args.to_string() };
        let row = self.watched.begins(&call.name, &shown);
        let answer = self.ctx.execute_tool(NestedCall { cancel, ..call });
        let (watched, pictures) = (self.watched.clone(), Arc::clone(&self.pictures));
        Box::pin(async move {
            let outcome = answer.await;
            let error = outcome.output.is_error.then(|| outcome.output.texts());
            let duration = outcome.duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
            let cost = outcome.output.usage.as_ref().filter(|_| is_question).map(|usage| usage.cost.total);
            watched.ends(row, End { id: &outcome.id, duration_ms: duration, cost, error: error.as_deref() });
            if let Some(value) = &outcome.output.structured_content {
                let images = value["output"].as_array().into_iter().flatten().filter(|block| block["type"] == "image");
                if outcome.name == Helper::GenerateImages.name() {
                    pictures.fetch_add(images.count(), Ordering::AcqRel);
                }
            }
            value_of(outcome, gives_data)
        })
    }

    /// Answers without calling anything.
    fn known(&self, helper: Helper, args: &Value) -> Answer {
        match helper {
            Helper::SearchTools => self.search(args),
            Helper::DescribeTool => {
                let name = args[0].as_str().ok_or("describeTool() takes the name of a tool")?;
                let is_meant = |tool: &&ToolSpec| tool.name == name || identifier(&tool.name) == name;
                Ok(self.tools.iter().find(is_meant).map(|tool| Declaration::of(tool).text().into()))
            }
            Helper::DescribeNamespace => self.namespace(args),
            other => self.models.list(other, args),
        }
    }

    fn search(&self, args: &Value) -> Answer {
        let query = args[0].as_str().ok_or("searchTools() takes what to look for as a string")?;
        let limit = match &args[1]["limit"] {
            Value::Null => LIMIT,
            limit => {
                let limit = limit.as_u64().filter(|limit| *limit > 0);
                let limit = limit.ok_or("searchTools(): the limit must be an integer from 1")?;
                usize::try_from(limit).unwrap_or(usize::MAX)
            }
        };
        let namespace = match &args[1]["namespace"] {
            Value::Null => None,
            Value::String(name) if name.is_empty() => None,
            Value::String(name) => Some(name),
            _ => return Err("searchTools(): the namespace must be a string".to_owned()),
        };
        let is_inside = |tool: &&ToolSpec| match (namespace, &tool.namespace) {
            (None, _) => true,
            (Some(name), Some(of_tool)) => is_namespace_name(of_tool, name),
            (Some(_), None) => false,
        };
        let tools: Vec<&ToolSpec> = self.tools.iter().filter(is_inside).collect();
        let documents: Vec<Document> = tools.iter().map(|tool| Document::of(tool)).collect();
        let found = rank(query, &documents, limit).into_iter().filter_map(|found| {
            let tool = tools.iter().find(|tool| tool.name == found.name)?;
            Some(json!({"name": identifier(&tool.name), "description": Declaration::of(tool).text()}))
        });
        Ok(Some(found.collect()))
    }

    fn namespace(&self, args: &Value) -> Answer {
        let name = args[0].as_str().ok_or("describeNamespace() takes the name of a namespace")?;
        let of = |tool: &ToolSpec| tool.namespace.clone().filter(|namespace| is_namespace_name(namespace, name));
        let Some(ToolNamespace { name, description, instructions, .. }) = self.tools.iter().find_map(of) else {
            return Ok(None);
        };
        let tools = self.tools.iter().filter(|tool| tool.namespace.as_ref().is_some_and(|other| other.name == name));
        let mut value = json!({"name": name});
        for (field, text) in [("description", description), ("instructions", instructions)] {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                value[field] = text.into();
            }
        }
        value["tools"] = tools.map(|tool| Value::from(identifier(&tool.name))).collect();
        Ok(Some(value))
    }
}

impl ScriptHost for SessionHost {
    fn ask(&self, Ask { target, args }: Ask, cancel: CancellationToken) -> BoxFuture<'static, Answer> {
        let (call, gives_data) = match target {
            Target::Tool(name) => {
                let gives_data = self.gives_data.get(&name).copied().unwrap_or(false);
                (Ok(NestedCall::new(name, args)), gives_data)
            }
            Target::Helper(helper) if helper.spends() => {
                (self.models.call(helper, &args).map(|(tool, args)| NestedCall::of_own(tool, args)), true)
            }
            Target::Helper(helper) => return Box::pin(std::future::ready(self.known(helper, &args))),
        };
        match call {
            Ok(call) => self.call(call, cancel, gives_data),
            Err(why) => Box::pin(std::future::ready(Err(why))),
        }
    }
}

/// What a call gives a script: the data of a tool that gives data, also when that tells of a failure; else its text. Other
/// failures are errors.
fn value_of(outcome: NestedOutcome, gives_data: bool) -> Answer {
    let NestedOutcome { name, output, .. } = outcome;
    let text = output.texts();
    match output.structured_content {
        Some(value) if gives_data => Ok(Some(value)),
        _ if output.is_error && text.is_empty() => Err(format!("the tool {name} failed and does not say why")),
        _ if output.is_error => Err(text),
        _ => Ok(Some(text.into())),
    }
}

/// What people read of a question to a model: neither what it asks nor pictures.
fn model_of(args: &Value) -> String {
    let part = |name: &str| args[name].as_str().unwrap_or_default().to_owned();
    format!("{}/{}", part("provider"), part("id"))
}
