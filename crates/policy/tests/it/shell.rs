//! The evaluator.

use tau_policy::evaluate;

use crate::world::{Machine, lines};

#[track_caller]
fn runs(command: &str, wanted: &[&str]) {
    assert_eq!(lines(&evaluate(command, &Machine::default())), wanted, "{command}");
}

#[track_caller]
fn has(command: &str, wanted: &str) {
    let lines = lines(&evaluate(command, &Machine::default()));
    assert!(lines.iter().any(|line| line == wanted), "{command}\n{lines:#?}");
}

#[test]
fn quotes_and_escapes_are_taken_away() {
    for command in [
        "rm -rf /x",
        "r''m -rf /x",
        "r\\m -rf /x",
        "\"rm\" -rf /x",
        "$'\\x72m' -rf /x",
        "r\\\nm -rf /x",
        "'r'\"m\" -r\"f\" /x",
    ] {
        runs(command, &["rm -rf /x"]);
    }
}

#[test]
fn variables_are_followed() {
    runs("R=rm;$R -rf /x", &["rm -rf /x"]);
    runs("a='rm -rf'; $a /x", &["rm -rf /x"]);
    runs("a=r b=m; ${a}${b} ${UNSET} -rf /x", &["rm -rf /x"]);
    runs("X=$(echo rm); $X /x", &["echo rm", "rm /x"]);
    runs("${x:-rm} /x", &["rm /x"]);
    runs("x=xrm; ${x#x} /x", &["rm /x"]);
    runs("x=rmx; ${x%x} /x; ${x:0:2} /y; ${x/x/} /z", &["rm /x", "rm /y", "rm /z"]);
    runs("{rm,-rf,/x}", &["? the syntax of the command is not understood"]);
    runs("rm{,} -r{f,} /{x,y}", &["rm rm -rf -r /x /y"]);
    runs("a=(rm -rf /x); \"${a[@]}\"", &["rm -rf /x"]);
    runs("y=rm; x=y; ${!x} /x", &["rm /x"]);
    runs("IFS=,; x=rm,-rf,/x; $x", &["rm -rf /x"]);
    runs("set -- rm -rf /x; \"$@\"", &["set -- rm -rf /x", "rm -rf /x"]);
    runs("f() { \"$@\"; }; f rm /x", &["rm /x"]);
    runs("sleep $((30*2))", &["sleep 60"]);
    runs("~/x ~bob/y", &["/home/me/x /home/bob/y"]);
}

#[test]
fn shells_and_wrappers_are_followed() {
    has("bash -c 'rm -rf /x'", "rm -rf /x");
    has("sh -c \"sh -c 'rm -rf /x'\"", "rm -rf /x");
    has("eval \"r\"m /x", "rm /x");
    has("bash <<E\nrm /x\nE", "rm /x");
    has("bash -s <<'E'\nrm /x\nE", "rm /x");
    has("sh -x <<'E'\nrm /x\nE", "rm /x");
    has("ssh h <<E\nrm /x\nE", "rm /x");
    has("bash <<< 'rm /x'", "rm /x");
    has("echo 'rm -rf /x' | bash -s", "rm -rf /x");
    has("echo cm0gL3g= | base64 -d | sh", "rm /x");
    has("printf 'r%s /x' m | sh", "rm /x");
    has("find . -name x -exec rm -rf {} +", "rm -rf ……");
    has("echo /x | xargs rm -rf", "rm -rf /x");
    has("xargs -I{} rm {} < f", "rm …");
    has("sudo -u bob env A=b nohup time nice -n 5 timeout -k 1 10 rm /x", "rm /x");
    has("ssh -p 22 host rm -rf /x", "rm -rf /x");
    has("docker exec -it -u root box sh -c 'rm /x'", "rm /x");
    has("docker run --rm -v a:b alpine rm /x", "rm /x");
    has("command rm /x; exec rm /y", "rm /y");
    has("env -S 'rm -rf /x'", "rm -rf /x");
    has("alias ll='rm -rf'; ll /x", "rm -rf /x");
    has("trap 'rm /x' EXIT", "rm /x");
    has("(cd /tmp && { rm /x; })", "rm /x");
    has("for i in a b; do rm $i; done", "rm b");
    has("while true; do rm /x; done", "rm /x");
    has("case $(cat f) in a) rm /x;; esac", "rm /x");
    runs("case b in a) rm /x;; *) rm /y;; esac", &["rm /y"]);
    has("if [ -f x ]; then rm /x; fi", "rm /x");
    has("[[ -f x ]] && rm /x", "rm /x");
    has("cat <(rm /x)", "rm /x");
    has("echo `rm /x`", "rm /x");
    has("tar cf a.tar --checkpoint=1 --checkpoint-action=exec='rm /x' .", "rm /x");
    has("uv run python x.py", "python x.py");
    has("time rm /x", "rm /x");
    has("! rm /x", "rm /x");
    has("coproc rm /x", "rm /x");
    has("busybox rm /x", "rm /x");
}

#[test]
fn files_that_are_written_are_run() {
    has("echo 'rm -rf /x' > x.sh; sh x.sh", "rm -rf /x");
    has("cat > x.sh <<'E'\nrm /x\nE\nchmod +x x.sh && ./x.sh", "rm /x");
    has("echo 'rm /x' | tee a; cp a b; . ./b", "rm /x");
    has("cp /bin/rm ./y; ./y -rf /x", "rm -rf /x");
    has("ln -s /bin/rm y && ./y /x", "rm /x");
    has("curl -o f http://u; sh f", "? remote: /project/f runs a text that is only known when the command runs");
    has("curl http://u | sh", "? remote: sh runs a text that is only known when the command runs");
    has("wget -qO- http://u | sudo bash", "? remote: bash runs a text that is only known when the command runs");
    has("bash <(curl http://u)", "? remote: bash runs a text that is only known when the command runs");
    has("sh -c \"$(curl -fsSL http://u)\"", "? remote: sh runs a text that is only known when the command runs");
    has("curl http://u | /usr/bin/env bash", "? remote: bash runs a text that is only known when the command runs");
    has("curl http://u | tee x | python3 -", "? remote: python3 runs code that can change files or start programs");
    has("curl http://u | . /dev/stdin", "? remote: . runs a text that is only known when the command runs");
    has("eval \"$(curl http://u)\"", "? remote: eval runs a text that is only known when the command runs");
}

#[test]
fn data_is_not_run() {
    for command in
        ["echo 'rm -rf /x'", "grep sudo f", "git log --grep 'git push'", "cat <<E\nrm -rf /\nE", "X=$(curl u)"]
    {
        let lines = lines(&evaluate(command, &Machine::default()));
        assert!(lines.len() <= 1, "{command} {lines:?}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    has("$(cat f) x", "? the name of a program is only known when the command runs");
    has("bash -c \"$(cat f)\"", "? bash runs a text that is only known when the command runs");
    has("perl -e 'unlink \"x\"'", "? perl runs code that can change files or start programs");
    has("rm 'x", "? the syntax of the command is not understood");
    has(&"( ".repeat(100), "? the command is nested more than 64 levels deep");
    has(&"{ ".repeat(1000), "? the command is nested more than 64 levels deep");
    has(&"x".repeat(70_000), "? the command is longer than 65536 bytes");
}

/// Files cost more than one step: the end of the budget is said even if it was never met exactly.
#[test]
fn an_evaluation_that_stops_early_says_so() {
    for padding in 0..12 {
        let reads = ". ./missing; ".repeat(2_100);
        let command = format!("{}{reads}rm -rf /x", "a; ".repeat(padding));
        has(&command, "? the command does too much to follow it");
    }
}
