//! Which versions are installed where: the folders of `node_modules`, as flat as they can be.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use futures_util::StreamExt as _;
use nodejs_semver::Version;

use crate::chosen::{Origin, Package};
use crate::error::PackageError;
use crate::fetch::Fetcher;
use crate::host;
use crate::lock::{LockedPackage, Pins, name_of};
use crate::manifest::{Dependencies, Manifest};
use crate::spec::Spec;

/// How many documents of a registry are asked for at a time.
const AT_ONCE: usize = 12;
/// More packages than any sensible extension needs.
const MOST_PACKAGES: usize = 5000;

/// Everything to install below one folder.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// What was left out, and why.
    pub notes: BTreeSet<String>,
}

/// A package at its place; the first one stands for the folder itself.
pub(crate) struct Node {
    /// The name of its folder.
    name: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    pub package: Package,
    edges: Vec<Edge>,
    /// Who asked for it first, and how.
    asked: Option<(usize, Kind)>,
    /// It is not for this system: pinned, but not installed.
    pub absent: bool,
    removed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Required,
    Optional,
    Peer,
}

#[derive(Debug, Clone)]
struct Edge {
    name: String,
    spec: Spec,
    kind: Kind,
    to: Option<usize>,
}

/// What is known from earlier, and what of it does not count any more.
pub(crate) struct Known<'a> {
    pub pins: &'a Pins,
    /// Names of packages to choose anew.
    pub fresh: &'a HashSet<String>,
}

impl Tree {
    /// Chooses a version of everything that `root` needs, and a place for it.
    pub(crate) async fn resolve(fetcher: &Fetcher, root: Manifest, known: &Known<'_>) -> Result<Self, PackageError> {
        let package = Package { manifest: root, origin: Origin::Root, integrity: None, pinned: false };
        let mut tree = Self { nodes: vec![Node::new(String::new(), None, package, None)], notes: BTreeSet::new() };
        let mut queue = VecDeque::from([0]);
        while !queue.is_empty() {
            let level: Vec<usize> = std::mem::take(&mut queue).into();
            tree.prefetch(&level, fetcher, known).await;
            for at in level {
                for edge in edges_of(&tree.nodes[at].package.manifest) {
                    if tree.is_gone(at) {
                        break;
                    }
                    if let Some(placed) = tree.connect(at, edge, fetcher, known).await? {
                        queue.push_back(placed);
                    }
                }
                if tree.nodes.len() > MOST_PACKAGES {
                    let why = format!("it needs more than {MOST_PACKAGES} packages");
                    return Err(PackageError::Malformed { what: "the list of dependencies".to_owned(), why });
                }
            }
        }
        Ok(tree)
    }

    /// Asks for what will be needed, many at a time. What fails will fail again where it matters.
    async fn prefetch(&self, level: &[usize], fetcher: &Fetcher, known: &Known<'_>) {
        let mut names = BTreeSet::new();
        for at in level {
            for edge in edges_of(&self.nodes[*at].package.manifest) {
                let found = self.lookup(self.start(*at, edge.kind), &edge.name);
                if found.is_none()
                    && self.pin(*at, &edge, known).is_none()
                    && let Some((name, _)) = edge.spec.in_registry(&edge.name)
                {
                    names.insert(name.to_owned());
                }
            }
        }
        let each = names.into_iter().map(|name| async move { drop(fetcher.packument(&name).await) });
        futures_util::stream::iter(each).buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
    }

    /// Where looking for a dependency begins: a peer is found beside a package, not in it.
    fn start(&self, at: usize, kind: Kind) -> usize {
        match kind {
            Kind::Peer => self.nodes[at].parent.unwrap_or(at),
            Kind::Required | Kind::Optional => at,
        }
    }

