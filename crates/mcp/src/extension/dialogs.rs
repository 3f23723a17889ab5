//! Questions of servers, asked by the dialogs that every front end answers.

use async_trait::async_trait;
use serde_json::{Number, Value, json};
use tau_hooks::Ctx;
use tokio_util::sync::CancellationToken;

use crate::connection::{Elicit, Field, FieldKind, Reply};
use crate::summary::one_line;

/// What declines.
const DECLINE: &str = "Decline";
/// What leaves a field out.
const LEAVE: &str = "Leave it out";
/// What ends a choice of several.
const DONE: &str = "Done";
/// What agrees.
const ACCEPT: &str = "Accept";
/// What declines all further questions of the server.
const REFUSE: &str = "Decline, and do not let this server ask again";
/// What goes to the question.
const ANSWER: &str = "Answer";

/// Asks in the name of a session.
pub(super) struct Dialogs {
    ctx: Ctx,
    /// One question at a time, whichever servers ask.
    turn: tokio::sync::Mutex<()>,
}

impl Dialogs {
    pub(super) fn new(ctx: Ctx) -> Self {
        Self { ctx, turn: tokio::sync::Mutex::new(()) }
    }

    async fn choice(&self, title: &str, options: &[(String, Value)], field: &Field) -> Reply {
        let is_optional = field.is_optional && field.kind != FieldKind::Consent;
        let mut labels: Vec<&str> = options.iter().map(|(label, _)| label.as_str()).collect();
        if is_optional {
            labels.push(LEAVE);
        }
        labels.push(DECLINE);
        if field.is_again {
            labels.push(REFUSE);
        }
        let Some(chosen) = self.ctx.ui().select(title, &labels).await else { return Reply::Cancel };
        match options.iter().find(|(label, _)| *label == chosen) {
            Some((_, value)) => Reply::Value(value.clone()),
            None if chosen == REFUSE => Reply::Refuse,
            None if chosen == LEAVE && is_optional => Reply::Nothing,
            None => Reply::Decline,
        }
    }

    /// One after another, until the user is done or there may be no more.
    async fn choices(
        &self,
        title: &str,
        options: &[(String, String)],
        (least, most): (usize, usize),
        is_optional: bool,
    ) -> Reply {
        let mut chosen: Vec<&str> = Vec::new();
        while chosen.len() < most {
            let left: Vec<&(String, String)> =
                options.iter().filter(|(value, _)| !chosen.contains(&value.as_str())).collect();
            let mut labels: Vec<&str> = left.iter().map(|(_, label)| label.as_str()).collect();
            if chosen.len() >= least && !chosen.is_empty() {
                labels.insert(0, DONE);
            }
            // Nothing is an answer too, where none has to be chosen.
            if chosen.is_empty() && (is_optional || least == 0) {
                labels.push(LEAVE);
            }
            labels.push(DECLINE);
            let title = if chosen.is_empty() { title.to_owned() } else { format!("{title}: {}", chosen.join(", ")) };
            let Some(answer) = self.ctx.ui().select(&title, &labels).await else { return Reply::Cancel };
            match left.iter().find(|(_, label)| *label == answer) {
                Some((value, _)) => chosen.push(value),
                None if answer == DONE => break,
                None if answer == LEAVE && is_optional => return Reply::Nothing,
                None if answer == LEAVE => break,
                None => return Reply::Decline,
            }
        }
        Reply::Value(json!(chosen))
    }

    async fn question(&self, field: &Field) -> Reply {
        // The words of the server stand behind its name, so that they do not pass for those of tau.
        let title = match (&*field.title, &*field.about) {
            ("", _) => format!("MCP server \"{}\" asks: {}", field.server, field.message),
            (name, "") => format!("MCP server \"{}\" asks: {} ({name})", field.server, field.message),
            (name, about) => format!("MCP server \"{}\" asks: {} ({name}) — {about}", field.server, field.message),
        };
        let mut yes_no = [("Yes".to_owned(), json!(true)), ("No".to_owned(), json!(false))];
        if field.default() == Some(&json!(false)) {
            yes_no.reverse();
        }
        match &field.kind {
            FieldKind::Consent => self.choice(&title, &[(ACCEPT.to_owned(), json!(true))], field).await,
            FieldKind::Switch => self.choice(&title, &yes_no, field).await,
            FieldKind::Choice(all) => {
                let all: Vec<(String, Value)> =
                    all.iter().map(|(value, label)| (label.clone(), json!(value))).collect();
                self.choice(&title, &all, field).await
            }
            FieldKind::Choices(all, least, most) => self.choices(&title, all, (*least, *most), field.is_optional).await,
            FieldKind::Text | FieldKind::Number(_) => self.typed(&title, field).await,
        }
    }

    /// Asks until the answer is what the server wants.
    async fn typed(&self, question: &str, field: &Field) -> Reply {
        let mut title = question.to_owned();
        let default =
            field.default().map(|default| default.as_str().map_or_else(|| default.to_string(), str::to_owned));
        loop {
            if field.is_again {
                match self.ctx.ui().select(&title, &[ANSWER, DECLINE, REFUSE]).await.as_deref() {
                    Some(ANSWER) => {}
                    Some(REFUSE) => return Reply::Refuse,
                    Some(_) => return Reply::Decline,
                    None => return Reply::Cancel,
                }
            }
            let hint = match &default {
                Some(default) => Some(format!("leave it empty for {}", one_line(default, 60))),
                None => field.is_optional.then(|| "leave it empty to leave it out".to_owned()),
            };
            let Some(text) = self.ctx.ui().input(&title, hint.as_deref()).await else { return Reply::Cancel };
            let answer = match (&field.kind, number(text.trim())) {
                _ if text.trim().is_empty() => match (field.default(), field.is_optional) {
                    (Some(default), _) => return Reply::Value(default.clone()),
                    (None, true) => return Reply::Nothing,
                    (None, false) => Err("an answer is needed".to_owned()),
                },
                (FieldKind::Text, _) => Ok(json!(text)),
                (FieldKind::Number(whole), Some(number)) if !whole || number.is_i64() => Ok(Value::Number(number)),
                (FieldKind::Number(true), _) => Err("it must be a whole number".to_owned()),
                _ => Err("it must be a number".to_owned()),
            };
            let problem = match answer {
                Ok(answer) => match field.problem(&answer) {
                    None => return Reply::Value(answer),
                    Some(problem) => problem,
                },
                Err(problem) => problem,
            };
            title = format!("{question} — {problem}");
        }
    }
}

fn number(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

#[async_trait]
impl Elicit for Dialogs {
    async fn ask(&self, field: &Field, cancel: &CancellationToken) -> Reply {
        let turn = async {
            let _turn = self.turn.lock().await;
            self.question(field).await
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Reply::Cancel,
            reply = turn => reply,
        }
    }
}
