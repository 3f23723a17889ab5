//! Programs that run code of another language.

/// An interpreter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interpreter {
    /// Its names, without versions.
    pub names: &'static [&'static str],
    /// Letters of options whose value is code. They may stand in a cluster.
    pub code: &'static str,
    /// Long options whose value is code.
    pub long_code: &'static [&'static str],
    /// Letters of other options with a value.
    pub values: &'static str,
    /// Long ones.
    pub long_values: &'static [&'static str],
    /// Whether the first argument behind the options is code, as for awk, unless an option named a file.
    pub takes_code: bool,
    /// Whether it reads code from the standard input when no argument names any.
    pub reads_code: bool,
    /// Words in code that can change files or start programs.
    pub risky: &'static [&'static str],
}

const PYTHON: &[&str] = &[
    "subprocess",
    "shutil",
    "pathlib",
    "exec",
    "eval",
    "compile",
    "__import__",
    "__builtins__",
    "getattr",
    "globals",
    "importlib",
    "ctypes",
    "socket",
    "urllib",
    "requests",
    "httpx",
    "http.client",
    "pty",
    "open",
    "system",
    "popen",
    "spawn",
    "unlink",
    "remove",
    "rmtree",
    "rmdir",
    "rename",
    "replace(",
    "chmod",
    "chown",
    "write",
    "kill",
    "fork",
    "posix",
    "mkdir",
    "symlink",
    "truncate",
    "pickle",
    "marshal",
    "base64",
    "codecs",
    "os as",
    "from os",
    "sh ",
    "pip",
    "runpy",
    "input(",
];
const NODE: &[&str] = &[
    "child_process",
    "exec",
    "spawn",
    "fork",
    "fs",
    "unlink",
    "rm(",
    "rmSync",
    "writeFile",
    "eval",
    "Function",
    "import(",
    "process.binding",
    "process.kill",
    "process.dlopen",
    "module",
    "vm",
    "worker_threads",
    "Buffer.from",
    "atob",
    "fetch",
    "net",
    "http",
    "Deno",
    "Bun",
    "globalThis",
    "constructor",
    "createRequire",
    "$`",
];
const PERL: &[&str] = &[
    "system", "exec", "unlink", "rmdir", "rename", "qx", "`", "open", "eval", "do ", "require", "use ", "syscall",
    "kill", "fork", "chmod", "chown", "truncate", "link", "mkdir", "/e", "socket", "pack", "glob", "<$", "->", "&{",
];
const RUBY: &[&str] = &[
    "system",
    "exec",
    "spawn",
    "`",
    "%x",
    "File",
    "FileUtils",
    "Dir",
    "IO",
    "open",
    "eval",
    "send",
    "require",
    "Kernel",
    "Process",
    "unlink",
    "delete",
    "popen",
    "fork",
    "instance_",
    "const_get",
    "syscall",
    "load",
    "Socket",
    "Net",
    "Marshal",
    "Base64",
    "unpack",
    "method(",
];
const PHP: &[&str] = &[
    "exec",
    "system",
    "passthru",
    "popen",
    "proc_open",
    "`",
    "eval",
    "unlink",
    "rmdir",
    "rename",
    "file_put",
    "fopen",
    "fwrite",
    "include",
    "require",
    "assert",
    "create_function",
    "call_user",
    "pcntl",
    "copy",
    "chmod",
    "symlink",
    "curl",
    "base64",
    "preg_replace",
    "$_",
    "mail",
    "dl(",
    "ffi",
    "array_map",
    "touch",
    "mkdir",
];
const AWK: &[&str] = &["system", "|", "getline", ">", "close", "@load", "@include", "@"];
/// Everything: of these nothing is known to be harmless.
const ANY: &[&str] = &[""];

const fn row(names: &'static [&'static str], code: &'static str, risky: &'static [&'static str]) -> Interpreter {
    Interpreter {
        names,
        code,
        long_code: &[],
        values: "",
        long_values: &[],
        takes_code: false,
        reads_code: true,
        risky,
    }
}

