//! Every file that tau writes by itself: the one list, which the manual shows.

/// Where a file lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// In the agent folder.
    Agent,
    /// In the folder of settings of a project.
    Project,
    /// In tau's folder of what can be made again.
    Cache,
    /// In the system's folder for temporary files.
    Temporary,
}

impl Root {
    /// The folder, as the manual names it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Agent => "agent folder",
            Self::Project => "`.pi` of a project",
            Self::Cache => "cache",
            Self::Temporary => "temporary files",
        }
    }
}

/// A file that tau writes, or a folder of such files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where it lies.
    pub root: Root,
    /// Its path below that; `*` stands for any part of a name, and a `/` at the end for everything below a folder.
    pub path: &'static str,
    /// The part of tau that writes it, and who else does.
    pub owner: &'static str,
    /// The version of its format.
    pub format: &'static str,
    /// How long it is kept.
    pub kept: &'static str,
}

const fn file(
    root: Root,
    path: &'static str,
    owner: &'static str,
    format: &'static str,
    kept: &'static str,
) -> WrittenFile {
    WrittenFile { root, path, owner, format, kept }
}

const FOREVER: &str = "until you remove it";
const BY_YOU: &str = "until `tau remove`";
const SHARED: &str = "pi's JSON, no version";
const OF_PI_CONFIG: &str = "pi-config's JSON with comments, no version";
const BY_COMMAND: &str = "`/pi-config-settings`, where the file is there; pi-config too";

/// All of them, in the order of the manual.
pub const FILES: &[WrittenFile] = &[
    file(Root::Agent, "settings.json", "settings; pi too", SHARED, FOREVER),
    file(Root::Agent, "pi-config-settings.json*", BY_COMMAND, OF_PI_CONFIG, FOREVER),
    file(
        Root::Agent,
        "policy.json*",
        "`Allow always` and `/policy undo`; you",
        "JSON with comments, no version",
        FOREVER,
    ),
    file(Root::Agent, "auth.json", "logins; pi too", SHARED, "each entry until `/logout`"),
    file(Root::Agent, "trust.json", "trust; pi too", SHARED, "each answer until `/trust`"),
    file(Root::Agent, "tau-trust.json", "trust", "JSON, no version", "each project until `/trust no`"),
    file(Root::Agent, "sessions/*/*.jsonl", "sessions; pi too", "session version 3, older ones are migrated", FOREVER),
    file(
        Root::Agent,
        "sessions/*/*.before-repair",
        "`/repair`: what a session file was before",
        "of the session file",
        FOREVER,
    ),
    file(Root::Agent, "tau/gates.json*", "gates of extensions", "JSON, no version", "each extension until it is gone"),
    file(
        Root::Agent,
        "tau/projects/*/gates.json*",
        "gates of extensions",
        "JSON, no version",
        "each extension until it is gone",
    ),
    file(
        Root::Agent,
        "tau/catalogue.json*",
        "`tau models update`",
        "JSON, no version",
        "until a newer one, or you remove it",
    ),
    file(Root::Agent, "mcp.json", "`tau mcp add` and `remove`; pi too", SHARED, FOREVER),
    file(Root::Agent, "tau/mcp-auth.json*", "logins at MCP servers", "JSON, no version", "each until `tau mcp logout`"),
    file(Root::Agent, "mcp.log*", "what MCP servers log; pi too", "text", "the last two files, of five megabytes each"),
    file(
        Root::Agent,
        "tau/terminals.json*",
        "the terminal mode: what terminals answered",
        "JSON, no version",
        "of the last 32 terminals",
    ),
    file(
        Root::Agent,
        "tau/projects/*/prompts.jsonl*",
        "the terminal mode: prompts that were sent",
        "JSON lines, no version",
        "the last 1,000",
    ),
    file(
        Root::Agent,
        "tau/projects/*/drafts/*",
        "the terminal mode: a text that was not sent",
        "text",
        "until it is sent, or taken by the next start",
    ),
    file(Root::Agent, "tau/extensions/*/", "the extension of that name", "the extension's own", FOREVER),
    file(Root::Agent, "tau/projects/*/extensions/*/", "the extension of that name", "the extension's own", FOREVER),
    file(Root::Agent, "npm/", "packages; pi too", "of npm", BY_YOU),
    file(Root::Agent, "git/", "packages; pi too", "of git", BY_YOU),
    file(Root::Agent, "tau-lock.json", "packages", "JSON, no version", "each package until `tau remove`"),
    file(
        Root::Agent,
        ".tau-*",
        "packages, while a change is in progress",
        "of this version",
        "until the change is done",
    ),
    file(Root::Agent, "tmp/extensions/", "packages that `-e` names", "of npm and git", "replaced by the next version"),
    file(Root::Agent, "tau-trace.jsonl", "traces, where `tau.trace.jsonl` asks for one", "see traces", FOREVER),
    file(
        Root::Agent,
        "logs/tau.log*",
        "the log: warnings, or what `tau.log.level` asks for",
        "text",
        "the last two files, of a megabyte each",
    ),
    file(Root::Agent, "tau-docs/*/", "the manual", "of the version that is its name", "replaced when it differs"),
    file(Root::Project, "settings.json", "settings, by `-l`; pi too", SHARED, FOREVER),
    file(Root::Project, "pi-config-settings.json*", BY_COMMAND, OF_PI_CONFIG, FOREVER),
    file(Root::Project, "npm/", "packages, by `-l`; pi too", "of npm", BY_YOU),
    file(Root::Project, "git/", "packages, by `-l`; pi too", "of git", BY_YOU),
    file(Root::Project, "tau-lock.json", "packages, by `-l`", "JSON, no version", "each package until `tau remove`"),
    file(
        Root::Project,
        ".tau-*",
        "packages, while a change is in progress",
        "of this version",
        "until the change is done",
    ),
    file(
        Root::Cache,
        "sessions.jsonl",
        "the list of sessions",
        "of this version; rebuilt when another wrote it",
        "rebuilt at any time",
    ),
    file(Root::Cache, "modules/", "compiled extensions", "of this build; others are not read", "rebuilt at any time"),
    file(Root::Project, "mcp.json", "`tau mcp add -l` and `remove -l`; pi too", SHARED, FOREVER),
    file(
        Root::Temporary,
        "tau-mcp-*",
        "results of MCP servers: long text, binary content",
        "of the server",
        "until the system removes it",
    ),
    file(Root::Temporary, "pi-bash-*.log", "the tool `bash`: long output", "text", "until the system removes it"),
    file(
        Root::Temporary,
        "tau-gates-*/",
        "where sessions in other processes ask the gates of this one",
        "a socket",
        "until the session ends; one of a process that was killed until a later start",
    ),
    file(Root::Temporary, "tau-bin-*/", "children of extensions find tau there", "a link", "until tau ends"),
];

