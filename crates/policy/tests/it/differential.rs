//! The evaluator beside real shells: programs that write down how they were called take the place of the real ones.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tau_policy::{Evaluation, evaluate};

use crate::dice::{Dice, count};
use crate::world::Machine;

/// What is replaced.
const STUBS: &[&str] = &["rm", "git", "sudo", "one", "two", "python3"];
/// What the scripts need besides.
const REAL: &[&str] = &[
    "bash", "sh", "dash", "cat", "tee", "base64", "env", "xargs", "find", "nohup", "timeout", "nice", "cp", "chmod",
    "mkdir", "rev", "tr", "printf", "true", "sleep",
];

/// A folder where only harmless programs are found.
struct Lab {
    root: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["bin", "work"] {
            std::fs::create_dir(root.path().join(folder)).expect("a folder");
        }
        let path = std::env::var_os("PATH").expect("a path");
        for name in REAL {
            let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
            if let Some(found) = found {
                std::os::unix::fs::symlink(found, root.path().join("bin").join(name)).expect("a link");
            }
        }
        for name in STUBS {
            let stub = root.path().join("bin").join(name);
            let log = root.path().join("log");
            let script =
                format!("#!/bin/sh\n{{ printf '%s\\037' {name} \"$@\"; printf '\\036'; }} >> '{}'\n", log.display());
            std::fs::write(&stub, script).expect("a stub");
            std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        Self { root }
    }

    fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    fn has(&self, shell: &str) -> bool {
        self.root.path().join("bin").join(shell).exists()
    }

