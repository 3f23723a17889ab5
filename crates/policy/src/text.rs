//! A string as far as it is known before the command runs.

/// Where an unknown part of a string comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A variable, the output of a program, a file, input: anything of this machine.
    Local,
    /// What was downloaded by the command itself.
    Remote,
}

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// These characters.
    Known(String),
    /// Any characters, or none.
    Unknown(Source),
    /// Characters of an unquoted pattern, as `*` or `[a-z]`: the shell replaces the word by the names of files that match, and
    /// keeps it as it is when none does.
    Glob(String),
}

/// A string as far as it is known. Two known pieces never stand next to each other, and no known piece is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text {
    pieces: Vec<Piece>,
}

impl Text {
    /// A string that is known.
    pub fn new(text: impl Into<String>) -> Self {
        let mut new = Self::default();
        new.push(Piece::Known(text.into()));
        new
    }

    /// A string of which nothing is known.
    pub fn unknown(source: Source) -> Self {
        Self { pieces: vec![Piece::Unknown(source)] }
    }

    /// Its parts.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Appends a part.
    pub fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (_, Piece::Known(new)) if new.is_empty() => {}
            (Some(Piece::Known(last)), Piece::Known(new)) => last.push_str(&new),
            (Some(Piece::Glob(last)), Piece::Glob(new)) => last.push_str(&new),
            (Some(Piece::Unknown(last)), Piece::Unknown(new)) => *last = (*last).max(new),
            (_, piece) => self.pieces.push(piece),
        }
    }

    /// Appends a text.
    pub fn append(&mut self, other: &Self) {
        for piece in &other.pieces {
            self.push(piece.clone());
        }
    }

    /// The whole string; `None` if a part of it is unknown or a pattern.
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Known(text)] => Some(text),
            _ => None,
        }
    }

    /// What it starts with for certain.
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Known(text)) => text,
            _ => "",
        }
    }

    /// What it ends with for certain.
    pub fn suffix(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Known(text)) => text,
            _ => "",
        }
    }

    /// Whether a part of it is unknown; a pattern is not.
    pub fn is_unknown(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)))
    }

    /// Whether it has a part that the command itself downloads.
    pub fn is_remote(&self) -> bool {
        self.pieces.contains(&Piece::Unknown(Source::Remote))
    }

    /// Whether the shell looks for files that match it.
    pub fn is_glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
    }

    /// The string as it is written with patterns as they stand; `None` if a part is unknown.
    pub fn pattern(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Known(part) | Piece::Glob(part) => text.push_str(part),
                Piece::Unknown(_) => return None,
            }
        }
        Some(text)
    }

    /// For people: unknown parts are `…`.
    pub fn shown(&self) -> String {
        let part = |piece: &Piece| match piece {
            Piece::Known(part) | Piece::Glob(part) => part.clone(),
            Piece::Unknown(_) => "…".to_owned(),
        };
        self.pieces.iter().map(part).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
