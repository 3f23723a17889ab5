//! The tree of a formula as lines.

use super::block::{Align, Block, pad};
use super::parse::{Node, Rows};
use super::scripts::{self, Script};
use crate::width::visible_width;

/// Where a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In a line of text.
    Inline,
    /// On lines of its own.
    Display,
    /// Inside a script, where there are no spaces around signs.
    Compact,
}

/// The lines of a formula.
pub(super) fn render(nodes: &[Node], display: bool) -> String {
    let mode = if display { Mode::Display } else { Mode::Inline };
    let rows: Vec<Block> = nodes.split(|node| *node == Node::LineBreak).map(|row| Row::of(row, mode).block).collect();
    let lines = rows.into_iter().flat_map(Block::into_lines).collect::<Vec<_>>();
    lines.join("\n")
}

/// The text of a part of a formula that stands in one line.
fn line(nodes: &[Node], mode: Mode) -> String {
    let mode = if mode == Mode::Display { Mode::Inline } else { mode };
    Row::of(nodes, mode).block.into_lines().join("\n").trim().to_owned()
}

/// Pieces beside each other.
struct Row {
    mode: Mode,
    block: Block,
    /// Nothing stands before the next piece, or a space does.
    open: bool,
    /// A space is due before the next piece.
    space: bool,
    /// A function's name was last: a space is due unless a bracket follows.
    after_name: bool,
}

