//! The start: who is asked before the project's extensions are loaded, and in which order they work.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::extensions::{DiscoveryOptions, Extensions, Found};
use tau_agent::settings::SettingsStore;
use tau_agent::trust::{Decision, Reason};
use tau_hooks::dialogs::{DialogAnswer, DialogEvent};
use tau_hooks::{Hooks, Mode};

use super::discovery::{Tree, tree};
use crate::common::Log;
use crate::common::scripts::FakeScripts;

struct Start {
    tree: Tree,
    hooks: Arc<Hooks>,
    scripts: Arc<FakeScripts>,
    reports: Log<String>,
    args: Vec<String>,
}

struct Started {
    decision: Decision,
    extensions: Extensions,
    settings: SettingsStore,
}

fn start(tree: Tree) -> Start {
    let (hooks, reports) = (Hooks::new(), Log::default());
    let sink: Log<String> = reports.clone();
    hooks.dispatcher.reports.listen(move |report| sink.push(report.message()));
    Start { tree, hooks, scripts: FakeScripts::new(false), reports, args: Vec::new() }
}

impl Start {
    fn args(mut self, args: &[&str]) -> Self {
        self.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self
    }

    async fn go(&self, approve: Option<bool>) -> Started {
        let env = self.tree.env();
        self.tree.settings();
        let options = DiscoveryOptions { paths: self.args.clone(), ..DiscoveryOptions::default() };
        let scripts = Some(self.scripts.maker());
        let extensions = Extensions::new(env.clone(), Arc::clone(&self.hooks), options, scripts, Vec::new());
        let settings = SettingsStore::open(&env, false);
        let decision = extensions.start(&settings, approve, Mode::Print).await.expect("a decision");
        Started { decision, extensions, settings }
    }

    /// The names of the loaded extensions, in the order in which they work.
    fn order(&self) -> Vec<String> {
        self.hooks.extensions().iter().map(|owner| owner.name.to_string()).collect()
    }

    fn reports(&self) -> Vec<String> {
        self.reports.take().iter().map(|report| self.tree.short(report)).collect()
    }

    fn trust_json(&self) -> Option<Value> {
        let text = std::fs::read_to_string(self.tree.home.agent_dir().join("trust.json")).ok()?;
        Some(serde_json::from_str(&text).expect("JSON"))
    }
}

fn two(user: &str) -> Tree {
    let user = format!("home/.pi/agent/extensions/user.ts = {user}");
    tree(&[user.as_str(), "project/.pi/extensions/project.ts = tool search", "project/cli.ts = tool search"])
}

#[tokio::test]
async fn without_extensions_there_is_no_engine() {
    let start = start(tree(&[]));
    let started = start.go(Some(true)).await;
    assert_eq!(start.scripts.take(), Vec::<String>::new());
    assert_eq!(*started.extensions.found(), Found::default());
    started.extensions.shut_down(std::time::Duration::from_secs(2)).await;
    assert_eq!(start.scripts.take(), Vec::<String>::new());
}

#[tokio::test]
async fn the_user_s_and_the_command_line_s_extensions_are_asked_and_the_documented_order_holds() {
    let start = start(two("trust yes remember\ntool search")).args(&["cli.ts"]);
    let started = start.go(None).await;
    assert_eq!(
        start.scripts.take(),
        ["made", "runtime 1", "loaded user", "loaded cli", "user: asked for trust", "loaded project"]
    );
    assert_eq!((started.decision.trusted, started.decision.why), (true, Reason::Handler));
    assert!(started.settings.snapshot().is_trusted());
    assert_eq!(start.order(), ["project", "user", "cli"]);
    let winner = start.hooks.tools().iter().map(|(owner, _)| owner.name.to_string()).collect::<Vec<_>>();
    assert_eq!(winner, ["project"]);
    let clash = "Tool \"search\" is also registered by .pi/extensions/project.ts; the first one is used";
    assert_eq!(start.reports()[0], clash);
    let cwd = start.tree.home.cwd().display().to_string();
    assert_eq!(start.trust_json(), Some(json!({cwd: true})));
}

#[tokio::test]
async fn what_was_loaded_to_be_asked_and_is_not_on_the_list_is_gone_with_its_engine() {
    let start = start(tree(&[
        "home/.pi/agent/extensions/user.ts = trust yes",
        "home/.omp/agent/hooks/pre/bash.ts = tool theirs",
        "home/.omp/agent/hooks/pre/bad.ts = throw no",
        "project/.omp/hooks/pre/bash.ts = tool ours",
        "project/.omp/hooks/pre/bad.ts = tool good",
    ]));
    let started = start.go(None).await;
    assert_eq!(
        start.scripts.take(),
        [
            "made",
            "runtime 1",
            "loaded user",
            "loaded bash",
            "user: asked for trust",
            "shut down",
            "runtime 2",
            "loaded user",
            "loaded bad",
            "loaded bash",
        ]
    );
    assert_eq!(start.order(), ["user", "bad", "bash"]);
    let tools = start.hooks.tools().iter().map(|(_, tool)| tool.spec().name.clone()).collect::<Vec<_>>();
    assert_eq!((tools, started.extensions.failures()), (vec!["good".to_owned(), "ours".to_owned()], vec![]));
    let listed = started.extensions.found();
    let listed: Vec<_> = listed.extensions.iter().map(|found| found.path.clone()).collect();
    let loaded: Vec<_> = started.extensions.loads().into_iter().map(|load| load.extension.path).collect();
    assert_eq!(listed, loaded);
}

