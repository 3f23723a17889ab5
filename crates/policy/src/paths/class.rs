//! Whether a path is in a class.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};

use super::data::CLASSES;
use super::kind::{Class, Kind};
use super::locate::{Located, Rest, plain};
use super::places::Scene;
use crate::truth::Truth;

/// All classes.
pub fn classes() -> &'static [Class] {
    CLASSES
}

/// The class with a name.
pub(crate) fn named(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

/// Patterns of a class with one root that are ready to match.
struct Matcher {
    root: Root,
    /// The patterns as they stand, without their root.
    texts: Vec<&'static str>,
    /// The files, and what is below them.
    set: GlobSet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Home,
    Agent,
    Anywhere,
}

static MATCHERS: LazyLock<Vec<(&'static str, Vec<Matcher>)>> = LazyLock::new(|| {
    let of = |class: &'static Class| match class.kind {
        Kind::Patterns(patterns) => {
            let roots = [Root::Home, Root::Agent, Root::Anywhere].into_iter();
            Some((class.name, roots.filter_map(|root| Matcher::new(root, patterns)).collect()))
        }
        _ => None,
    };
    CLASSES.iter().filter_map(of).collect()
});

/// A pattern without its root.
fn rooted(text: &'static str) -> (Root, &'static str) {
    const ROOTS: &[(&str, Root)] = &[("~/", Root::Home), ("$agent", Root::Agent)];
    let found = ROOTS.iter().find_map(|(prefix, root)| Some((*root, text.strip_prefix(prefix)?)));
    found.unwrap_or((Root::Anywhere, text))
}

impl Matcher {
    /// `None` if no pattern of the class has this root.
    fn new(root: Root, patterns: &[&'static str]) -> Option<Self> {
        let texts = patterns.iter().map(|text| rooted(text)).filter(|(own, _)| *own == root).map(|(_, text)| text);
        let texts: Vec<&'static str> = texts.collect();
        let mut set = GlobSetBuilder::new();
        for text in &texts {
            let below = if text.is_empty() { "**".to_owned() } else { format!("{text}/**") };
            for text in [*text, &below] {
                set.add(GlobBuilder::new(text).literal_separator(true).build().ok()?);
            }
        }
        (!texts.is_empty()).then(|| set.build().ok()).flatten().map(|set| Self { root, texts, set })
    }

    fn root<'a>(&self, scene: &Scene<'a>) -> Option<&'a Path> {
        match self.root {
            Root::Home => scene.places.home.as_deref(),
            Root::Agent => scene.places.agent.as_deref(),
            Root::Anywhere => Some(Path::new("")),
        }
    }

    fn is_match(&self, path: &Path, scene: &Scene<'_>) -> bool {
        let Some(root) = self.root(scene) else { return false };
        path.strip_prefix(root).is_ok_and(|rest| self.set.is_match(rest))
    }

    /// Whether a pattern of names in a folder stands for one of these very files.
    fn is_named_by(&self, pattern: &GlobMatcher, scene: &Scene<'_>) -> bool {
        let is_anywhere = |text: &str| self.root == Root::Anywhere && text.starts_with("**/");
        let Some(root) = self.root(scene) else { return false };
        self.texts.iter().any(|text| !is_anywhere(text) && pattern.is_match(root.join(text)))
    }
}

impl Class {
    /// Whether being in it makes something harmless: what is unknown may be outside then.
    pub(crate) fn is_safe(&self) -> bool {
        matches!(self.kind, Kind::Scratch | Kind::ProjectTmp)
    }

    /// Whether a path is in it.
    pub(crate) fn truth(&self, located: &Located, scene: &Scene<'_>) -> Truth {
        match self.kind {
            Kind::Patterns(_) => self.by_patterns(located, scene),
            Kind::Scratch => safe(located, is_scratch(located, scene)),
            Kind::ProjectTmp => safe(located, project_tmp(scene).is_some_and(|tmp| located.resolved.starts_with(tmp))),
            Kind::Device => (located.is_whole() && located.paths().any(is_device)).into(),
            Kind::Outside => {
                let is_inside = located.resolved.starts_with(plain(&scene.places.project))
                    || located.resolved.starts_with(scene.places.resolved(scene.world, &scene.places.project));
                let is_harmless = is_scratch(located, scene) || located.resolved.starts_with("/dev");
                (located.rest != Rest::Unknown && !is_inside && !is_harmless).into()
            }
        }
    }

