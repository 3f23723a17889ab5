//! The command line as far as it is about extensions.

/// What the command line says about extensions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiscoveryOptions {
    /// `--extension` and `--hook`: files, folders or packages, relative to the working directory.
    pub paths: Vec<String>,
    /// Those of the paths that were given by `--hook`, by their place in the list.
    pub hooks: Vec<usize>,
    /// `--no-extensions`: only those.
    pub no_extensions: bool,
    /// Extensions of the program that `--extension` names.
    pub builtins: Vec<String>,
    /// Extensions of the program that a flag leaves out.
    pub without: Vec<String>,
}
