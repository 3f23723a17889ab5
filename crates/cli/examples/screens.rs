//! Draws the screens of the documentation: runs tau in a terminal and writes what it shows as SVG.
//!
//! ```sh
//! cargo build --release && cargo run --release --example screens
//! ```
//!
//! It writes to `docs/screens`, or to the folder it is given.
#![allow(clippy::disallowed_methods, reason = "it runs tau as a user does")]

use std::error::Error;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tau_sys::pty::Pty;
use vt100::{Cell, Color, Parser};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const COLUMNS: u16 = 96;
/// How wide and how high a character is, in units of the picture.
const CELL: (f32, f32) = (8.4, 18.0);
/// How long a screen may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// Red, green and so on, as the terminal of the pictures has them.
const PALETTE: [&str; 16] = [
    "#1d1f21", "#cc6666", "#a5b568", "#e6b450", "#81a2be", "#b294bb", "#8abeb7", "#c5c8c6", "#666b70", "#d98080",
    "#b9ca7a", "#f0c674", "#98b8d4", "#c6a9ce", "#9fd0c9", "#eaeaea",
];
const FOREGROUND: &str = "#c5c8c6";
const BACKGROUND: &str = "#16181a";

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("docs/screens"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("demo.svg"), demo()?)?;
    std::fs::write(folder.join("gate.svg"), gate()?)?;
    Ok(())
}

/// A prompt of the demo, with its tools and its answer.
fn demo() -> Result<String> {
    let home = project()?;
    let mut seat = Seat::new(home.path(), 30, &["--demo"])?;
    seat.until("escape interrupt")?;
    seat.types("What is in this directory?")?;
    seat.until("What is in this directory?")?;
    seat.types("\r")?;
    seat.until("no model was involved")?;
    seat.finish("tau --demo")
}

/// A gate of an extension that asks about an edit.
fn gate() -> Result<String> {
    let home = project()?;
    let extension = "export default (pi) => pi.on('tool_call', async (event, ctx) => {
        if (event.toolName !== 'edit') return;
        const ok = await ctx.ui.confirm('May it change this file?', event.input.path);
        if (!ok) return { block: true, reason: 'The user wants to look at it first.' };
    });";
    let extensions = home.path().join("agent/extensions");
    std::fs::create_dir_all(&extensions)?;
    std::fs::write(extensions.join("ask-before-edit.ts"), extension)?;
    let script = home.path().join("script.yaml");
    std::fs::write(
        &script,
        "replies:
  - - The parser skips the last line of a file that does not end with a line feed.
    - tool_call:
        name: edit
        arguments:
          path: src/parser.rs
          edits:
            - oldText: 'while let Some(end) = rest.find(LINE_FEED) {'
              newText: 'while !rest.is_empty() {'
  - Then I leave it as it is.
",
    )?;
    let script = script.display().to_string();
    let mut seat = Seat::new(home.path(), 34, &["--script", &script])?;
    seat.until("escape interrupt")?;
    seat.types("Find the bug in src/parser.rs and fix it")?;
    seat.until("and fix it")?;
    seat.types("\r")?;
    seat.until("May it change this file?")?;
    seat.until("while !rest.is_empty()")?;
    seat.finish("a gate asks")
}

/// A home with a small project in it.
fn project() -> Result<tempfile::TempDir> {
    let home = tempfile::tempdir()?;
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(home.path().join("agent"))?;
    std::fs::write(project.join("README.md"), "# Lines\n\nReads files line by line.\n")?;
    std::fs::write(project.join("Cargo.toml"), "[package]\nname = \"lines\"\nedition = \"2024\"\n")?;
    let parser = "//! Lines of a text.\n\nconst LINE_FEED: char = '\\n';\n\npub fn lines(mut rest: &str) -> Vec<&str> {\n    let mut \
                  lines = Vec::new();\n    while let Some(end) = rest.find(LINE_FEED) {\n        \
                  lines.push(&rest[..end]);\n        rest = &rest[end + 1..];\n    }\n    lines\n}\n";
    std::fs::write(project.join("src/parser.rs"), parser)?;
    Ok(home)
}

/// tau in a terminal.
struct Seat {
    pty: Pty,
    child: Child,
    output: Receiver<Vec<u8>>,
    screen: Parser,
}

