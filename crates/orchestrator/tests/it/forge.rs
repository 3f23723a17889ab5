//! A repository on a forge, and a program `gh` that answers from files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tau_agent_testkit::{Log, World};
use tau_hooks::Mode;
use tau_hooks::dialogs::{DialogEvent, UiCall};
use tau_testkit::FixedSources;

use crate::world::load;

/// What happens around a session in a terminal.
pub struct Forge {
    pub world: World,
    pub time: FixedSources,
    /// The notices that the user sees.
    pub told: Log<String>,
    /// The calls for the user interface that are no notices.
    pub calls: Log<UiCall>,
}

/// Says what it was called with, waits while there is a file `wait`, fails if there is a file `code`, and answers.
const GH: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 9
echo "$*" >> calls
while [ -f wait ]; do sleep 0.01; done
if [ -f code ]; then cat said >&2; exit "$(cat code)"; fi
cat "$1.json"
"#;

impl Forge {
    /// A session of these modules in a project that is a repository.
    pub fn new(modules: &[&str], mode: Mode) -> Self {
        let forge = Self::without_repository(modules, mode);
        forge.git(&["init", "--quiet", "--initial-branch", "main", "."]);
        forge.git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
        forge.git(&["remote", "add", "origin", "git@github.com:team/app.git"]);
        forge
    }

    pub fn without_repository(modules: &[&str], mode: Mode) -> Self {
        let time = FixedSources::new(1, 1_000_000);
        let mut world = World::new(json!([])).with_sources(time.sources());
        world.mode = mode;
        let bin = world.home.root().join("bin");
        fs::create_dir(&bin).expect("a folder");
        let world = world.with_var("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
        load(&world, modules);
        let (told, calls) = (Log::default(), Log::default());
        let (notices, others, mut back_end) = (told.clone(), calls.clone(), world.hooks.dialogs.subscribe());
        tokio::spawn(async move {
            while let Some(event) = back_end.recv().await {
                let DialogEvent::Ui(event) = event else { continue };
                match &event.call {
                    UiCall::Notify { message, .. } => notices.push(message.clone()),
                    other => others.push(other.clone()),
                }
            }
        });
        let forge = Self { world, time, told, calls };
        forge.install();
        forge.answer("issue", &json!([]));
        forge.answer("pr", &json!([]));
        forge
    }

    fn bin(&self, name: &str) -> PathBuf {
        self.world.home.root().join("bin").join(name)
    }

    pub fn install(&self) {
        fs::write(self.bin("gh"), GH).expect("a program");
        fs::set_permissions(self.bin("gh"), fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    pub fn uninstall(&self) {
        fs::remove_file(self.bin("gh")).expect("a program");
    }

    pub fn git(&self, args: &[&str]) {
        self.git_at(1_600_000_000, args);
    }

    /// The id of the last commit.
    pub fn head(&self) -> String {
        let mut git = Command::new("git");
        let done = git.current_dir(self.world.home.cwd()).args(["rev-parse", "HEAD"]).output().expect("git runs");
        String::from_utf8(done.stdout).expect("text").trim().to_owned()
    }

    /// As [`Forge::git`], at a time.
    pub fn git_at(&self, seconds: u32, args: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.world.home.cwd()).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(name, format!("{seconds} +0000"));
        }
        let done = command.args(args).output().expect("git runs");
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// What `gh` lists from now on.
    pub fn answer(&self, kind: &str, items: &Value) {
        fs::write(self.bin(&format!("{kind}.json")), items.to_string()).expect("a file");
    }

    /// What `gh` says from now on when it is called with this word first.
    pub fn say(&self, word: &str, text: impl AsRef<[u8]>) {
        fs::write(self.bin(&format!("{word}.json")), text).expect("a file");
    }

    /// `gh` fails from now on, or works again.
    pub fn fail(&self, failure: Option<(i32, &str)>) {
        match failure {
            Some((code, said)) => {
                fs::write(self.bin("said"), said).expect("a file");
                fs::write(self.bin("code"), code.to_string()).expect("a file");
            }
            None => fs::remove_file(self.bin("code")).expect("a file"),
        }
    }

    /// `gh` hangs from now on, or answers again.
    pub fn hang(&self, hangs: bool) {
        if hangs {
            fs::write(self.bin("wait"), "").expect("a file");
        } else {
            fs::remove_file(self.bin("wait")).expect("a file");
        }
    }

    /// With what `gh` was called, in an order of its own.
    pub fn called(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.bin("calls")).unwrap_or_default();
        let mut calls: Vec<String> = calls.lines().map(str::to_owned).collect();
        calls.sort();
        calls
    }

    /// What the user was told, once it is so much.
    pub async fn told(&self, notices: usize) -> Vec<String> {
        while self.told.all().len() < notices {
            tokio::task::yield_now().await;
        }
        self.told.all()
    }

    /// Waits until `gh` was called so often.
    pub async fn until_called(&self, times: usize) {
        while self.called().len() < times {
            tokio::task::yield_now().await;
        }
    }
}

/// An item as `gh` lists it.
pub fn item(number: u64, title: &str, state: &str) -> Value {
    json!({"number": number, "title": title, "state": state, "url": format!("https://github.com/team/app/issues/{number}")})
}
