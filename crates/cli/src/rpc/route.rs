//! What a line is: an answer to a dialog, a command, or neither.

use std::sync::Arc;

use serde_json::Value;
use tau_rpc::{
    About, Command, Frame, MAX_LINE, Order, UI_RESPONSE, UiResponse, failure_line, find_command, is_ui_response,
};
use tokio::sync::mpsc;

use super::server::ENDING;
use super::ui::Ui;
use super::writer::{Item, Writer};

/// The command in responses to what is no command.
const PARSE: &str = "parse";

/// A command that was sent.
#[derive(Debug)]
pub(super) struct Call {
    /// What its response repeats.
    pub(super) id: Option<Value>,
    /// Its name as it was sent.
    pub(super) name: String,
    /// When it begins.
    pub(super) order: Order,
    /// The command.
    pub(super) command: Command,
}

/// What is said about a line that is refused.
#[derive(Debug, PartialEq)]
struct Refused {
    id: Option<Value>,
    name: String,
    why: String,
}

#[derive(Debug)]
enum Line {
    Call(Box<Call>),
    Answer(Box<UiResponse>),
}

/// Hands lines to whom they are for. Answers go at once, so that a dialog can be answered while commands wait.
pub(super) async fn route(mut frames: mpsc::Receiver<Frame>, calls: mpsc::Sender<Call>, ui: Arc<Ui>, writer: Writer) {
    while let Some(frame) = frames.recv().await {
        let refused = match read(frame) {
            Ok(Line::Answer(response)) => ui.answer(&response).err().map(|why| Refused {
                id: Some(response.id.into()),
                name: UI_RESPONSE.to_owned(),
                why,
            }),
            Ok(Line::Call(call)) => calls.send(*call).await.err().map(|gone| {
                let Call { id, name, .. } = gone.0;
                Refused { id, name, why: ENDING.to_owned() }
            }),
            Err(refused) => Some(refused),
        };
        if let Some(Refused { id, name, why }) = refused {
            writer.push(Item::Line(failure_line(id.as_ref(), &name, &why)));
        }
    }
    // Nobody is left to answer.
    ui.end();
}

fn read(frame: Frame) -> Result<Line, Refused> {
    let parse =
        |id, why: String| Refused { id, name: PARSE.to_owned(), why: format!("Failed to parse command: {why}") };
    let line = match frame {
        Frame::Line(line) => line,
        Frame::TooLong(about) => return Err(parse(about.id, format!("the line is longer than {MAX_LINE} bytes"))),
    };
    let value = match serde_json::from_slice::<Value>(&line) {
        Ok(value) => value,
        Err(error) => {
            let utf8 = std::str::from_utf8(&line).err().map(|error| error.to_string());
            return Err(parse(About::line(&line).id, utf8.unwrap_or_else(|| error.to_string())));
        }
    };
    let Value::Object(members) = &value else {
        return Err(parse(None, "a command is an object".to_owned()));
    };
    let id = members.get("id").filter(|id| !id.is_null()).cloned();
    let Some(name) = members.get("type").and_then(Value::as_str).map(str::to_owned) else {
        return Err(parse(id, "a command has a `type`, which is a text".to_owned()));
    };
    if is_ui_response(&name) {
        return serde_json::from_value(value).map(|answer| Line::Answer(Box::new(answer))).map_err(|error| Refused {
            id,
            name: UI_RESPONSE.to_owned(),
            why: error.to_string(),
        });
    }
    let Some(row) = find_command(&name) else {
        let why = format!("Unknown command: {name}");
        return Err(Refused { id, name, why });
    };
    match row.parse(value) {
        Ok(command) => Ok(Line::Call(Box::new(Call { id, name, order: row.order, command }))),
        Err(error) => Err(Refused { id, why: format!("{name}: {error}"), name }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(line: &[u8]) -> (Option<Value>, String, String) {
        let Refused { id, name, why } = read(Frame::Line(line.to_vec())).unwrap_err();
        (id, name, why)
    }

    #[test]
    fn what_is_refused_says_why_and_keeps_its_id() {
        let wanted =
            |id: Value, name: &str, why: &str| (Some(id).filter(|id| !id.is_null()), name.to_owned(), why.to_owned());
        for (line, id, name, why) in [
            (&b""[..], json!(null), "parse", "Failed to parse command: EOF while parsing a value at line 1 column 0"),
            (b"5", json!(null), "parse", "Failed to parse command: a command is an object"),
            (
                b"{\"id\":\"a\"}",
                json!("a"),
                "parse",
                "Failed to parse command: a command has a `type`, which is a text",
            ),
            (
                b"{\"id\":1,\"type\":7}",
                json!(1),
                "parse",
                "Failed to parse command: a command has a `type`, which is a text",
            ),
            (b"{\"id\":\"a\",\"type\":\"dance\"}", json!("a"), "dance", "Unknown command: dance"),
            (b"{\"id\":\"a\",\"type\":\"fork\"}", json!("a"), "fork", "fork: missing field `entryId`"),
            (
                b"{\"id\":\"a\",\"type\":\"prompt\",\"message\":\"\xff\"}",
                json!("a"),
                "parse",
                "Failed to parse command: invalid utf-8 sequence of 1 bytes from index 37",
            ),
            (
                b"{\"type\":\"extension_ui_response\",\"value\":\"x\"}",
                json!(null),
                "extension_ui_response",
                "missing field `id`",
            ),
        ] {
            assert_eq!(refused(line), wanted(id, name, why), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn older_names_are_understood() {
        let line = br#"{"type":"branch","id":null,"entryId":"e"}"#.to_vec();
        let Ok(Line::Call(call)) = read(Frame::Line(line)) else { panic!("a call") };
        assert_eq!((call.id, call.name.as_str()), (None, "branch"));
        assert_eq!(call.command, Command::Fork(tau_rpc::Fork { entry_id: "e".to_owned() }));
        let line = br#"{"type":"hook_ui_response","id":"e","cancelled":true}"#.to_vec();
        assert!(matches!(read(Frame::Line(line)), Ok(Line::Answer(_))));
    }
}
