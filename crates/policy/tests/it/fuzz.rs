//! Texts of no sense: whatever they are, there is a verdict, on a stack as small as those that judge.

use tau_policy::{Policy, evaluate};

use crate::dice::{Dice, count};
use crate::world::Machine;

/// What threads of the session have that judge.
const STACK: usize = 2 * 1024 * 1024;

/// Pieces that scripts are made of.
const PIECES: &[&str] = &[
    "rm",
    "-rf",
    "/x",
    "git",
    "push",
    "origin",
    "main",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "{",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "$",
    "$(",
    "${",
    "`",
    "'",
    "\"",
    "\\",
    "$'",
    "\\x72",
    "<",
    ">",
    ">>",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "2>&1",
    "=",
    "x=",
    "$x",
    "${x:-",
    "${x/",
    "${!x}",
    "$@",
    "$((",
    "1",
    "*",
    "?",
    "[",
    "]",
    "~",
    "{a,b}",
    "{1..3}",
    "if",
    "then",
    "fi",
    "while",
    "do",
    "done",
    "for",
    "in",
    "case",
    "esac",
    ";;",
    "function",
    "f()",
    "!",
    "time",
    "eval",
    "sh -c",
    "bash",
    "exec",
    "xargs",
    "find -exec",
    "env",
    "sudo",
    "alias",
    "trap",
    "set --",
    "read",
    "cd",
    "é",
    "\u{1b}",
    "\0",
    "#",
    "-c",
    "--",
    "export",
    "declare -A",
    "coproc",
    "select",
    "until",
    "9999999999",
    "99999999999999999999",
    "~99",
    "a[1]=",
    "+=",
    "@Q}",
    "^^}",
    "%%",
    "##",
];

fn judged(command: &str) {
    let machine = Machine::default();
    let verdict = Policy::shipped().judge(evaluate(command, &machine), &machine);
    for finding in &verdict.findings {
        assert!(!tau_policy::show(finding, &verdict.evaluation).is_empty(), "{command:?}");
    }
}

fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn any_text_has_a_verdict() {
    on_a_small_stack(|| {
        for seed in 1..=count() * 10 {
            let mut dice = Dice::new(seed);
            let length = 1 + dice.roll(30);
            let command: String = (0..length).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
            judged(&command);
        }
    });
}

#[test]
fn a_script_with_a_mistake_has_a_verdict() {
    const SCRIPTS: &[&str] = &[
        "for f in $(git ls-files '*.rs'); do sed -i \"s/a/${f%.rs}/\" \"$f\" || { echo no >&2; exit 1; }; done",
        "cat > x.sh <<'E'\n#!/bin/sh\nrm -rf \"$1\"\nE\nchmod +x x.sh && ./x.sh /tmp/y | tee log 2>&1 | xargs -0 -I{} sh -c 'echo {}'",
        "f() { local a=(\"$@\"); case ${a[0]} in -r|--rm) rm -rf \"${a[1]}\";; *) eval \"${a[*]}\";; esac; }; f -r /x & wait",
        "git checkout -b x && git add -A && git commit -am \"$(cat <<E\ntext $((1+2)) `date`\nE\n)\" && git push -u origin HEAD:main",
        "ssh -p 22 host \"cd /srv && docker exec -it box bash -c 'python3 - <<E\nimport os\nE'\"",
    ];
    on_a_small_stack(|| {
        for seed in 1..=count() * 5 {
            let mut dice = Dice::new(seed);
            let mut chars: Vec<char> = SCRIPTS[dice.roll(SCRIPTS.len())].chars().collect();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(chars.len());
                match dice.roll(3) {
                    0 => {
                        chars.remove(at);
                    }
                    1 => {
                        let piece: Vec<char> = PIECES[dice.roll(PIECES.len())].chars().collect();
                        chars.splice(at..at, piece);
                    }
                    _ => chars.swap(at, 0),
                }
            }
            judged(&chars.into_iter().collect::<String>());
        }
    });
}

#[test]
fn depth_is_limited() {
    on_a_small_stack(|| {
        let pairs = [
            ("( ", " )"),
            ("{ ", "; }"),
            ("$(", ")"),
            ("echo $(", ")"),
            ("echo \"$(", ")\""),
            ("if true; then ", "; fi"),
            ("while x; do ", "; done"),
            ("for x in a; do ", "; done"),
            ("case x in x) ", ";; esac"),
            ("f() { ", "; }; f"),
            ("cat <(", ")"),
            ("! ", ""),
            ("sudo ", ""),
            ("env ", ""),
            ("eval ", ""),
            ("((", "))"),
            ("[[ ( ", " ) ]]"),
            ("x=$((", "))"),
            ("echo ${x:-", "}"),
            ("echo {a,", "}"),
            ("command ", ""),
            ("time ", ""),
            ("nohup sh -c \"", "\""),
        ];
        for (open, close) in pairs {
            for depth in [1, 10, 20, 40, 60, 64, 65, 200, 2_000] {
                judged(&format!("{}a{}", open.repeat(depth), close.repeat(depth)));
                judged(&open.repeat(depth));
                judged(&close.repeat(depth));
            }
        }
        // Each level is a script of its own.
        let mut command = "rm x".to_owned();
        for _ in 0..12 {
            command = format!("sh -c '{}'", command.replace('\'', "'\\''"));
            judged(&command);
        }
        judged("f() { f; }; f");
        judged(":(){ :|:& };:");
        judged("f() { g \"$@\" \"$@\"; }; g() { f \"$@\"; }; f a");
        judged("x=a; while true; do x=$x$x; eval \"$x\"; done");
        judged("echo 'sh x.sh' > x.sh; sh x.sh");
        judged("echo '. ./x.sh' > x.sh; . ./x.sh");
        judged(&"a=$a$a;".repeat(5_000));
        judged(&"a && ".repeat(5_000));
        judged(&"a | ".repeat(5_000));
        judged(&format!("echo {}", "{a,b}".repeat(200)));
        judged(&"cat <<E\nE\n".repeat(10_000));
        judged(&format!("for i in {{1..100000}}; do {} done", "rm $i;".repeat(100)));
    });
}