    /// The nearest package of a name, as Node finds it, and the folder that holds it.
    fn lookup(&self, from: usize, name: &str) -> Option<(usize, usize)> {
        let mut at = Some(from);
        while let Some(folder) = at {
            if let Some(found) = self.nodes[folder].children.get(name) {
                return Some((*found, folder));
            }
            at = self.nodes[folder].parent;
        }
        None
    }

    /// Finds or places what a dependency asks for; gives it when it is new.
    async fn connect(
        &mut self,
        at: usize,
        mut edge: Edge,
        fetcher: &Fetcher,
        known: &Known<'_>,
    ) -> Result<Option<usize>, PackageError> {
        let start = self.start(at, edge.kind);
        let found = self.lookup(start, &edge.name);
        if let Some((found, _)) = found
            && self.satisfies(found, &edge)
        {
            edge.to = Some(found);
            self.nodes[at].edges.push(edge);
            return Ok(None);
        }
        if edge.kind == Kind::Peer
            && let Some((found, _)) = found
        {
            let (who, has) = (self.title(at), self.title(found));
            self.notes.insert(format!("{who} wants another version of {} beside it; it gets {has}", edge.name));
            return Ok(None);
        }
        if found.is_some_and(|(_, folder)| folder == start) {
            let why = format!("{} needs two versions of {} in one place", self.title(at), edge.name);
            return Err(PackageError::Malformed { what: "the list of dependencies".to_owned(), why });
        }
        let package = match self.choose(at, &edge, fetcher, known).await {
            Ok(package) => package,
            Err(error) => return self.give_up(at, &edge, error).map(|()| None),
        };
        let unfit = package.manifest.unfit();
        let absent = unfit.is_some() && edge.kind == Kind::Optional;
        if let (Some((wanted, here)), false) = (unfit, absent) {
            let what = format!("{}@{}", package.manifest.name, package.manifest.version);
            let error = PackageError::Platform { what, wanted, here };
            return self.give_up(at, &edge, error).map(|()| None);
        }
        let folder = self.place(start, found.map(|(_, folder)| folder), &edge.name, &package);
        let new = self.nodes.len();
        let mut node = Node::new(edge.name.clone(), Some(folder), package, Some((at, edge.kind)));
        node.absent = absent;
        self.nodes.push(node);
        self.nodes[folder].children.insert(edge.name.clone(), new);
        edge.to = Some(new);
        self.nodes[at].edges.push(edge);
        Ok((!absent).then_some(new))
    }

    fn satisfies(&self, found: usize, edge: &Edge) -> bool {
        let package = &self.nodes[found].package;
        let same_origin = match (&edge.spec, &package.origin) {
            (Spec::Archive(wanted), Origin::Archive { url, .. }) => wanted == url,
            (Spec::Git(wanted), Origin::Git { source, .. }) => wanted == source,
            (Spec::Archive(_) | Spec::Git(_), _) => false,
            _ => true,
        };
        let has_no_versions = matches!(edge.spec, Spec::Archive(_) | Spec::Git(_));
        let manifest = &package.manifest;
        same_origin && (has_no_versions || edge.spec.accepts(&manifest.name, &manifest.version, &edge.name))
    }

    /// The highest folder where a package can be without taking the place of one that others need.
    fn place(&self, start: usize, taken: Option<usize>, name: &str, package: &Package) -> usize {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(folder) = at.filter(|folder| Some(*folder) != taken) {
            chain.push(folder);
            at = self.nodes[folder].parent;
        }
        let fits = |folder: &&usize| taken.is_none() || !self.would_shadow(**folder, name, package);
        chain.iter().rev().find(fits).copied().unwrap_or(start)
    }

    /// Whether a package in `folder` would be found by one below it that needs another version.
    fn would_shadow(&self, folder: usize, name: &str, package: &Package) -> bool {
        self.nodes.iter().enumerate().any(|(at, node)| {
            self.is_below(at, folder)
                && node.edges.iter().any(|edge| {
                    edge.name == name
                        && edge.to.is_some_and(|to| !self.is_below(to, folder))
                        && !edge.spec.accepts(&package.manifest.name, &package.manifest.version, name)
                })
        })
    }

