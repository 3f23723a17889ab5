use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use tau_agent::services::ExtensionServices;
use tau_agent::settings::{Environment, SettingsStore};
use tau_examples::Sandbox;
use tau_hooks::wrap_bash;
use tau_testkit::{Stage, TempHome};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tokio_util::sync::CancellationToken;

/// Notes what it is to run.
#[derive(Default)]
struct Noting(Mutex<Vec<String>>);

#[async_trait]
impl BashOperations for Noting {
    async fn exec(&self, command: &str, _: &Path, _: BashExec) -> Result<Option<i32>, BashExecError> {
        self.0.lock().push(command.to_owned());
        Ok(Some(0))
    }
}

/// Runs a command as the bash tool does; what was started, or why nothing was.
async fn run(stage: &Stage, command: &str) -> Result<Vec<String>, String> {
    let own = Arc::new(Noting::default());
    let operations = wrap_bash(&stage.hooks, Arc::clone(&own) as Arc<dyn BashOperations>);
    let cancel = CancellationToken::new();
    let exec = BashExec { on_data: Arc::new(|_| {}), cancel, timeout: None, env: None, pace: None };
    let done = operations.exec(command, Path::new("/"), exec).await;
    let ran = std::mem::take(&mut *own.0.lock());
    done.map(|_| ran).map_err(|error| error.to_string())
}

fn stage(settings: &str, project: &str) -> Stage {
    let home = TempHome::new();
    home.write_agent("settings.json", settings);
    home.write(".pi/settings.json", project);
    let mut env = Environment::new(home.home(), home.cwd());
    env.vars = home.vars();
    let stage = Stage::new();
    stage.hooks.serve(ExtensionServices::new(Arc::new(SettingsStore::open(&env, true))));
    stage.load(&Sandbox).expect("it loads");
    stage
}

#[tokio::test]
async fn commands_start_through_the_program_that_the_user_chose() {
    let mine = r#"{"tau": {"extensions": {"sandbox": {"command": ["box", "--no net"]}}}}"#;
    let other = r#"{"tau": {"extensions": {"sandbox": {"command": []}}}}"#;
    let expected = [r"'box' '--no net' 'bash' '-c' 'echo '\''a'\'''"];
    // A project has no say.
    for project in ["{}", other] {
        assert_eq!(run(&stage(mine, project), "echo 'a'").await.expect("it runs"), expected);
    }
    assert_eq!(run(&stage("{}", mine), "ls").await.expect("it runs"), ["ls"]);
}

#[tokio::test]
async fn without_settings_nothing_runs() {
    let stage = Stage::new();
    stage.load(&Sandbox).expect("it loads");
    let why = run(&stage, "ls").await.expect_err("it is blocked");
    assert!(why.starts_with("Blocked: extension <native:sandbox> could not start the command"), "{why}");
}
