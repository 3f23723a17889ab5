//! The lines under the editor: where, how much, which model.

use tau_view::truncate::truncate_to_width;
use tau_view::untrusted;
use tau_view::width::visible_width;

use super::paint::{one_line, tinted};
use crate::look::Look;
use crate::screen::Line;

/// Columns between the left and the right side.
const GAP: usize = 2;
/// The share of the context, in per cent, over which it is shown as a warning, and as an error.
const WARNING: f64 = 70.0;
const ERROR: f64 = 90.0;

/// Tokens and money of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Tokens sent, without those of the cache.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// How much of the last prompt came from the cache, in per cent.
    pub hit_rate: Option<f64>,
    /// What it cost, in dollars.
    pub cost: f64,
    /// Whether a subscription pays for it.
    pub subscription: bool,
}

/// How full the context of the model is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Context {
    /// In per cent; not known right after a compaction.
    pub percent: Option<f64>,
    /// How many tokens there is room for.
    pub window: u64,
    /// Whether the conversation is compacted when it is full.
    pub auto_compact: bool,
}

/// What the footer shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footer {
    /// The working directory, with `~` for the home of the user.
    pub path: String,
    /// The branch; `detached` when there is none.
    pub branch: Option<String>,
    /// The name of the session.
    pub session: Option<String>,
    /// Tokens and money.
    pub totals: Totals,
    /// The context.
    pub context: Context,
    /// The provider, when there are several to choose from.
    pub provider: Option<String>,
    /// The model.
    pub model: String,
    /// The model that answers, when the chosen one is a name for others.
    pub routed: Option<String>,
    /// The thinking level, when the model thinks.
    pub level: Option<String>,
    /// What extensions say, by their keys.
    pub statuses: Vec<(String, String)>,
    /// What the user's own command says; it may have colours, and several lines.
    pub status_line: Option<String>,
}

impl Footer {
    /// The lines.
    pub fn lines(&self, look: &Look, width: usize) -> Vec<Line> {
        let dim = |text: &str| Line::new(&tinted(look, "dim", text), width);
        let mut lines = vec![dim(&self.place(width)), dim(&self.numbers(look, width))];
        let mut statuses: Vec<&(String, String)> = self.statuses.iter().collect();
        statuses.sort_by(|one, other| one.0.cmp(&other.0));
        let statuses: Vec<String> =
            statuses.iter().map(|(_, text)| status(text)).filter(|text| !text.is_empty()).collect();
        if !statuses.is_empty() {
            lines.push(dim(&truncate_to_width(&statuses.join(" "), width, "...", false)));
        }
        if let Some(own) = &self.status_line {
            let own = untrusted::output(own.trim_end());
            let own = own.split('\n').filter(|line| !line.trim().is_empty());
            lines.extend(own.map(|line| dim(&truncate_to_width(line, width, "...", false))));
        }
        lines
    }

    /// `~/path (branch) • name`, and as much of it as fits: the last folders, the branch, then the name.
    fn place(&self, width: usize) -> String {
        let path = one_line(&self.path);
        let branch = self.branch.as_deref().map(|branch| format!(" ({})", one_line(branch))).unwrap_or_default();
        let name = self.session.as_deref().map(one_line).filter(|name| !name.is_empty());
        let name = name.map(|name| format!(" • {name}")).unwrap_or_default();
        let fits = |text: &String| visible_width(text) <= width;
        let whole = format!("{path}{branch}{name}");
        if fits(&whole) {
            return whole;
        }
        let last = path.rsplit('/').next().filter(|last| !last.is_empty() && *last != path);
        let short = last.map_or_else(|| path.clone(), |last| format!("…/{last}"));
        [format!("{short}{branch}{name}"), format!("{path}{branch}"), format!("{short}{branch}")]
            .into_iter()
            .find(fits)
            .unwrap_or_else(|| truncate_to_width(&format!("{short}{branch}"), width, "…", false))
    }

