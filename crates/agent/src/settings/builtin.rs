//! The names of extensions that are part of the program: `builtin:NAME` in `-e` and in the setting `extensions`.

/// What such a name begins with.
const SCHEME: &str = "builtin:";

/// Those that can be named. tau has none of them yet, so naming one changes nothing; a name that is no typing error must not
/// shut a gate, though.
pub const BUILTIN_EXTENSIONS: &[&str] =
    &["builtin:codemode", "builtin:llama.cpp", "builtin:mcp", "builtin:tool-search"];

/// Whether a text names an extension that is part of the program, or is meant to.
pub fn is_builtin_name(text: &str) -> bool {
    text.starts_with(SCHEME)
}

/// Whether there is an extension of that name.
pub fn is_builtin_extension(name: &str) -> bool {
    BUILTIN_EXTENSIONS.contains(&name)
}