impl WrittenFile {
    /// Whether a path below the root is this file or one of them. Locks (`.lock` behind the name) belong to the file.
    pub fn matches(&self, path: &str) -> bool {
        let (mut wanted, mut names) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), names.next()) {
                (Some(""), Some(_)) | (None, None) => return true,
                (Some(pattern), Some(name)) if fits(pattern, name.strip_suffix(".lock").unwrap_or(name)) => {}
                _ => return false,
            }
        }
    }
}

/// Whether a name is made by a pattern with at most one `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((front, back)) => {
            name.len() >= front.len() + back.len() && name.starts_with(front) && name.ends_with(back)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_every_file() {
        let page = include_str!("../../../../docs/files.md");
        let rows: Vec<&str> =
            page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Where")).collect();
        let expected: Vec<String> = FILES
            .iter()
            .map(|file| {
                format!(
                    "| {} | `{}` | {} | {} | {} |",
                    file.root.title(),
                    file.path,
                    file.owner,
                    file.format,
                    file.kept
                )
            })
            .collect();
        assert_eq!(rows, expected, "docs/files.md has the table of `FILES`:\n{}", expected.join("\n"));
    }

    #[test]
    fn a_path_finds_its_row() {
        let row = |path: &str| FILES.iter().find(|file| file.matches(path)).map(|file| file.path);
        assert_eq!(row("settings.json"), Some("settings.json"));
        assert_eq!(row("settings.json.lock"), Some("settings.json"));
        assert_eq!(row("tau/gates.json.damaged"), Some("tau/gates.json*"));
        assert_eq!(row("tau/extensions/notes/a/b.db"), Some("tau/extensions/*/"));
        assert_eq!(row("sessions/--a--/1.jsonl"), Some("sessions/*/*.jsonl"));
        assert_eq!([row("tau/extensions"), row("sessions/1.jsonl"), row("strange.json")], [None; 3]);
    }
}
