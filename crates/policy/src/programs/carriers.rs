//! Options of programs whose value is run, and code that may start others.

/// What an option carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carries {
    /// A text for a shell.
    Shell,
    /// A program and its arguments, up to the end or `;`.
    Program,
    /// Code that can start programs.
    Code,
}

/// An option of a program whose value is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrier {
    /// The programs.
    pub programs: &'static [&'static str],
    /// How the argument starts: the option as it is written. With `=` or a letter the value may follow at once, else it is
    /// the next argument.
    pub option: &'static str,
    /// What precedes the part of the value that is run, as `exec=`.
    pub prefix: &'static str,
    /// What it is.
    pub carries: Carries,
}

const fn row(
    programs: &'static [&'static str],
    option: &'static str,
    prefix: &'static str,
    carries: Carries,
) -> Carrier {
    Carrier { programs, option, prefix, carries }
}

use Carries::{Code, Program, Shell};

/// All of them.
pub(crate) const CARRIERS: &[Carrier] = &[
    row(&["tar", "gtar", "bsdtar"], "--checkpoint-action", "exec=", Shell),
    row(&["tar", "gtar", "bsdtar"], "--to-command", "", Shell),
    row(&["tar", "gtar", "bsdtar"], "--use-compress-program", "", Shell),
    row(&["tar", "gtar"], "--info-script", "", Shell),
    row(&["tar", "gtar"], "--new-volume-script", "", Shell),
    row(&["tar", "gtar"], "-I", "", Shell),
    row(&["rsync"], "-e", "", Shell),
    row(&["rsync"], "--rsh", "", Shell),
    row(&["rsync"], "--rsync-path", "", Shell),
    row(&["scp", "sftp"], "-S", "", Shell),
    row(&["ssh", "scp", "sftp"], "-oProxyCommand", "", Shell),
    row(&["ssh", "scp", "sftp"], "-oLocalCommand", "", Shell),
    row(&["ssh", "scp", "sftp"], "-oKnownHostsCommand", "", Shell),
    row(&["ssh", "scp", "sftp"], "-o", "ProxyCommand=", Shell),
    row(&["ssh", "scp", "sftp"], "-o", "LocalCommand=", Shell),
    row(&["ssh", "scp", "sftp"], "-o", "KnownHostsCommand=", Shell),
    row(&["su", "runuser", "script", "sg", "npx", "npm", "pnpm", "yarn", "bunx", "scriptreplay"], "-c", "", Shell),
    row(&["su", "runuser"], "--command", "", Shell),
    row(&["script"], "--command", "", Shell),
    row(&["npx", "npm"], "--call", "", Shell),
    row(&["flock"], "-c", "", Shell),
    row(&["flock"], "--command", "", Shell),
    row(&["make", "gmake"], "--eval", "", Code),
    row(&["sort", "gsort"], "--compress-program", "", Shell),
    row(&["man"], "-P", "", Shell),
    row(&["man"], "--pager", "", Shell),
    row(&["rg"], "--pre", "", Program),
    row(&["rg"], "--hostname-bin", "", Program),
    row(&["fd", "fdfind"], "-x", "", Program),
    row(&["fd", "fdfind"], "-X", "", Program),
    row(&["fd", "fdfind"], "--exec", "", Program),
    row(&["fd", "fdfind"], "--exec-batch", "", Program),
    row(&["split", "gsplit"], "--filter", "", Shell),
    row(&["nix-shell"], "--run", "", Shell),
    row(&["nix-shell"], "--command", "", Shell),
    row(&["capsh"], "-c", "", Shell),
    row(&["ssh", "scp", "sftp"], "-o", "ProxyCommand ", Shell),
    row(&["ssh", "scp", "sftp"], "-o", "LocalCommand ", Shell),
    row(&["tmux"], "new", "", Shell),
    row(&["tmux"], "neww", "", Shell),
    row(&["tmux"], "splitw", "", Shell),
    row(&["tmux"], "run", "", Shell),
    row(&["gdb", "lldb"], "-ex", "", Code),
    row(&["gdb", "lldb"], "--eval-command", "", Code),
    row(&["vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim"], "+", "", Code),
    row(&["vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim"], "-s", "", Code),
    row(&["compgen", "complete"], "-W", "", Code),
    row(&["zip"], "-TT", "", Shell),
    row(&["zip"], "--unzip-command", "", Shell),
    row(&["nc", "ncat", "netcat"], "-e", "", Shell),
    row(&["nc", "ncat", "netcat"], "-c", "", Shell),
    row(&["ncat"], "--exec", "", Shell),
    row(&["ncat"], "--sh-exec", "", Shell),
    row(&["xterm", "urxvt", "alacritty", "konsole", "gnome-terminal", "kitty", "foot"], "-e", "", Program),
    row(&["vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim"], "-c", "", Code),
    row(&["vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim"], "--cmd", "", Code),
    row(&["vim", "vi", "nvim", "ex", "view", "vimdiff", "gvim"], "-S", "", Code),
    row(&["emacs", "emacsclient"], "--eval", "", Code),
    row(&["emacs", "emacsclient"], "--execute", "", Code),
    row(&["emacs"], "--load", "", Code),
    row(&["emacs"], "--script", "", Code),
    row(&["less", "more"], "+!", "", Shell),
    row(&["tmux"], "new-session", "", Shell),
    row(&["tmux"], "new-window", "", Shell),
    row(&["tmux"], "split-window", "", Shell),
    row(&["tmux"], "run-shell", "", Shell),
    row(&["tmux"], "send-keys", "", Code),
    row(&["screen"], "-X", "", Code),
    row(&["entr"], "-s", "", Shell),
    row(&["watchexec"], "--", "", Program),
    row(&["nodemon"], "--exec", "", Shell),
    row(&["nodemon"], "-x", "", Shell),
    row(&["mapfile", "readarray"], "-C", "", Shell),
    row(&["complete", "compgen"], "-C", "", Shell),
    row(&["socat"], "EXEC:", "", Shell),
    row(&["socat"], "SYSTEM:", "", Shell),
    row(&["sqlite3"], ".shell", "", Code),
    row(&["sqlite3"], ".system", "", Code),
    row(&["psql"], "\\!", "", Code),
];
