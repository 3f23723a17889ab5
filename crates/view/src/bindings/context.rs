//! Where keys count, and on what.

/// Where the keys of an action count. The keys of one context are free to mean something else in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// The prompt is being written.
    Editor,
    /// The same, with nothing written yet: these keys come before those of the editor.
    EmptyEditor,
    /// Something is selected: these keys come before all others.
    Selection,
    /// Something is chosen from a list.
    List,
    /// A session is chosen.
    Sessions,
    /// A place in the tree of a session is chosen.
    Tree,
    /// The models to cycle through are chosen, or the usual one.
    Models,
    /// A thinking level is chosen.
    ThinkingLevels,
    /// The transcript can be scrolled. On a full screen these keys come before those of the editor, otherwise after them.
    Transcript,
    /// The transcript is being searched.
    Search,
}

impl Context {
    /// Every context.
    pub const ALL: [Self; 10] = [
        Self::Editor,
        Self::EmptyEditor,
        Self::Selection,
        Self::List,
        Self::Sessions,
        Self::Tree,
        Self::Models,
        Self::ThinkingLevels,
        Self::Transcript,
        Self::Search,
    ];

    /// The context whose keys count in this one too.
    pub fn within(self) -> Option<Self> {
        match self {
            Self::Sessions | Self::Tree | Self::Models | Self::ThinkingLevels => Some(Self::List),
            Self::Editor | Self::EmptyEditor | Self::Selection | Self::List | Self::Transcript | Self::Search => None,
        }
    }
}

/// A platform whose terminals or desktops take some keys for themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Any other.
    #[default]
    Usual,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
    /// The Windows Subsystem for Linux.
    Wsl,
}

impl Platform {
    /// Every platform.
    pub const ALL: [Self; 4] = [Self::Usual, Self::Mac, Self::Windows, Self::Wsl];

    /// What an operating system, by its name in [`std::env::consts::OS`], and its variables say.
    pub fn of(os: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        match os {
            "macos" => Self::Mac,
            "windows" => Self::Windows,
            "linux" if is_set("WSL_DISTRO_NAME") || is_set("WSL_INTEROP") => Self::Wsl,
            _ => Self::Usual,
        }
    }
}
