//! Which dialect a module was written for: what its source says comes first, then where it was found.

use tau_hooks::dialect::{Dialect, OMP, ORIGINAL, PI, SHELL};
use tau_script::DialectEvidence;

use crate::loader::transform::Evidence;

/// What tells that hooks were written for the original hooks, among what several dialects have in common.
const ORIGINAL_USES: &[&str] = &["on session", "on branch", "pi.send", "ctx.exec", "ctx.sessionFile"];

/// The same for oh-my-pi's: members of the API, then events, by their names or how those begin.
const OMP_USES: &[&str] = &["pi.sendMessage", "pi.exec", "pi.registerCommand", "on context", "on before_agent_start"];
const OMP_EVENTS: &[&str] = &["on session_", "on session."];

/// Says of a dialect that a source was written for it, and why.
type Judge = fn(&Evidence) -> Option<(&'static Dialect, String)>;

/// The first that knows something decides.
const JUDGES: &[Judge] = &[
    |source| imported(source, &["@oh-my-pi/"], "HookAPI").map(|why| (&OMP, why)),
    |source| imported(source, &["@"], "ExtensionAPI").map(|why| (&PI, why)),
    |source| hooks_of(source, &["@oh-my-pi/"]).map(|why| (&OMP, why)),
    |source| {
        let scopes = &["@mariozechner/", "@earendil-works/"];
        let why = imported(source, scopes, "HookAPI").or_else(|| hooks_of(source, scopes))?;
        let begins = || source.uses.iter().find(|used| OMP_EVENTS.iter().any(|event| used.starts_with(event)));
        Some(match (used_in(source, ORIGINAL_USES), used_in(source, OMP_USES).or_else(begins)) {
            (Some(used), _) => (&ORIGINAL, format!("{why} and uses `{used}`")),
            (None, Some(used)) => (&OMP, format!("{why} and uses `{used}`")),
            // The original hooks had their types in a module of their own, the later ones in the package.
            (None, None) => (if at_root(source, scopes) { &OMP } else { &ORIGINAL }, why),
        })
    },
];

/// The dialect of a source that was found where `location` is spoken; `open` is as in [`Script`](tau_script::Script).
///
/// # Errors
/// When the source names a dialect that there is not.
pub(crate) fn detect(
    source: &Evidence,
    location: &'static Dialect,
    open: bool,
) -> Result<(&'static Dialect, DialectEvidence), String> {
    if let Some(name) = &source.pragma {
        let known = Dialect::parse(name).filter(|dialect| dialect.id != SHELL.id);
        let known = known.ok_or_else(|| format!("`@hook-dialect {name}`: use pi, omp or original"))?;
        return Ok((known, DialectEvidence::Pragma));
    }
    Ok(match JUDGES.iter().find_map(|judge| judge(source)) {
        Some((dialect, why)) => (dialect, DialectEvidence::Source(why)),
        None => match used_in(source, ORIGINAL_USES).filter(|_| open) {
            Some(used) => (&ORIGINAL, DialectEvidence::Source(format!("uses `{used}`"))),
            None => (location, DialectEvidence::Location),
        },
    })
}

/// The first of these names that a source uses.
fn used_in<'a>(source: &'a Evidence, names: &[&str]) -> Option<&'a String> {
    source.uses.iter().find(|used| names.contains(&used.as_str()))
}

/// Whether a name is imported from a package of one of the scopes.
fn imported(source: &Evidence, scopes: &[&str], name: &str) -> Option<String> {
    let (specifier, _) = source.imports.iter().find(|(specifier, known)| known == name && of(scopes, specifier))?;
    Some(format!("imports `{name}` from `{specifier}`"))
}

/// Whether the API of hooks is imported from a package of one of the scopes itself.
fn at_root(source: &Evidence, scopes: &[&str]) -> bool {
    let at_root = |specifier: &str| of(scopes, specifier) && !specifier.ends_with("/hooks");
    source.imports.iter().any(|(specifier, name)| name == "HookAPI" && at_root(specifier))
}

