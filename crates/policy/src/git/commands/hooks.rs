//! What keeps hooks from running.

use std::path::Path;

use crate::text::Text;
use crate::world::File;

use super::super::Effect;
use super::super::paths::real;
use super::Work;

/// The setting that says where hooks are.
const PATH: &str = "core.hookspath";

/// Commands that run hooks which may refuse them.
const HOOKED: &[&str] = &[
    "commit",
    "merge",
    "rebase",
    "cherry-pick",
    "revert",
    "am",
    "push",
    "send-pack",
    "pull",
    "citool",
    "gui",
    "subtree",
];

/// Variables with which programs that are started as hooks do nothing, or less; and for which values. Without values any does.
const VARIABLES: &[(&str, &[&str])] = &[
    ("HUSKY", &["0"]),
    ("HUSKY_SKIP_HOOKS", &[]),
    ("PRE_COMMIT_ALLOW_NO_CONFIG", &[]),
    ("SKIP", &[]),
    ("PREK_SKIP", &[]),
    ("PREK_ALLOW_NO_CONFIG", &[]),
    ("LEFTHOOK", &["0", "false"]),
    ("LEFTHOOK_EXCLUDE", &[]),
    ("OVERCOMMIT_DISABLE", &[]),
    ("SKIP_SIMPLE_GIT_HOOKS", &["1"]),
    ("HK", &["0", "false"]),
    ("HK_SKIP_HOOK", &[]),
    ("HK_SKIP_STEPS", &[]),
];

/// Hooks by which a folder of hooks is known.
const NAMES: &[&str] = &[
    "pre-commit",
    "commit-msg",
    "prepare-commit-msg",
    "pre-push",
    "pre-merge-commit",
    "pre-rebase",
    "post-commit",
    "post-checkout",
    "post-merge",
    "post-rewrite",
    "applypatch-msg",
    "pre-applypatch",
    "reference-transaction",
];

/// Adds the effect if settings or the environment keep hooks of this command from running.
pub(in crate::git) fn look(work: &mut Work<'_>) {
    let own: Vec<_> = work.settings.own().iter().filter(|setting| setting.key == PATH).cloned().collect();
    // Of several the last one applies.
    if let Some(setting) = own.last() {
        let is_away = match &setting.value {
            Some(value) => leads_away(work, PATH, value),
            None => work.settings.configured(PATH).is_some(),
        };
        if is_away {
            work.effect(Effect::BypassesHooks, setting.site);
        }
    } else if work.settings.lost(PATH).is_some() {
        work.effect(Effect::BypassesHooks, work.invocation.site);
    }
    if !HOOKED.contains(&work.name) {
        return;
    }
    let is_off = |(name, values): &(&str, &[&str])| {
        let value = work.invocation.variable(name).flatten();
        value.is_some_and(|value| match value.known() {
            Some(value) if values.is_empty() => !value.is_empty(),
            Some(value) => values.contains(&value),
            None => true,
        })
    };
    if VARIABLES.iter().any(is_off) {
        work.effect(Effect::BypassesHooks, work.invocation.site);
    }
}

/// Whether a setting leads away from the hooks of the repository.
pub(in crate::git) fn leads_away(work: &Work<'_>, key: &str, value: &Text) -> bool {
    if key != PATH {
        return false;
    }
    let (Some(path), configured) = (value.known(), work.settings.configured(PATH)) else { return true };
    if configured.as_ref().and_then(Text::known) == Some(path) {
        return false;
    }
    let Some(root) = work.located.work_tree().filter(|_| !path.is_empty() && !path.starts_with('~')) else {
        return true;
    };
    let folder = real(&root.join(path), work.world);
    if work.common().is_some_and(|common| folder == common.join("hooks")) {
        return configured.is_some();
    }
    let is_inside = folder.starts_with(root) && folder != root && !folder.starts_with(root.join(".git"));
    !is_inside || !has_hooks(work, &folder)
}

/// Whether a folder has a hook.
fn has_hooks(work: &Work<'_>, folder: &Path) -> bool {
    let is_file = |name: &&str| {
        let found = work.world.file(&folder.join(name), 1);
        matches!(found, File::Text(_) | File::TooLong | File::Binary)
    };
    NAMES.iter().any(is_file)
}
