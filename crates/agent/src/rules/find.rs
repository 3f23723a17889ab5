//! Where rule files lie.

use std::fs;
use std::path::{Path, PathBuf};

use tau_tools::read_small_text;

use super::rule::{Rule, RuleLevel, RuleSource, looks_like_stream_rule, name_of};
use crate::diagnostic::Diagnostic;
use crate::settings::{CONFIG_DIR, Environment};

/// The extensions of rule files, for those who take both.
const BOTH: &[&str] = &["md", "mdc"];
const MARKDOWN: &[&str] = &["md"];
/// The folder of rules among the settings of the user and of a project.
const RULES: &str = "rules";
/// A file or a folder, in the working directory or above it.
const CLINE: &str = ".clinerules";

/// A place where rule files may lie, and whose it is.
struct Folder {
    provider: (&'static str, &'static str),
    level: RuleLevel,
    place: Place,
}

enum Place {
    /// Files with these extensions, directly in it.
    Folder(PathBuf, &'static [&'static str]),
    File(PathBuf),
}

/// All places, the most important first: of two rules with one name the first counts.
fn places(env: &Environment) -> Vec<Folder> {
    const NATIVE: (&str, &str) = ("native", "tau");
    const CURSOR: (&str, &str) = ("cursor", "Cursor");
    const WINDSURF: (&str, &str) = ("windsurf", "Windsurf");
    const CLINE_NAMES: (&str, &str) = ("cline", "Cline");
    use RuleLevel::{Project, User};
    let (cwd, home) = (&env.cwd, &env.home);
    let folder = |provider, level, dir: PathBuf, kinds| Folder { provider, level, place: Place::Folder(dir, kinds) };
    let windsurf = home.join(".codeium/windsurf/memories/global_rules.md");
    let mut places = vec![
        folder(NATIVE, Project, cwd.join(CONFIG_DIR).join(RULES), BOTH),
        folder(NATIVE, Project, cwd.join(".omp/rules"), BOTH),
        folder(NATIVE, User, env.agent_dir().join(RULES), BOTH),
        folder(NATIVE, User, home.join(".omp/agent/rules"), BOTH),
        folder(CURSOR, User, home.join(".cursor/rules"), BOTH),
        folder(CURSOR, Project, cwd.join(".cursor/rules"), BOTH),
        Folder { provider: WINDSURF, level: User, place: Place::File(windsurf) },
        folder(WINDSURF, Project, cwd.join(".windsurf/rules"), MARKDOWN),
    ];
    if let Some(cline) = cwd.ancestors().map(|dir| dir.join(CLINE)).find(|path| path.exists()) {
        let place = if cline.is_dir() { Place::Folder(cline, MARKDOWN) } else { Place::File(cline) };
        places.push(Folder { provider: CLINE_NAMES, level: Project, place });
    }
    places
}

impl Folder {
    /// The files of the place, in byte order.
    fn files(&self) -> Vec<PathBuf> {
        match &self.place {
            Place::File(path) => Some(path.clone()).into_iter().filter(|path| path.is_file()).collect(),
            Place::Folder(dir, kinds) => files_in(dir, kinds),
        }
    }

    fn read(&self, path: PathBuf, diagnostics: &mut Vec<Diagnostic>) -> Option<Rule> {
        // A file that starts with a dot has no extension to take off.
        let name = name_of(&path).trim_start_matches('.').to_owned();
        let (provider, provider_name) = self.provider;
        Rule::read(RuleSource { provider, provider_name, path, level: self.level }, name, diagnostics)
    }
}

fn files_in(dir: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    let shown = names.into_iter().filter(|name| !name.as_encoded_bytes().starts_with(b"."));
    let paths = shown.map(|name| dir.join(name));
    paths.filter(|path| is_of(path, kinds) && path.is_file()).collect()
}

fn is_of(path: &Path, kinds: &[&str]) -> bool {
    path.extension().is_some_and(|extension| kinds.iter().any(|kind| extension.eq_ignore_ascii_case(kind)))
}

/// The stream rules, the most important first; those of the project only when it is `trusted`. A rule of another kind
/// takes its name all the same. With `for_prompt` another reader of the files in the settings folders says which of them
/// cannot be read.
pub(crate) fn find_rules(
    env: &Environment,
    trusted: bool,
    for_prompt: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for place in places(env).into_iter().filter(|place| trusted || place.level == RuleLevel::User) {
        let own = [env.cwd.join(CONFIG_DIR).join(RULES), env.agent_dir().join(RULES)];
        for path in place.files() {
            let mut news = Vec::new();
            let is_read_twice =
                for_prompt && is_of(&path, MARKDOWN) && own.iter().any(|folder| path.parent() == Some(folder));
            let Some(rule) = place.read(path, &mut news) else {
                diagnostics.extend(news.into_iter().filter(|_| !is_read_twice));
                continue;
            };
            if !rules.iter().any(|known| known.name == rule.name) {
                diagnostics.append(&mut news);
                rules.push(rule);
            }
        }
    }
    rules.retain(|rule| !rule.conditions.is_empty());
    rules.retain(|rule| {
        if rule.content.is_empty() {
            let message = "the rule has no text and is passed over";
            diagnostics.push(Diagnostic::warning(&rule.source.path, message));
        }
        !rule.content.is_empty()
    });
    rules
}

/// The files of the project that look like stream rules, which need trust; with `for_prompt` also the other rules in its
/// settings folder. Those with rules for other programs do not matter. None of them is parsed: that waits for trust.
pub(crate) fn rules_of_project(env: &Environment, for_prompt: bool) -> Vec<PathBuf> {
    let own = env.cwd.join(CONFIG_DIR).join(RULES);
    let (of_project, of_user): (Vec<_>, Vec<_>) =
        places(env).into_iter().partition(|place| place.level == RuleLevel::Project);
    // In the home directory the user's folders look like those of a project.
    let of_user: Vec<PathBuf> = of_user.iter().flat_map(Folder::files).collect();
    let mut found = Vec::new();
    for place in of_project {
        let files = place.files().into_iter().filter(|file| !of_user.contains(file));
        let is_for_prompt = |path: &Path| for_prompt && path.parent() == Some(&own) && is_of(path, MARKDOWN);
        let is_stream_rule = |path: &Path| read_small_text(path).is_ok_and(|text| looks_like_stream_rule(&text));
        found.extend(files.filter(|path| is_for_prompt(path) || is_stream_rule(path)));
    }
    found
}
