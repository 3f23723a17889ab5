//! Programs that start the program that their arguments name.

use super::options::Options;

/// A program that starts another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapper {
    /// Its names.
    pub names: &'static [&'static str],
    /// Its options.
    pub options: Options,
    /// How many arguments stand between the options and the other program.
    pub skips: usize,
    /// What is behind that.
    pub then: Then,
}

/// What a wrapper starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The program with its arguments.
    Program,
    /// The same behind assignments of variables.
    Assignments,
    /// The arguments, joined by blanks, are for a shell.
    Shell,
    /// A program, but only if there is one: else a shell that reads the standard input.
    ProgramOrShell,
}

const fn row(names: &'static [&'static str], options: Options, skips: usize, then: Then) -> Wrapper {
    Wrapper { names, options, skips, then }
}

/// All of them.
pub(crate) const WRAPPERS: &[Wrapper] = &[
    row(
        &["env"],
        Options::short("i0v", "uCS").long(
            &[
                "ignore-environment",
                "null",
                "debug",
                "list-signal-handling",
                "block-signal",
                "default-signal",
                "ignore-signal",
            ],
            &["unset", "chdir", "split-string", "argv0"],
        ),
        0,
        Then::Assignments,
    ),
    row(
        &["sudo"],
        Options::short("ABbEeHiKklnPSsVv", "CDghpRrtTuU").long(
            &[
                "askpass",
                "bell",
                "background",
                "preserve-env",
                "edit",
                "set-home",
                "login",
                "remove-timestamp",
                "reset-timestamp",
                "list",
                "non-interactive",
                "preserve-groups",
                "stdin",
                "shell",
                "validate",
            ],
            &[
                "close-from",
                "chdir",
                "group",
                "host",
                "prompt",
                "chroot",
                "role",
                "type",
                "command-timeout",
                "user",
                "other-user",
            ],
        ),
        0,
        Then::Assignments,
    ),
    row(&["doas"], Options::short("Lns", "aCu"), 0, Then::Assignments),
    row(&["pkexec"], Options::NONE.long(&["disable-internal-agent", "keep-cwd"], &["user"]), 0, Then::Program),
    row(
        &["run0", "systemd-run"],
        Options::short("GrtPqdSh", "HMupDgE").long(
            &[
                "scope",
                "remain-after-exit",
                "send-sighup",
                "no-block",
                "wait",
                "same-dir",
                "pty",
                "pipe",
                "quiet",
                "collect",
                "shell",
                "user",
                "system",
                "no-ask-password",
            ],
            &[
                "unit",
                "property",
                "description",
                "slice",
                "service-type",
                "uid",
                "gid",
                "nice",
                "working-directory",
                "setenv",
                "on-active",
                "on-boot",
                "on-calendar",
                "machine",
                "host",
                "background",
            ],
        ),
        0,
        Then::Program,
    ),
    row(
        &["nohup", "setsid", "unbuffer"],
        Options::short("cfwp", "").long(&["ctty", "fork", "wait"], &[]),
        0,
        Then::Program,
    ),
    row(
        &["time", "gtime"],
        Options::short("apqvlhV", "fo").long(&["append", "portability", "quiet", "verbose"], &["format", "output"]),
        0,
        Then::Program,
    ),
    row(
        &["timeout", "gtimeout"],
        Options::short("vfp", "ks").long(&["foreground", "preserve-status", "verbose"], &["kill-after", "signal"]),
        1,
        Then::Program,
    ),
    row(&["nice", "gnice"], Options::short("0123456789", "n").long(&[], &["adjustment"]), 0, Then::Program),
    row(
        &["ionice"],
        Options::short("t", "cnpPu").long(&["ignore"], &["class", "classdata", "pid", "pgid", "uid"]),
        0,
        Then::Program,
    ),
    row(&["stdbuf"], Options::short("", "ioe").long(&[], &["input", "output", "error"]), 0, Then::Program),
    row(
        &["chrt"],
        Options::short("abfiordmvR", "pTPD")
            .long(&["all-tasks", "batch", "fifo", "idle", "other", "rr", "deadline", "reset-on-fork"], &[]),
        1,
        Then::Program,
    ),
    row(&["taskset"], Options::short("apc", "").long(&["all-tasks", "pid", "cpu-list"], &[]), 1, Then::Program),
    row(&["caffeinate"], Options::short("dimsu", "tw"), 0, Then::Program),
    row(&["chroot", "fakechroot"], Options::NONE.long(&["skip-chdir"], &["groups", "userspec"]), 1, Then::Program),
    row(&["fakeroot"], Options::short("uhv", "lisbf").long(&["unknown-is-real"], &["lib", "faked"]), 0, Then::Program),
    row(
        &["unshare"],
        Options::short("iInmpuUCTcfr", "SGRw").long(
            &[
                "mount",
                "uts",
                "ipc",
                "net",
                "pid",
                "user",
                "cgroup",
                "time",
                "fork",
                "map-root-user",
                "map-current-user",
                "mount-proc",
                "kill-child",
            ],
            &["propagation", "setgroups", "root", "wd", "setuid", "setgid", "map-user", "map-group"],
        ),
        0,
        Then::ProgramOrShell,
    ),
    row(
        &["nsenter"],
        Options::short("amuinpCUTFrwhV", "tSG").long(
            &["all", "mount", "uts", "ipc", "net", "pid", "user", "no-fork", "preserve-credentials"],
            &["target", "setuid", "setgid"],
        ),
        0,
        Then::ProgramOrShell,
    ),
    row(
        &["strace", "ltrace"],
        Options::short("cCdfFhikqrtTvVwxyYznDSL", "abeEIoOpPsuUX").long(&["follow-forks"], &["trace", "output", "env"]),
        0,
        Then::Program,
    ),
    row(&["valgrind", "heaptrack"], Options::short("v", ""), 0, Then::Program),
    row(
        &["xvfb-run"],
        Options::short("ahl", "efnpsw").long(
            &["auto-servernum", "auto-display"],
            &["error-file", "auth-file", "server-num", "server-args", "wait"],
        ),
        0,
        Then::Program,
    ),
    row(
        &["dbus-run-session", "dbus-launch"],
        Options::NONE.long(&["exit-with-session"], &["config-file", "dbus-daemon"]),
        0,
        Then::Program,
    ),
    row(
        &[
            "proxychains",
            "proxychains4",
            "torsocks",
            "torify",
            "catchsegv",
            "gosu",
            "su-exec",
            "setuidgid",
            "tini",
            "dumb-init",
            "catatonit",
            "rlwrap",
            "eatmydata",
            "nocache",
            "chronic",
            "run-one",
            "ifne",
            "busybox",
            "toybox",
            "winpty",
            "sem",
        ],
        Options::short("qsvg", ""),
        0,
        Then::Program,
    ),
    row(
        &["prlimit", "numactl", "cpulimit", "chpst", "softlimit", "firejail", "bwrap"],
        Options::NONE,
        0,
        Then::Program,
    ),
    row(
        &["setpriv"],
        Options::short("dhV", "").long(
            &["no-new-privs", "clear-groups", "keep-groups", "init-groups", "reset-env", "dump", "nnp"],
            &[
                "ruid",
                "euid",
                "rgid",
                "egid",
                "reuid",
                "regid",
                "groups",
                "inh-caps",
                "ambient-caps",
                "bounding-set",
                "securebits",
                "pdeathsig",
                "selinux-label",
            ],
        ),
        0,
        Then::Program,
    ),
    row(
        &["x86_64", "i386", "i686", "linux32", "linux64", "uname26"],
        Options::short("vhRFZLXBIST3", ""),
        0,
        Then::Program,
    ),
    row(&["choom"], Options::short("", "np"), 0, Then::Program),
    row(&["ssh-agent", "dbus-launch"], Options::short("csdDk", "aEPtO"), 0, Then::Program),
    row(
        &["trickle", "s6-setuidgid", "dzdo", "calife", "please", "uclampset", "pee", "entr", "sshpass", "stdoutisatty"],
        Options::short("savnrcdp", "udlwtL"),
        0,
        Then::Program,
    ),
    row(
        &["watch"],
        Options::short("bcCdeghprtvwx", "nqs").long(
            &[
                "beep",
                "color",
                "no-color",
                "differences",
                "errexit",
                "chgexit",
                "precise",
                "no-rerun",
                "no-title",
                "no-wrap",
                "exec",
            ],
            &["interval", "equexit", "shotsdir"],
        ),
        0,
        Then::Shell,
    ),
];

/// The row of a program.
pub(crate) fn of(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|row| row.names.contains(&name))
}