    fn is_below(&self, at: usize, folder: usize) -> bool {
        let mut at = Some(at);
        while let Some(this) = at {
            if this == folder {
                return true;
            }
            at = self.nodes[this].parent;
        }
        false
    }

    async fn choose(
        &self,
        at: usize,
        edge: &Edge,
        fetcher: &Fetcher,
        known: &Known<'_>,
    ) -> Result<Package, PackageError> {
        if let Some((_, pin)) = self.pin(at, edge, known) {
            return fetcher.pinned(&edge.name, &edge.spec, pin);
        }
        match &edge.spec {
            Spec::Archive(url) => fetcher.archive(url).await,
            Spec::Git(source) => fetcher.repository(source).await,
            Spec::Unsupported(why) => {
                Err(PackageError::Source { source_text: edge.name.clone(), why: (*why).to_owned() })
            }
            spec => {
                let unsupported = || PackageError::Source {
                    source_text: edge.name.clone(),
                    why: "another name can only stand for a package of a registry".to_owned(),
                };
                let (name, spec) = spec.in_registry(&edge.name).ok_or_else(unsupported)?;
                if !crate::source::is_package_name(name) || !crate::source::is_package_name(&edge.name) {
                    let why = "this is no name of an npm package".to_owned();
                    return Err(PackageError::Source { source_text: name.to_owned(), why });
                }
                let packument = fetcher.packument(name).await?;
                fetcher.release(&packument, packument.choose(spec)?)
            }
        }
    }

    /// What the lock file says: at the place where it would be found, else anywhere.
    fn pin<'a>(&self, at: usize, edge: &Edge, known: &Known<'a>) -> Option<(&'a String, &'a LockedPackage)> {
        if known.fresh.contains(&edge.name) {
            return None;
        }
        let fits = |(_, pin): &(&'a String, &'a LockedPackage)| match &edge.spec {
            Spec::Archive(url) => pin.resolved.as_deref() == Some(url.as_str()),
            Spec::Git(source) => {
                let resolved = pin.resolved.as_deref().and_then(|text| text.strip_prefix("git+"));
                resolved.and_then(|text| text.split_once('#')).is_some_and(|(url, _)| url == source.public_url())
            }
            spec => {
                let plain = !pin.resolved.as_deref().is_some_and(|text| text.starts_with("git+"));
                plain && spec.accepts(&pin.manifest.name, &pin.manifest.version, &edge.name)
            }
        };
        let mut folder = Some(self.start(at, edge.kind));
        while let Some(here) = folder {
            let place = format!("{}node_modules/{}", self.prefix(here), edge.name);
            if let Some(found) = known.pins.get_key_value(&place).filter(fits) {
                return Some(found);
            }
            folder = self.nodes[here].parent;
        }
        let all = known.pins.iter().filter(|(place, _)| name_of(place) == edge.name).filter(fits);
        all.max_by_key(|(_, pin)| Version::parse(&pin.manifest.version).ok())
    }

    /// Leaves out what nobody has to have; else the whole fails.
    fn give_up(&mut self, at: usize, edge: &Edge, error: PackageError) -> Result<(), PackageError> {
        match edge.kind {
            Kind::Optional => {
                self.notes.insert(format!("left out {}, which {} can do without: {error}", edge.name, self.title(at)));
                return Ok(());
            }
            Kind::Peer => {
                self.notes.insert(format!("{} expects {} beside it: {error}", self.title(at), edge.name));
                return Ok(());
            }
            Kind::Required => {}
        }
        let mut who = at;
        while let Some((by, kind)) = self.nodes[who].asked {
            if kind != Kind::Required {
                self.notes.insert(format!("left out {}, because of {}: {error}", self.title(who), edge.name));
                self.nodes[who].removed = true;
                if let Some(parent) = self.nodes[who].parent {
                    let name = self.nodes[who].name.clone();
                    self.nodes[parent].children.remove(&name);
                }
                return Ok(());
            }
            who = by;
        }
        match at {
            0 => Err(error),
            _ => Err(error.needed_by(&self.title(at))),
        }
    }

    fn is_gone(&self, at: usize) -> bool {
        let mut at = Some(at);
        while let Some(this) = at {
            if self.nodes[this].removed {
                return true;
            }
            at = self.nodes[this].parent;
        }
        false
    }

    fn title(&self, at: usize) -> String {
        let manifest = &self.nodes[at].package.manifest;
        match at {
            0 => "the settings".to_owned(),
            _ => format!("{}@{}", manifest.name, manifest.version),
        }
    }

    /// The place of what is in a folder, up to `node_modules`.
    fn prefix(&self, at: usize) -> String {
        match self.nodes[at].parent {
            None => String::new(),
            Some(parent) => format!("{}node_modules/{}/", self.prefix(parent), self.nodes[at].name),
        }
    }

    /// Everything that is needed, with its place, whether it is optional, and whether it is a peer.
    pub(crate) fn places(&self) -> BTreeMap<String, (&Node, bool, bool)> {
        let all = self.reachable(|_| true);
        let required = self.reachable(|kind| kind != Kind::Optional);
        let without_peers = self.reachable(|kind| kind != Kind::Peer);
        let mut places = BTreeMap::new();
        for at in all {
            if at != 0 && !self.is_gone(at) {
                let prefix = self.prefix(at);
                let entry = (&self.nodes[at], !required.contains(&at), !without_peers.contains(&at));
                places.insert(prefix.trim_end_matches('/').to_owned(), entry);
            }
        }
        places
    }

    fn reachable(&self, follow: impl Fn(Kind) -> bool) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            for edge in self.nodes[at].edges.iter().filter(|edge| follow(edge.kind)) {
                if let Some(to) = edge.to
                    && !self.nodes[to].removed
                    && seen.insert(to)
                {
                    open.push(to);
                }
            }
        }
        seen
    }
}

