//! Places in the source.

/// A line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The file, or a name like `node:fs` for the runtime's own.
    pub file: String,
    /// From one.
    pub line: u32,
    /// From one.
    pub column: u32,
}

impl Frame {
    /// Reads the frames of a stack trace in V8's layout.
    pub fn parse(stack: &str) -> Vec<Self> {
        stack.lines().filter_map(Self::parse_line).collect()
    }

    fn parse_line(line: &str) -> Option<Self> {
        let place = line.trim().strip_prefix("at ")?;
        let place = match place.rfind('(') {
            Some(open) if place.ends_with(')') => &place[open + 1..place.len() - 1],
            _ => place,
        };
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Self { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