/// Whether anything is imported from the hooks of a package of one of the scopes.
fn hooks_of(source: &Evidence, scopes: &[&str]) -> Option<String> {
    let is_hooks = |specifier: &str| specifier.ends_with("/hooks") && of(scopes, specifier);
    let (specifier, _) = source.imports.iter().find(|(specifier, _)| is_hooks(specifier))?;
    Some(format!("imports `{specifier}`"))
}

fn of(scopes: &[&str], specifier: &str) -> bool {
    scopes.iter().any(|scope| specifier.starts_with(scope))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::loader::transform::{Options, transform};

    fn told(name: &str, source: &str, location: &'static Dialect) -> String {
        let module = transform(Path::new(name), source, Options::default()).expect("a module");
        match detect(&module.evidence, location, false) {
            Ok((dialect, how)) => format!("{}: {how}", dialect.id),
            Err(error) => error,
        }
    }

    #[test]
    fn every_source_has_one_dialect_and_a_reason() {
        let hooks = "@mariozechner/pi-coding-agent/hooks";
        let old = |body: &str| format!("import type {{ HookAPI }} from '{hooks}';\n{body}");
        let cases = [
            ("import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks'; export default (pi: HookAPI) => {}".to_owned(), "omp: imports `HookAPI` from `@oh-my-pi/pi-coding-agent/hooks`"),
            ("import { type HookAPI } from '@oh-my-pi/pi-coding-agent'; export default (pi: HookAPI) => {}".to_owned(), "omp: imports `HookAPI` from `@oh-my-pi/pi-coding-agent`"),
            ("import { isBashToolResult } from '@oh-my-pi/pi-coding-agent/extensibility/hooks'; export default (pi) => {}".to_owned(), "omp: imports `@oh-my-pi/pi-coding-agent/extensibility/hooks`"),
            ("export default (pi: import('@oh-my-pi/pi-coding-agent').HookAPI) => {}".to_owned(), "omp: imports `HookAPI` from `@oh-my-pi/pi-coding-agent`"),
            ("/** @param {import('@oh-my-pi/pi-coding-agent').HookAPI} pi */\nexport default (pi) => {}".to_owned(), "omp: imports `HookAPI` from `@oh-my-pi/pi-coding-agent`"),
            ("import type { ExtensionAPI } from '@earendil-works/pi-coding-agent'; export default (pi) => { pi.on('session_start', () => {}); }".to_owned(), "pi: imports `ExtensionAPI` from `@earendil-works/pi-coding-agent`"),
            (format!("import {{ HookRunner }} from '{hooks}'; import type {{ ExtensionAPI }} from '@oh-my-pi/pi-coding-agent'; export default (pi) => {{}}"), "pi: imports `ExtensionAPI` from `@oh-my-pi/pi-coding-agent`"),
            (old("export default function (pi: HookAPI) { pi.on('session', async (event, ctx) => {}); }"), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `on session`"),
            (old("export default function (api: HookAPI) { api.send('x'); }"), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `pi.send`"),
            (old("function hook(api) { api.on('tool_call', async (event, { exec, ui }) => exec('ls', [])); }\nexport default hook;"), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `ctx.exec`"),
            (old("const hook = (api) => { api.on('turn_end', (_, c) => { c.sessionFile; }); };\nexport default hook;"), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `ctx.sessionFile`"),
            (old("export default function (pi: HookAPI) { pi.on('tool_call', () => {}); }"), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks`"),
            ("import type { HookAPI } from '@mariozechner/pi-coding-agent'; export default (pi: HookAPI) => { pi.on('tool_call', () => {}); }".to_owned(), "omp: imports `HookAPI` from `@mariozechner/pi-coding-agent`"),
            ("import type { HookAPI } from '@mariozechner/pi-coding-agent'; export default (pi: HookAPI) => { pi.on('session', () => {}); }".to_owned(), "original: imports `HookAPI` from `@mariozechner/pi-coding-agent` and uses `on session`"),
            (old("export default function (pi: HookAPI) { pi.on('session_start', () => {}); }"), "omp: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `on session_start`"),
            (old("export default function (pi: HookAPI) { pi.registerCommand('x', {}); other.send('y'); }"), "omp: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `pi.registerCommand`"),
            (old("export default function (pi: HookAPI) { pi.on('context', () => {}); }"), "omp: imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `on context`"),
            (format!("import {{ isBashToolResult }} from '{hooks}'; export default (pi) => {{ pi.on('tool_result', isBashToolResult); }}"), "original: imports `@mariozechner/pi-coding-agent/hooks`"),
            ("import { Type } from 'typebox'; export default (pi) => { pi.on('session', () => {}); }".to_owned(), "shell: where it was found"),
            (
                "const { isBashToolResult } = require('@oh-my-pi/pi-coding-agent/hooks');\nmodule.exports = () => {};".to_owned(),
                "omp: imports `@oh-my-pi/pi-coding-agent/hooks`",
            ),
            ("export default (pi) => {}".to_owned(), "shell: where it was found"),
            (old("// @hook-dialect pi\nexport default function (pi: HookAPI) { pi.on('session', () => {}); }"), "pi: its pragma"),
            ("// @hook-dialect comono\nimport type { ExtensionAPI } from '@mariozechner/pi-coding-agent'; export default (pi) => {}".to_owned(), "original: its pragma"),
            ("/* @hook-dialect oh-my-pi */ export default (pi) => {}".to_owned(), "omp: its pragma"),
            ("// not @hook-dialect omp\nexport default (pi) => {}".to_owned(), "shell: where it was found"),
            ("// @hook-dialect shell\nexport default (pi) => {}".to_owned(), "`@hook-dialect shell`: use pi, omp or original"),
            ("// @hook-dialect other\nexport default (pi) => {}".to_owned(), "`@hook-dialect other`: use pi, omp or original"),
        ];
        for (source, expected) in cases {
            // Nothing of these is found where scripts are: that makes it visible when only the place decides.
            assert_eq!(told("/x/hook.ts", &source, &SHELL), expected, "{source}");
        }
    }

    #[test]
    fn a_hook_that_somebody_names_has_the_dialect_of_what_it_uses() {
        let cases = [
            ("export default (pi) => { pi.on('session', () => {}); }", "original"),
            ("export default (pi) => { pi.on('branch', () => {}); }", "original"),
            ("export default function (hooks) { hooks.send('x'); }", "original"),
            ("export default (pi) => { pi.on('tool_call', (e, ctx) => ctx.exec('ls', [])); }", "original"),
            ("export default (pi) => { pi.on('tool_call', (e, c) => c.sessionFile); }", "original"),
            ("export default (pi) => { pi.on('tool_call', () => {}); }", "omp"),
            ("export default (pi) => { pi.on('session_start', () => pi.sendMessage({})); }", "omp"),
        ];
        for (source, expected) in cases {
            let module = transform(Path::new("/x/hook.ts"), source, Options::default()).expect("a module");
            let dialect = |open| detect(&module.evidence, &OMP, open).expect("a dialect").0.id;
            assert_eq!((dialect(true), dialect(false)), (expected, "omp"), "{source}");
        }
    }

    #[test]
    fn reasons_that_only_some_hooks_know_are_noted() {
        let source = "export default (pi) => pi.on('branch', () => {}) || pi.on('session', (e) => e.reason === 'before_switch' || e.reason == \"start\" || 'new');";
        let module = transform(Path::new("/x.js"), source, Options::default()).expect("a module");
        assert_eq!(
            (module.evidence.words, module.evidence.uses),
            (vec!["before_switch".to_owned(), "new".to_owned()], vec!["on branch".to_owned(), "on session".to_owned()])
        );
    }
}
