//! How one system prompt differs from another, in words for the model.
//!
//! A prompt is made of sections: texts between `<name>` and `</name>` on lines of their own, and what stands outside them.

/// A text of this size is worth telling in place, whatever the size of the prompt, in bytes.
const SHORT: usize = 4096;

/// A section with its marks; what stands outside sections has no name.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Section<'a> {
    name: &'a str,
    text: &'a str,
}

/// What to tell a model that knows one prompt and is to follow another; empty when they say the same. `None` when the new
/// prompt is better told whole.
pub(super) fn difference(before: &str, now: &str) -> Option<String> {
    if before == now {
        return Some(String::new());
    }
    let (old, new) = (sections(before), sections(now));
    let mut told = Vec::new();
    let mut kept = vec![false; old.len()];
    for (at, section) in new.iter().enumerate() {
        let place = counterpart(&old, section, ordinal(&new, at));
        if let Some(place) = place {
            kept[place] = true;
        }
        match place.map(|place| old[place]) {
            Some(same) if same == *section => {}
            Some(other) if section.name.is_empty() => told
                .push(format!("A part of the system prompt was:\n\n{}\n\nIt is now:\n\n{}", other.text, section.text)),
            None if section.name.is_empty() => {
                told.push(format!("The system prompt now also says:\n\n{}", section.text))
            }
            _ => {
                told.push(format!("The section \"{}\" of the system prompt is now:\n\n{}", section.name, section.text))
            }
        }
    }
    for (section, _) in old.iter().zip(kept).filter(|(_, kept)| !kept) {
        told.push(if section.name.is_empty() {
            format!("This part of the system prompt no longer holds:\n\n{}", section.text)
        } else {
            format!("The section \"{}\" of the system prompt no longer holds.", section.name)
        });
    }
    let text = told.join("\n\n");
    (text.len() <= SHORT.max(now.len() / 2)).then_some(text)
}

/// How many sections of that name stand before it.
fn ordinal(sections: &[Section<'_>], at: usize) -> usize {
    sections[..at].iter().filter(|other| other.name == sections[at].name).count()
}

/// The section of that name that has as many of that name before it.
fn counterpart(sections: &[Section<'_>], section: &Section<'_>, ordinal: usize) -> Option<usize> {
    let same = sections.iter().enumerate().filter(|(_, other)| other.name == section.name);
    same.map(|(at, _)| at).nth(ordinal)
}

fn sections(prompt: &str) -> Vec<Section<'_>> {
    let mut found = Vec::new();
    let plain = |from: usize, to: usize| {
        let text = prompt[from..to].trim_matches('\n');
        (!text.is_empty()).then_some(Section { name: "", text })
    };
    let (mut begin, mut at) = (0, 0);
    while at < prompt.len() {
        if let Some((name, end)) = section_at(&prompt[at..]) {
            found.extend(plain(begin, at));
            found.push(Section { name, text: &prompt[at..at + end] });
            at += end;
            begin = at;
        }
        at = prompt[at..].find("\n\n").map_or(prompt.len(), |next| at + next + 2);
    }
    found.extend(plain(begin, prompt.len()));
    found
}

/// The section that a text begins with, and where it ends.
fn section_at(text: &str) -> Option<(&str, usize)> {
    let (name, _) = text.strip_prefix('<')?.split_once(">\n")?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.is_empty() || !name.chars().all(allowed) {
        return None;
    }
    let mark = format!("\n</{name}>");
    let mut ends = text.match_indices(&mark).map(|(at, _)| at + mark.len());
    let end = ends.find(|end| text[*end..].is_empty() || text[*end..].starts_with("\n\n"))?;
    Some((name, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROMPT: &str = "You are it.\n\n<tools>\n- read\n- bash\n</tools>\n\n<context>\nOne.\n\n<inner>\nx\n</inner>\n\nTwo.\n</context>\n\nDate: 1";

    #[test]
    fn sections_end_at_their_own_marks() {
        let names: Vec<&str> = sections(PROMPT).iter().map(|section| section.name).collect();
        assert_eq!(names, ["", "tools", "context", ""]);
        assert!(sections(PROMPT)[2].text.ends_with("Two.\n</context>"));
        let odd = "<a>\nnever ends\n\n< b>\nx\n</ b>\n\n<c>inline</c>\n\n<d>\n</d>tail";
        assert_eq!(sections(odd), [Section { name: "", text: odd }]);
    }

    #[test]
    fn only_what_changed_is_told() {
        let told = |now: &str| difference(PROMPT, now).expect("little changed");
        assert_eq!(told(PROMPT), "");
        assert_eq!(
            told(&PROMPT.replace("- bash\n", "")),
            "The section \"tools\" of the system prompt is now:\n\n<tools>\n- read\n</tools>"
        );
        assert_eq!(
            told(&PROMPT.replace("Date: 1", "Date: 2")),
            "A part of the system prompt was:\n\nDate: 1\n\nIt is now:\n\nDate: 2"
        );
        assert_eq!(
            told(&PROMPT.replace("\n\nDate: 1", "")),
            "This part of the system prompt no longer holds:\n\nDate: 1"
        );
        assert_eq!(
            told(&PROMPT.replace("<tools>\n- read\n- bash\n</tools>\n\n", "")),
            "The section \"tools\" of the system prompt no longer holds."
        );
        assert_eq!(
            told(&format!("{PROMPT}\n\n<skills>\ns\n</skills>")),
            "The section \"skills\" of the system prompt is now:\n\n<skills>\ns\n</skills>"
        );
        assert_eq!(difference(PROMPT, &"x".repeat(10_000)), None);
        let long = format!("{PROMPT}{}", " and more".repeat(2000));
        assert!(difference(&long, &long.replace("- bash", "- grep")).is_some_and(|text| text.len() < 100));
    }

    proptest! {
        #[test]
        fn any_text_has_sections(before in "(<a>|</a>|b|\n|ä){0,30}", now in "(<a>|</a>|b|\n|ä){0,30}") {
            let told = difference(&before, &now);
            prop_assert_eq!(told.as_deref() == Some(""), before == now || sections(&before) == sections(&now));
        }
    }
}
