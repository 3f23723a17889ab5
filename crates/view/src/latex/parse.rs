//! LaTeX to a tree.

use super::scripts::Script;
use super::symbols::{IGNORED, Meaning, SPACES, TEXT_WRAPPERS, WRAPPERS, blackboard, meaning, negated};

/// How deep groups and arguments may nest. Reading, laying out and dropping a formula recurse as deep as it nests.
const MAX_DEPTH: usize = 50;

/// How often scripts may hang on what has scripts already, as in `x^2\!^3`.
const MAX_CHAIN: usize = 2;

/// How long a formula may be, in bytes. A longer one is not readable as text; what it takes to lay one out may grow
/// with the square of its length.
const MAX_LENGTH: usize = 8 << 10;

/// How many cells an environment may have, with those that shorter rows leave out.
const MAX_CELLS: usize = 4096;

/// A piece of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Text as it is shown.
    Text(String),
    /// White space; several are one.
    Space,
    /// A sign with a space on both sides.
    Relation(String),
    /// The name of a function.
    Function(String),
    /// An operator with limits, which stand on it: a sign or a name.
    Operator {
        text: String,
        is_name: bool,
    },
    Group(Vec<Node>),
    /// A flat one is never stacked.
    Fraction {
        numerator: Vec<Node>,
        denominator: Vec<Node>,
        flat: bool,
    },
    Root {
        index: Option<Vec<Node>>,
        body: Vec<Node>,
    },
    Accent {
        name: String,
        mark: char,
        body: Vec<Node>,
    },
    /// Scripts in the order they were written.
    Scripts {
        base: Box<Node>,
        scripts: Vec<(Script, Vec<Node>)>,
    },
    Rows {
        kind: Rows,
        rows: Vec<Vec<Vec<Node>>>,
    },
    /// Text in brackets with words between.
    Choose(Vec<Node>, Vec<Node>),
    Boxed(Vec<Node>),
    LineBreak,
}

/// How rows are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Between brackets, by the letter of the environment: `p`, `b`, `B`, `v`, `V`, or none.
    Matrix(Option<char>),
    Cases,
    /// Equations below each other.
    Aligned,
}

