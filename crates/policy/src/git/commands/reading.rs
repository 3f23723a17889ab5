//! What changes nothing in a repository, and what of it starts other programs.

use super::super::options::End;
use super::super::words::quoted;
use crate::text::Text;

use super::super::Effect;
use super::{Row, When, Work};

/// Commands that only read, or write what no branch leads to.
pub(super) const NAMES: &[&str] = &[
    "annotate",
    "blame",
    "bugreport",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "column",
    "commit-graph",
    "commit-tree",
    "count-objects",
    "credential",
    "credential-cache",
    "credential-store",
    "daemon",
    "describe",
    "diagnose",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fast-export",
    "fmt-merge-msg",
    "for-each-ref",
    "format-patch",
    "fsck",
    "fsck-objects",
    "get-tar-commit-id",
    "gitk",
    "gitweb",
    "hash-object",
    "help",
    "http-backend",
    "http-fetch",
    "imap-send",
    "index-pack",
    "instaweb",
    "interpret-trailers",
    "log",
    "ls-files",
    "ls-tree",
    "mailinfo",
    "mailsplit",
    "merge-base",
    "merge-file",
    "merge-one-file",
    "merge-ours",
    "merge-recursive",
    "merge-resolve",
    "merge-octopus",
    "merge-subtree",
    "merge-tree",
    "mktag",
    "mktree",
    "multi-pack-index",
    "name-rev",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "patch-id",
    "pickaxe",
    "prune-packed",
    "range-diff",
    "refs",
    "repack",
    "request-pull",
    "rerere",
    "rev-list",
    "rev-parse",
    "send-email",
    "sh-i18n",
    "sh-setup",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "status",
    "stripspace",
    "unpack-file",
    "update-server-info",
    "upload-archive",
    "upload-pack",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "web--browse",
    "whatchanged",
    "write-tree",
];

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["difftool", "mergetool"],
        options: "x extcmd=, t tool=, g gui, y no-prompt, prompt, d dir-diff, tool-help, trust-exit-code, symlinks, O=",
        end: End::Dashes,
        effects: &[],
        act: tool,
    },
    Row {
        names: &["grep"],
        options: "cached, no-index, untracked, exclude-standard, recurse-submodules, v invert-match, i ignore-case, \
            w word-regexp, a text, I, textconv, r recursive, max-depth=, E extended-regexp, G basic-regexp, \
            F fixed-strings, P perl-regexp, n line-number, column, h, H, full-name, l files-with-matches name-only, \
            L files-without-match, z null, o only-matching, c count, color=?, break, heading, C context=, \
            B before-context=, A after-context=, threads=, p show-function, W function-context, f=, e=, and, or, not, \
            q quiet, all-match, O open-files-in-pager=?, ext-grep, m max-count=, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
        end: End::Dashes,
        effects: &[],
        act: grep,
    },
    Row { names: &["merge-index"], options: "o, q, a", end: End::Operand, effects: &[], act: first_program },
    Row {
        names: &["hook"],
        options: "ignore-missing, to-stdin=, allow-unknown-hook-name",
        end: End::Dashes,
        effects: &[(When::First(&["run"]), Effect::RunsCode)],
        act: super::only,
    },
    Row { names: &["for-each-repo"], options: "config=, keep-going", end: End::Operand, effects: &[], act: each },
    Row { names: &["shell"], options: "c=", end: End::Operand, effects: &[], act: shell },
    Row { names: &["remote-ext", "remote-fd"], options: "", end: End::Operand, effects: &[], act: transport },
];

/// The options of what it compares are not read here, and decide nothing.
fn tool(work: &mut Work<'_>) {
    work.shells(&["extcmd"]);
    work.parsed.is_unknown =
        work.arguments.iter().any(|argument| argument.text.prefix().is_empty() && argument.is_many);
}

fn grep(work: &mut Work<'_>) {
    work.shells(&["open-files-in-pager"]);
    // Others decide nothing.
    work.parsed.is_unknown = false;
}

fn first_program(work: &mut Work<'_>) {
    let argv = work.parsed.operands.clone();
    work.program(argv);
}

/// `git for-each-repo --config=x commit` is a command of git in other repositories.
fn each(work: &mut Work<'_>) {
    let Some(first) = work.parsed.operands.first() else { return };
    let mut argv = vec![super::stage::made("git", first.site)];
    argv.extend(work.parsed.operands.clone());
    work.program(argv);
    work.unknown();
}

fn shell(work: &mut Work<'_>) {
    work.shells(&["c"]);
}

fn transport(work: &mut Work<'_>) {
    work.parsed.is_unknown = false;
    let Some(command) = work.parsed.operands.get(1).cloned() else { return };
    if work.name == "remote-ext" {
        work.shell(command.text, command.site);
    }
}

/// A text for a shell: a command with arguments behind it.
pub(in crate::git) fn with_arguments(command: &Text, arguments: &[crate::argument::Arg]) -> Text {
    let mut text = command.clone();
    for argument in arguments {
        text.append(&Text::new(" "));
        // What may be several words stays so.
        let word = if argument.is_many { argument.text.clone() } else { quoted(&argument.text) };
        text.append(&word);
    }
    text
}
