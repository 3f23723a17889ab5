//! Taking an argument vector apart into options and operands, as far as it is known.

use crate::argument::Arg;
use crate::text::Text;

/// The options of a program that take a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Takes {
    names: Vec<String>,
}

impl Takes {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    fn short(&self, ch: char) -> bool {
        self.names.iter().any(|name| name.strip_prefix('-').is_some_and(|rest| rest.chars().eq([ch])))
    }

    fn word(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed<'a> {
    pub(crate) options: Vec<Given<'a>>,
    pub(crate) operands: Vec<&'a Arg>,
    /// Arguments that may be options, or several arguments.
    pub(crate) unknown: Vec<&'a Arg>,
}

/// An option as given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given<'a> {
    /// With its dashes: `-r`, `--recursive`, `-delete`.
    pub(crate) name: String,
    pub(crate) value: Option<Text>,
    pub(crate) arg: &'a Arg,
}

/// Takes arguments apart. Options may stand behind operands; behind `--` there are none.
pub(crate) fn parse<'a>(args: &'a [Arg], takes: &Takes) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let prefix = arg.text.prefix();
        let may_be_option = arg.is_many || (arg.text.is_unknown() && ["", "-", "--"].contains(&prefix));
        if arg.text.is_unknown() && !may_be_option && prefix.starts_with('-') && !prefix.contains('=') {
            parsed.unknown.push(arg);
        }
        if arg.known() == Some("--") {
            for arg in rest.by_ref() {
                parsed.operands.push(arg);
                if arg.is_many {
                    parsed.unknown.push(arg);
                }
            }
        } else if may_be_option {
            parsed.unknown.push(arg);
            // It may be an operand as well.
            parsed.operands.push(arg);
        } else {
            let (options, wants_value) = options_of(arg, takes);
            if options.is_empty() {
                parsed.operands.push(arg);
            }
            parsed.options.extend(options);
            if wants_value && let (Some(value), Some(last)) = (rest.next(), parsed.options.last_mut()) {
                last.value = Some(value.text.clone());
            }
        }
    }
    parsed
}

/// The options that an argument is: none if it is an operand. And whether the next argument is the value of the last.
fn options_of<'a>(arg: &'a Arg, takes: &Takes) -> (Vec<Given<'a>>, bool) {
    let prefix = arg.text.prefix();
    let given = |name: &str, value| Given { name: name.to_owned(), value, arg };
    let is_option = prefix.len() > 1 && prefix.starts_with('-') && !arg.text.is_glob();
    if !is_option {
        return (Vec::new(), false);
    }
    let word = prefix.split('=').next().unwrap_or(prefix);
    if prefix.starts_with("--") || takes.word(word) && word.chars().count() > 2 {
        if word.len() < prefix.len() {
            return (vec![given(word, Some(without(&arg.text, word.len() + 1)))], false);
        }
        // `--rec$x` is an option with an unknown name.
        let options = if arg.text.is_unknown() { Vec::new() } else { vec![given(word, None)] };
        return (options, takes.word(word) && !arg.text.is_unknown());
    }
    let mut options = Vec::new();
    // `-delete` is one option of `find`, `-rf` is two of `rm`: a rule finds either.
    if word.chars().count() > 2 && !(arg.text.is_unknown() && word.len() == prefix.len()) {
        let value = (word.len() < prefix.len()).then(|| without(&arg.text, word.len() + 1));
        options.push(given(word, value));
    }
    for (at, ch) in prefix.char_indices().skip(1) {
        let after = at + ch.len_utf8();
        let is_last = after == prefix.len() && arg.text.pieces().len() == 1;
        if takes.short(ch) {
            let value = (!is_last).then(|| without(&arg.text, after));
            options.push(given(&format!("-{ch}"), value));
            return (options, is_last);
        }
        options.push(given(&format!("-{ch}"), None));
    }
    (options, false)
}

