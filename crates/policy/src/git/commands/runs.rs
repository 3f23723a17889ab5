//! Programs that settings and variables name, and git starts.

use crate::text::Text;

use super::super::words::after;
use super::{COMMAND, Work};

/// Settings whose value is a command. A `*` stands for what is between section and name.
const SETTINGS: &[&str] = &[
    "browser.*.cmd",
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.pager",
    "core.sshcommand",
    "credential.helper",
    "credential.*.helper",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "difftool.*.cmd",
    "filter.*.clean",
    "filter.*.process",
    "filter.*.smudge",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "interactive.difffilter",
    "man.*.cmd",
    "merge.*.driver",
    "mergetool.*.cmd",
    "pager.*",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "sendemail.cccmd",
    "sendemail.headercmd",
    "sendemail.sendmailcmd",
    "sendemail.tocmd",
    "sequence.editor",
    "submodule.*.update",
    "trailer.*.cmd",
    "trailer.*.command",
    "uploadpack.packobjectshook",
];

/// Variables whose value is a command.
const VARIABLES: &[&str] = &[
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "PAGER",
    "SSH_ASKPASS",
    "VISUAL",
];

/// Values that name no program.
const NONE: &[&str] = &["", "true", "false", "1", "0", "yes", "no", "on", "off"];
/// Values of `submodule.….update` that are no command.
const UPDATES: &[&str] = &["checkout", "rebase", "merge", "none"];

/// Whether the value of a setting is a command. The name is as [`super::settings::normal`] makes it.
pub(in crate::git) fn is_program(key: &str) -> bool {
    SETTINGS.iter().any(|pattern| match pattern.split_once('*') {
        Some((start, end)) => key.len() > start.len() + end.len() && key.starts_with(start) && key.ends_with(end),
        None => key == *pattern,
    })
}

/// Adds the programs that the command's own settings and variables name.
pub(in crate::git) fn look(work: &mut Work<'_>) {
    let named: Vec<_> = work.settings.own().iter().filter(|setting| is_program(&setting.key)).cloned().collect();
    for setting in work.settings.own().to_vec() {
        // An address that is a command, or that stands in place of another one.
        let url = setting.key.strip_prefix("url.").and_then(|key| key.strip_suffix("insteadof"));
        let address = url.map_or(setting.value, |url| Some(Text::new(url.trim_end_matches(['.']))));
        if let Some(address) = address.filter(|address| address.prefix().starts_with(COMMAND)) {
            work.shell(after(&address, COMMAND.len()), setting.site);
        }
    }
    for setting in named {
        let Some(value) = setting.value else { continue };
        let is_none = value.known().is_some_and(|value| NONE.contains(&value) || UPDATES.contains(&value));
        if !is_none {
            // An exclamation mark says that it is for a shell, as everything here is.
            let skipped = usize::from(value.prefix().starts_with('!'));
            work.shell(after(&value, skipped), setting.site);
        }
    }
    for name in VARIABLES {
        let value = work.invocation.variable(name).flatten().cloned();
        if let Some(value) = value.filter(|value| value.known() != Some("")) {
            work.shell(value, work.invocation.site);
        }
    }
    let others = work.invocation.variable("GIT_EXEC_PATH").flatten().is_some();
    let template = work.invocation.variable("GIT_TEMPLATE_DIR").flatten().is_some();
    if others || (template && matches!(work.name, "init" | "clone")) {
        work.effect(super::Effect::RunsCode, work.invocation.site);
        work.unknown();
    }
}
