//! Finding a place again in a text that is laid out for another width.

use tau_view::ansi::strip;
use tau_view::width::{grapheme_width, graphemes};

/// The signs of a line that are there at every width, each with the column behind it. The bars of quotes and tables
/// are not among them, and a rule is one sign however long it is.
fn signs(line: &str) -> Vec<(char, usize)> {
    let text = strip(line);
    let mut signs: Vec<(char, usize)> = Vec::with_capacity(text.len());
    let mut column = 0;
    let mut in_rule = false;
    for cluster in graphemes(&text) {
        column += grapheme_width(cluster);
        for ch in cluster.chars() {
            match ch {
                '│' => {}
                '\u{2500}'..='\u{257f}' => {
                    if let Some(last) = signs.last_mut().filter(|_| in_rule) {
                        last.1 = column;
                    } else {
                        signs.push(('─', column));
                    }
                    in_rule = true;
                    continue;
                }
                ch if ch.is_whitespace() => {}
                ch => signs.push((ch, column)),
            }
            in_rule = false;
        }
    }
    signs
}

fn is_blank(line: &str) -> bool {
    strip(line).trim().is_empty()
}

/// How many of `lines`, and how many columns of the line after them, hold the same text as the lines `above`, which were
/// laid out for another width; nothing when the text in them is not the same.
pub(super) fn place<'a>(above: &[String], lines: impl Iterator<Item = &'a str>) -> Option<(usize, usize)> {
    let wanted: Vec<char> = above.iter().flat_map(|line| signs(line)).map(|(sign, _)| sign).collect();
    let mut blank = above.iter().rev().take_while(|line| is_blank(line)).count();
    let (mut found, mut covered) = (0, 0);
    for line in lines {
        if found == wanted.len() {
            if blank == 0 || !is_blank(line) {
                break;
            }
            blank -= 1;
            covered += 1;
            continue;
        }
        let mut columns = 0;
        for (sign, column) in signs(line) {
            if found == wanted.len() {
                return Some((covered, columns));
            }
            if wanted[found] != sign {
                return None;
            }
            found += 1;
            columns = column;
        }
        covered += 1;
    }
    (found == wanted.len()).then_some((covered, 0))
}
