//! Start-up and memory of programs, and the table that `benches/run` ends with.
//!
//! `measure` prints the table; `TAU_BIN`, `TAU_REFERENCE`, `TAU_NODE` and `TAU_CRITERION` say where things are.
//! `measure rss PROGRAM ARGS…` runs one program and prints the most memory it had, in KiB.
#![allow(clippy::disallowed_methods, reason = "it measures this system")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// How often a program is started.
const STARTS: usize = 60;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [first, program, rest @ ..] = &args[..]
        && first == "rss"
    {
        return peak(program, rest);
    }
    let tau = PathBuf::from(std::env::var_os("TAU_BIN").expect("TAU_BIN names the program"));
    let place = tempfile::tempdir().expect("a directory");
    let mut table = Table::default();
    criterion(&mut table);
    startup(&mut table, &tau, place.path());
    memory(&mut table, &tau, place.path());
    table.print();
}

/// Runs a program and prints its peak memory. The process that asks is tiny, so that what a child has of it before
/// it becomes another program does not count.
fn peak(program: &str, args: &[String]) {
    let status = Command::new(program).args(args).stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.expect("the program").success());
    println!("{}", getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage").max_rss());
}

#[derive(Default)]
struct Table(Vec<[String; 4]>);

impl Table {
    fn row(&mut self, what: impl Into<String>, value: impl Into<String>, goal: &str, held: Option<bool>) {
        let held = match held {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        self.0.push([what.into(), value.into(), goal.to_owned(), held.to_owned()]);
    }

    fn print(&self) {
        let head = ["", "measured", "goal", "held"].map(str::to_owned);
        let width = |column: usize| self.0.iter().chain([&head]).map(|row| row[column].chars().count()).max();
        let widths = [0, 1, 2, 3].map(|column| width(column).unwrap_or_default());
        println!();
        for row in [&head].into_iter().chain(&self.0) {
            let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("{}", cells.join("  ").trim_end());
        }
    }
}

fn shown(nanos: f64) -> String {
    match nanos {
        n if n < 1e3 => format!("{n:.1} ns"),
        n if n < 1e6 => format!("{:.2} µs", n / 1e3),
        n if n < 1e9 => format!("{:.2} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}

// ---- What criterion measured ----------------------------------------------------------------------------------

fn criterion(table: &mut Table) {
    let Some(dir) = std::env::var_os("TAU_CRITERION").map(PathBuf::from) else { return };
    let median = |name: &str| estimate(&dir, name);
    let mut row = |name: &str, goal: &str, limit: Option<f64>| {
        let Some(nanos) = median(name) else { return };
        table.row(name, shown(nanos), goal, limit.map(|limit| nanos <= limit));
    };
    row("dispatch/observe/0", "≤ 100 ns", Some(100.0));
    row("dispatch/gate/0", "≤ 100 ns", Some(100.0));
    row("dispatch/observe/1", "≤ 1 µs", Some(1000.0));
    row("dispatch/gate/1", "≤ 1 µs", Some(1000.0));
    row("dispatch/observe/10", "", None);
    row("dispatch/gate/10", "", None);
    row("context/none/10", "", None);
    row("context/none/1000", "", None);
    // The same but for the noise of the machine.
    row("context/none/10000", "as with 10", median("context/none/10").map(|short| short * 1.25));
    for kind in ["one", "all"] {
        for length in [10, 1_000, 10_000] {
            row(&format!("context/{kind}/{length}"), "", None);
        }
    }
    for name in ["stream/nobody", "stream/handler", "stream/json_lines"] {
        row(name, "", None);
    }
    for name in ["session/open", "session/context", "session/append"] {
        row(name, "", None);
    }
}

fn estimate(dir: &Path, name: &str) -> Option<f64> {
    // A name with slashes is one folder, unless it is a group and a function.
    let flat = dir.join(name.replace('/', "_")).join("new/estimates.json");
    let text =
        std::fs::read_to_string(flat).or_else(|_| std::fs::read_to_string(dir.join(name).join("new/estimates.json")));
    let json: serde_json::Value = serde_json::from_str(&text.ok()?).ok()?;
    json["median"]["point_estimate"].as_f64()
}

// ---- Starting -------------------------------------------------------------------------------------------------

/// A program to start, and up to where its time is taken.
struct Start {
    name: &'static str,
    program: PathBuf,
    args: Vec<String>,
    /// Up to the first line it prints; up to its end otherwise.
    to_first_line: bool,
    nanos: Vec<f64>,
}

impl Start {
    fn new(name: &'static str, program: &Path, args: &[&str], to_first_line: bool) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Self { name, program: program.to_owned(), args, to_first_line, nanos: Vec::new() }
    }

    fn once(&mut self, place: &Path) {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(place).env("HOME", place).env("PI_CODING_AGENT_DIR", place.join("agent"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let begun = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        let mut taken = Duration::ZERO;
        if self.to_first_line {
            out.read_line(&mut line).expect("a line");
            assert!(line.starts_with('{'), "{} printed {line:?}", self.name);
            taken = begun.elapsed();
        }
        while out.read_line(&mut line).expect("the rest") > 0 {}
        child.wait().expect("its end");
        if !self.to_first_line {
            taken = begun.elapsed();
        }
        self.nanos.push(taken.as_nanos() as f64);
    }

    fn median(&mut self) -> f64 {
        self.nanos.sort_by(f64::total_cmp);
        self.nanos[self.nanos.len() / 2]
    }
}

fn sibling(name: &str) -> PathBuf {
    std::env::current_exe().expect("this program").with_file_name(name)
}

fn startup(table: &mut Table, tau: &Path, place: &Path) {
    let mut ours = [
        Start::new("empty program", &sibling("empty"), &[], false),
        Start::new("tau --version", tau, &["--version"], false),
        Start::new("tau --demo: first JSON event", tau, &["--demo", "--mode", "json", "Hi"], true),
    ];
    let mut theirs = reference();
    ours.iter_mut().chain(&mut theirs).for_each(|start| start.once(place));
    ours.iter_mut().chain(&mut theirs).for_each(|start| start.nanos.clear());
    for n in 0..STARTS {
        // Taking turns spreads what else the machine does evenly.
        ours.iter_mut().for_each(|start| start.once(place));
        if n % 6 == 0 {
            theirs.iter_mut().for_each(|start| start.once(place));
        }
    }
    let medians: Vec<f64> = ours.iter_mut().map(Start::median).collect();
    let least = |start: &Start| shown(start.nanos[0]);
    for (start, median) in ours.iter().zip(&medians) {
        let extra = median - medians[0];
        let value = format!("{} (least {})", shown(*median), least(start));
        if extra == 0.0 {
            table.row(start.name, value, "", None)
        } else {
            // A few milliseconds.
            table.row(start.name, value, "≤ empty + 5 ms", Some(extra <= 5e6))
        }
    }
    for (start, ours) in theirs.iter_mut().zip(&medians[1..]) {
        let median = start.median();
        table.row(start.name, format!("{} ({:.0} times tau's)", shown(median), median / ours), "", None);
    }
}

/// The reference, when `TAU_REFERENCE` names its `cli.js`.
fn reference() -> Vec<Start> {
    let Some(cli) = std::env::var("TAU_REFERENCE").ok().filter(|cli| !cli.is_empty()) else { return Vec::new() };
    let node = PathBuf::from(std::env::var_os("TAU_NODE").unwrap_or_else(|| "node".into()));
    let args = ["--mode", "json", "--offline", "--no-session"];
    vec![
        Start::new("reference --version", &node, &[&cli, "--version"], false),
        Start::new("reference: first JSON event", &node, &[&[&*cli], &args[..]].concat(), true),
    ]
}

// ---- Memory ---------------------------------------------------------------------------------------------------

fn memory(table: &mut Table, tau: &Path, place: &Path) {
    let tau = tau.display().to_string();
    let empty = sibling("empty").display().to_string();
    let load = sibling("load").display().to_string();
    let long = place.join("long.jsonl").display().to_string();
    let mib = |kib: f64| format!("{:.1} MB", kib * 1024.0 / 1e6);
    let median = |args: &[&str]| {
        let mut runs: Vec<f64> = (0..5).map(|_| rss(place, args)).collect();
        runs.sort_by(f64::total_cmp);
        runs[2]
    };
    table.row("peak memory: empty program", mib(median(&[&empty])), "", None);
    table.row("peak memory: tau --version", mib(median(&[&tau, "--version"])), "", None);
    let demo = median(&[&tau, "--demo", "-p", "Hi"]);
    table.row("peak memory: tau --demo -p", mib(demo), "< 15 MB", Some(demo * 1024.0 < 15e6));
    rss(place, &[&load, "write", &long]);
    let size = std::fs::metadata(&long).expect("a session file").len() as f64 / 1e6;
    let row = |action| format!("{} for {size:.1} MB", mib(rss(place, &[&load, action, &long])));
    table.row("peak memory: opening the long session", row("scan"), "", None);
    table.row("peak memory: its context too", row("open"), "", None);
}

fn rss(place: &Path, args: &[&str]) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg("rss").args(args).current_dir(place);
    let output = command.env("HOME", place).env("PI_CODING_AGENT_DIR", place.join("agent")).output().expect("a run");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| panic!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
