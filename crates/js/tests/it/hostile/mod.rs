//! Extensions that try to use up memory and time. Whatever they do, no signal ends the process.
//!
//! Each try is a process of its own, made from a number: `TAU_HOSTILE_SEED=7 TAU_HOSTILE_TRIES=1` repeats one. A small
//! sample runs with all tests; `.ci/long` runs for hours.

mod scripts;

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tau_hooks::payload::SessionShutdownReason;

use crate::bus::hear;
use crate::support::Scripts;
use crate::tour::{self, tour_in};
use scripts::{BOMBS, Try, make};

/// The number of a try, in the environment of its process.
const ONE: &str = "TAU_HOSTILE_ONE";
/// What a process says last.
const ENDED: &str = "hostile try ended by ";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Neither memory nor time of the extension ends the process, and what it can be told is told.
#[test]
fn no_script_ends_the_process() {
    let first = number("TAU_HOSTILE_SEED").unwrap_or(1);
    let tries = number("TAU_HOSTILE_TRIES").unwrap_or(BOMBS.len() as u64);
    let until = number("TAU_HOSTILE_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let next = Mutex::new(first);
    let counts: Mutex<BTreeMap<(&str, String), u64>> = Mutex::default();
    let failures: Mutex<Vec<String>> = Mutex::default();
    let events = tour::events();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = {
                        let mut next = next.lock().expect("a number");
                        let over = match until {
                            Some(until) => Instant::now() >= until,
                            None => *next >= first + tries,
                        };
                        if over {
                            return;
                        }
                        *next += 1;
                        *next - 1
                    };
                    let tried = make(seed, &events);
                    let began = Instant::now();
                    let ended = ended(seed, &tried).unwrap_or_else(|why| {
                        eprintln!("{why}");
                        failures.lock().expect("failures").push(why);
                        "crash".to_owned()
                    });
                    let Try { area, place, .. } = tried;
                    println!("{seed}: {area} in {place} ended by {ended} after {:?}", began.elapsed());
                    *counts.lock().expect("counts").entry((tried.area, ended)).or_default() += 1;
                }
            });
        }
    });
    print_counts(&counts.into_inner().expect("counts"));
    let failures = failures.into_inner().expect("failures");
    assert!(failures.is_empty(), "{} tries ended the process", failures.len());
}

fn print_counts(counts: &BTreeMap<(&str, String), u64>) {
    let of = |area: &str, how: &str| counts.get(&(area, how.to_owned())).copied().unwrap_or_default();
    let columns = ["memory", "time", "finishing", "error", "lost", "crash"];
    println!("{:24} {:>6} {}", "area", "tries", columns.map(|column| format!("{column:>10}")).join(""));
    let mut areas: Vec<&str> = counts.keys().map(|(area, _)| *area).collect();
    areas.dedup();
    for area in areas {
        let row = columns.map(|how| of(area, how));
        let cells = row.map(|count| format!("{count:>10}")).join("");
        println!("{area:24} {:>6} {cells}", row.iter().sum::<u64>());
    }
}

/// Runs a try in a process; how it ended, or what to know when the process did.
fn ended(seed: u64, tried: &Try) -> Result<String, String> {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program);
    child.args(["--exact", "hostile::one_try", "--ignored", "--nocapture"]).env(ONE, seed.to_string());
    let Output { status, stdout, stderr } = child.output().expect("a process");
    let said = String::from_utf8_lossy(&stdout);
    if let (true, Some((_, how))) = (status.success(), said.split_once(ENDED)) {
        return Ok(how.split_whitespace().next().unwrap_or_default().to_owned());
    }
    Err(format!(
        "{status}: {area} in {place} ({event}), {memory} MiB, {stretch} ms\n{source}\n{stdout}\n{stderr}\nagain: TAU_HOSTILE_SEED={seed} TAU_HOSTILE_TRIES=1 cargo test -p tau-js --test it hostile::no_script",
        area = tried.area,
        place = tried.place,
        event = tried.event,
        memory = tried.memory,
        stretch = tried.stretch,
        source = tried.source,
        stdout = said,
        stderr = String::from_utf8_lossy(&stderr),
    ))
}

/// What a process of [`no_script_ends_the_process`] does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the other test, in a process of its own"]
async fn one_try() {
    let Some(seed) = number(ONE) else { return };
    let tried = make(seed, &tour::events());
    let limits = json!({"limits": {
        "stretchMs": tried.stretch, "memoryMb": tried.memory,
        "observeMs": 3_000, "handlerMs": 3_000, "shutdownMs": 1_000, "loadMs": 5_000,
    }});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    let log = hear(&world, "hostile");
    let alive = "export default (pi) => { pi.registerCommand('alive', { handler: async () => {} }); };";
    let outcomes = scripts.load(&world, &[("hostile.ts", &tried.source), ("alive.ts", alive)]).await;
    let mut told: Vec<String> =
        outcomes.iter().filter_map(|outcome| outcome.result.as_ref().err().map(ToString::to_string)).collect();
    match tried.place {
        "handler" => drop(tour_in(world).await),
        place => {
            let running = world.start().await;
            match place {
                "command" => drop(running.say("/hostile").await),
                "tool" => told.extend(call(&world).await),
                "timer" => {
                    while told.is_empty() && scripts.told.all().is_empty() && log.all().is_empty() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
                _ => {}
            }
            running.say("/alive").await;
            running.session.shut_down(SessionShutdownReason::Quit).await;
        }
    }
    told.extend(scripts.told.all().into_iter().map(|(_, _, message, _)| message));
    let how = match () {
        () if told.iter().any(|text| text.contains("does not answer any more")) => "lost",
        () if told.iter().any(|text| text.contains("out of memory")) => "memory",
        () if told.iter().any(|text| text.contains("without a pause")) => "time",
        () if told.is_empty() => "finishing",
        () => "error",
    };
    drop(scripts);
    println!("{ENDED}{how} {told:?}");
}

/// Calls the extension's tool; what it failed with.
async fn call(world: &crate::common::World) -> Option<String> {
    let tools = world.hooks.tools();
    let tool = tools.iter().find(|(_, tool)| tool.spec().name == "hostile").map(|(_, tool)| Arc::clone(tool))?;
    let invocation = tau_tools::Invocation {
        id: "1".to_owned(),
        args: json!({}),
        cancel: tokio_util::sync::CancellationToken::new(),
        progress: tau_tools::Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    };
    // Tools have no limit of their own, and one that waits for what never comes is stopped by the user.
    let done = tokio::time::timeout(Duration::from_secs(5), tool.execute(invocation)).await;
    done.ok()?.err().map(|failure| failure.message)
}