impl Row {
    fn of(nodes: &[Node], mode: Mode) -> Self {
        let mut row = Self { mode, block: Block::default(), open: true, space: false, after_name: false };
        row.nodes(nodes);
        row
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Space => self.space |= self.mode != Mode::Compact,
            Node::Text(text) => self.text(text),
            Node::Group(nodes) => self.nodes(nodes),
            Node::Relation(sign) => {
                self.space |= self.mode != Mode::Compact;
                self.text(sign);
                self.space |= self.mode != Mode::Compact;
            }
            Node::Function(name) => self.name(name, false),
            Node::Operator { text, is_name: true } => self.name(text, true),
            Node::Operator { text, is_name: false } => self.text(text),
            Node::Fraction { numerator, denominator, flat } => self.fraction(numerator, denominator, *flat),
            Node::Root { index, body } => self.root(index.as_deref(), body),
            Node::Accent { name, mark, body } => {
                let body = line(body, self.mode);
                let single = body.chars().count() == 1;
                self.text(&if single { format!("{body}{mark}") } else { format!("{name}({body})") });
            }
            Node::Scripts { base, scripts } => self.scripts(base, scripts),
            Node::Rows { kind, rows } => self.rows(*kind, rows),
            Node::Choose(n, k) => self.text(&format!("({} choose {})", line(n, self.mode), line(k, self.mode))),
            Node::Boxed(body) => self.text(&format!("[{}]", line(body, self.mode))),
            Node::LineBreak => self.space = true,
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(Block::line(text), text.starts_with(['(', '[', '{', '|', '‖', '⟨']));
            self.open = text.ends_with(' ');
        }
    }

    fn push(&mut self, block: Block, is_bracket: bool) {
        let due = self.space || (self.after_name && !is_bracket && self.mode != Mode::Compact);
        if due && !self.open {
            self.block.append(Block::line(" "));
        }
        self.open = false;
        self.space = false;
        self.after_name = false;
        self.block.append(block);
    }

    fn name(&mut self, name: &str, spaced: bool) {
        self.space |= self.mode != Mode::Compact && self.block.last_char().is_some_and(char::is_alphanumeric);
        self.text(name);
        self.after_name = true;
        self.space |= spaced && self.mode != Mode::Compact;
    }

    fn fraction(&mut self, numerator: &[Node], denominator: &[Node], flat: bool) {
        let (above, below) = (line(numerator, self.mode), line(denominator, self.mode));
        if flat || self.mode != Mode::Display {
            let above = parenthesized(&above, is_product(&above));
            let below = parenthesized(&below, below.chars().count() == 1 || is_number(&below));
            return self.text(&format!("{above}/{below}"));
        }
        let bar = "─".repeat(visible_width(&above).max(visible_width(&below)).max(1));
        let stacked = vec![Block::line(&above), Block::line(&bar), Block::line(&below)];
        self.space = true;
        self.push(Block::stack(stacked, 1, Align::Center), false);
        self.space = true;
    }

    fn root(&mut self, index: Option<&[Node]>, body: &[Node]) {
        let index = index.map(|index| line(index, self.mode));
        let sign = match index.as_deref() {
            None => "√".to_owned(),
            Some("3") => "∛".to_owned(),
            Some("4") => "∜".to_owned(),
            Some(index) => scripts::inline(index, Script::Super) + "√",
        };
        if self.mode == Mode::Display {
            // Laid out once, as it goes on from the bracket: twice would be twice as often for each root in a root.
            let mut inner = Self { open: false, ..Self::of(&[], self.mode) };
            inner.nodes(body);
            if inner.block.height() > 1 {
                self.text(&format!("{sign}("));
                self.block.append(inner.block);
                (self.open, self.space, self.after_name) = (inner.open, inner.space, inner.after_name);
                return self.text(")");
            }
        }
        let flat = line(body, self.mode);
        self.text(&format!("{sign}{}", parenthesized(&flat, is_product(&flat))));
    }

    fn scripts(&mut self, base: &Node, scripts: &[(Script, Vec<Node>)]) {
        let content = |script: &[Node]| line(script, Mode::Compact);
        if let Node::Operator { text, is_name } = base {
            if self.mode == Mode::Display {
                return self.limits(text, scripts);
            }
            if *is_name {
                let of = |wanted| scripts.iter().filter(move |(script, _)| *script == wanted);
                let below = of(Script::Sub).map(|(_, below)| format!("[{}]", content(below))).collect::<String>();
                let above = of(Script::Super)
                    .map(|(_, above)| scripts::inline(&content(above), Script::Super))
                    .collect::<String>();
                return self.name(&format!("{text}{below}{above}"), true);
            }
        }
        let is_name = matches!(base, Node::Function(_));
        self.node(base);
        let small = |(script, body): &(Script, Vec<Node>)| scripts::small(&content(body), *script).is_none();
        let (due, after_name) = (std::mem::take(&mut self.space), std::mem::take(&mut self.after_name));
        if self.mode == Mode::Display && scripts.iter().any(small) {
            self.stacked_scripts(scripts);
        } else {
            for (script, body) in scripts {
                self.text(&scripts::inline(&content(body), *script));
            }
        }
        self.space = due;
        self.after_name = after_name && is_name;
    }

    /// Scripts on lines of their own, to the right of their base.
    fn stacked_scripts(&mut self, scripts: &[(Script, Vec<Node>)]) {
        let part = |wanted: Script| {
            let body = scripts.iter().find(|(script, _)| *script == wanted).map(|(_, body)| body);
            body.map(|body| Block::line(&line(body, Mode::Compact)))
        };
        let above = part(Script::Super);
        let baseline = usize::from(above.is_some());
        let column = [above, Some(Block::line("")), part(Script::Sub)];
        let stacked = Block::stack(column.into_iter().flatten().collect(), 0, Align::Left).with_baseline(baseline);
        self.push(stacked, true);
    }

    /// Limits below and above their operator.
    fn limits(&mut self, operator: &str, scripts: &[(Script, Vec<Node>)]) {
        let part = |wanted: Script| {
            let body = scripts.iter().find(|(script, _)| *script == wanted).map(|(_, body)| body);
            body.map(|body| Block::line(&line(body, Mode::Compact)))
        };
        let above = part(Script::Super);
        let main = usize::from(above.is_some());
        let column: Vec<Block> =
            [above, Some(Block::line(operator)), part(Script::Sub)].into_iter().flatten().collect();
        self.space |= self.block.last_char().is_some_and(char::is_alphanumeric);
        self.push(Block::stack(column, main, Align::Center), true);
        self.space = true;
    }

    fn rows(&mut self, kind: Rows, rows: &[Vec<Vec<Node>>]) {
        let rows: Vec<Vec<String>> = match kind {
            Rows::Aligned => rows.iter().map(|row| vec![line(&row.concat(), self.mode)]).collect(),
            _ => rows.iter().map(|row| row.iter().map(|cell| line(cell, self.mode)).collect()).collect(),
        };
        let block = match kind {
            Rows::Aligned => Block::new(rows.concat(), 0),
            Rows::Cases => cases(&rows),
            Rows::Matrix(bracket) => matrix(&rows, bracket),
        };
        self.push(block, true);
    }
}

