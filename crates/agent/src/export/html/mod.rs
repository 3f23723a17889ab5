//! A session as one HTML page that needs nothing else: no network, and no script to be read.
//!
//! Architecture Invariant: every element and attribute name of a page is text of this program (see [`markup`]), and its
//! policy lets a browser run nothing and load nothing but what the page holds.

mod ansi;
mod block;
mod entry;
mod header;
mod links;
mod markdown;
mod markup;
mod message;
mod palette;
mod parts;
mod sidebar;
mod strands;
mod tool;

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tau_session::{Session, SessionTree};

use markup::Markup;
use palette::Palette;
use parts::badge;
use strands::{Strand, is_mark};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What a page shows beside the session itself.
#[derive(Debug, Clone, Default)]
pub struct HtmlOptions {
    /// What the model is told first.
    pub system_prompt: Option<String>,
    /// The tools the model may call.
    pub tools: Vec<ToolInfo>,
}

/// A tool, as the model knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    /// The name.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
}

/// The session as a page: the branch that ends at the leaf, then every other branch of the tree.
pub fn export_html(session: &Session, options: &HtmlOptions) -> String {
    let tree = session.tree();
    let mut page = Page::new(session, &tree);
    let strands = strands::strands(session, &tree);
    let mut main = Markup::default();
    header::header(&mut main, session, &tree, &strands, options);
    for strand in &strands {
        page.strand(&mut main, strand);
    }
    let mut aside = Markup::default();
    sidebar::sidebar(&mut aside, &tree, &strands);
    let style = format!("{STYLE}{}", page.palette.css());
    let title = header::title(session);

    let mut out = Markup::default();
    out.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta http-equiv=\"Content-Security-Policy\"").attribute("content", policy(&style)).raw(">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    out.element("<title>", &title, "</title>\n");
    // Nothing in the style comes from the session but the digits of colours, so there is nothing to escape.
    out.raw("<style>").raw(STYLE).css(&page.palette).raw("</style>\n</head>\n<body>\n");
    out.add(&aside).raw("<main>\n").add(&main).raw("</main>\n");
    out.raw("<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.finish()
}

/// Only the style and the script of this page count, known by their hashes, and pictures that are part of it.
fn policy(style: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(SCRIPT)
    )
}

/// What is needed to show an entry, and what was found on the way.
struct Page<'a> {
    tree: &'a SessionTree,
    /// Positions by id.
    positions: HashMap<&'a str, usize>,
    leaf: Option<usize>,
    palette: Palette,
}

impl<'a> Page<'a> {
    fn new(session: &Session, tree: &'a SessionTree) -> Self {
        let positions = tree.nodes.iter().enumerate().filter(|(_, node)| !is_mark(&node.entry));
        let positions: HashMap<&str, usize> = positions.map(|(at, node)| (node.entry.id().as_str(), at)).collect();
        let leaf = session.leaf().and_then(|id| positions.get(id.as_str()).copied());
        Self { tree, positions, leaf, palette: Palette::default() }
    }

    fn strand(&mut self, out: &mut Markup, strand: &Strand) {
        let calls = tool::pair(self.tree, &strand.entries);
        let body = |page: &mut Self, out: &mut Markup| {
            for &at in &strand.entries {
                page.entry(out, at, &calls);
            }
        };
        if strand.current {
            out.raw("<section id=\"branch\" class=\"branch\">\n");
            body(self, out);
            out.raw("</section>\n");
            return;
        }
        out.raw("<details class=\"branch other\"><summary>Branch: ").text(&sidebar::name(self.tree, strand));
        let entries = strand.entries.iter().filter(|&&at| !self.is_mark(at)).count();
        badge(out, &format!("{entries} {}", if entries == 1 { "entry" } else { "entries" }));
        out.raw("</summary>\n");
        out.raw("<p class=\"quiet\">");
        match strand.from {
            Some(at) if !self.is_mark(at) => {
                out.raw("It begins after ").raw("<a").attribute("href", format_args!("#e{at}")).raw(">this entry</a>.")
            }
            Some(_) => out.raw("It begins where the session was moved to."),
            None => out.raw("It is another beginning of the session."),
        };
        out.raw("</p>\n");
        body(self, out);
        out.raw("</details>\n");
    }

    fn is_mark(&self, at: usize) -> bool {
        is_mark(&self.tree.nodes[at].entry)
    }

    /// An entry by its id, as a link where it exists.
    fn link(&self, out: &mut Markup, id: &str) {
        match self.positions.get(id) {
            Some(at) => out.raw("<a").attribute("href", format_args!("#e{at}")).raw(">").text(id).raw("</a>"),
            None => out.element("<code>", id, "</code>"),
        };
    }
}
