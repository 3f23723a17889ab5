//! The log file of the agent folder.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Place, Tau, files_below};

const FINE: &str = "replies: [[{text: fine}]]";

fn place() -> Place {
    let place = Place::new();
    place.write("work/quiet.ts", "export default () => {};\n");
    place
}

fn run(place: &Place, with: impl FnOnce(Tau) -> Tau) {
    let done = with(place.play(FINE, ["-e", "quiet.ts", "-p", "x"])).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{}", done.stderr);
}

/// Lets others write what was compiled, so that the next start refuses it and logs that.
fn open_cache(place: &Place) {
    let files = files_below(&place.root().join("home/.cache/tau/modules"));
    let compiled: Vec<_> = files.iter().filter(|file| file.extension().is_some_and(|end| end == "qjs")).collect();
    assert!(!compiled.is_empty(), "{files:?}");
    for file in compiled {
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).expect("permissions");
    }
}

#[test]
fn warnings_go_to_a_file_that_is_its_users_alone_and_not_there_before() {
    let place = place();
    run(&place, |tau| tau);
    assert!(!place.root().join("agent/logs").exists(), "nothing was logged");
    open_cache(&place);
    run(&place, |tau| tau.with_umask("000"));
    let log = place.read("agent/logs/tau.log");
    assert!(log.contains(" WARN tau_engine::loader::cache: compiled code is not used refusal="), "{log}");
    let mode = |path: &str| place.root().join(path).metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode("agent/logs"), mode("agent/logs/tau.log")), (0o700, 0o600));
    open_cache(&place);
    run(&place, |tau| tau);
    assert!(place.read("agent/logs/tau.log").starts_with(&log), "the next run writes behind it");
}

#[test]
fn a_setting_and_above_it_a_variable_say_what_is_logged() {
    let place = place();
    run(&place, |tau| tau);
    let logged = |setting: Option<&str>, variable: Option<&str>| {
        let level = setting.map(|level| serde_json::json!({"tau": {"log": {"level": level}}}));
        place.write("agent/settings.json", level.unwrap_or_else(|| serde_json::json!({})).to_string());
        open_cache(&place);
        run(&place, |tau| variable.iter().fold(tau, |tau, level| tau.env("TAU_LOG_LEVEL", level)));
        let file = place.root().join("agent/logs/tau.log");
        let is_there = file.exists();
        if is_there {
            std::fs::remove_file(file).expect("removed");
        }
        is_there
    };
    assert!(!logged(Some("off"), None));
    assert!(logged(Some("off"), Some("warn")));
    assert!(!logged(Some("debug"), Some("error")));
    assert!(logged(None, None));
}

#[test]
fn a_level_that_is_none_is_named() {
    let place = place();
    let done = place.play(FINE, ["-p", "x"]).env("TAU_LOG_LEVEL", "loud").run();
    let warning =
        "Warning: TAU_LOG_LEVEL is not a level of the log: loud; it is one of off, error, warn, info, debug, trace\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), warning));
    let done = place.tau(["config", "why", "tau.log.level"]).env("TAU_LOG_LEVEL", "info").run();
    assert!(done.stdout.starts_with("tau.log.level = info\n  variable TAU_LOG_LEVEL: info\n"), "{}", done.stdout);
}
