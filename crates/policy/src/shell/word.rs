//! Words: what they become before a command sees them.

use brush_parser::ast::Word;
use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter, TildeExpr, WordPiece, WordPieceWithSource};
use std::rc::Rc;

use super::braces::{braces, has_braces};
use super::builder::{Builder, Mode};
use super::state::{Dialect, Field, State, bounded, unknown_of};
use super::{Context, Shell, ansi_c, limits, parse};
use crate::argument::Arg;
use crate::evaluation::ScriptKind;
use crate::invocation::{Dir, Via};
use crate::site::{Site, Span};
use crate::text::{Piece, Source, Text};

impl Shell<'_> {
    /// The arguments that words become.
    pub(super) fn arguments(&mut self, state: &mut State, words: &[&Word], context: &Context) -> Vec<Arg> {
        let mut all = Vec::new();
        for word in words {
            let site = word.loc.as_ref().map_or(context.site, |loc| context.site(loc.start.index, loc.end.index));
            let fields = self.fields(state, &word.value, Mode::Words, context);
            let is_exact = fields.len() == 1;
            let arg = |field: Field| Arg {
                is_exact: is_exact && field.is_literal,
                text: field.text,
                is_many: field.is_many,
                site,
            };
            all.extend(fields.into_iter().map(arg));
        }
        all
    }

    /// The words that words become.
    pub(super) fn fields_of(&mut self, state: &mut State, words: &[Word], context: &Context) -> Vec<Field> {
        words.iter().flat_map(|word| self.fields(state, &word.value, Mode::Words, context)).collect()
    }

    /// One string.
    pub(super) fn string(&mut self, state: &mut State, word: &Word, context: &Context) -> Text {
        self.string_of(state, &word.value, context)
    }

    pub(super) fn string_of(&mut self, state: &mut State, raw: &str, context: &Context) -> Text {
        let mut fields = self.fields(state, raw, Mode::String, context);
        match fields.len() {
            0 => Text::default(),
            _ => fields.swap_remove(0).text,
        }
    }

    /// A pattern, if it is known.
    pub(super) fn pattern_of(&mut self, state: &mut State, word: &Word, context: &Context) -> Option<String> {
        self.pattern_in(state, &word.value, context)
    }

    pub(super) fn pattern_in(&mut self, state: &mut State, raw: &str, context: &Context) -> Option<String> {
        let fields = self.fields(state, raw, Mode::Pattern, context);
        fields.first().map_or(Some(String::new()), |field| field.text.pattern())
    }

    /// What a raw word becomes.
    fn fields(&mut self, state: &mut State, raw: &str, mode: Mode, context: &Context) -> Vec<Field> {
        let unknown = || vec![Field { is_many: true, ..Field::new(Text::unknown(Source::Local)) }];
        if !self.step(context) {
            return unknown();
        }
        // Most words are letters.
        if raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:,=+@%".contains(&byte)) {
            return vec![Field { is_literal: true, ..Field::new(Text::from(raw)) }];
        }
        let words = match (mode, raw.contains('{'), Self::expands_braces(context)) {
            (Mode::Words, true, Some(true)) => {
                match parse::braces(raw).map(|parts| parts.map(|parts| braces(&parts))) {
                    None | Some(Some(None)) => return unknown(),
                    Some(None) => vec![raw.to_owned()],
                    Some(Some(Some(words))) => words,
                }
            }
            (Mode::Words, true, None) if parse::braces(raw).is_none_or(|parts| has_braces(parts.as_deref())) => {
                return unknown();
            }
            _ => vec![raw.to_owned()],
        };
        let is_one = words.len() == 1;
        let mut all = Vec::new();
        for word in words {
            let Some(pieces) = parse::word(&word) else { return unknown() };
            let mut builder = Builder::new(mode);
            self.pieces(state, &pieces, false, &mut builder, context);
            builder.end_word();
            let is_literal = is_one && pieces.iter().all(|piece| is_literal(&piece.piece));
            all.extend(builder.done.into_iter().map(|field| Field { is_literal, ..field }));
        }
        if all.len() > limits::WORDS { unknown() } else { all }
    }

    /// The text of a here-document.
    pub(super) fn here_document(&mut self, state: &mut State, raw: &str, context: &Context) -> Text {
        let Some(pieces) = parse::here_document(raw) else { return Text::unknown(Source::Local) };
        let mut builder = Builder::new(Mode::String);
        self.pieces(state, &pieces, true, &mut builder, context);
        bounded(builder.now)
    }

    fn pieces(
        &mut self,
        state: &mut State,
        pieces: &[WordPieceWithSource],
        is_quoted: bool,
        builder: &mut Builder,
        context: &Context,
    ) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) if is_quoted => builder.quoted(&text.replace("\\\n", "")),
                WordPiece::Text(text) => builder.bare(text),
                WordPiece::SingleQuotedText(text) => builder.quoted(text),
                WordPiece::AnsiCQuotedText(raw) => match (context.dialect, ansi_c::decoded(raw)) {
                    (Dialect::Bash, Some(text)) => builder.quoted(&text),
                    (Dialect::Dash, _) => {
                        builder.quoted("$");
                        builder.quoted(raw);
                    }
                    _ => builder.quoted_value(&Text::unknown(Source::Local)),
                },
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    // `"$@"` alone may be no word at all.
                    let is_all = matches!(inner.as_slice(), [one] if is_all_parameters(&one.piece));
                    builder.is_there |= !is_all;
                    self.pieces(state, inner, true, builder, context);
                }
                WordPiece::EscapeSequence(raw) => match raw.strip_prefix('\\') {
                    Some("\n") => {}
                    Some(text) => builder.quoted(text),
                    None => builder.quoted(raw),
                },
                WordPiece::TildeExpansion(tilde) => {
                    let text = self.tilde(state, tilde);
                    builder.quoted_value(&text);
                }
                WordPiece::ParameterExpansion(expression) => {
                    self.expansion(state, expression, is_quoted, builder, context);
                }
                WordPiece::CommandSubstitution(script) => {
                    let text = self.substitution(state, script, piece, context);
                    self.value(state, &text, is_quoted, builder);
                }
                WordPiece::BackquotedCommandSubstitution(raw) => {
                    let text = self.substitution(state, &unescaped(raw, is_quoted), piece, context);
                    self.value(state, &text, is_quoted, builder);
                }
                WordPiece::ArithmeticExpression(expression) => {
                    let number = self.arithmetic(state, &expression.value, context);
                    let text = match number {
                        Some(number) => Text::new(number.to_string()),
                        None => Text::unknown(Source::Local),
                    };
                    builder.quoted_value(&text);
                }
            }
        }
    }

    fn value(&mut self, state: &State, text: &Text, is_quoted: bool, builder: &mut Builder) {
        if is_quoted { builder.quoted_value(text) } else { builder.bare_value(text, self.separators(state).as_deref()) }
    }

    fn expansion(
        &mut self,
        state: &mut State,
        expression: &ParameterExpr,
        is_quoted: bool,
        builder: &mut Builder,
        context: &Context,
    ) {
        let values = self.parameter(state, expression, is_quoted, context);
        for (index, field) in values.into_iter().enumerate() {
            if index > 0 {
                builder.end_word();
            }
            if field.is_many && builder.mode == Mode::Words {
                (builder.is_many, builder.is_there) = (true, true);
            }
            if is_quoted {
                builder.quoted_value(&field.text)
            } else {
                builder.bare_value(&field.text, self.separators(state).as_deref())
            }
        }
    }

    /// What `$(…)` writes.
    fn substitution(&mut self, state: &mut State, script: &str, _at: &WordPieceWithSource, context: &Context) -> Text {
        let inner = Context { parsed: None, ..context.through(Via::Substitution) };
        let start = Rc::new(state.clone());
        let parent = Some(self.place_of(script, context));
        let ended = self.script(&Text::from(script), ScriptKind::Text, parent, Rc::clone(&start), &inner);
        let output = ended.output.clone();
        for end in ended.all() {
            *state = state.after_subshell(&end);
        }
        without_last_newlines(&output)
    }

    /// Where a text of the script stands in it, else the command around it.
    fn place_of(&self, text: &str, context: &Context) -> Site {
        let around = context.site;
        let script = self.found.scripts.get(context.script).map(|script| script.text.as_ref()).unwrap_or_default();
        let within = script.get(around.span.start..around.span.end).unwrap_or_default();
        match within.find(text) {
            Some(at) if around.script == context.script => {
                let start = around.span.start + at;
                Site { script: context.script, span: Span { start, end: start + text.len() } }
            }
            _ => around,
        }
    }

    fn tilde(&mut self, state: &State, tilde: &TildeExpr) -> Text {
        let of_path = |path: Option<std::path::PathBuf>| match path.as_deref().and_then(std::path::Path::to_str) {
            Some(path) => Text::from(path),
            None => Text::unknown(Source::Local),
        };
        match tilde {
            TildeExpr::Home => match self.variable(state, "HOME") {
                Some(home) => home,
                None => of_path(self.world.home(None)),
            },
            TildeExpr::UserHome(user) if !state.is_elsewhere => of_path(self.world.home(Some(user))),
            TildeExpr::WorkingDir => of_path(state.directory.known().map(Into::into)),
            TildeExpr::OldWorkingDir => of_path(state.before.as_ref().and_then(Dir::known).map(Into::into)),
            _ => Text::unknown(Source::Local),
        }
    }
}

