//! Superscripts and subscripts.

/// Above or below the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Super,
    Sub,
}

const PLAIN: &str = "0123456789+-=()abcdefghijklmnoprstuvwxyz";
const SUPER: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ";
/// Spaces where Unicode has no letter.
const SUB: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐ   ₑ  ₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥ ₓ  ";

/// `text` in small letters; `None` if there is none for one of them.
pub(super) fn small(text: &str, script: Script) -> Option<String> {
    let letters = if script == Script::Super { SUPER } else { SUB };
    text.chars()
        .map(|ch| {
            let index = PLAIN.chars().position(|plain| plain == ch)?;
            letters.chars().nth(index).filter(|letter| *letter != ' ')
        })
        .collect()
}

/// `text` as a script in one line: in small letters, or marked as it would be in LaTeX.
pub(super) fn inline(text: &str, script: Script) -> String {
    if let Some(small) = small(text, script) {
        return small;
    }
    let mark = if script == Script::Super { '^' } else { '_' };
    if text.chars().count() == 1 { format!("{mark}{text}") } else { format!("{mark}({text})") }
}
