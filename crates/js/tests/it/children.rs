//! What becomes of child processes when their engine is interrupted or ends, and which program they find.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tau_engine::{Engine, EngineOptions, ModuleCache, script};

use crate::support::Scripts;
use crate::tour::{self, tour_in};

/// Starts a file in an engine of its own.
fn engine(folder: &Path, source: &str) -> (Engine, std::path::PathBuf) {
    let file = folder.join("main.ts");
    std::fs::write(&file, source).expect("a file");
    let options = EngineOptions { program: "/bin/echo".into(), ..EngineOptions::new(folder) };
    (Engine::start(options).expect("an engine"), file)
}

/// What the file wrote into `out`.
fn out(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("out")).unwrap_or_default()
}

async fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Whether a process runs; one that nobody has waited for yet does not.
fn runs(pid: &str) -> bool {
    let Ok(output) = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output() else {
        return false;
    };
    let state = String::from_utf8_lossy(&output.stdout);
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[tokio::test(flavor = "multi_thread")]
async fn children_find_this_program_as_pi() {
    let temp = tempfile::tempdir().expect("a folder");
    let source = r#"
        import { execFileSync, execSync, spawn } from "node:child_process";
        import { writeFileSync } from "node:fs";
        const child = spawn("pi", ["asynchronous"]);
        let text = "";
        child.stdout.on("data", (chunk) => (text += chunk));
        await new Promise((resolve) => child.on("close", resolve));
        text += execFileSync("pi", ["file"], { encoding: "utf8" });
        text += execSync("pi shell", { encoding: "utf8", env: { PATH: "/nowhere" } });
        text += execFileSync(process.execPath, ["path"], { encoding: "utf8" });
        writeFileSync("out", text);
    "#;
    let (engine, file) = engine(temp.path(), source);
    script::run(&engine, &file).await.expect("it runs");
    assert_eq!(out(temp.path()), "asynchronous\nfile\nshell\npath\n");
}

/// A child that goes on without its engine must be able to start the agent again.
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_this_program_outlives_the_engine_where_modules_are_kept() {
    let temp = tempfile::tempdir().expect("a folder");
    let file = temp.path().join("main.ts");
    let source = "import { appendFileSync } from 'node:fs'; appendFileSync('out', `${process.execPath}\n`);";
    std::fs::write(&file, source).expect("a file");
    let cache = |program: &str| EngineOptions {
        program: program.into(),
        cache: ModuleCache::open(temp.path().join("modules")).ok().map(Arc::new),
        ..EngineOptions::new(temp.path())
    };
    let none = EngineOptions { cache: None, ..cache("/bin/echo") };
    for options in [cache("/bin/echo"), cache("/bin/cat"), cache("/bin/echo"), none] {
        let engine = Engine::start(options).expect("an engine");
        script::run(&engine, &file).await.expect("it runs");
        engine.stop();
    }
    let text = out(temp.path());
    let [echo, cat, again, own] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!([echo, cat, own].iter().all(|path| path.ends_with("/pi")), "{text}");
    assert!(echo == again && echo != cat, "{text}");
    let target = |path: &str| std::fs::read_link(path).ok();
    assert_eq!((target(echo), target(cat)), (Some("/bin/echo".into()), Some("/bin/cat".into())));
    until("the folder of an engine without a cache goes", || target(own).is_none()).await;
    // What somebody put in its place is not what is started.
    std::fs::remove_file(echo).and_then(|()| std::os::unix::fs::symlink("/bin/false", echo)).expect("another link");
    let engine = Engine::start(cache("/bin/echo")).expect("an engine");
    script::run(&engine, &file).await.expect("it runs");
    assert_eq!(target(echo), Some("/bin/echo".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn children_end_with_their_engine() {
    let temp = tempfile::tempdir().expect("a folder");
    // The second process belongs to the child, not to the engine.
    let source = r#"
        import { spawn } from "node:child_process";
        import { appendFileSync } from "node:fs";
        const child = spawn("sh", ["-c", "sleep 300 & echo $!; wait"]);
        child.stdout.on("data", (chunk) => appendFileSync("out", `${child.pid}\n${chunk}`));
    "#;
    let (engine, file) = engine(temp.path(), source);
    script::run(&engine, &file).await.expect("it runs");
    until("both processes are told", || out(temp.path()).lines().count() == 2).await;
    let pids = out(temp.path());
    assert!(pids.lines().all(runs));
    engine.stop();
    until("both processes have ended", || !pids.lines().any(runs)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_detached_child_that_was_let_go_stays() {
    let temp = tempfile::tempdir().expect("a folder");
    let source = r#"
        import { spawn } from "node:child_process";
        import { writeFileSync } from "node:fs";
        const stays = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
        stays.unref();
        const ends = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
        writeFileSync("out", `${stays.pid}\n${ends.pid}\n`);
    "#;
    let (engine, file) = engine(temp.path(), source);
    script::run(&engine, &file).await.expect("it runs");
    let pids = out(temp.path());
    let (stays, ends) = pids.trim().split_once('\n').expect("two numbers");
    engine.stop();
    until("the other child has ended", || !runs(ends)).await;
    assert!(runs(stays));
    std::process::Command::new("kill").args(["-9", stays]).status().expect("it can be ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_child_that_is_waited_for() {
    let temp = tempfile::tempdir().expect("a folder");
    let source = r#"
        import { spawnSync } from "node:child_process";
        spawnSync("sh", ["-c", "echo $$ > out; sleep 300; echo late >> out"]);
        for (;;) {}
    "#;
    let (engine, file) = engine(temp.path(), source);
    let running = tokio::spawn({
        let engine = engine.clone();
        async move { script::run(&engine, &file).await }
    });
    until("the child runs", || out(temp.path()).ends_with('\n')).await;
    let pid = out(temp.path());
    engine.interrupt();
    let error = running.await.expect("it comes back").expect_err("it was stopped");
    assert!(error.starts_with("was stopped ("), "it ended with: {error:?}");
    until("the child has ended", || !runs(&pid)).await;
    assert_eq!(out(temp.path()), pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_child_may_take_longer_than_a_stretch() {
    let temp = tempfile::tempdir().expect("a folder");
    let file = temp.path().join("main.ts");
    let source = r#"
        import { execSync } from "node:child_process";
        import { writeFileSync } from "node:fs";
        execSync("sleep 0.5");
        writeFileSync("out", "done");
    "#;
    std::fs::write(&file, source).expect("a file");
    let options = EngineOptions { stretch: Duration::from_millis(250), ..EngineOptions::new(temp.path()) };
    let engine = Engine::start(options).expect("an engine");
    script::run(&engine, &file).await.expect("it runs");
    assert_eq!(out(temp.path()), "done");
}

/// Whether the tool runs when a gate does this before it allows, with no more than 300 ms, and what the user is told.
async fn gated(body: &str) -> (bool, Vec<String>) {
    let world = tour::world().settings(json!({"tau": {"limits": {"handlerMs": 300}}}));
    let scripts = Scripts::new(&world);
    let source = format!(
        "import {{ execSync }} from 'node:child_process';\n\
         export default (pi) => {{\n  pi.on('tool_call', async () => {{ {body} }});\n}};\n"
    );
    for outcome in scripts.load(&world, &[("gate.ts", &source)]).await {
        outcome.result.expect("an extension that loads");
    }
    let told = scripts.told.clone();
    let worked = !tour_in(world).await.worked.is_empty();
    (worked, told.all().into_iter().map(|(_, event, message, _)| format!("{event}: {message}")).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_synchronous_child_is_the_handlers_time() {
    let late = "tool_call: did not answer within 300ms, the limit of tau.limits.handlerMs (it waited for the command `sleep 1000`)".to_owned();
    for body in ["execSync('sleep 1000');", "for (;;) try { execSync('sleep 1000'); } catch {}"] {
        assert_eq!(gated(body).await, (false, vec![late.clone()]), "{body}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn children_may_run_on_every_processor() {
    let temp = tempfile::tempdir().expect("a folder");
    let source = r#"
        import { execSync } from "node:child_process";
        import { writeFileSync } from "node:fs";
        writeFileSync("out", execSync("grep Cpus_allowed: /proc/self/status"));
    "#;
    let (engine, file) = engine(temp.path(), source);
    script::run(&engine, &file).await.expect("it runs");
    let own = std::fs::read_to_string("/proc/self/status").expect("a status");
    let own = own.lines().find(|line| line.starts_with("Cpus_allowed:"));
    assert_eq!(Some(out(temp.path()).trim_end()), own);
}

/// Shells with job control give each job a group of its own.
const JOBS: &str = r#"
    import { spawn } from "node-pty";
    spawn("sh", ["-mc", "sleep 300 & echo $! $$ > pids; mv pids out; LAST"]);
"#;

/// The two processes of [`JOBS`] when they run.
async fn jobs(folder: &Path) -> (String, String) {
    until("both processes are told", || out(folder).ends_with('\n')).await;
    let pids = out(folder);
    let (job, shell) = pids.trim().split_once(' ').expect("two numbers");
    (job.to_owned(), shell.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_in_a_terminal_of_a_child_ends_with_the_engine() {
    let temp = tempfile::tempdir().expect("a folder");
    let (engine, file) = engine(temp.path(), &JOBS.replace("LAST", "trap '' HUP; sleep 300"));
    script::run(&engine, &file).await.expect("it runs");
    let (job, shell) = jobs(temp.path()).await;
    assert!(runs(&job) && runs(&shell));
    engine.stop();
    until("both processes have ended", || !runs(&job) && !runs(&shell)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_shell_in_a_terminal_leaves_running_ends_with_the_session() {
    let temp = tempfile::tempdir().expect("a folder");
    let (engine, file) = engine(temp.path(), &JOBS.replace("LAST", "true"));
    let leftovers = tau_sys::process::Leftovers::default();
    let given = leftovers.clone();
    engine.run(move |core| core.host().set_leftovers(given)).await.expect("an engine that lives");
    script::run(&engine, &file).await.expect("it runs");
    let (job, shell) = jobs(temp.path()).await;
    until("the shell has ended", || !runs(&shell)).await;
    // It is taken up as soon as somebody has waited for the shell.
    assert!(runs(&job));
    until("the job has ended", || {
        leftovers.end();
        !runs(&job)
    })
    .await;
}
