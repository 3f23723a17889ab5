//! What terminals report about their colours, and whether they are dark.

use tau_view::theme::{Appearance, Rgb};

/// Whether the terminal is dark or light, from what is known about it: its background, what it reports about the system, and
/// `COLORFGBG`. `None` when nothing says so; dark is what most are.
pub fn appearance(background: Option<Rgb>, report: Option<Appearance>, colorfgbg: Option<&str>) -> Option<Appearance> {
    background.map(Rgb::appearance).or(report).or_else(|| Appearance::of_variable(colorfgbg?))
}

/// Reads a colour as X11 writes it: `rgb:` or `rgba:` with one to four digits a channel, or `#` with as many for each.
pub(crate) fn parse_colour(text: &str) -> Option<Rgb> {
    let text = text.trim();
    let channels: Vec<u8> = if let Some(digits) = text.strip_prefix('#') {
        let each = digits.len() / 3;
        if digits.len() % 3 != 0 || !digits.is_ascii() {
            return None;
        }
        (0..3).map(|channel| scaled(&digits[channel * each..(channel + 1) * each])).collect::<Option<_>>()?
    } else {
        let (kind, channels) = text.split_once(':')?;
        let wanted = match kind.to_ascii_lowercase().as_str() {
            "rgb" => 3,
            "rgba" => 4,
            _ => return None,
        };
        let channels: Vec<u8> = channels.split('/').map(scaled).collect::<Option<_>>()?;
        if channels.len() != wanted {
            return None;
        }
        channels
    };
    let &[red, green, blue, ..] = channels.as_slice() else { return None };
    Some(Rgb { red, green, blue })
}

/// One to four digits, as a share of the most they can say.
fn scaled(digits: &str) -> Option<u8> {
    if !(1..=4).contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let most = 16_u32.pow(u32::try_from(digits.len()).ok()?) - 1;
    let value = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from((value * 255 + most / 2) / most).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rgb(red: u8, green: u8, blue: u8) -> Rgb {
        Rgb { red, green, blue }
    }

    #[test]
    fn colours_are_read_in_each_precision() {
        for (text, colour) in [
            ("rgb:f/8/0", rgb(255, 136, 0)),
            ("rgb:ff/88/00", rgb(255, 136, 0)),
            ("rgb:fff/888/000", rgb(255, 136, 0)),
            ("rgb:ffff/8888/0000", rgb(255, 136, 0)),
            ("RGBA:ffff/8888/0000/ffff", rgb(255, 136, 0)),
            ("#f80", rgb(255, 136, 0)),
            ("#ff8800", rgb(255, 136, 0)),
            (" #ffff88880000 ", rgb(255, 136, 0)),
        ] {
            assert_eq!(parse_colour(text), Some(colour), "{text}");
        }
        for wrong in
            ["", "#", "#ff", "#fffffff", "#ggg", "rgb:", "rgb:1/2", "rgb:1/2/3/4", "rgb:fffff/0/0", "rgb:-1/0/0", "é"]
        {
            assert_eq!(parse_colour(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_background_says_whether_it_is_dark_and_then_the_report_and_then_the_variable() {
        let (white, black) = (rgb(255, 255, 255), rgb(0, 0, 0));
        assert_eq!(appearance(Some(white), Some(Appearance::Dark), Some("15;0")), Some(Appearance::Light));
        assert_eq!(appearance(Some(black), Some(Appearance::Light), None), Some(Appearance::Dark));
        assert_eq!(appearance(None, Some(Appearance::Light), Some("15;0")), Some(Appearance::Light));
        assert_eq!(appearance(None, None, Some("0;15")), Some(Appearance::Light));
        assert_eq!(appearance(None, None, None), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_colour_or_none(text in "\\PC{0,20}") {
            parse_colour(&text);
        }
    }
}