impl Seat {
    fn new(home: &Path, rows: u16, args: &[&str]) -> Result<Self> {
        // Beside the folder of examples.
        let program = match std::env::var_os("TAU_BIN") {
            Some(program) => PathBuf::from(program),
            None => std::env::current_exe()?.with_file_name("").join("../tau"),
        };
        let pty = Pty::open()?;
        pty.resize(COLUMNS, rows)?;
        let theirs = pty.theirs()?;
        let mut command = Command::new(program);
        command.args(args).current_dir(home.join("project")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", home).env("PI_CODING_AGENT_DIR", home.join("agent"));
        command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor");
        command.stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs);
        let child = command.spawn()?;
        // It would keep the terminal open.
        drop(command);
        let mut ours = pty.ours().try_clone()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = ours.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let size = |count| NonZero::new(count).ok_or("a terminal without room");
        Ok(Self { pty, child, output, screen: Parser::new(size(rows)?, size(COLUMNS)?, 0) })
    }

    fn types(&self, keys: &str) -> Result<()> {
        self.pty.ours().write_all(keys.as_bytes())?;
        Ok(())
    }

    fn until(&mut self, text: &str) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        while !self.screen.screen().contents().contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.output.recv_timeout(left).map_err(|_| format!("this does not come: {text}"))?;
            self.screen.process(&bytes);
        }
        Ok(())
    }

    /// The screen, once it rests.
    fn finish(mut self, title: &str) -> Result<String> {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.process(&bytes);
        }
        let picture = picture(&self.screen, title)?;
        self.child.kill()?;
        self.child.wait()?;
        Ok(picture)
    }
}

fn picture(parser: &Parser, title: &str) -> Result<String> {
    let screen = parser.screen();
    let (rows, columns) = screen.size();
    // Rows below everything else are left out.
    let last = (0..rows.get()).rev().find(|row| (0..columns.get()).any(|column| is_shown(screen.cell(*row, column))));
    let rows = last.map_or(1, |last| last + 1);
    let (width, height) = (f32::from(columns.get()) * CELL.0 + 24.0, f32::from(rows) * CELL.1 + 24.0);
    let mut svg = String::new();
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" role="img" aria-label="{title}">"#
    )?;
    writeln!(svg, r#"<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>"#)?;
    let fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
    writeln!(svg, r#"<g font-family="{fonts}" font-size="14" xml:space="preserve">"#)?;
    for row in 0..rows {
        let mut column = 0;
        while column < columns.get() {
            let Some(cell) = screen.cell(row, column) else { break };
            let look = Look::of(cell);
            let mut text = String::new();
            let first = column;
            while let Some(cell) = screen.cell(row, column).filter(|cell| Look::of(cell) == look) {
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                }
                column += 1;
            }
            look.draw(&mut svg, &text, (first, column, row))?;
        }
    }
    svg.push_str("</g>\n</svg>\n");
    Ok(svg)
}

fn is_shown(cell: Option<&Cell>) -> bool {
    cell.is_some_and(|cell| !cell.contents().trim().is_empty() || cell.bgcolor() != Color::Default)
}

#[derive(PartialEq)]
struct Look {
    ink: String,
    paper: Option<String>,
    bold: bool,
    italic: bool,
    underline: bool,
    dim: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (mut ink, mut paper) = (color(cell.fgcolor()), color(cell.bgcolor()));
        if cell.inverse() {
            (ink, paper) = (Some(paper.unwrap_or(BACKGROUND.to_owned())), Some(ink.unwrap_or(FOREGROUND.to_owned())));
        }
        Self {
            ink: ink.unwrap_or(FOREGROUND.to_owned()),
            paper,
            bold: cell.bold(),
            italic: cell.italic(),
            underline: cell.underline(),
            dim: cell.dim(),
        }
    }

    fn draw(&self, svg: &mut String, text: &str, (first, end, row): (u16, u16, u16)) -> Result<()> {
        let (x, y) = (12.0 + f32::from(first) * CELL.0, 12.0 + f32::from(row) * CELL.1);
        let width = f32::from(end - first) * CELL.0;
        if let Some(paper) = &self.paper {
            writeln!(svg, r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{}" fill="{paper}"/>"#, CELL.1)?;
        }
        if text.trim().is_empty() {
            return Ok(());
        }
        let mut style = String::new();
        for (is_on, attribute) in [
            (self.bold, r#" font-weight="bold""#),
            (self.italic, r#" font-style="italic""#),
            (self.underline, r#" text-decoration="underline""#),
            (self.dim, r#" opacity="0.6""#),
        ] {
            style.push_str(if is_on { attribute } else { "" });
        }
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace(' ', "\u{a0}");
        let (ink, y) = (&self.ink, y + 13.5);
        writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" textLength="{width:.1}" fill="{ink}"{style}>{text}</text>"#)?;
        Ok(())
    }
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(index @ 0..16) => Some(PALETTE[usize::from(index)].to_owned()),
        Color::Idx(index @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + step * 40 };
            let index = index - 16;
            Some(format!("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6)))
        }
        Color::Idx(index) => {
            let grey = 8 + (index - 232) * 10;
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
    }
}
