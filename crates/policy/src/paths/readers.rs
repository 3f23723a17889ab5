//! Programs that only read their operands.

use crate::argument::Arg;
use crate::arguments::{Takes, parse as parse_options};
use crate::invocation::Invocation;

/// Programs that only read the files they are given.
const READERS: &[&str] = &[
    ".",
    "[",
    "[[",
    "ag",
    "ack",
    "alias",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "bat",
    "batcat",
    "bind",
    "builtin",
    "cat",
    "cd",
    "chdir",
    "cksum",
    "cmp",
    "column",
    "comm",
    "command",
    "cut",
    "declare",
    "delta",
    "df",
    "diff",
    "diff3",
    "dirname",
    "dirs",
    "du",
    "echo",
    "egrep",
    "env",
    "eval",
    "exa",
    "exec",
    "expand",
    "export",
    "expr",
    "eza",
    "fd",
    "fdfind",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "getfacl",
    "getfattr",
    "grep",
    "head",
    "hexdump",
    "hexyl",
    "iconv",
    "id",
    "jq",
    "less",
    "let",
    "ll",
    "local",
    "locate",
    "ls",
    "lsattr",
    "lsd",
    "lsof",
    "md5sum",
    "more",
    "most",
    "namei",
    "nl",
    "od",
    "paste",
    "pathchk",
    "popd",
    "pr",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "rev",
    "rg",
    "set",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shellcheck",
    "shopt",
    "sleep",
    "source",
    "ssh",
    "ssh-add",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "test",
    "tldr",
    "tokei",
    "tr",
    "trap",
    "tree",
    "true",
    "false",
    "type",
    "typeset",
    "ugrep",
    "unexpand",
    "unset",
    "vdir",
    "dir",
    "wc",
    "which",
    "whereis",
    "zcat",
    "zgrep",
    "zless",
    "tsort",
    "man",
    "cloc",
    "xargs",
    "sudo",
    "doas",
    "nohup",
    "timeout",
    "nice",
    "ionice",
    "stdbuf",
    "setsid",
];

/// Programs that only read unless one of these options is given.
const UNLESS: &[(&str, &[&str])] = &[
    ("sed", &["-i", "--in-place"]),
    ("gsed", &["-i", "--in-place"]),
    ("find", &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ("sort", &["-o", "--output"]),
    ("awk", &["-i"]),
    ("gawk", &["-i"]),
    ("mawk", &["-i"]),
    ("yq", &["-i", "--inplace"]),
    ("ssh-keygen", &["-f", "-R", "-p"]),
    ("time", &["-o", "--output"]),
];

/// Programs that only write to their last operand.
const COPIERS: &[&str] = &["cp", "gcp", "install", "ginstall", "scp", "rsync"];

/// The arguments that may name files that a program writes.
pub(crate) fn written(invocation: &Invocation) -> Vec<&Arg> {
    let args = invocation.argv.get(1..).unwrap_or_default();
    if is_reader(invocation) {
        return Vec::new();
    }
    let parsed = parse_options(args, &Takes::default());
    let is_copier = invocation.program().is_some_and(|name| COPIERS.contains(&name));
    // With an option for the target any argument may be it, and so may one that is unknown.
    let names_target = ["-t", "--target-directory"]
        .iter()
        .any(|name| parsed.maybe(name).is_some() || parsed.options.iter().any(|given| given.is(name)));
    match parsed.operands.last() {
        Some(last) if is_copier && !names_target => vec![*last],
        _ => args.iter().collect(),
    }
}

/// Whether a program only reads its operands. Wrappers are: what they start is an invocation of its own.
fn is_reader(invocation: &Invocation) -> bool {
    if let Some(git) = &invocation.git {
        // What git itself changes is judged as an effect.
        return git.effects.is_empty() && git.command.as_deref() != Some("config")
            || git.command.as_deref() == Some("add");
    }
    let Some(name) = invocation.program() else { return false };
    if let Some((_, options)) = UNLESS.iter().find(|(known, _)| *known == name) {
        let parsed = parse_options(invocation.argv.get(1..).unwrap_or_default(), &Takes::default());
        let is_given =
            |option: &&str| parsed.options.iter().any(|given| given.is(option)) || parsed.maybe(option).is_some();
        return !options.iter().any(is_given);
    }
    READERS.contains(&name)
}

/// Programs that open none of their arguments.
const TEXT: &[&str] = &[
    ":", "[", "alias", "basename", "cd", "declare", "dirname", "echo", "exit", "export", "expr", "false", "kill",
    "let", "local", "mkdir", "printf", "pwd", "read", "readonly", "return", "rm", "rmdir", "set", "shift", "sleep",
    "test", "touch", "true", "type", "unset", "which",
];

/// Whether the arguments of a program are no files that it reads.
pub(crate) fn takes_text(program: &str) -> bool {
    TEXT.contains(&program)
}

/// Whether a program only reads the files that it is given, and starts nothing.
pub(crate) fn only_reads(program: &str) -> bool {
    READERS.contains(&program)
}
