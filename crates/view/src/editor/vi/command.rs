//! The words of the language: motions, objects, operators and what is made of them.

/// Where a motion goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    /// A character back, over line breaks.
    Back,
    /// A character on, over line breaks.
    On,
    /// Rows of the screen, or lines under an operator.
    Up,
    Down,
    /// The first character of a line above or below that is no blank.
    LineUp,
    LineDown,
    /// The same, where one line is the one of the cursor.
    ThisLine,
    LineStart,
    FirstNonBlank,
    LineEnd,
    LastNonBlank,
    /// A column of the line, from one.
    Column,
    FirstLine,
    LastLine,
    Word(Word),
    WordBack(Word),
    WordEnd(Word),
    WordEndBack(Word),
    Paragraph,
    ParagraphBack,
    /// The other bracket.
    Match,
    Find(Find),
    /// The last [`Motion::Find`] once more.
    Again {
        /// In the other direction.
        turned: bool,
    },
}

/// What is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Letters and digits, or punctuation.
    Small,
    /// All but blanks.
    Big,
}

/// A character that is looked for in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) what: char,
    pub(super) back: bool,
    /// Up to it, not onto it.
    pub(super) till: bool,
}

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) kind: Kind,
    /// With what is around it.
    pub(super) around: bool,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word(Word),
    Quote(char),
    Bracket(char, char),
    Paragraph,
}

/// What is done with a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
    Indent,
    Dedent,
    Toggle,
    Lower,
    Upper,
}

/// Which text an operator works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    To(Motion),
    Object(Object),
    /// So many lines.
    Lines,
    /// As much as was selected, for a repetition.
    Shape(Shape),
}

/// How much was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lines, counted from the first.
    Lines(usize),
    /// Characters of one line.
    Characters(usize),
    /// Lines that are left, and characters of the last one.
    Across(usize, usize),
}

/// What is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Select {
    Characters,
    Lines,
}

/// Where inserting begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Here,
    Behind,
    FirstNonBlank,
    LineEnd,
    LineBelow,
    LineAbove,
}

/// A command that is complete but for its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Move(Motion),
    Operate(Operator, Target),
    Insert(Where),
    Replace(char),
    /// Letters of a selection by one character.
    ReplaceShape(char, Shape),
    /// The case of characters; the cursor goes on.
    ToggleCase,
    Join {
        /// With a space between the lines.
        spaced: bool,
    },
    Put {
        before: bool,
    },
    Undo,
    Redo,
    Repeat,
    Select(Select),
}

/// A command while something is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selected {
    Move(Motion),
    Object(Object),
    /// An operator, on whole lines whatever is selected if so.
    Operate(Operator, bool),
    Replace(char),
    Join {
        spaced: bool,
    },
    Put,
    /// The cursor goes to the other end.
    Swap,
    /// Selects in this way, or ends it.
    Select(Select),
    /// Inserts before or behind the selection.
    Insert {
        before: bool,
    },
}