    /// The programs that a shell starts for a script.
    fn run(&self, shell: &str, script: &str) -> BTreeSet<Vec<String>> {
        let log = self.root.path().join("log");
        std::fs::write(&log, "").expect("a log");
        let work = self.work();
        std::fs::remove_dir_all(&work).expect("an old folder");
        std::fs::create_dir(&work).expect("a new folder");
        let bin = self.root.path().join("bin");
        let mut child = Command::new(bin.join(shell));
        child
            .args(["-c", script])
            .env_clear()
            .env("PATH", &bin)
            .env("HOME", &work)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&work);
        child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        child.status().expect("a shell");
        let text = std::fs::read_to_string(&log).expect("the log");
        let calls = text.split('\u{1e}').filter(|call| !call.is_empty());
        calls
            .map(|call| call.strip_suffix('\u{1f}').unwrap_or(call).split('\u{1f}').map(str::to_owned).collect())
            .collect()
    }

    /// What the evaluator says about a script.
    fn evaluate(&self, shell: &str, script: &str) -> Evaluation {
        let mut machine = Machine { directory: Some(self.work()), ..Machine::default() };
        machine.variables.insert("HOME".to_owned(), self.work().display().to_string());
        machine.variables.insert("PATH".to_owned(), self.root.path().join("bin").display().to_string());
        match shell {
            "bash" => evaluate(script, &machine),
            shell => evaluate(&format!("{shell} -c {}", quoted(script)), &machine),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a call is among what can run.
fn is_foreseen(call: &[String], evaluation: &Evaluation) -> bool {
    evaluation.invocations.iter().any(|invocation| {
        let is_named = invocation.program() == call.first().map(String::as_str);
        let known: Option<Vec<&str>> = invocation.argv.iter().skip(1).map(tau_policy::Arg::known).collect();
        match known {
            Some(known) => is_named && known == call[1..],
            None => is_named && matches_openly(&invocation.argv[1..], &call[1..]),
        }
    })
}

/// Whether arguments with unknown parts may have become these.
fn matches_openly(arguments: &[tau_policy::Arg], call: &[String]) -> bool {
    let Some((first, rest)) = arguments.split_first() else { return call.is_empty() };
    if first.is_many {
        return (0..=call.len()).any(|count| matches_openly(rest, &call[count..]));
    }
    let Some((given, others)) = call.split_first() else { return false };
    let fits = match first.known() {
        Some(known) => known == given,
        None => given.starts_with(first.text.prefix()) && given.ends_with(first.text.suffix()),
    };
    fits && matches_openly(rest, others)
}

/// Scripts whose every call is known before it happens.
const KNOWN: &[&str] = &[
    "one a b",
    "one 'a b' \"c d\" e\\ f",
    "x=1; one $x ${x}2 \"$x 3\" '$x'",
    "one ${x:-d} ${x:+e} ${x-f} ${#x}",
    "x='a b  c'; one $x \"$x\"",
    "x=a.tar.gz; one ${x%.gz} ${x%%.*} ${x#*.} ${x##*.}",
    "f() { one \"$@\"; two \"$#\" \"$1\"; }; f a 'b c'",
    "for i in 1 2 'a b'; do one $i; done",
    "if true; then one; else two; fi",
    "false || one; true && two",
    "case abc in a*) one;; *) two;; esac",
    "one $((1 + 2 * 3)) $(( (4 - 1) % 2 ))",
    "x=3; one $((x * 2)); x=$((x + 1)); two $x",
    "one \"$(echo a; echo b)\"",
    "one $(printf '%s ' a b)",
    "one `echo a`",
    "echo 'one a' | sh",
    "sh <<E\none a\nE",
    "x=b; sh <<E\none $x \\$y\nE",
    "sh <<'E'\none \"$x\"\nE",
    "cat > f <<'E'\none \"$1\"\nE\nsh f a; . ./f b",
    "set -- a b c; shift; one \"$@\" $#",
    "eval 'one a' b",
    "x='one a'; eval \"$x\"",
    "(x=1; one $x); one \"$x\"",
    "{ one a; two b; } > /dev/null",
    "X=1 one $X; one \"$X\"",
    "env A=b one a",
    "nohup one a; timeout 5 one b; nice -n 1 one c",
    "printf 'a b\\nc\\n' | xargs one",
    "printf 'a b\\nc\\n' | while read x y; do one \"$x\" \"$y\"; break; done",
    "echo a | { read x; one \"$x\"; }",
    "x=one; $x a; \"$x\" b",
    "unset x; one $x a \"$x\"",
    "x=; one $x a \"$x\"",
    "one ~ ~/a '~'",
    "cd .. && one a",
    "one a\\\nb",
    "one \"a\\\nb\"",
    "one a # two b",
    "x=a; x=$x$x; one $x",
    "while true; do one a; break; done",
    "IFS=:; x=a:b::c; one $x",
    "command one a; exec one b",
    "trap 'one a' EXIT; two b",
    "! one a; ! two b",
    "one a & wait",
    "one \"${x:-a b}\" ${x:-a b}",
    "f() { g a; }; g() { one \"$1\"; }; f",
    "sh -c 'one \"$0\" \"$@\"' a b c",
    "bash -c 'one $1' x y",
    "echo b25lIGE= | base64 -d | sh",
    "one ''",
    "one \"\" a",
    "x='*'; one \"$x\" '?'",
    "one() { two; }; sh -c 'one a'",
    "one() { two; }; printf 'a\\n' | xargs one",
    "one() { two; }; command one a; env one b",
    "f() { local x; x=two; $x; }; x=one; f; $x a",
    "f() { local x=two; $x; }; x=one; f; $x a",
    "f() { x=two; }; x=one; f; $x a",
    "x=one; readonly x; $x a",
];

/// The same for bash alone.
const BASH: &[&str] = &[
    "one a{b,c}d {1..3} {a..c} x{1,{2,3}}",
    "one $'a\\tb\\x41\\101\\u00e9'",
    "x=abcdef; one ${x:1:2} ${x: -2} ${x/cd/X} ${x//[ace]/_} ${x^^} ${x,,}",
    "x=(a 'b c' d); one \"${x[@]}\" ${#x[@]} \"${x[1]}\"; x+=(e); two \"${x[@]}\"",
    "y=x; x=one; ${!y} a",
    "sh <<< 'one a'",
    "[[ a == a ]] && one a",
    "printf -v x 'a%sb' 1; one $x",
    "for ((i = 0; i < 1; i++)); do one a; done",
    "function f { one \"$1\"; }; f a",
    "one {a,b}\\ c \"{a,b}\"",
    "x+=a; x+=b; one $x",
    "declare x=1; export y=2; one $x $y",
    "one a |& cat; one b &> /dev/null",
    "one {a} {a,} a{b",
    "x=$'one\\x20a'; $x",
    "shopt -s expand_aliases\nalias q='one a'\nq b",
    "one() { two \"$@\"; }; export -f one; bash -c 'one a'",
    "one() { two \"$@\"; }; one a; bash -c 'one b'; eval 'one c'",
    "f() { declare x=two; declare -g y=two; $x; }; x=one; f; $x a; $y b",
    "set -- one 'a b'; \"$@\"; $*",
    "one() { two; }; env -S 'one a'",
];

#[test]
fn what_is_known_is_what_runs() {
    let lab = Lab::new();
    for shell in ["bash", "dash"].into_iter().filter(|shell| lab.has(shell)) {
        let scripts = KNOWN.iter().chain(if shell == "bash" { BASH } else { &[] });
        for script in scripts {
            let ran = lab.run(shell, script);
            let evaluation = lab.evaluate(shell, script);
            let names = |name: Option<&str>| name.is_some_and(|name| STUBS.contains(&name));
            let known: BTreeSet<Vec<String>> = evaluation
                .invocations
                .iter()
                .filter(|invocation| names(invocation.program()))
                .map(|invocation| {
                    let argument = |argument: &tau_policy::Arg| argument.known().unwrap_or("?").to_owned();
                    invocation.argv.iter().map(argument).collect()
                })
                .collect();
            // Conditions that only a run decides make more possible than happens.
            let missing: Vec<_> = ran.difference(&known).collect();
            assert!(missing.is_empty(), "{shell}: {script}\nran {ran:?}\nforeseen {known:?}\n{:?}", evaluation.opaque);
            assert!(!ran.is_empty(), "{shell}: {script} runs nothing");
            assert_eq!(evaluation.opaque, [], "{shell}: {script}");
        }
    }
}

/// A word in a spelling that a shell reads as the word.
fn spelt(word: &str, dice: &mut Dice, is_bash: bool) -> String {
    let mut all = String::new();
    let chars: Vec<char> = word.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let length = 1 + dice.roll(chars.len() - at);
        let part: String = chars[at..at + length].iter().collect();
        at += length;
        match dice.roll(if is_bash { 6 } else { 4 }) {
            0 => all.push_str(&part.chars().map(|ch| format!("\\{ch}")).collect::<String>()),
            1 => all.push_str(&quoted(&part)),
            2 => all.push_str(&format!("\"{part}\"")),
            3 => all.push_str(&format!(
                "{}''",
                part.chars()
                    .map(|ch| if ch.is_alphanumeric() { ch.to_string() } else { format!("\\{ch}") })
                    .collect::<String>()
            )),
            4 => all.push_str(&format!("$'{}'", part.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>())),
            _ => all.push_str(&format!("$'{}'", part.bytes().map(|byte| format!("\\{byte:03o}")).collect::<String>())),
        }
    }
    all
}

/// A command in another one.
fn wrapped(command: &str, dice: &mut Dice) -> String {
    let delimiter = format!("E{}", dice.roll(1_000));
    match dice.roll(36) {
        0 => format!("bash -c {}", quoted(command)),
        1 => format!("sh -c {}", quoted(&command_for_sh(command))),
        2 => format!("eval {}", quoted(command)),
        3 => format!("( {command}\n)"),
        4 => format!("{{ {command}\n}}"),
        5 => format!("if true; then {command}\nfi"),
        6 => format!("while true; do {command}\nbreak; done"),
        7 => format!("for i in 1; do {command}\ndone"),
        8 => format!("f{0}() {{ {command}\n}}; f{0}", dice.roll(100)),
        9 => format!("case x in y) ;; *) {command}\n;; esac"),
        10 => format!("true && {{ {command}\n}}"),
        11 => format!("false || {{ {command}\n}}"),
        12 => format!("bash <<'{delimiter}'\n{command}\n{delimiter}\n"),
        13 => format!("printf '%s\\n' {} | bash", quoted(command)),
        14 => format!("bash <<< {}", quoted(command)),
        15 => format!("x=$({command}\n)"),
        16 => format!("cat <({command}\n)"),
        17 => format!("env bash -c {}", quoted(command)),
        18 => format!("nohup bash -c {}", quoted(command)),
        19 => format!("timeout 60 bash -c {}", quoted(command)),
        20 => format!("x={}; eval \"$x\"", quoted(command)),
        21 => format!("printf '%s' {} > s.sh; bash s.sh", quoted(command)),
        22 => format!("printf '%s' {} > t.sh; chmod +x t.sh; bash ./t.sh", quoted(command)),
        23 => format!("{{ {command}\n}} & wait"),
        24 => format!("trap {} EXIT", quoted(command)),
        25 => format!("echo x | xargs -I@ bash -c {}", quoted(command)),
        26 => format!("find . -maxdepth 0 -exec bash -c {} \\;", quoted(command)),
        27 => format!("set -- {}; eval \"$1\"", quoted(command)),
        28 => format!("a=({}); eval \"${{a[0]}}\"", quoted(command)),
        29 => format!("cat > u.sh <<'{delimiter}'\n{command}\n{delimiter}\n. ./u.sh"),
        30 => format!("command eval {}", quoted(command)),
        31 => format!("! {{ {command}\n}}"),
        32 => format!("printf '%s' {} | tee v.sh > /dev/null; bash v.sh", quoted(command)),
        33 => format!("exec bash -c {}", quoted(command)),
        34 => format!("until false; do {command}\nbreak; done"),
        _ => format!("bash -s <<'{delimiter}'\n{command}\n{delimiter}\n"),
    }
}

/// `sh` may be a shell without what bash alone has.
fn command_for_sh(command: &str) -> String {
    format!("bash -c {}", quoted(command))
}

/// The words of a command, some of them in variables.
fn written(call: &[&str], dice: &mut Dice) -> String {
    let mut before = String::new();
    let mut words = Vec::new();
    for (index, word) in call.iter().enumerate() {
        let spelt = spelt(word, dice, true);
        match dice.roll(6) {
            0 => {
                before.push_str(&format!("v{index}={spelt}; "));
                words.push(format!("\"$v{index}\""));
            }
            1 => {
                before.push_str(&format!("v{index}={spelt}\n"));
                words.push(format!("${{v{index}}}"));
            }
            2 => words.push(format!("$(printf %s {spelt})")),
            _ => words.push(spelt),
        }
    }
    format!("{before}{}", words.join(" "))
}

/// Calls that nobody wants unseen.
const BAD: &[&[&str]] = &[
    &["rm", "-rf", "/x"],
    &["rm", "-r", "-f", "/x/y"],
    &["git", "push", "origin", "main"],
    &["git", "commit", "--no-verify", "-m", "x"],
    &["git", "add", "-A"],
    &["sudo", "rm", "x"],
    &["python3", "x.py"],
];

#[test]
fn no_spelling_hides_a_call() {
    let lab = Lab::new();
    let (mut named, mut opaque, mut harmless) = (0_u64, 0_u64, 0_u64);
    for seed in 1..=count() {
        let mut dice = Dice::new(seed);
        let call = BAD[dice.roll(BAD.len())];
        let mut script = written(call, &mut dice);
        for _ in 0..dice.roll(4) {
            script = wrapped(&script, &mut dice);
        }
        let wanted: Vec<String> = call.iter().map(|word| (*word).to_owned()).collect();
        let ran = lab.run("bash", &script);
        if !ran.contains(&wanted) {
            // bash 5.2 rejects some words in `<(…)` that it takes elsewhere.
            harmless += 1;
            continue;
        }
        let evaluation = lab.evaluate("bash", &script);
        let is_named = is_foreseen(&wanted, &evaluation);
        assert!(is_named || !evaluation.opaque.is_empty(), "seed {seed}: {script}\n{evaluation:#?}");
        named += u64::from(is_named);
        opaque += u64::from(!is_named);
    }
    assert!(harmless * 100 <= count(), "{harmless} scripts of {} do nothing", count());
    println!("{named} calls are foreseen, {opaque} are opaque");
    // Most are seen for what they are, or nobody learns anything from a block.
    assert!(named > opaque * 10, "{named} {opaque}");
}

#[test]
fn the_lab_runs_nothing_real() {
    let lab = Lab::new();
    let victim = lab.work().join("kept");
    let ran = lab.run("bash", &format!("echo x > {0}; rm -rf {0}", victim.display()));
    assert!(Path::new(&victim).exists());
    assert_eq!(ran.len(), 1);
}
