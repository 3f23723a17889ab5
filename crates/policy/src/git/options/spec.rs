//! What options a command has.
//!
//! A table is a line of options with commas between them: letters, then names, then `=` if a value follows and `=?` if a value
//! may be attached, as `a all, m message=, u untracked-files=?`.

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum Takes {
    /// No.
    Nothing,
    /// If it is attached.
    Attached,
    /// Always.
    Value,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::git) struct Spec {
    letters: Vec<char>,
    pub(in crate::git) names: Vec<&'static str>,
    pub(in crate::git) takes: Takes,
}

/// An option that a table has.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) takes: Takes,
}

impl Spec {
    /// The first name, or the letter.
    fn name(&self) -> String {
        let letters = || self.letters.iter().collect::<String>();
        self.names.first().map_or_else(letters, |name| (*name).to_owned())
    }
}

/// The options of a table.
pub(in crate::git) fn all(table: &'static str) -> impl Iterator<Item = Spec> {
    table.split(',').map(str::trim).filter(|option| !option.is_empty()).map(|option| {
        let (option, takes) = match (option.strip_suffix("=?"), option.strip_suffix('=')) {
            (Some(option), _) => (option, Takes::Attached),
            (None, Some(option)) => (option, Takes::Value),
            (None, None) => (option, Takes::Nothing),
        };
        let mut spec = Spec { letters: Vec::new(), names: Vec::new(), takes };
        for word in option.split_whitespace() {
            let mut letters = word.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => spec.letters.push(letter),
                _ => spec.names.push(word),
            }
        }
        spec
    })
}

/// The option with this letter.
pub(super) fn short(specs: &[Spec], letter: char) -> Option<Found> {
    let spec = specs.iter().find(|spec| spec.letters.contains(&letter))?;
    Some(Found { name: spec.name(), takes: spec.takes })
}

/// The option with this name, its opposite or the beginning of one of them, unless another one begins so too.
pub(super) fn long(specs: &[Spec], name: &str) -> Option<Found> {
    let plain = specs
        .iter()
        .flat_map(|spec| spec.names.iter().map(move |known| ((*known).to_owned(), spec.name(), spec.takes)));
    let opposites = specs
        .iter()
        .flat_map(|spec| spec.names.iter().map(move |known| (opposite(known), opposite(&spec.name()), Takes::Nothing)));
    // Some options have names that look like opposites.
    let all: Vec<_> = plain.chain(opposites).collect();
    if let Some((_, name, takes)) = all.iter().find(|(known, ..)| known == name) {
        return Some(Found { name: name.clone(), takes: *takes });
    }
    let mut found = all.into_iter().filter(|(known, ..)| known.starts_with(name)).map(|(_, name, takes)| (name, takes));
    let (first, takes) = found.next()?;
    found.all(|(other, _)| other == first).then_some(Found { name: first, takes })
}

/// What turns an option off.
pub(super) fn opposite(name: &str) -> String {
    name.strip_prefix("no-").map_or_else(|| format!("no-{name}"), str::to_owned)
}
