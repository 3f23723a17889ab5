//! Text layout, keys and Markdown for the components of `pi/tui`.
//!
//! Positions never cross: JavaScript counts UTF-16 units and Rust bytes, so ops give pieces of text, or how many
//! units to move.

use rquickjs::{Ctx, FromJs, Function, Object, Result, Value};
use tau_view::keys::{self, KeyModes};
use tau_view::markdown::{self, DefaultStyle, Options, Style, Theme};
use tau_view::{ansi, columns, editor, fuzzy, latex, truncate, width, wrap};

use crate::engine::Charge;
use crate::ops::table::{ops, typed};
use crate::ops::{Account, OpError, charge, too_large};

ops! {
    /// Text layout, keys and Markdown for the components of `pi/tui`.
    pub(crate) static OPS: watched;

    /// How well a text matches what somebody types.
    fn viewFuzzyMatch(query, text) = view_fuzzy_match, Pure;
    /// A formula as text.
    fn viewLatex(source, display) = view_latex, Pure;
    /// Markdown as lines.
    fn viewMarkdown(text, width, options, style, highlight) = render_markdown, Pure;
    /// How many columns a text takes.
    fn viewWidth(text) = view_width, Pure;
    /// A text without control sequences.
    fn viewStrip(text) = view_strip, Pure;
    /// A text in lines.
    fn viewWrap(text, width) = view_wrap, Pure;
    /// A line cut to a width.
    fn viewTruncate(text, width, ellipsis, pad) = view_truncate, Pure;
    /// A part of a line, by columns.
    fn viewSlice(line, start, length, strict) = view_slice, Pure;
    /// The link at a column.
    fn viewLinkAt(line, column) = view_link_at, Pure;
    /// A line laid over another.
    fn viewComposite(base, overlay, start, length, total) = composite, Pure;
    /// Whether input is a key.
    fn viewMatchesKey(data, key, modes) = view_matches_key, Pure;
    /// Which key input is.
    fn viewParseKey(data, modes) = view_parse_key, Pure;
    /// The text of a key in the protocol of kitty.
    fn viewKittyPrintable(data) = view_kitty_printable, Pure;
    /// The text that input types.
    fn viewPrintable(data) = view_printable, Pure;
    /// Whether a key was released.
    fn viewIsKeyRelease(data) = view_is_key_release, Pure;
    /// Whether a key is held.
    fn viewIsKeyRepeat(data) = view_is_key_repeat, Pure;
    /// The parts of a text that a cursor steps over.
    fn viewUnits(text) = view_units, Pure;
    /// Where the word to the left begins.
    fn viewWordLeft(before) = view_word_left, Pure;
    /// Where the word to the right ends.
    fn viewWordRight(after) = view_word_right, Pure;
}

/// Texts of up to so many bytes come to little, however they are broken.
const SHORT: usize = 4 << 10;

/// What a line takes beside its text, in bytes: where it is, and the styles that are on.
const LINE: usize = 128;

/// `viewComposite(base, overlay, start, length, total)`: lays `overlay` over `length` columns of `base`.
fn composite(
    ctx: Ctx<'_>,
    base: Text,
    overlay: Text,
    start: Columns,
    length: Columns,
    total: Columns,
) -> Result<String> {
    // Spaces may stand before the overlay, in it and behind it.
    let padding = start.0.saturating_add(length.0).saturating_add(total.0);
    let _room = line_room(&ctx, [&base.0, &overlay.0], padding)?;
    Ok(columns::composite_line(&base.0, &overlay.0, start.0, length.0, total.0))
}

/// Counts what one line of both texts and so many spaces may come to while it is put together.
fn line_room(ctx: &Ctx<'_>, texts: [&str; 2], padding: usize) -> Result<Option<Charge>> {
    let bytes = texts.iter().map(|text| text.len()).fold(padding, usize::saturating_add);
    if bytes <= SHORT {
        return Ok(None);
    }
    // The parts, and the line they are joined to.
    let bytes = bytes.saturating_mul(2);
    charge(Account::of(ctx)?.memory(), bytes, "the padded line").map(Some).map_err(|error| error.throw(ctx))
}

/// Counts what `text` may come to in lines of `width` columns that each repeat up to `repeated` bytes.
fn room(ctx: &Ctx<'_>, text: &str, width: usize, repeated: usize) -> Result<Option<Charge>> {
    if text.len() <= SHORT {
        return Ok(None);
    }
    // Of two lines in a row the second would not have fitted behind the first, unless one was broken by hand.
    let breaks = text.bytes().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
    let lines = (2 * text.len() / width.max(1)).saturating_add(breaks + 1).min(text.len() + 1);
    let bytes = lines.saturating_mul(LINE + repeated).saturating_add(text.len());
    charge(Account::of(ctx)?.memory(), bytes, "the lines of the text").map(Some).map_err(|error| error.throw(ctx))
}

