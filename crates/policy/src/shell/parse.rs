//! A text as a syntax tree: of one parser, and only if the other one found no error in it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::word::{BraceExpressionOrText, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions, ast};
use tree_sitter::{Node, Tree};

use super::limits;
use crate::evaluation::Reason;
use crate::site::Span;

thread_local! {
    static TOLERANT: RefCell<Option<tree_sitter::Parser>> = const { RefCell::new(None) };
}

/// A script that was read.
pub(super) struct Parsed {
    /// The tree.
    pub program: ast::Program,
    /// The byte at which each character starts, if some are longer than one.
    offsets: Option<Vec<usize>>,
}

impl Parsed {
    /// A range of characters as one of bytes.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let Some(offsets) = &self.offsets else { return Span { start, end } };
        let last = offsets.last().copied().unwrap_or_default();
        let byte = |index: usize| offsets.get(index).copied().unwrap_or(last);
        Span { start: byte(start), end: byte(end) }
    }
}

/// Reads a script.
pub(super) fn script(text: &str) -> Result<Parsed, Reason> {
    limits::check(text)?;
    second_opinion(text)?;
    let parsed = guarded(|| {
        let mut reader = text.as_bytes();
        Parser::new(&mut reader, &ParserOptions::default()).parse_program().ok()
    });
    let program = parsed.ok_or(Reason::Syntax)?;
    let offsets = (!text.is_ascii())
        .then(|| text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect::<Vec<usize>>());
    Ok(Parsed { program, offsets })
}

/// The pieces of a word; `None` if they cannot be read.
pub(super) fn word(raw: &str) -> Option<Vec<WordPieceWithSource>> {
    guarded(|| brush_parser::word::parse(raw, &ParserOptions::default()).ok())
}

/// The pieces of a here-document.
pub(super) fn here_document(raw: &str) -> Option<Vec<WordPieceWithSource>> {
    guarded(|| brush_parser::word::parse_heredoc(raw, &ParserOptions::default()).ok())
}

/// The parts of a word with braces: `Some(None)` if it has none.
pub(super) fn braces(raw: &str) -> Option<Option<Vec<BraceExpressionOrText>>> {
    guarded(|| brush_parser::word::parse_brace_expansions(raw, &ParserOptions::default()).ok())
}

/// An arithmetic expression.
pub(super) fn arithmetic(raw: &str) -> Option<ast::ArithmeticExpr> {
    guarded(|| brush_parser::arithmetic::parse(raw).ok())
}

/// A parser that panics has not read the text.
fn guarded<T>(parse: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(parse)).ok().flatten()
}

/// Looks at a text with the parser that survives everything.
fn second_opinion(text: &str) -> Result<(), Reason> {
    let tree = TOLERANT.with_borrow_mut(|parser| {
        if parser.is_none() {
            let mut new = tree_sitter::Parser::new();
            new.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
            *parser = Some(new);
        }
        parser.as_mut()?.parse(text, None)
    });
    let tree = tree.filter(|tree| !tree.root_node().has_error()).ok_or(Reason::Syntax)?;
    if depth(&tree) > limits::DEPTH { Err(Reason::TooDeep { limit: limits::DEPTH }) } else { Ok(()) }
}

/// How deep commands, strings and expressions are nested. Not recursive, because nothing has limited the tree yet.
fn depth(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let (mut now, mut most) = (0_usize, 0_usize);
    loop {
        now += usize::from(nests(cursor.node()));
        most = most.max(now);
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            now -= usize::from(nests(cursor.node()));
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return most;
            }
        }
    }
}

fn nests(node: Node<'_>) -> bool {
    const KINDS: &[&str] = &[
        "subshell",
        "compound_statement",
        "command_substitution",
        "process_substitution",
        "if_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "function_definition",
        "string",
        "expansion",
        "arithmetic_expansion",
        "parenthesized_expression",
        "binary_expression",
        "unary_expression",
        "ternary_expression",
        "negated_command",
        "test_command",
        "brace_expression",
    ];
    node.is_named() && KINDS.contains(&node.kind())
}