#[tokio::test]
async fn a_refusal_a_failure_and_silence_leave_the_project_out() {
    for user in ["trust no", "trust throw", "trust undecided"] {
        let start = start(two(user));
        let started = start.go(None).await;
        let why = match user {
            "trust no" => Reason::Handler,
            "trust undecided" => Reason::NobodyToAsk,
            _ => {
                let path = start.tree.home.agent_dir().join("extensions/user.ts");
                Reason::HandlerFailed(path.display().to_string(), "no idea".to_owned())
            }
        };
        assert_eq!((started.decision.trusted, started.decision.why.clone()), (false, why), "{user}");
        assert_eq!(start.order(), ["user"], "{user}");
        assert!(!started.settings.snapshot().is_trusted());
        let notice = started.decision.notice().expect("a notice");
        assert!(notice.contains(".pi/settings.json, .pi/extensions"), "{notice}");
        assert_eq!(start.trust_json(), None);
    }
}

#[tokio::test]
async fn a_flag_asks_nobody() {
    for (flag, order) in [(true, &["project", "user"][..]), (false, &["user"])] {
        let start = start(two("trust throw"));
        let started = start.go(Some(flag)).await;
        assert_eq!((started.decision.trusted, started.decision.why), (flag, Reason::Flag));
        assert_eq!(start.order(), order);
        assert!(!start.scripts.take().contains(&"user: asked for trust".to_owned()));
    }
}

#[tokio::test]
async fn the_user_is_asked_last() {
    for (choice, trusted) in [("Trust (this session only)", true), ("Do not trust", false)] {
        let start = start(two("trust undecided"));
        let mut user = start.hooks.dialogs.subscribe();
        let answering = tokio::spawn(async move {
            loop {
                if let Some(DialogEvent::Opened(request)) = user.recv().await {
                    user.answer(request.id(), DialogAnswer::Value(choice.to_owned())).expect("an open dialog");
                    return request.kind.title().expect("a title").to_owned();
                }
            }
        });
        let started = start.go(None).await;
        let title = start.tree.short(&answering.await.expect("an answer"));
        assert_eq!((started.decision.trusted, started.decision.why), (trusted, Reason::User));
        assert!(title.ends_with("instruct the model: .pi/settings.json, .pi/extensions"), "{title}");
        assert_eq!(start.order().contains(&"project".to_owned()), trusted);
    }
}

#[tokio::test]
async fn a_broken_extension_is_told_with_its_line_and_the_rest_goes_on() {
    let start = start(tree(&[
        "home/.pi/agent/extensions/a.ts = hear agent_start\nwait\nthrow out of paper",
        "home/.pi/agent/extensions/b.ts = syntax unexpected token",
        "home/.pi/agent/extensions/c.ts = hear agent_start",
    ]))
    .args(&["gone.ts"]);
    let started = start.go(Some(false)).await;
    assert_eq!(start.order(), ["c"]);
    let told = [
        "Failed to load extension \"~/extensions/a.ts\": out of paper (~/extensions/a.ts:3)",
        "Failed to load extension \"~/extensions/b.ts\": unexpected token (~/extensions/b.ts:1)",
        "Failed to load extension \"gone.ts\": Extension path does not exist: gone.ts",
    ];
    let shut = "it was named on the command line but is not loaded: every tool call is blocked";
    assert_eq!(start.reports(), [&told[..], &[shut]].concat());
    let failures = started.extensions.failures();
    assert_eq!(failures.iter().map(|failure| start.tree.short(&failure.to_string())).collect::<Vec<_>>(), told);
    let loads = started.extensions.loads();
    let shown = loads.iter().map(|load| (load.extension.name.as_str(), load.memory_bytes, load.error.is_some()));
    assert_eq!(shown.collect::<Vec<_>>(), [("a", None, true), ("b", None, true), ("c", Some(3072), false)]);
}

#[tokio::test]
async fn without_an_engine_it_says_so() {
    let start = start(two(""));
    start.tree.settings();
    let extensions =
        Extensions::new(start.tree.env(), Arc::clone(&start.hooks), DiscoveryOptions::default(), None, Vec::new());
    let settings = SettingsStore::open(&start.tree.env(), false);
    extensions.start(&settings, Some(false), Mode::Print).await.expect("a decision");
    assert_eq!(start.reports(), ["Failed to load extension \"~/extensions/user.ts\": this program cannot run scripts"]);
}
