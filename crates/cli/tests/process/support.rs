//! A home and a working directory of its own for each test, and the program in it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;
use tau_session::Session;
use tempfile::TempDir;

/// What a warning about files of an untrusted project ends with.
pub const TRUST_ADVICE: &str =
    " Start with --approve to load them for this run, or trust the project with `tau -p \"/trust yes\"`.";

/// A place to run tau in: nothing of the user's is visible, nothing of it is left.
pub struct Place {
    _dir: TempDir,
    root: PathBuf,
}

/// A run that is over.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A run to come.
pub struct Tau {
    command: Command,
    stdin: Vec<u8>,
    /// What stands in front of the program's own output.
    prelude: &'static str,
}

impl Place {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().canonicalize().expect("its real path");
        for sub in ["home", "agent", "work"] {
            std::fs::create_dir(root.join(sub)).expect("a directory");
        }
        Self { _dir: dir, root }
    }

    /// The root of everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory tau works in.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Writes a file; `path` starts at the root: `work/…`, `agent/…`, `home/…`.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Writes a program for the shell, in `bin`.
    pub fn program(&self, name: &str, lines: &str) -> PathBuf {
        let path = self.write(&format!("bin/{name}"), format!("#!/bin/sh\n{lines}\n"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("a program");
        path
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).expect("a readable file")
    }

    /// Whether a file is there and contains a text: what a program writes in its own time.
    pub fn contains(&self, path: &str, text: &str) -> bool {
        std::fs::read_to_string(self.root.join(path)).is_ok_and(|content| content.contains(text))
    }

    /// tau with these arguments, and with an environment of its own.
    pub fn tau<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Tau {
        let mut command = self.command(env!("CARGO_BIN_EXE_tau").as_ref());
        command.args(args);
        Tau { command, stdin: Vec::new(), prelude: "" }
    }

    /// As [`Place::play`], but a tau with a stand-in for a script engine: see `extensions::program`.
    pub fn play_with_scripts(&self, script: &str, args: &[&str]) -> Tau {
        let path = self.write("script.yaml", script).display().to_string();
        let args: Vec<&str> = ["--script", &path].into_iter().chain(args.iter().copied()).collect();
        self.tau_with_scripts(&args)
    }

    /// As [`Place::tau`], but with a stand-in for a script engine.
    pub fn tau_with_scripts(&self, args: &[&str]) -> Tau {
        let mut command = self.command(&std::env::current_exe().expect("this very program"));
        command.args(["process::extensions::program", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        command.env("TAU_TEST_ARGS", serde_json::to_string(&args).expect("JSON"));
        Tau { command, stdin: Vec::new(), prelude: "\nrunning 1 test\ntest process::extensions::program ... " }
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.root.join("home")).env("PI_CODING_AGENT_DIR", self.root.join("agent"));
        // A model server that runs beside the tests is none of theirs.
        command.env("TAU_LOCAL_SERVERS", "");
        command.current_dir(self.work());
        command
    }

    /// tau with a script in place of a model. Put `-p` or `--mode json` into the arguments.
    pub fn play<S: AsRef<OsStr>>(&self, script: &str, args: impl IntoIterator<Item = S>) -> Tau {
        let path = self.write("script.yaml", script);
        let mut tau = self.tau([OsStr::new("--script"), path.as_os_str()]);
        tau.command.args(args);
        tau
    }

    /// The session files below the agent directory, oldest first.
    pub fn session_files(&self) -> Vec<PathBuf> {
        files_below(&self.root.join("agent/sessions"))
    }

    /// The one session there is.
    pub fn session(&self) -> Session {
        let files = self.session_files();
        let [file] = &files[..] else { panic!("one session file: {files:?}") };
        Session::open(file).expect("a session")
    }

    /// Text with what differs from run to run replaced.
    pub fn normal(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), "/ROOT")
    }
}

/// All session files below a directory, in the order of their names.
pub fn files_below(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a directory entry").path())
        .flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}

/// The texts of a session's messages, each with its role.
pub fn transcript(session: &Session) -> Vec<String> {
    let messages = session.context().messages;
    messages.iter().map(|item| line(&serde_json::to_value(&*item.message).expect("JSON"))).collect()
}