    fn by_patterns(&self, located: &Located, scene: &Scene<'_>) -> Truth {
        let matchers = MATCHERS.iter().find(|(name, _)| *name == self.name).map_or(&[][..], |(_, matchers)| matchers);
        let is_match = located.paths().any(|path| matchers.iter().any(|matcher| matcher.is_match(path, scene)));
        match &located.rest {
            Rest::Nothing => is_match.into(),
            Rest::Unknown | Rest::Pattern(_) if is_match => Truth::Maybe,
            Rest::Unknown => Truth::No,
            Rest::Pattern(rest) => {
                let glob = |path: &Path| {
                    let whole = path.join(rest).to_string_lossy().into_owned();
                    GlobBuilder::new(&whole).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
                };
                let globs: Vec<GlobMatcher> = located.paths().filter_map(glob).collect();
                let is_named = matchers.iter().any(|matcher| globs.iter().any(|glob| matcher.is_named_by(glob, scene)));
                if is_named { Truth::Maybe } else { Truth::No }
            }
        }
    }
}

/// Whether a path is in a class that makes things harmless, given that its folder is.
fn safe(located: &Located, is_in: bool) -> Truth {
    match &located.rest {
        Rest::Nothing => is_in.into(),
        // Names that begin with a dot may be `..`, and folders further down may be links.
        Rest::Pattern(rest) => (is_in && !rest.starts_with('.') && !rest.contains('/')).into(),
        Rest::Unknown => Truth::Maybe,
    }
}

fn is_scratch(located: &Located, scene: &Scene<'_>) -> bool {
    if project_tmp(scene).is_some_and(|tmp| located.resolved.starts_with(tmp)) {
        return true;
    }
    let project = scene.places.resolved(scene.world, &scene.places.project);
    let path = &located.resolved;
    let is_of_project = path.starts_with(&project) || project.starts_with(path);
    let tmp = scene.places.resolved(scene.world, Path::new("/tmp"));
    // A pattern stands for what is in the folder; `/tmp` itself is not below `/tmp`.
    let is_below = path.starts_with(&tmp) && (path != &tmp || matches!(located.rest, Rest::Pattern(_)));
    // Where the home is below it, as in containers, what is in the home is no scratch.
    let home = scene.places.home.as_deref().map(|home| scene.places.resolved(scene.world, home));
    let is_of_home = home.is_some_and(|home| path.starts_with(&home) || (home.starts_with(path) && path != &tmp));
    is_below && !is_of_project && !is_of_home
}

/// The project's folder for temporary files, if no link leads it out of the project.
fn project_tmp(scene: &Scene<'_>) -> Option<PathBuf> {
    let project = scene.places.resolved(scene.world, &scene.places.project);
    let usual = project.join(".pi/tmp");
    let given = scene.world.variable("PROJECT_TMP_DIR").filter(|path| path.starts_with('/'));
    let resolved = scene.places.resolved(scene.world, given.as_deref().map_or(usual.as_path(), Path::new));
    let is_kept =
        if given.is_some() { resolved.starts_with(&project) && resolved != project } else { resolved == usual };
    is_kept.then_some(resolved)
}

fn is_device(path: &Path) -> bool {
    const HARMLESS: &[&str] =
        &["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "ptmx", "console"];
    const FOLDERS: &[&str] = &["fd", "pts", "shm", "tcp", "udp", "mqueue"];
    let Ok(rest) = path.strip_prefix("/dev") else { return false };
    let Some(first) = rest.components().next() else { return false };
    let first = first.as_os_str().to_string_lossy();
    !HARMLESS.contains(&first.as_ref()) && !FOLDERS.contains(&first.as_ref())
}