fn cases(rows: &[Vec<String>]) -> Block {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| match row.split_first() {
            Some((value, conditions)) if !conditions.is_empty() => format!("{value} if {}", conditions.join(" ")),
            _ => row.concat(),
        })
        .collect();
    // The brace needs a middle.
    if lines.len() == 2 {
        lines.insert(1, String::new());
    }
    let middle = lines.len() / 2;
    let brace = |index| match index {
        _ if lines.len() == 1 => '{',
        0 => '⎧',
        index if index == lines.len() - 1 => '⎩',
        index if index == middle => '⎨',
        _ => '⎪',
    };
    let lines: Vec<String> = lines.iter().enumerate().map(|(index, line)| format!("{} {line}", brace(index))).collect();
    Block::new(lines, middle)
}

fn matrix(rows: &[Vec<String>], bracket: Option<char>) -> Block {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &'_ [String], column: usize| row.get(column).cloned().unwrap_or_default();
    let width = |column: usize| rows.iter().map(|row| visible_width(&cell(row, column))).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let content = |row: &Vec<String>| {
        let cells: Vec<String> =
            widths.iter().enumerate().map(|(column, width)| pad(&cell(row, column), *width, Align::Left)).collect();
        cells.join(" │ ")
    };
    // Brackets for one row, and from top to bottom for several.
    let (single, open, close) = match bracket {
        Some('p') => (["(", ")"], ["⎛", "⎜", "⎝"], ["⎞", "⎟", "⎠"]),
        Some('b') => (["[", "]"], ["⎡", "⎢", "⎣"], ["⎤", "⎥", "⎦"]),
        Some('B') => (["{", "}"], ["⎧", "⎨", "⎩"], ["⎫", "⎬", "⎭"]),
        Some('v') => (["│", "│"], ["│"; 3], ["│"; 3]),
        Some('V') => (["‖", "‖"], ["‖"; 3], ["‖"; 3]),
        _ => return Block::new(rows.iter().map(content).collect(), 0),
    };
    let last = rows.len().saturating_sub(1);
    let part = |index: usize| {
        if index == 0 {
            0
        } else if index == last {
            2
        } else {
            1
        }
    };
    let line = |(index, row): (usize, &Vec<String>)| {
        let (left, right) = if last == 0 { (single[0], single[1]) } else { (open[part(index)], close[part(index)]) };
        format!("{left} {} {right}", content(row))
    };
    Block::new(rows.iter().enumerate().map(line).collect(), 0)
}

fn parenthesized(text: &str, is_simple: bool) -> String {
    if is_simple { text.to_owned() } else { format!("({text})") }
}

fn is_number(text: &str) -> bool {
    text.chars().all(|ch| ch.is_ascii_digit() || ch == '.')
}

/// Whether text needs no brackets in front of a slash or behind a root: letters and digits, small ones too.
fn is_product(text: &str) -> bool {
    text.chars().all(|ch| ch.is_alphanumeric() || ch == '.')
}
