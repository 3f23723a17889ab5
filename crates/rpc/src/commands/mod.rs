//! The table of commands.

pub mod answers;
pub mod requests;

use std::future::Future;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::answers::*;
use self::requests::*;

/// A command; its arguments are the fields of the type.
pub trait Request: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// What stands in `type`.
    const NAME: &'static str;
    /// What stands in `data` of the response; [`Done`] for nothing.
    type Answer: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// Why a command was not done, for the user of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Where the reference shows a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Text for the model.
    Prompting,
    /// What is going on.
    State,
    /// Which model answers.
    Model,
    /// How much it thinks.
    Thinking,
    /// What happens to text that waits.
    Queues,
    /// Room in the context.
    Compaction,
    /// Failed requests.
    Retry,
    /// Commands of the user.
    Bash,
    /// Sessions and their entries.
    Session,
}

impl Group {
    /// All groups, in the order of the reference.
    pub const ALL: [Self; 9] = [
        Self::Prompting,
        Self::State,
        Self::Model,
        Self::Thinking,
        Self::Queues,
        Self::Compaction,
        Self::Retry,
        Self::Bash,
        Self::Session,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Prompting => "Prompting",
            Self::State => "State",
            Self::Model => "Model",
            Self::Thinking => "Thinking",
            Self::Queues => "Queues",
            Self::Compaction => "Compaction",
            Self::Retry => "Retry",
            Self::Bash => "Shell commands",
            Self::Session => "Sessions",
        }
    }
}

/// When a command begins, seen from those that were sent before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// At once, and it is over before the next line is looked at.
    Now,
    /// When those of this kind that were sent before it have found their place.
    InTurn,
    /// At once, beside whatever else is going on.
    Beside,
}

/// A row of the table.
pub struct CommandRow {
    /// What stands in `type`.
    pub name: &'static str,
    /// Names that clients of earlier versions use.
    pub older: &'static [&'static str],
    /// Where the reference shows it.
    pub group: Group,
    /// When it begins.
    pub order: Order,
    /// The schema of its arguments.
    pub arguments: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of its answer.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    parse: fn(Value) -> Result<Command, serde_json::Error>,
}

impl CommandRow {
    /// Reads the arguments; members that are no arguments do not matter.
    ///
    /// # Errors
    /// When an argument is missing or of the wrong type.
    pub fn parse(&self, line: Value) -> Result<Command, serde_json::Error> {
        (self.parse)(line)
    }
}

/// The row of a name, old or new.
pub fn find_command(name: &str) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.name == name || row.older.contains(&name))
}

macro_rules! commands {
    ($( $name:literal $(| $older:literal)* : $request:ident, $method:ident -> $answer:ty, $group:ident, $order:ident; )*) => {
        /// Every command.
        pub static COMMANDS: &[CommandRow] = &[$(CommandRow {
            name: $name,
            older: &[$($older),*],
            group: Group::$group,
            order: Order::$order,
            arguments: |schemas| schemas.subschema_for::<$request>(),
            answer: |schemas| schemas.subschema_for::<$answer>(),
            parse: |line| serde_json::from_value(line).map(Command::$request),
        }),*];

        $(impl Request for $request {
            const NAME: &'static str = $name;
            type Answer = $answer;
        })*

        /// A command that was read.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Command {
            $(#[doc = concat!("`", $name, "`")] $request($request),)*
        }

        impl Command {
            /// Has it done and told.
            pub async fn serve<S: Serve>(self, server: &S) {
                match self {
                    $(Self::$request(request) => {
                        let done = server.$method(request).await;
                        server.tell::<$request>(done);
                    })*
                }
            }
        }

        /// Does what commands ask for.
        pub trait Serve: Sync {
            /// Tells the client how a command went.
            fn tell<R: Request>(&self, done: Result<R::Answer, Failure>);
            $(#[doc = concat!("`", $name, "`")]
            fn $method(&self, request: $request) -> impl Future<Output = Result<$answer, Failure>> + Send;)*
        }
    };
}