/// Counts what text of this length may come to in rows of `width` columns, when so many of them are there anyway.
pub(crate) fn rows_room(ctx: &Ctx<'_>, length: usize, lines: usize, width: usize) -> Result<Option<Charge>> {
    if length <= SHORT {
        return Ok(None);
    }
    let rows = (2 * length / width.max(1)).saturating_add(lines + 1).min(length + lines + 1);
    let bytes = rows.saturating_mul(LINE).saturating_add(length);
    charge(Account::of(ctx)?.memory(), bytes, "the rows of the editor").map(Some).map_err(|error| error.throw(ctx))
}

/// The longest escape sequence that lines repeat, in bytes.
fn longest_escape(text: &str) -> usize {
    if text.len() <= SHORT {
        return 0;
    }
    let escapes = ansi::pieces(text).filter_map(|piece| match piece {
        ansi::Piece::Escape(escape) => Some(escape.len()),
        ansi::Piece::Text(_) => None,
    });
    escapes.max().unwrap_or(0).min(ansi::LONGEST_LINK)
}

/// The longest address that a Markdown text may have, in bytes.
fn longest_address(text: &str) -> usize {
    let words = text.split_ascii_whitespace().map(str::len);
    words.max().unwrap_or(0).min(ansi::LONGEST_LINK)
}

/// Length as JavaScript counts it.
fn units_of(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A string argument; lone surrogates, which Rust cannot hold, are replaced.
pub(super) struct Text(pub(super) String);

impl<'js> FromJs<'js> for Text {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        match value.as_string() {
            Some(text) => crate::convert::text_of(text).map(Text),
            None => Err(rquickjs::Error::new_from_js(value.type_name(), "string")),
        }
    }
}

/// A number of columns; whatever is no such number means none.
pub(crate) struct Columns(pub(crate) usize);

impl<'js> FromJs<'js> for Columns {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        // `as` saturates, and takes NaN for zero.
        let number = value.as_number().map_or(0, |number| number.floor() as u32);
        Ok(Self(usize::try_from(number).unwrap_or(usize::MAX)))
    }
}

/// What is known about the terminal, as bits: 1 for the Kitty protocol, 2 for Windows Terminal.
struct Modes(KeyModes);

impl<'js> FromJs<'js> for Modes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let bits = u32::from_js(ctx, value)?;
        Ok(Self(KeyModes { kitty: bits & 1 != 0, windows_terminal: bits & 2 != 0 }))
    }
}

typed! {
    Text = "string";
    Columns = "number | undefined";
    Modes = "number";
}

/// How many columns code may be indented by in Markdown.
const MAX_CODE_INDENT: usize = 64;

/// The most that such an indent takes, in bytes: it may be styled.
const MAX_CODE_INDENT_BYTES: usize = 1 << 10;

/// The `codeBlockIndent` of a theme, which every line of code repeats.
fn code_block_indent<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<String> {
    let Some(Text(indent)) = options.get::<_, Option<Text>>("codeBlockIndent")? else { return Ok("  ".to_owned()) };
    if indent.len() > MAX_CODE_INDENT_BYTES || width::visible_width(&indent) > MAX_CODE_INDENT {
        let message = format!("the theme's codeBlockIndent is too long: use at most {MAX_CODE_INDENT} columns");
        return Err(OpError::range_error("ERR_OUT_OF_RANGE", message).throw(ctx));
    }
    Ok(indent)
}

/// `viewMarkdown(text, width, options, style, highlight)`: `style(name, text)` and `highlight(code, language)` are
/// the theme.
fn render_markdown<'js>(
    ctx: Ctx<'js>,
    text: Text,
    width: Columns,
    options: Object<'js>,
    style: Function<'js>,
    highlight: Option<Function<'js>>,
) -> Result<Vec<String>> {
    let flag = |name: &str| options.get::<_, Option<bool>>(name).map(Option::unwrap_or_default);
    let options = Options {
        code_block_indent: code_block_indent(&ctx, &options)?,
        hyperlinks: flag("hyperlinks")?,
        latex: flag("latex")?,
        preserve_list_markers: flag("preserveListMarkers")?,
        preserve_escapes: flag("preserveEscapes")?,
        default_style: DefaultStyle {
            color: flag("color")?,
            bold: flag("bold")?,
            italic: flag("italic")?,
            strikethrough: flag("strikethrough")?,
            underline: flag("underline")?,
        },
    };
    let address = if options.hyperlinks { longest_address(&text.0) } else { 0 };
    let repeated = address.max(options.code_block_indent.len());
    let _room = room(&ctx, &text.0, width.0, repeated)?;
    let styled = charge(Account::of(&ctx)?.memory(), 0, STYLED).map_err(|error| error.throw(&ctx))?;
    markdown::render(&text.0, width.0, &options, &mut JsTheme { ctx: ctx.clone(), style, highlight, styled })
}