    /// Tokens and cost at the left, the model at the right.
    fn numbers(&self, look: &Look, width: usize) -> String {
        let parts = self.parts(look);
        let (with_provider, model) = (self.model(true), self.model(false));
        // What is worth least goes first, the context stays.
        let mut shown: Vec<&(u8, String)> = parts.iter().collect();
        loop {
            let left = shown.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
            let used = visible_width(&left);
            for right in [&with_provider, &model] {
                let columns = visible_width(right);
                if used + GAP + columns <= width {
                    return format!("{left}{}{right}", " ".repeat(width - used - columns));
                }
            }
            let least = shown.iter().map(|(worth, _)| *worth).min().filter(|_| shown.len() > 1);
            let Some(least) = least else {
                let room = width.saturating_sub(used + GAP);
                let right = truncate_to_width(&model, room, "…", false);
                let gap = width.saturating_sub(used + visible_width(&right));
                let whole = if room < 3 { left } else { format!("{left}{}{right}", " ".repeat(gap)) };
                return truncate_to_width(&whole, width, "…", false);
            };
            shown.retain(|(worth, _)| *worth != least);
        }
    }

    /// The parts of the left side, each with what it is worth.
    fn parts(&self, look: &Look) -> Vec<(u8, String)> {
        let totals = &self.totals;
        let mut parts = Vec::new();
        let mut tokens = |worth: u8, sign: &str, tokens: u64| {
            if tokens > 0 {
                parts.push((worth, format!("{sign}{}", count(tokens))));
            }
        };
        tokens(3, "↑", totals.input);
        tokens(4, "↓", totals.output);
        tokens(1, "R", totals.cache_read);
        tokens(0, "W", totals.cache_write);
        if let Some(rate) = totals.hit_rate.filter(|_| totals.cache_read > 0 || totals.cache_write > 0) {
            parts.push((2, format!("CH{rate:.1}%")));
        }
        if totals.cost > 0.0 || totals.subscription {
            let subscription = if totals.subscription { " (sub)" } else { "" };
            parts.push((5, format!("${:.3}{subscription}", totals.cost)));
        }
        parts.push((9, self.context(look)));
        if self.context.auto_compact {
            parts.push((0, "(auto)".to_owned()));
        }
        parts
    }

    fn context(&self, look: &Look) -> String {
        let window = count(self.context.window);
        match self.context.percent {
            None => format!("?/{window}"),
            Some(percent) => {
                let text = format!("{percent:.1}%/{window}");
                match percent {
                    percent if percent > ERROR => look.styles.fg("error", &text),
                    percent if percent > WARNING => look.styles.fg("warning", &text),
                    _ => text,
                }
            }
        }
    }

    fn model(&self, with_provider: bool) -> String {
        let mut text = String::new();
        if let Some(provider) = self.provider.as_deref().filter(|_| with_provider) {
            text = format!("({}) ", one_line(provider));
        }
        text += &one_line(&self.model);
        if let Some(routed) = &self.routed {
            text += &format!(" → {}", one_line(routed));
        }
        match self.level.as_deref() {
            None => {}
            Some("off") => text += " • thinking off",
            Some(level) => text += &format!(" • {}", one_line(level)),
        }
        text
    }
}

/// What an extension says, on one line and with its colours.
fn status(text: &str) -> String {
    untrusted::output(text.trim()).replace(['\n', '\t'], " ")
}

/// A number of tokens: `999`, `1.2k`, `12k`, `1.2M`, `12M`.
pub fn count(tokens: u64) -> String {
    let number = tokens as f64;
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..10_000 => format!("{:.1}k", number / 1e3),
        10_000..1_000_000 => format!("{:.0}k", (number / 1e3).round()),
        1_000_000..10_000_000 => format!("{:.1}M", number / 1e6),
        _ => format!("{:.0}M", (number / 1e6).round()),
    }
}
