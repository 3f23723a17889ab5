//! The names of extensions that are part of the program: `builtin:NAME` in `-e`, and in the settings `extensions` and
//! `packages`.

/// What such a name begins with.
const SCHEME: &str = "builtin:";

/// Extensions that a session has unless the user does without them, as far as the program has them. tau does not have all of
/// them, and naming such a one changes nothing; a name that is no typing error must not shut a gate, though.
pub const BUILTIN_EXTENSIONS: &[&str] =
    &["builtin:codemode", "builtin:llama.cpp", "builtin:mcp", "builtin:tool-search"];

/// The extension that puts rule files into the system prompt. Those of a project need trust while it is there.
pub(crate) const PROMPT_RULES: &str = "builtin:rules";
/// The one that judges commands by rules.
pub(crate) const COMMAND_RULES: &str = "builtin:enforcement";

/// A package of extensions that is part of the program. A session has them when the settings name the package or one of them.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltinPackage {
    /// Its name in the setting `packages`.
    pub name: &'static str,
    /// The short name of an extension in TypeScript that is the same suite.
    pub twin: &'static str,
    /// Its extensions, in the order in which they work. A pattern names one without `builtin:`.
    pub modules: &'static [&'static str],
}

/// All of them.
pub const BUILTIN_PACKAGES: &[BuiltinPackage] = &[BuiltinPackage {
    name: "builtin:orchestrator",
    twin: "orchestrator",
    modules: &[
        "builtin:autocomplete",
        "builtin:ask-user",
        "builtin:project-settings",
        "builtin:enforcement",
        "builtin:rules",
        "builtin:status-line",
        "builtin:btw",
        "builtin:session-validation",
        "builtin:github-autocomplete",
        "builtin:status",
        "builtin:nvim",
        "builtin:prompts",
        "builtin:git-ssh",
    ],
}];

/// Whether a text names an extension that is part of the program, or is meant to.
pub fn is_builtin_name(text: &str) -> bool {
    text.starts_with(SCHEME)
}

/// Whether there is an extension or a package of that name.
pub fn is_builtin_extension(name: &str) -> bool {
    builtin_names().any(|known| known == name)
}

/// The names of all extensions and packages that are part of the program.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    let of_packages = BUILTIN_PACKAGES
        .iter()
        .flat_map(|package| std::iter::once(package.name).chain(package.modules.iter().copied()));
    BUILTIN_EXTENSIONS.iter().copied().chain(of_packages)
}

/// What a name that means nothing probably means.
pub fn nearest_builtin(name: &str) -> Option<&'static str> {
    let near = |known: &&str| strsim::damerau_levenshtein(known, name) <= 2;
    builtin_names().filter(near).min_by_key(|known| strsim::damerau_levenshtein(known, name))
}

/// The package that an extension belongs to.
pub fn builtin_package_of(extension: &str) -> Option<&'static BuiltinPackage> {
    BUILTIN_PACKAGES.iter().find(|package| package.modules.contains(&extension))
}

/// The package of that name.
pub fn builtin_package(name: &str) -> Option<&'static BuiltinPackage> {
    BUILTIN_PACKAGES.iter().find(|package| package.name == name)
}

impl BuiltinPackage {
    /// The short names of its extensions, as patterns name them.
    pub fn short_names(&self) -> impl Iterator<Item = &'static str> {
        self.modules.iter().map(|module| module.strip_prefix(SCHEME).unwrap_or(module))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_near_ones_named() {
        assert!(is_builtin_extension("builtin:orchestrator") && is_builtin_extension("builtin:ask-user"));
        assert!(!is_builtin_extension("builtin:nothing"));
        assert_eq!(nearest_builtin("builtin:ask_user"), Some("builtin:ask-user"));
        assert_eq!(nearest_builtin("builtin:nothing-like-it"), None);
        assert_eq!(builtin_package_of("builtin:ask-user").map(|package| package.name), Some("builtin:orchestrator"));
        assert_eq!(builtin_package_of("builtin:mcp"), None);
    }
}
