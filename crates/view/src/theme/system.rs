//! A theme made of the colours of the terminal.

use std::collections::BTreeMap;

use super::tokens::TOKENS;
use super::{Appearance, Color, ColorTheme, ExportColors, Rgb};

/// How well text can be told from what is behind it, at least.
const BODY: f64 = 4.5;
/// The same for lines and frames, which nobody reads.
const FRAME: f64 = 1.5;

/// What a terminal says about its colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reported {
    /// The colour of text.
    pub foreground: Option<Rgb>,
    /// The colour behind text.
    pub background: Option<Rgb>,
    /// The first 16 colours.
    pub palette: Option<[Rgb; 16]>,
    /// Whether the system is dark or light.
    pub appearance: Option<Appearance>,
}

/// Where the colour of a token comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The terminal's own.
    Text,
    /// One of the first 8 colours.
    Palette(u8),
    /// So many hundredths of the way from behind text to text.
    Shade(u8),
    /// A line or a frame: as a shade, but it may be weak.
    Frame(u8),
    /// Behind text: so many hundredths of the way to text.
    Surface(u8),
    /// Behind text: so many hundredths of the way to one of the first 8 colours.
    Tint(u8, u8),
    /// Behind what is found, strong enough to be seen at a glance.
    Match,
    /// Text on that.
    MatchText,
}

const BLACK: Rgb = Rgb::new(0, 0, 0);
const WHITE: Rgb = Rgb::new(255, 255, 255);
const RED: u8 = 1;
const GREEN: u8 = 2;
const YELLOW: u8 = 3;
const BLUE: u8 = 4;
const MAGENTA: u8 = 5;
const CYAN: u8 = 6;

/// What each token is made of. Those that are not here have the colour of text.
const SOURCES: &[(&str, Source)] = &[
    ("accent", Source::Palette(CYAN)),
    ("border", Source::Palette(BLUE)),
    ("borderAccent", Source::Palette(CYAN)),
    ("borderMuted", Source::Frame(35)),
    ("success", Source::Palette(GREEN)),
    ("error", Source::Palette(RED)),
    ("warning", Source::Palette(YELLOW)),
    ("muted", Source::Shade(70)),
    ("dim", Source::Shade(60)),
    ("thinkingText", Source::Shade(70)),
    ("scrollbarTrack", Source::Frame(25)),
    ("scrollbarThumb", Source::Shade(70)),
    ("selectedBg", Source::Surface(18)),
    ("searchMatchBg", Source::Match),
    ("searchMatchText", Source::MatchText),
    ("userMessageBg", Source::Surface(9)),
    ("customMessageBg", Source::Tint(MAGENTA, 12)),
    ("customMessageLabel", Source::Palette(MAGENTA)),
    ("toolPendingBg", Source::Surface(6)),
    ("toolSuccessBg", Source::Tint(GREEN, 10)),
    ("toolErrorBg", Source::Tint(RED, 12)),
    ("toolOutput", Source::Shade(75)),
    ("mdHeading", Source::Palette(YELLOW)),
    ("mdLink", Source::Palette(BLUE)),
    ("mdLinkUrl", Source::Shade(60)),
    ("mdCode", Source::Palette(CYAN)),
    ("mdCodeBlock", Source::Palette(GREEN)),
    ("mdCodeBlockBorder", Source::Frame(45)),
    ("mdQuote", Source::Shade(70)),
    ("mdQuoteBorder", Source::Frame(45)),
    ("mdHr", Source::Frame(45)),
    ("mdListBullet", Source::Palette(CYAN)),
    ("toolDiffAdded", Source::Palette(GREEN)),
    ("toolDiffRemoved", Source::Palette(RED)),
    ("toolDiffContext", Source::Shade(65)),
    ("syntaxComment", Source::Shade(60)),
    ("syntaxKeyword", Source::Palette(MAGENTA)),
    ("syntaxFunction", Source::Palette(BLUE)),
    ("syntaxVariable", Source::Palette(CYAN)),
    ("syntaxString", Source::Palette(GREEN)),
    ("syntaxNumber", Source::Palette(YELLOW)),
    ("syntaxType", Source::Palette(YELLOW)),
    ("syntaxPunctuation", Source::Shade(75)),
    ("thinkingOff", Source::Frame(35)),
    ("thinkingMinimal", Source::Frame(55)),
    ("thinkingLow", Source::Palette(BLUE)),
    ("thinkingMedium", Source::Palette(CYAN)),
    ("thinkingHigh", Source::Palette(MAGENTA)),
    ("thinkingXhigh", Source::Palette(RED)),
    ("thinkingMax", Source::Palette(RED)),
    ("bashMode", Source::Palette(GREEN)),
];