/// The text behind its first bytes, which are known.
fn without(text: &Text, bytes: usize) -> Text {
    let mut rest = Text::default();
    let mut pieces = text.pieces().iter();
    if let Some(crate::text::Piece::Known(first)) = pieces.next() {
        rest.push(crate::text::Piece::Known(first.get(bytes..).unwrap_or_default().to_owned()));
    }
    for piece in pieces {
        rest.push(piece.clone());
    }
    rest
}

impl Parsed<'_> {
    /// An argument that may be this option.
    pub(crate) fn maybe(&self, wanted: &str) -> Option<&Arg> {
        let may_be = |arg: &&&Arg| {
            let prefix = arg.text.prefix();
            match prefix.strip_prefix('-') {
                _ if arg.is_many || prefix.is_empty() || prefix == "-" => true,
                Some(rest) if rest.starts_with('-') => wanted.starts_with(prefix),
                Some(_) => wanted.starts_with(prefix) || (wanted.len() == 2 && wanted != "--"),
                None => false,
            }
        };
        self.unknown.iter().find(may_be).copied()
    }
}

impl Given<'_> {
    /// Whether it is the option with this name, or an abbreviation of it.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        let is_short_for = wanted.starts_with("--") && self.name.len() > 2 && self.name.starts_with("--");
        self.name == wanted || (is_short_for && wanted.starts_with(&self.name))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Piece, Source};

    fn args(words: &[&str]) -> Vec<Arg> {
        let arg =
            |word: &&str| Arg { text: Text::new(*word), is_many: false, site: Default::default(), is_exact: true };
        words.iter().map(arg).collect()
    }

    fn shown(words: &[&str], takes: &[&str]) -> String {
        let args = args(words);
        let parsed = parse(&args, &Takes::new(takes.iter().map(|name| (*name).to_owned()).collect()));
        let option = |given: &Given<'_>| match &given.value {
            Some(value) => format!("{}={}", given.name, value.shown()),
            None => given.name.clone(),
        };
        let options: Vec<String> = parsed.options.iter().map(option).collect();
        let operands: Vec<String> = parsed.operands.iter().map(|arg| arg.text.shown()).collect();
        format!("{} | {}", options.join(" "), operands.join(" "))
    }

    #[test]
    fn clusters_values_and_the_end_of_options_are_understood() {
        assert_eq!(shown(&["-rf", "x"], &[]), "-rf -r -f | x");
        assert_eq!(shown(&["x", "-r", "--", "-f"], &[]), "-r | x -f");
        assert_eq!(shown(&["-o", "out", "in"], &["-o"]), "-o=out | in");
        assert_eq!(shown(&["-oout", "in"], &["-o"]), "-oout -o=out | in");
        assert_eq!(shown(&["-vo", "out"], &["-o"]), "-vo -v -o=out | ");
        assert_eq!(shown(&["--out=x", "--out", "y", "z"], &["--out"]), "--out=x --out=y | z");
        assert_eq!(shown(&["-", "a"], &[]), " | - a");
    }

    #[test]
    fn long_options_may_be_abbreviated() {
        let args = args(&["--rec"]);
        let parsed = parse(&args, &Takes::default());
        assert_eq!(parsed.options.iter().map(|given| given.is("--recursive")).collect::<Vec<_>>(), [true]);
    }

    proptest! {
        #[test]
        fn any_arguments_are_taken_apart(
            words in proptest::collection::vec((r"-{0,2}[a-zü=]{0,4}", any::<bool>(), any::<bool>()), 0..6),
            takes in proptest::collection::vec(r"-{1,2}[a-zü]{1,4}", 0..3),
        ) {
            let arg = |(word, is_many, is_unknown): &(String, bool, bool)| {
                let mut text = Text::new(word.as_str());
                if *is_unknown {
                    text.push(Piece::Unknown(Source::Local));
                }
                Arg { text, is_many: *is_many, site: Default::default(), is_exact: false }
            };
            let args: Vec<Arg> = words.iter().map(arg).collect();
            let parsed = parse(&args, &Takes::new(takes));
            prop_assert!(parsed.operands.len() <= args.len());
        }
    }
}