/// What the charge of a [`JsTheme`] is about.
const STYLED: &str = "the styled text";

struct JsTheme<'js> {
    ctx: Ctx<'js>,
    style: Function<'js>,
    highlight: Option<Function<'js>>,
    /// What the theme gave so far: it may give more than it got.
    styled: Charge,
}

impl JsTheme<'_> {
    fn count(&mut self, bytes: usize) -> Result<()> {
        let bytes = self.styled.bytes().saturating_add(bytes);
        self.styled.resize(bytes).map_err(|full| too_large(STYLED, &full).throw(&self.ctx))
    }
}

impl Theme for JsTheme<'_> {
    type Error = rquickjs::Error;

    fn apply(&mut self, style: Style, text: &str) -> Result<String> {
        let Text(styled) = self.style.call((style.name(), text))?;
        self.count(styled.len())?;
        Ok(styled)
    }

    fn highlight(&mut self, code: &str, language: Option<&str>) -> Result<Option<Vec<String>>> {
        let Some(highlight) = &self.highlight else { return Ok(None) };
        let lines: Vec<Text> = highlight.call((code, language))?;
        self.count(lines.iter().map(|line| line.0.len()).sum())?;
        Ok(Some(lines.into_iter().map(|line| line.0).collect()))
    }
}

fn view_fuzzy_match(query: Text, text: Text) -> Option<f64> {
    fuzzy::fuzzy_match(&query.0, &text.0)
}

fn view_latex(source: Text, display: bool) -> Option<String> {
    latex::render(&source.0, display)
}

fn view_width(text: Text) -> usize {
    width::visible_width(&text.0)
}

fn view_strip(text: Text) -> String {
    ansi::strip(&text.0)
}

fn view_wrap<'js>(ctx: Ctx<'js>, text: Text, width: Columns) -> Result<Vec<String>> {
    let _room = room(&ctx, &text.0, width.0, longest_escape(&text.0))?;
    Ok::<_, rquickjs::Error>(wrap::wrap_text(&text.0, width.0))
}

fn view_truncate<'js>(ctx: Ctx<'js>, text: Text, width: Columns, ellipsis: Text, pad: bool) -> Result<String> {
    let padding = if pad { width.0 } else { 0 };
    let _room = line_room(&ctx, [&text.0, &ellipsis.0], padding)?;
    Ok::<_, rquickjs::Error>(truncate::truncate_to_width(&text.0, width.0, &ellipsis.0, pad))
}

fn view_slice<'js>(ctx: Ctx<'js>, line: Text, start: Columns, length: Columns, strict: bool) -> Result<String> {
    let _room = line_room(&ctx, [&line.0, ""], 0)?;
    Ok::<_, rquickjs::Error>(columns::slice_by_column(&line.0, start.0, length.0, strict))
}

fn view_link_at(line: Text, column: Columns) -> Option<String> {
    columns::link_at_column(&line.0, column.0)
}

fn view_matches_key(data: Text, key: Text, modes: Modes) -> bool {
    keys::matches_key(&data.0, &key.0, modes.0)
}

fn view_parse_key(data: Text, modes: Modes) -> Option<String> {
    keys::parse_key(&data.0, modes.0)
}

fn view_kitty_printable(data: Text) -> Option<String> {
    keys::decode_kitty_printable(&data.0).map(String::from)
}

fn view_printable(data: Text) -> Option<String> {
    keys::decode_printable(&data.0).map(String::from)
}

fn view_is_key_release(data: Text) -> bool {
    keys::is_key_release(&data.0)
}

fn view_is_key_repeat(data: Text) -> bool {
    keys::is_key_repeat(&data.0)
}

fn view_units<'js>(ctx: Ctx<'js>, text: Text) -> Result<Vec<String>> {
    let _room = room(&ctx, &text.0, 1, 0)?;
    let units = editor::units(&text.0, |_| false);
    Ok::<_, rquickjs::Error>(units.map(str::to_owned).collect::<Vec<_>>())
}

fn view_word_left(before: Text) -> usize {
    units_of(&before.0[editor::word_left(&before.0, |_| false)..])
}

fn view_word_right(after: Text) -> usize {
    units_of(&after.0[..editor::word_right(&after.0, |_| false)])
}
