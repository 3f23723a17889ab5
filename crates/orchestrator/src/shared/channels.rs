//! The channels of the bus on which the suite speaks with extensions such as a dashboard, whichever language they are
//! written in.

/// A command that others may run: `{name, handler}`.
pub const REGISTER_COMMAND: &str = "pidash:register-command";
/// Asks for all commands again.
pub const REQUEST_COMMANDS: &str = "pidash:request-commands";
/// Where the last command ran.
pub const COMMAND_CTX: &str = "pidash:command-ctx";
/// A question to the user: `{id, type, method, title, options}`.
pub const UI_REQUEST: &str = "pidash:ui-request";
/// The answer to a question: `{id, value}` or `{id, cancelled}`.
pub const UI_RESPONSE: &str = "pidash:ui-response";
/// A question was answered elsewhere: `{id}`.
pub const UI_DISMISS: &str = "pidash:ui-dismiss";