/// Reads a formula; `None` for what is malformed, unknown or too large.
pub(super) fn parse(source: &str) -> Option<Vec<Node>> {
    if source.len() > MAX_LENGTH {
        return None;
    }
    let mut parser = Parser { rest: source, depth: 0 };
    let nodes = parser.nodes(&|_| false)?;
    parser.rest.is_empty().then_some(nodes)
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Reads up to the end, a closing brace, or where `ends` says so.
    fn nodes(&mut self, ends: &dyn Fn(&str) -> bool) -> Option<Vec<Node>> {
        self.enter()?;
        let mut nodes = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with('}') && !ends(self.rest) {
            let node = self.node()?;
            nodes.extend(node);
            self.scripts(&mut nodes)?;
        }
        self.depth -= 1;
        Some(nodes)
    }

    /// Begins a level; `None` ends the reading, so only what succeeds leaves its level again.
    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Reads one piece; nothing for what is not shown.
    fn node(&mut self) -> Option<Option<Node>> {
        let ch = self.rest.chars().next()?;
        match ch {
            '\\' => return self.command(),
            '{' => return self.group().map(|group| Some(Node::Group(group))),
            '^' | '_' => return Some(Some(Node::Text(String::new()))),
            _ => self.rest = &self.rest[ch.len_utf8()..],
        }
        Some(match ch {
            '&' => None,
            '~' => Some(Node::Space),
            '=' | '<' | '>' => Some(Node::Relation(ch.to_string())),
            ch if ch.is_whitespace() => Some(Node::Space),
            ch => Some(Node::Text(ch.to_string())),
        })
    }

    /// Reads the scripts after the last node and hangs them on it.
    fn scripts(&mut self, nodes: &mut Vec<Node>) -> Option<()> {
        let mut scripts = Vec::new();
        loop {
            let rest = self.rest.trim_start();
            let script = match rest.chars().next() {
                Some('^') => Script::Super,
                Some('_') => Script::Sub,
                _ => break,
            };
            self.rest = &rest[1..];
            scripts.push((script, self.argument()?));
        }
        if !scripts.is_empty() {
            while nodes.last() == Some(&Node::Space) {
                nodes.pop();
            }
            let base = Box::new(nodes.pop().unwrap_or(Node::Text(String::new())));
            if chain(&base) > MAX_CHAIN {
                return None;
            }
            nodes.push(Node::Scripts { base, scripts });
        }
        Some(())
    }

    /// Reads what is in braces.
    fn group(&mut self) -> Option<Vec<Node>> {
        self.rest = self.rest.strip_prefix('{')?;
        let nodes = self.nodes(&|_| false)?;
        self.rest = self.rest.strip_prefix('}')?;
        Some(nodes)
    }

    /// Reads the argument of a command: a group, a command, or one character.
    fn argument(&mut self) -> Option<Vec<Node>> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            '{' => self.group(),
            '}' | '^' | '_' | '&' => None,
            _ => {
                self.enter()?;
                let node = self.node()?;
                self.depth -= 1;
                node.map(|node| vec![node])
            }
        }
    }

    /// Reads an argument whose text is taken as it is.
    fn raw_argument(&mut self) -> Option<&'a str> {
        let body = self.rest.trim_start().strip_prefix('{')?;
        let mut depth = 0;
        for (index, ch) in body.char_indices() {
            match ch {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    self.rest = &body[index + 1..];
                    return Some(&body[..index]);
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn optional_argument(&mut self) -> Option<Option<Vec<Node>>> {
        let Some(body) = self.rest.trim_start().strip_prefix('[') else { return Some(None) };
        self.rest = body;
        let nodes = self.nodes(&|rest| rest.starts_with(']'))?;
        self.rest = self.rest.strip_prefix(']')?;
        Some(Some(nodes))
    }

    fn command_name(&mut self) -> Option<&'a str> {
        let body = self.rest.strip_prefix('\\')?;
        let letters = body.find(|ch: char| !ch.is_ascii_alphabetic()).unwrap_or(body.len());
        let length = if letters == 0 { body.chars().next()?.len_utf8() } else { letters };
        self.rest = &body[length..];
        Some(&body[..length])
    }

    fn command(&mut self) -> Option<Option<Node>> {
        let name = self.command_name()?;
        if SPACES.contains(&name) {
            return Some(Some(Node::Space));
        }
        if IGNORED.contains(&name) {
            if name.len() == 2 {
                self.rest = self.rest.trim_start();
            }
            return Some(None);
        }
        if TEXT_WRAPPERS.contains(&name) {
            let text = self.raw_argument()?;
            // Text may have formulas of its own.
            return if text.contains(['\\', '$', '{']) { None } else { Some(Some(Node::Text(text.to_owned()))) };
        }
        if WRAPPERS.contains(&name) {
            return self.argument().map(|body| Some(Node::Group(body)));
        }
        self.structure(name).map(Some)
    }

    fn structure(&mut self, name: &str) -> Option<Node> {
        Some(match name {
            "\\" | "newline" => Node::LineBreak,
            "frac" | "dfrac" | "tfrac" => {
                Node::Fraction { numerator: self.argument()?, denominator: self.argument()?, flat: name == "tfrac" }
            }
            "binom" | "dbinom" | "tbinom" => Node::Choose(self.argument()?, self.argument()?),
            "sqrt" => Node::Root { index: self.optional_argument()?, body: self.argument()? },
            "boxed" => Node::Boxed(self.argument()?),
            "overset" | "stackrel" | "underset" => {
                let script = if name == "underset" { Script::Sub } else { Script::Super };
                let annotation = self.argument()?;
                Node::Scripts { base: Box::new(Node::Group(self.argument()?)), scripts: vec![(script, annotation)] }
            }
            "mathbb" => Node::Text(self.raw_argument()?.chars().map(blackboard).collect()),
            "operatorname" => {
                let starred = self.rest.strip_prefix('*');
                self.rest = starred.unwrap_or(self.rest);
                let text = self.raw_argument()?.to_owned();
                Node::Operator { text, is_name: true }
            }
            "not" => {
                let negate = |node| match node {
                    Node::Relation(sign) => Node::Relation(negated(&sign)),
                    Node::Text(sign) => Node::Text(negated(&sign)),
                    node => node,
                };
                let mut body = self.argument()?;
                negate(if body.len() == 1 { body.remove(0) } else { Node::Group(body) })
            }
            "pmod" => {
                let mut inner = vec![Node::Space, Node::Text("(mod".to_owned()), Node::Space];
                inner.extend(self.argument()?);
                inner.push(Node::Text(")".to_owned()));
                Node::Group(inner)
            }
            "bmod" | "mod" => Node::Relation("mod".to_owned()),
            "left" => self.delimited()?,
            "begin" => self.environment()?,
            _ => match meaning(name)? {
                Meaning::Symbol(text) => Node::Text(text.to_owned()),
                Meaning::Relation(text) => Node::Relation(text.to_owned()),
                Meaning::BigOperator(text) => Node::Operator { text: text.to_owned(), is_name: false },
                Meaning::LimitFunction(text) => Node::Operator { text: text.to_owned(), is_name: true },
                Meaning::Function(text) => Node::Function(text.to_owned()),
                Meaning::Accent(mark) => Node::Accent { name: name.to_owned(), mark, body: self.argument()? },
            },
        })
    }

    /// Reads what stands between `\left` and `\right`, with the delimiters after them.
    fn delimited(&mut self) -> Option<Node> {
        let mut nodes = vec![self.delimiter()?];
        nodes.extend(self.nodes(&|rest| starts_command(rest, "right"))?);
        self.rest = self.rest.strip_prefix("\\right")?;
        nodes.push(self.delimiter()?);
        Some(Node::Group(nodes))
    }

    fn delimiter(&mut self) -> Option<Node> {
        self.rest = self.rest.trim_start();
        let text = match self.rest.chars().next()? {
            '\\' => {
                let name = self.command_name()?;
                match meaning(name)? {
                    Meaning::Symbol(text) | Meaning::Relation(text) => text.to_owned(),
                    _ => return None,
                }
            }
            ch => {
                self.rest = &self.rest[ch.len_utf8()..];
                if ch == '.' { String::new() } else { ch.to_string() }
            }
        };
        Some(Node::Text(text))
    }

    fn environment(&mut self) -> Option<Node> {
        let name = self.raw_argument()?;
        let kind = match name.trim_end_matches('*') {
            "matrix" | "smallmatrix" => Rows::Matrix(None),
            "array" => {
                self.raw_argument()?;
                Rows::Matrix(None)
            }
            "pmatrix" | "bmatrix" | "Bmatrix" | "vmatrix" | "Vmatrix" => Rows::Matrix(name.chars().next()),
            "cases" => Rows::Cases,
            "align" | "aligned" | "alignedat" | "eqnarray" | "equation" | "gather" | "gathered" | "split"
            | "multline" => Rows::Aligned,
            _ => return None,
        };
        let mut rows: Vec<Vec<Vec<Node>>> = vec![Vec::new()];
        loop {
            let cell =
                self.nodes(&|rest| rest.starts_with('&') || rest.starts_with("\\\\") || starts_command(rest, "end"))?;
            rows.last_mut()?.push(cell);
            if let Some(rest) = self.rest.strip_prefix('&') {
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix("\\\\") {
                self.rest = rest;
                rows.push(Vec::new());
            } else {
                self.rest = self.rest.strip_prefix("\\end")?;
                if self.raw_argument()? != name {
                    return None;
                }
                break;
            }
        }
        // A line break after the last row begins no row.
        if rows.last()?.iter().flatten().all(|node| *node == Node::Space) && rows.len() > 1 {
            rows.pop();
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        (rows.len().saturating_mul(columns) <= MAX_CELLS).then_some(Node::Rows { kind, rows })
    }
}

/// How many scripts hang on each other in `node`, which was read, so they are few.
fn chain(node: &Node) -> usize {
    match node {
        Node::Scripts { base, .. } => 1 + chain(base),
        _ => 0,
    }
}

fn starts_command(rest: &str, name: &str) -> bool {
    rest.strip_prefix('\\')
        .and_then(|rest| rest.strip_prefix(name))
        .is_some_and(|rest| !rest.starts_with(|ch: char| ch.is_ascii_alphabetic()))
}
