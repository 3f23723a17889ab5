//! What runs scripts is started before anybody knows that it is needed.

use std::sync::Arc;

use async_trait::async_trait;
use tau_agent::extensions::ScriptHostMaker;
use tau_agent::settings::Environment;
use tau_hooks::{HandlerError, Mode};
use tau_launch::args::parse;
use tau_launch::{Launcher, Request, Trust};
use tau_script::{LoadContext, LoadFailure, LoadOutcome, Script, ScriptHost, Surroundings};

use crate::support::{Log, Place};

/// Notes what is done with it.
struct Host(Log, usize);

#[async_trait]
impl ScriptHost for Host {
    fn prepare(&self, _: &Surroundings) {
        self.0.push(format!("host {} prepares", self.1));
    }

    fn settle(&self) {
        self.0.push(format!("host {} settles", self.1));
    }

    async fn check(&self, _: &[Script], _: &LoadContext) -> Vec<LoadFailure> {
        Vec::new()
    }

    async fn load(&self, files: Vec<Script>, _: &LoadContext) -> Vec<LoadOutcome> {
        self.0.push(format!("host {} loads {}", self.1, files.len()));
        let outcome = |file: Script| LoadOutcome { path: file.path, result: Err(HandlerError::msg("no")) };
        files.into_iter().map(outcome).collect()
    }

    async fn shut_down(&self) {
        self.0.push(format!("host {} ends", self.1));
    }
}

fn maker(log: &Log) -> ScriptHostMaker {
    let (log, made) = (log.clone(), parking_lot::Mutex::new(0));
    Arc::new(move |_: &Environment| {
        let mut made = made.lock();
        *made += 1;
        log.push(format!("host {made} is made"));
        Arc::new(Host(log.clone(), *made)) as Arc<dyn ScriptHost>
    })
}

fn ahead(place: &Place, args: &[&str]) -> Launcher {
    let parsed = parse(args, &["text"]).expect("valid arguments");
    let mut services = place.services();
    services.scripts = Some(maker(&place.log));
    services.extensions.clear();
    Launcher::ahead(parsed, Mode::Json, services)
}

#[tokio::test]
async fn it_starts_with_the_launcher_and_the_first_session_gets_it() {
    let place = Place::new();
    place.home.write("a.ts", "");
    let launcher = ahead(&place, &["-e", "a.ts"]);
    assert_eq!(place.log.take(), ["host 1 is made", "host 1 prepares"]);
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    prepared.load(Trust::Dialogs).await.expect("a decision");
    assert_eq!(place.log.take(), ["host 1 loads 1", "host 1 settles"]);
    ending.end().await;
    assert_eq!(place.log.take(), ["host 1 ends"]);
    // The next session has one of its own.
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    prepared.load(Trust::Dialogs).await.expect("a decision");
    ending.end().await;
    assert_eq!(place.log.take(), ["host 2 is made", "host 2 loads 1", "host 1 settles", "host 2 ends"]);
}

#[tokio::test]
async fn nothing_is_started_where_nothing_seems_to_be_there() {
    let place = Place::new();
    ahead(&place, &[]);
    ahead(&place, &["--no-extensions"]);
    assert_eq!(place.log.take(), [""; 0]);
    std::fs::create_dir_all(place.home.agent_dir().join("extensions")).expect("a folder");
    ahead(&place, &["--no-extensions"]);
    assert_eq!(place.log.take(), [""; 0]);
    ahead(&place, &[]);
    assert_eq!(place.log.take().len(), 2);
}
