//! What the model says: prose, a table, or code, word by word.

/// A word that is on the screen when all that came before has been painted.
pub const MIDDLE: &str = "middlemark";
/// The word that ends an answer.
pub const END: &str = "lastmark";

#[derive(Clone, Copy)]
pub enum Kind {
    Prose,
    Table,
    Code,
}

impl Kind {
    pub const ALL: [(Self, &str); 3] = [(Self::Prose, "prose"), (Self::Table, "table"), (Self::Code, "code")];

    /// Words in a line.
    const fn line(self) -> usize {
        match self {
            Self::Prose => 60,
            Self::Table => 5,
            Self::Code => 10,
        }
    }

    fn head(self) -> String {
        match self {
            Self::Prose => String::new(),
            Self::Table => {
                "| columnone1 | columntwo2 | columnthr3 | columnfou4 | columnfiv5 |\n|---|---|---|---|---|\n".to_owned()
            }
            Self::Code => "```rust\n".to_owned(),
        }
    }

    fn word(self, n: usize, word: &str) -> String {
        let (place, last) = (n % self.line(), self.line() - 1);
        match self {
            Self::Prose if place == last => format!("{word}.\n\n"),
            Self::Prose if place % 20 == 7 => format!("**{word}** "),
            Self::Prose => format!("{word} "),
            Self::Table if place == 0 => format!("| {word} |"),
            Self::Table if place == last => format!(" {word} |\n"),
            Self::Table => format!(" {word} |"),
            Self::Code if place == last => format!("{word};\n"),
            Self::Code if place == 0 => format!("    let {word} = "),
            Self::Code => format!("{word} + "),
        }
    }

    /// The pieces of `before` words, the last line of which begins with [`MIDDLE`], and of `after` more.
    pub fn pieces(self, before: usize, after: usize) -> (Vec<String>, Vec<String>) {
        const WORDS: [&str; 7] = ["parser", "reads", "every", "line", "again", "without", "copying"];
        // Whole lines, so that nothing that is marked waits for its end.
        let before = (before / self.line()).max(1) * self.line();
        let word = |n: usize| {
            let word = if n == before - self.line() { MIDDLE } else { WORDS[(n * 5 + n / 7) % 7] };
            self.word(n, word)
        };
        let first = std::iter::once(self.head()).chain((0..before).map(word)).collect();
        (first, (before..before + after).map(word).collect())
    }

    /// What ends it.
    pub fn end(self) -> String {
        let fence = if matches!(self, Self::Code) { "\n```" } else { "" };
        format!("{fence}\n\n{END}")
    }
}