fn line(message: &Value) -> String {
    let mut line = message["role"].as_str().unwrap_or_default().to_owned();
    for block in message["content"].as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("text") => write!(line, ": {}", block["text"].as_str().unwrap_or_default()),
            Some("toolCall") => write!(line, ": [{}]", block["name"].as_str().unwrap_or_default()),
            other => write!(line, ": <{}>", other.unwrap_or_default()),
        }
        .expect("a string takes everything");
    }
    if let Some(reason @ ("error" | "aborted")) = message["stopReason"].as_str() {
        write!(line, " ({reason})").expect("a string takes everything");
    }
    line
}

impl Tau {
    pub fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = text.as_ref().to_vec();
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// In another directory.
    pub fn within(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// As the background of a script runs it: with these signals ignored.
    pub fn ignoring(self, signals: &str) -> Self {
        self.behind(&format!("trap '' {signals}"))
    }

    /// In a process whose new files have the permissions that they are created with, but for these bits.
    pub fn with_umask(self, mask: &str) -> Self {
        self.behind(&format!("umask {mask}"))
    }

    /// In a process that may not write files larger than so many blocks of 512 bytes, which is what a full disk looks like.
    pub fn limited_to(self, blocks: u32) -> Self {
        self.behind(&format!("ulimit -f {blocks}"))
    }

    /// At the head of a terminal session of its own, after a shell did something first. A terminal that the shell opens is
    /// the program's controlling terminal; without one it has none.
    pub fn leading_a_session(self, first: &str) -> Self {
        self.behind(first).started_by("setsid", &[])
    }

    /// At the head of a session whose controlling terminal is the one that it is started at, as shells start programs.
    pub fn leading_its_terminal(self) -> Self {
        self.started_by("setsid", &["--ctty"])
    }

    /// Started by a shell that does something first.
    fn behind(self, first: &str) -> Self {
        self.started_by("sh", &["-c", &format!("{first}; exec \"$@\""), "sh"])
    }

    /// Started by another program, which becomes it.
    fn started_by(mut self, program: &str, args: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(args).arg(self.command.get_program()).args(self.command.get_args());
        command.env_clear().envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(self.command.get_current_dir().expect("a directory"));
        self.command = command;
        self
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Done {
        let mut child = self.spawn();
        // A program that ends without reading is for the test to judge.
        let _ = child.stdin.take().expect("a pipe").write_all(&self.stdin);
        let output = child.wait_with_output().expect("its output");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let stdout = text(output.stdout);
        let stdout = stdout.strip_prefix(self.prelude).expect("the prelude").to_owned();
        Done { code: output.status.code(), stdout, stderr: text(output.stderr) }
    }

    /// Starts it; its standard input is open, both outputs are pipes.
    pub fn spawn(&mut self) -> Child {
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().expect("tau starts")
    }

    /// As [`Tau::spawn`], with standard input and standard error at a terminal.
    pub fn spawn_in_terminal(&mut self, terminal: std::os::fd::OwnedFd) -> Child {
        let input = terminal.try_clone().expect("the same terminal");
        let child = self.command.stdin(input).stderr(terminal).stdout(Stdio::piped()).spawn().expect("tau starts");
        // The command would keep the terminal open.
        self.command.stdin(Stdio::null()).stderr(Stdio::null());
        child
    }

    /// As [`Tau::spawn`], with everything at a terminal.
    pub fn spawn_at(&mut self, terminal: &std::fs::File) -> Child {
        let end = || Stdio::from(terminal.try_clone().expect("the same terminal"));
        let child = self.command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("tau starts");
        // The command would keep the terminal open.
        self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        child
    }

    /// As [`Tau::spawn`], without standard input and with standard output in a file.
    pub fn spawn_into(&mut self, stdout: std::fs::File) -> Child {
        let pipes = self.command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        pipes.spawn().expect("tau starts")
    }
}

impl Done {
    /// A run without complaints.
    pub fn ok(stdout: &str) -> Self {
        Self { code: Some(0), stdout: stdout.to_owned(), stderr: String::new() }
    }

    /// A run that printed nothing but an error.
    pub fn failed(stderr: &str) -> Self {
        Self { code: Some(1), stdout: String::new(), stderr: format!("{stderr}\n") }
    }

    /// The lines of JSON mode.
    pub fn events(&self) -> Vec<Value> {
        events(&self.stdout)
    }
}

/// Lines of JSON.
pub fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The kinds of events, in order; updates of a message count as one.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().expect("a type")).collect();
    kinds.dedup_by(|a, b| a == b && *a == "message_update");
    kinds
}

/// How a process ended: its exit code, or the signal that killed it.
pub fn ended(status: ExitStatus) -> Result<i32, i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().ok_or_else(|| status.signal().expect("a code or a signal"))
}