fn source(token: &str) -> Source {
    SOURCES.iter().find(|(name, _)| *name == token).map_or(Source::Text, |(_, source)| *source)
}

impl ColorTheme {
    /// What settings call the theme that [`ColorTheme::system`] makes.
    pub const SYSTEM: &'static str = "system";

    /// A theme made of what the terminal says about its colours: of all of them, of the colour behind text alone, or of
    /// places in its palette.
    ///
    /// Where the colour behind text is known, each colour of text has a contrast of at least 4.5 to it and to the other
    /// colours that text of its kind stands on, also when the terminal's own has not.
    pub fn system(reported: &Reported) -> Self {
        let mixer = reported.background.map(|background| Mixer::new(background, reported));
        let color = |source: Source| match &mixer {
            Some(mixer) => mixer.color(source),
            None => by_place(source),
        };
        Self {
            name: Self::SYSTEM.to_owned(),
            appearance: reported.background.map(Rgb::appearance).or(reported.appearance),
            export: ExportColors {
                page: reported.background.map(Color::from),
                card: mixer.as_ref().map(|mixer| mixer.color(Source::Surface(9))),
                info: mixer.as_ref().map(|mixer| mixer.color(Source::Tint(YELLOW, 12))),
            },
            colors: TOKENS
                .iter()
                .map(|token| (token.name.to_owned(), color(source(token.name))))
                .collect::<BTreeMap<_, _>>(),
        }
    }
}

/// A colour when nothing is known: users who chose the first 8 can read them, and nobody knows about the grey ones, which some
/// palettes use for the background.
fn by_place(source: Source) -> Color {
    match source {
        Source::Palette(index) => Color::Indexed(index),
        Source::Text
        | Source::Shade(_)
        | Source::Frame(_)
        | Source::Surface(_)
        | Source::Tint(..)
        | Source::Match
        | Source::MatchText => Color::Terminal,
    }
}

/// Makes colours for one background.
struct Mixer {
    background: Rgb,
    /// What text has, if it is known.
    foreground: Option<Rgb>,
    palette: [Rgb; 16],
    /// Black or white, whichever can be told better from the background.
    extreme: Rgb,
    /// Everything that stands behind text, but what is found.
    surfaces: Vec<Rgb>,
}

impl Mixer {
    fn new(background: Rgb, reported: &Reported) -> Self {
        let extreme = if background.contrast(WHITE) >= background.contrast(BLACK) { WHITE } else { BLACK };
        let mut palette = reported.palette.unwrap_or_else(|| std::array::from_fn(|index| Rgb::of_palette(index as u8)));
        if reported.palette.is_none() && extreme == BLACK {
            // The usual colours are made for black.
            palette = palette.map(|color| mix(color, BLACK, 40));
        }
        let mut mixer =
            Self { background, foreground: reported.foreground, palette, extreme, surfaces: vec![background] };
        let surfaces = SOURCES
            .iter()
            .filter(|(_, source)| !matches!(source, Source::Match))
            .filter_map(|(_, source)| mixer.surface(*source))
            .collect::<Vec<_>>();
        mixer.surfaces.extend(surfaces);
        mixer
    }

