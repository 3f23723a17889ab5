//! What came of looking for servers on this machine, and what to say of those that are not there.

use super::kinds::Kind;
use super::{ALL, LocalServer, kinds};

/// An address where a server was looked for.
#[derive(Debug, Clone)]
pub struct LocalPlace {
    pub(super) kind: &'static Kind,
    /// Without a path.
    pub(super) address: String,
    /// The variable that names the address.
    pub(super) variable: Option<&'static str>,
    pub(super) outcome: Outcome,
}

/// What came of it.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// A server with models.
    Found(LocalServer),
    /// A server without a model that is of use here.
    Empty,
    /// Something that is no server of this kind.
    Other,
    /// Nothing answers.
    Silent,
    /// Another machine, which is asked nothing.
    Elsewhere,
}

/// All addresses where servers were looked for.
#[derive(Debug, Clone, Default)]
pub struct LocalPlaces(pub(super) Vec<LocalPlace>);

impl LocalPlaces {
    /// The servers that answer.
    pub fn servers(&self) -> impl Iterator<Item = &LocalServer> {
        self.0.iter().filter_map(|place| match &place.outcome {
            Outcome::Found(server) => Some(server),
            _ => None,
        })
    }

    pub(super) fn into_servers(self) -> Vec<LocalServer> {
        self.servers().cloned().collect()
    }

    /// What is wrong with the addresses that the user gave, a line each. A usual address where nothing answers is none of
    /// these.
    pub fn problems(&self) -> Vec<String> {
        let given = self.0.iter().filter_map(|place| Some((place.variable?, place.problem()?)));
        given.map(|(variable, problem)| format!("{variable}: {problem}")).collect()
    }

    /// Why there are no models of a server, and what to do; `None` when there are. `taken` says which other provider has the
    /// address of one that answers.
    pub(super) fn why_missing(&self, provider: &str, taken: impl Fn(&LocalServer) -> Option<String>) -> Option<String> {
        let kind = kinds::KINDS.iter().find(|kind| kind.provider == provider)?;
        let of_kind: Vec<&LocalPlace> = self.0.iter().filter(|place| place.kind.provider == provider).collect();
        if of_kind.is_empty() {
            return Some(format!(
                "tau does not look for {}, because {ALL} leaves it out; add {provider}=127.0.0.1:{} to it",
                kind.name, kind.port
            ));
        }
        let mut whys = Vec::new();
        for place in of_kind {
            let why = match &place.outcome {
                Outcome::Found(server) => taken(server).map(|other| {
                    format!("{} at {} is the provider {other} here; ask for {other}/ID", kind.name, place.address)
                }),
                _ => place.problem(),
            };
            // One that can be used is enough.
            whys.push(why?);
        }
        Some(whys.join("; "))
    }
}

impl LocalPlace {
    /// What keeps a server there from being used, and what to do; nothing when it can be used.
    fn problem(&self) -> Option<String> {
        let Self { kind, address, .. } = self;
        let Kind { name, provider, start, fill, variable, .. } = kind;
        let move_it = match variable {
            Some(variable) => format!("{variable} or {ALL}={provider}=ADDRESS"),
            None => format!("{ALL}={provider}=ADDRESS"),
        };
        Some(match self.outcome {
            Outcome::Found(_) => return None,
            Outcome::Empty => format!("{name} at {address} has no model that can chat and call tools; {fill}"),
            Outcome::Other => format!("what answers at {address} is not {name}; say where it is with {move_it}"),
            Outcome::Silent => format!("no {name} answers at {address}; {start}, or say where it is with {move_it}"),
            Outcome::Elsewhere => format!(
                "{address} is another machine, where tau looks for no {name}; define a provider with this \"baseUrl\" in models.json"
            ),
        })
    }
}
