//! The reference of all events and dialects, made from their tables: for people, for validators and for TypeScript.
//!
//! Nothing in here knows an event by name, but for the lines in which dialects are compared. The files in `docs/` are kept in step by a test; running it with
//! `UPDATE_DOCS=1` writes them anew.

mod catalogue;
mod dialects;
mod markdown;
mod schema;
mod types;
mod typescript;

pub use self::dialects::dialects_markdown;
pub use self::markdown::events_markdown;
pub use self::schema::events_json_schema;
pub use self::typescript::events_typescript;

/// The generated files: each one's path in the repository and its content.
pub fn files() -> [(&'static str, String); 4] {
    [
        ("docs/dialects.md", dialects_markdown()),
        ("docs/events.md", events_markdown()),
        ("docs/events.schema.json", events_json_schema()),
        ("docs/events.d.ts", events_typescript()),
    ]
}