impl Node {
    fn new(name: String, parent: Option<usize>, package: Package, asked: Option<(usize, Kind)>) -> Self {
        Self {
            name,
            parent,
            children: BTreeMap::new(),
            package,
            edges: Vec::new(),
            asked,
            absent: false,
            removed: false,
        }
    }
}

/// What a package asks for, without what the host has and what comes in its archive.
fn edges_of(manifest: &Manifest) -> Vec<Edge> {
    let edges = |list: &Dependencies, kind: Kind| -> Vec<Edge> {
        let wanted = list.iter().filter(|(name, _)| !manifest.bundled.contains(*name));
        wanted.map(|(name, spec)| Edge { name: name.clone(), spec: Spec::parse(spec), kind, to: None }).collect()
    };
    let mut all = edges(&manifest.dependencies, Kind::Required);
    all.extend(edges(&manifest.optional, Kind::Optional));
    all.retain(|edge| !host::has(&edge.name));
    let is_own = |name: &String| manifest.dependencies.contains_key(name) || manifest.optional.contains_key(name);
    let peers = edges(&manifest.peers, Kind::Peer).into_iter();
    all.extend(peers.filter(|peer| {
        !host::has_peer(&peer.name) && !manifest.optional_peers.contains(&peer.name) && !is_own(&peer.name)
    }));
    all
}

/// The names that lead from a package to everything it needs, by the pins.
pub(crate) fn closure(pins: &Pins, name: &str) -> HashSet<String> {
    let mut names = HashSet::from([name.to_owned()]);
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for (_, pin) in pins.iter().filter(|(place, _)| name_of(place) == name) {
            let manifest = &pin.manifest;
            for next in manifest.dependencies.keys().chain(manifest.optional.keys()).chain(manifest.peers.keys()) {
                if names.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
    }
    names
}
