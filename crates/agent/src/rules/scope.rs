//! What of an answer a rule looks at.

use std::collections::HashSet;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// What is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    Thinking,
    /// The arguments of a call of this tool.
    Tool(String),
}

impl Place {
    pub(crate) fn is_tool(&self) -> bool {
        matches!(self, Self::Tool(_))
    }
}

/// What a rule looks at.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    text: bool,
    thinking: bool,
    any_tool: bool,
    tools: Vec<ToolScope>,
    /// When not empty: only tool calls about one of these files.
    globs: Vec<GlobMatcher>,
}

#[derive(Debug, Clone)]
struct ToolScope {
    /// In lower case; any when absent.
    name: Option<String>,
    glob: Option<GlobMatcher>,
}

impl Scope {
    /// What the tokens and file patterns of a rule say; what is wrong with them goes to `wrong`.
    pub(crate) fn new(tokens: &[String], globs: &[String], wrong: &mut Vec<String>) -> Self {
        let mut scope = Self { text: false, thinking: false, any_tool: false, tools: Vec::new(), globs: Vec::new() };
        if tokens.is_empty() {
            (scope.text, scope.any_tool) = (true, true);
        }
        for token in tokens {
            match token.to_ascii_lowercase().as_str() {
                "text" => scope.text = true,
                "thinking" => scope.thinking = true,
                "tool" | "toolcall" => scope.any_tool = true,
                _ => match ToolScope::parse(token) {
                    Ok(tool) => scope.tools.push(tool),
                    Err(why) => wrong.push(why),
                },
            }
        }
        for pattern in globs {
            match glob(pattern) {
                Ok(glob) => scope.globs.push(glob),
                Err(why) => wrong.push(why),
            }
        }
        scope
    }

    /// Whether there is anything it looks at.
    pub(crate) fn is_empty(&self) -> bool {
        !self.text && !self.thinking && !self.any_tool && self.tools.is_empty()
    }

    /// Whether it looks at what is being written, if it is about these files.
    pub(crate) fn takes(&self, place: &Place, files: &Files) -> bool {
        let wanted = match place {
            Place::Text => self.text,
            Place::Thinking => self.thinking,
            Place::Tool(name) => self.any_tool || self.tools.iter().any(|tool| tool.takes(name, files)),
        };
        wanted && (self.globs.is_empty() || self.globs.iter().any(|glob| files.any(glob)))
    }

    /// Whether it looks at what is being written for some files.
    pub(crate) fn may_take(&self, place: &Place) -> bool {
        match place {
            Place::Text => self.text && self.globs.is_empty(),
            Place::Thinking => self.thinking && self.globs.is_empty(),
            Place::Tool(name) => self.any_tool || self.tools.iter().any(|tool| tool.is_about(name)),
        }
    }

    /// Whether the files matter.
    pub(crate) fn asks_for_files(&self) -> bool {
        !self.globs.is_empty() || self.tools.iter().any(|tool| tool.glob.is_some())
    }
}

impl ToolScope {
    fn parse(token: &str) -> Result<Self, String> {
        let invalid = || format!("the scope \"{token}\" is none; it is passed over");
        let (name, pattern) = match token.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')').ok_or_else(invalid)?.trim())),
            None => (token, None),
        };
        let name = name.trim().to_ascii_lowercase();
        let (is_any, name) = match name.split_once(':') {
            Some(("tool" | "toolcall", name)) => (false, name.to_owned()),
            Some(_) => return Err(invalid()),
            None => (name == "tool" || name == "toolcall", name),
        };
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !is_any && !is_name(&name) {
            return Err(invalid());
        }
        let glob =
            pattern.map(|pattern| if pattern.is_empty() { Err(invalid()) } else { glob(pattern) }).transpose()?;
        Ok(Self { name: (!is_any).then_some(name), glob })
    }

    fn is_about(&self, tool: &str) -> bool {
        self.name.as_ref().is_none_or(|name| tool.eq_ignore_ascii_case(name))
    }

    fn takes(&self, tool: &str, files: &Files) -> bool {
        self.is_about(tool) && self.glob.as_ref().is_none_or(|glob| files.any(glob))
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    // As in a shell a star stays within a folder.
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| format!("the file pattern is passed over: {error}"))
}

/// The files that a tool call is about, in all spellings that a pattern may mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Files(Vec<String>);

impl Files {
    /// Those of the arguments of a call: texts named `path`, or something that ends like it, and lists of them named
    /// `paths`. While the arguments still `grow`, the last of them may be cut and does not count.
    pub(crate) fn of(arguments: &serde_json::Value, grow: bool, cwd: &Path) -> Self {
        let mut files = Self::default();
        let Some(arguments) = arguments.as_object() else { return files };
        let whole = arguments.len() - usize::from(grow && !arguments.is_empty());
        for (name, value) in arguments.iter().take(whole) {
            let name = name.to_ascii_lowercase();
            if name.ends_with("path") {
                files.extend(value.as_str(), cwd);
            } else if name.ends_with("paths") {
                value.as_array().into_iter().flatten().for_each(|path| files.extend(path.as_str(), cwd));
            }
        }
        files
    }

    fn extend(&mut self, path: Option<&str>, cwd: &Path) {
        let Some(path) = path.map(str::trim).filter(|path| !path.is_empty()) else { return };
        let path = path.replace('\\', "/");
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        let cwd = cwd.display().to_string().replace('\\', "/");
        let within = path.strip_prefix(&cwd).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
        let base = path.rsplit_once('/').map(|(_, base)| base.to_owned());
        for spelling in [Some(path), within, base].into_iter().flatten() {
            if !self.0.contains(&spelling) {
                self.0.push(spelling);
            }
        }
    }

    fn any(&self, glob: &GlobMatcher) -> bool {
        self.0.iter().any(|path| glob.is_match(path))
    }
}

/// Divides texts at commas, but not within brackets, and takes quotes off.
pub(super) fn tokens(texts: &[String]) -> Vec<String> {
    let (mut tokens, mut seen) = (Vec::new(), HashSet::new());
    for text in texts {
        let (mut depth, mut from) = (0_usize, 0);
        let ends = text.char_indices().filter_map(|(at, c)| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (c == ',' && depth == 0).then_some(at)
        });
        for end in ends.collect::<Vec<_>>().into_iter().chain([text.len()]) {
            let token = text[from..end].trim();
            let quoted = |quote| token.strip_prefix(quote)?.strip_suffix(quote);
            let token = quoted('"').or_else(|| quoted('\'')).unwrap_or(token).trim();
            if !token.is_empty() && seen.insert(token) {
                tokens.push(token.to_owned());
            }
            from = end + 1;
        }
    }
    tokens
}