    fn color(&self, source: Source) -> Color {
        let text = self.foreground.unwrap_or(self.extreme);
        let color = match source {
            Source::Text => match self.foreground {
                Some(text) if self.legible(text, BODY) != text => self.legible(text, BODY),
                // Text in the terminal's own colour stays what the user made it.
                _ => return Color::Terminal,
            },
            Source::Palette(index) => self.legible(self.palette[usize::from(index)], BODY),
            Source::Shade(share) => self.legible(mix(self.background, text, share), BODY),
            Source::Frame(share) => self.legible(mix(self.background, text, share), FRAME),
            Source::MatchText => self.legible_on(&[self.surface(Source::Match).unwrap_or(self.background)], text, BODY),
            Source::Surface(_) | Source::Tint(..) | Source::Match => self.surface(source).unwrap_or(self.background),
        };
        color.into()
    }

    /// A colour behind text, as strong as it can be with text on it.
    fn surface(&self, source: Source) -> Option<Rgb> {
        let (color, mut share) = match source {
            Source::Surface(share) => (self.foreground.unwrap_or(self.extreme), share),
            Source::Tint(index, share) => (self.palette[usize::from(index)], share),
            Source::Match => (self.palette[usize::from(YELLOW)], 40),
            Source::MatchText | Source::Text | Source::Palette(_) | Source::Shade(_) | Source::Frame(_) => return None,
        };
        loop {
            let surface = mix(self.background, color, share);
            if share == 0 || surface.contrast(self.extreme) >= BODY {
                return Some(surface);
            }
            share -= 1;
        }
    }

    /// The colour, or the nearest one on the way to black or white that can be read wherever text stands.
    fn legible(&self, color: Rgb, contrast: f64) -> Rgb {
        self.legible_on(&self.surfaces, color, contrast)
    }

    fn legible_on(&self, surfaces: &[Rgb], color: Rgb, contrast: f64) -> Rgb {
        let can_be_read = |color: &Rgb| surfaces.iter().all(|surface| surface.contrast(*color) >= contrast);
        (0..=100).map(|share| mix(color, self.extreme, share)).find(can_be_read).unwrap_or(self.extreme)
    }
}

