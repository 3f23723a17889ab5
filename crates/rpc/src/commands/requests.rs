//! What a client can ask: a type a command, a field an argument.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tau_ai::{ImageBlock, ThinkingLevel};
use tau_hooks::payload::StreamingBehavior;

/// How many waiting messages go along at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// All that wait.
    All,
    /// The oldest one.
    OneAtATime,
}

/// A picture that goes along with a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Image {
    /// A picture.
    Image(ImageBlock),
}

macro_rules! requests {
    ($( $(#[$doc:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident: $kind:ty ),* $(,)? } )*) => {
        $( requests!(@one $(#[$doc])* $name { $( $(#[$field_doc])* $field: $kind, )* }); )*
    };
    (@one $(#[$doc:meta])* $name:ident { }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {}
    };
    (@one $(#[$doc:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident: $kind:ty, )+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $( $(#[$field_doc])* pub $field: $kind, )+ }
    };
}

requests! {
    /// Sends text to the agent. The response comes when the text was taken: a run begins with it, it waits in a queue, or
    /// a command or a handler took care of it. What happens later is told by events, never by a second response.
    ///
    /// A text that begins with `/` and the name of an extension's command, of a built-in command, a template or a skill
    /// is that. What a built-in command has to say comes as a `notify` request.
    Prompt {
        /// The text.
        message: String,
        /// Pictures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        images: Option<Vec<Image>>,
        /// What to do with the text while a run is under way; an error when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        streaming_behavior: Option<StreamingBehavior>,
    }

    /// Puts text into the queue for the next request of the run that is under way. Without a run it waits for the next
    /// one. Commands of extensions cannot be queued.
    Steer {
        /// The text.
        message: String,
        /// Pictures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        images: Option<Vec<Image>>,
    }

    /// Puts text into the queue for the time when the model would otherwise stop; else as `steer`.
    FollowUp {
        /// The text.
        message: String,
        /// Pictures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        images: Option<Vec<Image>>,
    }

    /// Stops what is under way: the run, a pause before a retry, a compaction, the summary of a branch. The response
    /// comes when the session is idle. What is queued stays queued.
    Abort {}

    /// Empties both queues and gives their texts.
    ClearQueue {}

    /// What is going on.
    GetState {}

    /// The conversation as the model sees it.
    GetMessages {}

    /// The text of the model's last answer.
    GetLastAssistantText {}

    /// The commands of extensions, the prompt templates and the skills, which `prompt` runs behind a `/`. Built-in
    /// commands are not among them.
    GetCommands {}

    /// Chooses the model for this session.
    SetModel {
        /// The provider's name.
        provider: String,
        /// The model's id.
        model_id: String,
    }

    /// Goes on to the next model that can be asked; `null` when there is no other.
    CycleModel {}

    /// The models that can be asked.
    GetAvailableModels {}

    /// Chooses how much the model thinks; the nearest level that it has.
    SetThinkingLevel {
        /// The level.
        level: ThinkingLevel,
    }

    /// Goes on to the next level of the model; `null` when it cannot think.
    CycleThinkingLevel {}

    /// The levels of the model.
    GetAvailableThinkingLevels {}

    /// Says how many steering messages go along with one request. Kept in the user's settings.
    SetSteeringMode {
        /// How many.
        mode: QueueMode,
    }

    /// Says how many follow-up messages are sent at once. Kept in the user's settings.
    SetFollowUpMode {
        /// How many.
        mode: QueueMode,
    }

    /// Replaces the older part of the conversation by a summary. A run that is under way is stopped.
    Compact {
        /// What the summary should look at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        custom_instructions: Option<String>,
    }

    /// Says whether that happens by itself when the context is nearly full. Kept in the user's settings.
    SetAutoCompaction {
        /// Whether it does.
        enabled: bool,
    }

    /// Says whether failed requests are repeated. Kept in the user's settings.
    SetAutoRetry {
        /// Whether they are.
        enabled: bool,
    }

    /// Ends the pause before a retry, and the retries with it.
    AbortRetry {}

    /// Runs a command line in the user's shell and keeps it in the conversation. The answer comes when it is in the
    /// session file, which is behind the results of tool calls that are open. What it puts out comes as
    /// `bash_execution_update` events with the `id` of this command.
    Bash {
        /// The command line.
        command: String,
        /// `true`: the model does not see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exclude_from_context: Option<bool>,
    }

    /// Stops the commands that `bash` runs.
    AbortBash {}

    /// Goes on in a new session. A run that is under way is stopped.
    NewSession {
        /// The session it comes from, for its header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_session: Option<String>,
    }

    /// Goes on with the session in a file.
    SwitchSession {
        /// The file.
        session_path: String,
    }

    /// Goes on in a new session with everything in front of a message of the user.
    Fork {
        /// The message's entry.
        entry_id: String,
    }

    /// Goes on in a copy of the branch that is open.
    CloneSession {}

    /// The messages of the user at which the session can be forked.
    GetForkMessages {}

    /// All entries of the session, oldest first, also those of other branches and before a compaction.
    GetEntries {
        /// Only those behind this entry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<String>,
    }

    /// The same as a tree.
    GetTree {}

    /// How much there is in the session and what it cost.
    GetSessionStats {}

    /// Names the session.
    SetSessionName {
        /// The name.
        name: String,
    }

    /// Writes the session as a page.
    ExportHtml {
        /// Where to; a name of its own in the working directory when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_path: Option<String>,
    }
}