/// All of them.
pub(crate) const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        values: "mWXQ",
        long_values: &["check-hash-based-pycs"],
        ..row(&["python", "pypy", "ipython", "bpython"], "c", PYTHON)
    },
    Interpreter {
        long_code: &["eval", "print"],
        long_values: &["require", "import", "loader", "experimental-loader", "env-file", "conditions", "input-type"],
        values: "rC",
        ..row(&["node", "nodejs"], "ep", NODE)
    },
    Interpreter { long_code: &["eval", "print"], ..row(&["bun", "tsx", "ts-node", "esno", "qjs"], "ep", NODE) },
    Interpreter { reads_code: false, ..row(&["deno"], "", NODE) },
    Interpreter { values: "IMmDCixlF", ..row(&["perl"], "eE", PERL) },
    Interpreter { values: "ICrEFKxT", ..row(&["ruby", "jruby", "irb"], "e", RUBY) },
    Interpreter {
        long_code: &["run", "process-code", "process-begin", "process-end"],
        values: "cdfzSt",
        ..row(&["php"], "rBRE", PHP)
    },
    Interpreter {
        long_code: &["source"],
        long_values: &["field-separator", "assign", "file"],
        values: "Fvfi",
        takes_code: true,
        reads_code: false,
        ..row(&["awk", "gawk", "mawk", "nawk"], "e", AWK)
    },
    row(&["lua", "luajit", "texlua"], "e", ANY),
    row(
        &[
            "Rscript",
            "R",
            "julia",
            "elixir",
            "erl",
            "ghc",
            "runghc",
            "groovy",
            "scala",
            "kotlin",
            "guile",
            "racket",
            "sbcl",
            "clojure",
            "swift",
            "osascript",
        ],
        "eE",
        ANY,
    ),
    row(&["tclsh", "wish", "expect"], "c", ANY),
    row(&["pwsh", "powershell"], "c", ANY),
    row(&["fish", "nu", "xonsh", "elvish", "csh", "tcsh"], "c", ANY),
    Interpreter { values: "ix", reads_code: true, ..row(&["gdb", "lldb"], "", ANY) },
];

/// The row of a program, whatever its version: `python3.11` is python.
pub(crate) fn of(name: &str) -> Option<&'static Interpreter> {
    let plain = name.trim_end_matches(|ch: char| ch.is_ascii_digit() || ch == '.' || ch == '-');
    let plain = if plain.is_empty() { name } else { plain };
    INTERPRETERS.iter().find(|row| row.names.contains(&name) || row.names.contains(&plain))
}

/// A program that does what its input says, whatever its operands are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    /// Its names.
    pub names: &'static [&'static str],
    /// Without one of these arguments it reads something else; empty for always.
    pub argument: &'static [&'static str],
    /// Words in its input that can change files or start programs.
    pub risky: &'static [&'static str],
}

/// All of them.
pub(crate) const READERS: &[Reader] = &[
    Reader { names: &["ed", "red", "ex"], argument: &[], risky: &["!", "w ", "e ", "r "] },
    Reader { names: &["make", "gmake"], argument: &["-", "-f-", "/dev/stdin"], risky: ANY },
    Reader { names: &["crontab"], argument: &["-"], risky: ANY },
    Reader { names: &["sqlite3"], argument: &[], risky: &[".shell", ".system", ".output", ".once", "load_extension"] },
    Reader { names: &["psql"], argument: &[], risky: &["\\!", "\\o", "program"] },
    Reader { names: &["mysql", "mariadb"], argument: &[], risky: &["\\!", "system ", "source "] },
    Reader { names: &["deno", "bun"], argument: &["-"], risky: NODE },
    Reader { names: &["vim", "nvim", "vi"], argument: &["-", "/dev/stdin"], risky: ANY },
    Reader {
        names: &["gdb", "lldb", "ftp", "sftp", "telnet", "mail"],
        argument: &[],
        risky: &["!", "shell ", "system", "python"],
    },
];

/// The shells, and how they read: `sh` may be any of them.
pub(crate) const SHELLS: &[&str] =
    &["bash", "sh", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "rbash", "rzsh", "yash", "posh", "oksh", "loksh"];