commands! {
    "prompt": Prompt, prompt -> Placed, Prompting, InTurn;
    "steer" | "queue_message": Steer, steer -> Placed, Prompting, InTurn;
    "follow_up": FollowUp, follow_up -> Placed, Prompting, InTurn;
    "abort": Abort, abort -> Done, Prompting, Beside;
    "clear_queue": ClearQueue, clear_queue -> Queue, Prompting, InTurn;
    "get_state": GetState, get_state -> State, State, Now;
    "get_messages": GetMessages, get_messages -> MessageList, State, Now;
    "get_last_assistant_text": GetLastAssistantText, get_last_assistant_text -> LastText, State, Now;
    "get_commands": GetCommands, get_commands -> CommandList, State, Now;
    "set_model": SetModel, set_model -> Model, Model, InTurn;
    "cycle_model": CycleModel, cycle_model -> Option<CycledModel>, Model, InTurn;
    "get_available_models": GetAvailableModels, get_available_models -> ModelList, Model, Now;
    "set_thinking_level": SetThinkingLevel, set_thinking_level -> Done, Thinking, InTurn;
    "cycle_thinking_level": CycleThinkingLevel, cycle_thinking_level -> Option<Level>, Thinking, InTurn;
    "get_available_thinking_levels": GetAvailableThinkingLevels, get_available_thinking_levels -> Levels, Thinking, Now;
    "set_steering_mode" | "set_queue_mode": SetSteeringMode, set_steering_mode -> Done, Queues, InTurn;
    "set_follow_up_mode": SetFollowUpMode, set_follow_up_mode -> Done, Queues, InTurn;
    "compact": Compact, compact -> CompactionDone, Compaction, Beside;
    "set_auto_compaction": SetAutoCompaction, set_auto_compaction -> Done, Compaction, InTurn;
    "set_auto_retry": SetAutoRetry, set_auto_retry -> Done, Retry, InTurn;
    "abort_retry": AbortRetry, abort_retry -> Done, Retry, Now;
    "bash": Bash, bash -> BashDone, Bash, Beside;
    "abort_bash": AbortBash, abort_bash -> Done, Bash, Now;
    "new_session" | "reset": NewSession, new_session -> Cancellable, Session, Beside;
    "switch_session": SwitchSession, switch_session -> Cancellable, Session, Beside;
    "fork" | "branch": Fork, fork -> Forked, Session, Beside;
    "clone": CloneSession, clone_session -> Cancellable, Session, Beside;
    "get_fork_messages" | "get_branch_messages": GetForkMessages, get_fork_messages -> ForkPoints, Session, Now;
    "get_entries": GetEntries, get_entries -> Entries, Session, Now;
    "get_tree": GetTree, get_tree -> Tree, Session, Now;
    "get_session_stats": GetSessionStats, get_session_stats -> SessionStats, Session, Now;
    "set_session_name": SetSessionName, set_session_name -> Done, Session, InTurn;
    "export_html": ExportHtml, export_html -> Exported, Session, Beside;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_name_is_one_commands() {
        let names: Vec<&str> = COMMANDS.iter().flat_map(|row| row.older.iter().chain([&row.name])).copied().collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(names.iter().all(|name| find_command(name).is_some()));
    }

    #[test]
    fn arguments_are_read_and_checked() {
        let parse = |line: Value| find_command(line["type"].as_str().unwrap()).unwrap().parse(line);
        let prompt = json!({"type": "prompt", "id": 1, "message": "hi", "streamingBehavior": "followUp", "more": []});
        let wanted = Prompt {
            message: "hi".into(),
            images: None,
            streaming_behavior: Some(tau_hooks::payload::StreamingBehavior::FollowUp),
        };
        assert_eq!(parse(prompt).unwrap(), Command::Prompt(wanted));
        for (wrong, why) in [
            (json!({"type": "prompt"}), "missing field `message`"),
            (json!({"type": "set_thinking_level", "level": "enormous"}), "unknown variant `enormous`"),
            (json!({"type": "set_auto_retry", "enabled": "yes"}), "invalid type: string \"yes\", expected a boolean"),
        ] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