fn is_literal(piece: &WordPiece) -> bool {
    match piece {
        WordPiece::Text(_)
        | WordPiece::SingleQuotedText(_)
        | WordPiece::AnsiCQuotedText(_)
        | WordPiece::EscapeSequence(_) => true,
        WordPiece::DoubleQuotedSequence(inner) => inner.iter().all(|piece| is_literal(&piece.piece)),
        _ => false,
    }
}

fn is_list(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::NamedWithAllIndices { concatenate: false, .. }
            | Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
    )
}

fn is_all_parameters(piece: &WordPiece) -> bool {
    match piece {
        WordPiece::ParameterExpansion(ParameterExpr::Parameter { parameter, .. }) => is_list(parameter),
        _ => false,
    }
}

/// What stands between backquotes as a script.
fn unescaped(raw: &str, is_quoted: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(ch) = chars.next() {
        match (ch, chars.peek()) {
            ('\\', Some(next @ ('`' | '\\' | '$'))) => {
                text.push(*next);
                chars.next();
            }
            ('\\', Some('"')) if is_quoted => {
                text.push('"');
                chars.next();
            }
            _ => text.push(ch),
        }
    }
    text
}

/// The shell takes the newlines at the end of an output away.
fn without_last_newlines(output: &Text) -> Text {
    let mut new = Text::default();
    let last = output.pieces().len().saturating_sub(1);
    for (index, piece) in output.pieces().iter().enumerate() {
        match piece {
            Piece::Known(text) if index == last => new.push(Piece::Known(text.trim_end_matches('\n').to_owned())),
            piece => new.push(piece.clone()),
        }
    }
    new
}

/// Words of a list as one, with blanks between them.
pub(super) fn joined<'a>(texts: impl IntoIterator<Item = &'a Text>, between: &str) -> Text {
    let mut sum = Text::default();
    for (index, text) in texts.into_iter().enumerate() {
        if index > 0 {
            sum.push(Piece::Known(between.to_owned()));
        }
        sum.append(text);
    }
    if sum.pieces().len() > limits::WORDS { unknown_of(&[&sum]) } else { sum }
}

/// What a pattern is when no file matches: characters. Files with the names of commands are nobody's way to hide one.
pub(super) fn as_text(text: &Text) -> Text {
    let mut new = Text::default();
    for piece in text.pieces() {
        match piece {
            Piece::Glob(glob) => new.push(Piece::Known(glob.clone())),
            piece => new.push(piece.clone()),
        }
    }
    new
}