/// A colour so many hundredths of the way from one to another.
fn mix(from: Rgb, to: Rgb, share: u8) -> Rgb {
    let channel = |from: u8, to: u8| {
        let share = u32::from(share.min(100));
        ((u32::from(from) * (100 - share) + u32::from(to) * share + 50) / 100) as u8
    };
    Rgb::new(channel(from.red, to.red), channel(from.green, to.green), channel(from.blue, to.blue))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIGHT: Rgb = Rgb::new(253, 246, 227);
    const DARK: Rgb = Rgb::new(0, 43, 54);

    fn usual() -> [Rgb; 16] {
        std::array::from_fn(|index| Rgb::of_palette(index as u8))
    }

    /// The least contrast between a colour of text and a colour behind it.
    fn least_contrast(theme: &ColorTheme, reported: &Reported) -> f64 {
        let background = reported.background.expect("a background");
        let rgb = |color: Color| match color {
            Color::Rgb(red, green, blue) => Rgb { red, green, blue },
            // Nothing can be said about text whose colour is not known.
            Color::Terminal => reported
                .foreground
                .unwrap_or(if background.contrast(BLACK) > background.contrast(WHITE) { BLACK } else { WHITE }),
            Color::Indexed(index) => panic!("{index} of a palette that is known"),
        };
        let usual = theme.backgrounds().filter(|(token, _)| *token != "searchMatchBg");
        let usual: Vec<Rgb> = usual.map(|(_, color)| rgb(color)).chain([background]).collect();
        let found = [rgb(theme.color("searchMatchBg").expect("a colour"))];
        let least = |(token, color): (&str, Color)| {
            let behind = if token == "searchMatchText" { found.as_slice() } else { &usual };
            behind.iter().map(|behind| behind.contrast(rgb(color))).fold(f64::MAX, f64::min)
        };
        let is_text = |token: &str| !matches!(source(token), Source::Frame(_));
        theme.foregrounds().filter(|(token, _)| is_text(token)).map(least).fold(f64::MAX, f64::min)
    }

    #[test]
    fn every_token_has_a_colour() {
        for reported in [
            Reported::default(),
            Reported { background: Some(DARK), ..Reported::default() },
            Reported { foreground: Some(LIGHT), background: Some(DARK), palette: Some(usual()), appearance: None },
        ] {
            let theme = ColorTheme::system(&reported);
            assert!(TOKENS.iter().all(|token| theme.color(token.name).is_some()));
            assert_eq!(theme.foregrounds().count() + theme.backgrounds().count(), TOKENS.len());
        }
        let unknown = SOURCES.iter().find(|(name, _)| !TOKENS.iter().any(|token| token.name == *name));
        assert!(unknown.is_none(), "{unknown:?}");
        for token in TOKENS {
            let is_surface = matches!(source(token.name), Source::Surface(_) | Source::Tint(..) | Source::Match);
            assert_eq!(is_surface, token.background, "{}", token.name);
        }
    }

    #[test]
    fn colours_are_those_of_the_terminal_where_they_can_be_read() {
        let reported =
            Reported { foreground: Some(LIGHT), background: Some(BLACK), palette: Some(usual()), appearance: None };
        let theme = ColorTheme::system(&reported);
        assert_eq!(theme.color("text"), Some(Color::Terminal));
        assert_eq!(theme.color("success"), Some(usual()[2].into()));
        // Blue on black cannot be read.
        assert_ne!(theme.color("mdLink"), Some(usual()[4].into()));
        assert_eq!(theme.appearance, Some(Appearance::Dark));
        assert!(least_contrast(&theme, &reported) >= 4.5);
    }

    #[test]
    fn the_background_alone_is_enough() {
        for (background, appearance) in [(DARK, Appearance::Dark), (LIGHT, Appearance::Light)] {
            let reported = Reported { background: Some(background), ..Reported::default() };
            let theme = ColorTheme::system(&reported);
            assert_eq!((theme.color("text"), theme.appearance), (Some(Color::Terminal), Some(appearance)));
            assert!(least_contrast(&theme, &reported) >= 4.5);
        }
    }

    #[test]
    fn without_any_colour_the_palette_has_the_say() {
        let theme = ColorTheme::system(&Reported { appearance: Some(Appearance::Light), ..Reported::default() });
        assert_eq!(theme.color("error"), Some(Color::Indexed(1)));
        assert_eq!([theme.color("text"), theme.color("muted")], [Some(Color::Terminal); 2]);
        assert!(theme.backgrounds().all(|(_, color)| color == Color::Terminal));
        assert_eq!((theme.appearance, theme.export.page), (Some(Appearance::Light), None));
    }

    #[test]
    fn text_that_cannot_be_read_gets_another_colour() {
        let grey = Rgb::new(120, 120, 120);
        let reported = Reported { foreground: Some(grey), background: Some(grey), ..Reported::default() };
        let theme = ColorTheme::system(&reported);
        assert_ne!(theme.color("text"), Some(Color::Terminal));
        assert!(least_contrast(&theme, &reported) >= 4.5);
    }

    fn any_rgb() -> impl Strategy<Value = Rgb> {
        any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Rgb { red, green, blue })
    }

    proptest! {
        #[test]
        fn text_can_be_read_in_any_terminal(foreground in any_rgb(), background in any_rgb(), palette in proptest::array::uniform16(any_rgb())) {
            for palette in [None, Some(palette)] {
                let reported = Reported { foreground: Some(foreground), background: Some(background), palette, appearance: None };
                let least = least_contrast(&ColorTheme::system(&reported), &reported);
                prop_assert!(least >= 4.5, "{least}");
            }
        }
    }
}
