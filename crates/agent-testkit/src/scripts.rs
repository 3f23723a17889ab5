//! A stand-in for a script engine. Its scripts are lines of a few words:
//!
//! ```text
//! flag NAME boolean|string   a command-line flag; its value is told at every session_start
//! block TOOL REASON…         blocks calls of a tool
//! tool NAME                  a tool that answers with the script's name
//! dialect NAME               the script is one of another dialect
//! hear EVENT                 tells of an event, with its reason if it has one
//! trust yes|no|undecided     answers project_trust; `trust throw` fails
//! reload NAME                a command that loads everything again
//! stay                       the engine never ends
//! wait                       the factory takes a moment
//! throw TEXT…                the factory fails
//! syntax TEXT…               cannot be compiled
//! ```

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_agent::extensions::ScriptHostMaker;
use tau_hooks::dialect::Dialect;
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tau_hooks::{Command, Ctx, FlagKind, FlagSpec, FlagValue, HandlerError, Owner, Registrar};
use tau_script::{DialectEvidence, LoadContext, LoadFailure, LoadOutcome, LoadedScript, Script, ScriptHost};
use tau_tools::{ToolOutput, ToolSpec};

/// The engine, what its scripts say, and what it was asked to do.
#[derive(Default)]
pub struct FakeScripts {
    said: Arc<Mutex<Vec<String>>>,
    aloud: bool,
    stays: AtomicBool,
    runtimes: AtomicUsize,
    running: AtomicBool,
    /// Contexts that scripts were given.
    pub contexts: Arc<Mutex<Vec<Ctx>>>,
}

type Said = Arc<dyn Fn(String) + Send + Sync>;

impl FakeScripts {
    /// An engine that is not running yet; `aloud` says everything on standard error as well.
    pub fn new(aloud: bool) -> Arc<Self> {
        Arc::new(Self { aloud, ..Self::default() })
    }

    /// What makes this engine.
    pub fn maker(self: &Arc<Self>) -> ScriptHostMaker {
        let host = Arc::clone(self);
        Arc::new(move |_: &_| {
            host.say("made".to_owned());
            Arc::clone(&host) as Arc<dyn ScriptHost>
        })
    }

    /// What was said since it was last asked.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.said.lock())
    }

    fn say(&self, text: String) {
        self.sayer()(text);
    }

    fn sayer(&self) -> Said {
        let (said, aloud) = (Arc::clone(&self.said), self.aloud);
        Arc::new(move |text: String| {
            if aloud {
                eprintln!("fake: {text}");
            }
            said.lock().push(text);
        })
    }

    fn compile(path: &Path) -> Result<Vec<(usize, String)>, HandlerError> {
        let text = std::fs::read_to_string(path)?;
        let lines: Vec<(usize, String)> =
            text.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned())).collect();
        match lines.iter().find_map(|(line, text)| Some((line, text.strip_prefix("syntax ")?))) {
            Some((line, why)) => Err(failure(path, *line, why)),
            None => Ok(lines),
        }
    }

    async fn run(&self, file: &Script, with: &LoadContext) -> Result<LoadedScript, HandlerError> {
        let lines = Self::compile(&file.path)?;
        // `dialect omp` says whose rules count.
        let named = lines.iter().find_map(|(_, line)| Dialect::parse(line.strip_prefix("dialect ")?));
        let owner = named.map_or_else(
            || Arc::clone(&file.owner),
            |dialect| Owner::new(Arc::clone(&file.owner.path), Arc::clone(&file.owner.name), dialect),
        );
        let mut registrar = with.hooks.registrar(Arc::clone(&owner));
        for (line, text) in &lines {
            if text == "wait" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            } else {
                self.line(&mut registrar, file, *line, text)?;
            }
        }
        let owner = registrar.commit()?;
        let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        owner.set_code(&format!("{}\n{}", file.path.canonicalize()?.display(), text.join("\n")));
        self.say(format!("loaded {}{}", file.owner.name, if file.isolated { " isolated" } else { "" }));
        Ok(LoadedScript {
            owner,
            time: Duration::from_micros(1500),
            memory_bytes: Some(3 * 1024),
            dialect_by: DialectEvidence::default(),
        })
    }

    fn line(&self, registrar: &mut Registrar, file: &Script, line: usize, text: &str) -> Result<(), HandlerError> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let (first, more) = (first.to_owned(), more.to_owned());
        let (say, name, contexts) = (self.sayer(), Arc::clone(&file.owner.name), Arc::clone(&self.contexts));
        match word {
            "throw" => return Err(failure(&file.path, line, rest)),
            "stay" => self.stays.store(true, Ordering::Relaxed),
            "flag" => {
                let kind = if more == "boolean" { FlagKind::Boolean } else { FlagKind::String };
                let description = format!("A flag of {name}.");
                registrar.flag(FlagSpec { name: first.clone(), description, kind, default: None })?;
                let api = registrar.api();
                registrar.on_json("session_start", move |_, _| {
                    match api.flag(&first) {
                        Some(FlagValue::Boolean(value)) => say(format!("{name}: --{first} is {value}")),
                        Some(FlagValue::String(value)) => say(format!("{name}: --{first} is {value:?}")),
                        None => say(format!("{name}: no --{first}")),
                    }
                    std::future::ready(Ok(None))
                });
            }
            "block" => {
                registrar.on::<ToolCall>(move |event, _| {
                    let block = (event.tool_name == first).then(|| ToolCallResult::block(more.clone()));
                    async move { block }
                });
            }
            "tool" => {
                let spec = ToolSpec {
                    name: first.clone(),
                    label: first.clone(),
                    description: format!("The tool {first}."),
                    ..ToolSpec::default()
                };
                registrar.tool(spec, move |_, _| {
                    let text = format!("{first} of {name}");
                    async move { Ok(ToolOutput::text(text)) }
                });
            }
            "hear" => {
                registrar.on_json(&first.clone(), move |event, ctx| {
                    contexts.lock().push(ctx);
                    let reason = event["reason"].as_str().map(|reason| format!(" {reason}")).unwrap_or_default();
                    say(format!("{name}: {first}{reason}"));
                    std::future::ready(Ok(None))
                });
            }
            "trust" => {
                registrar.on_json("project_trust", move |_, _| {
                    say(format!("{name}: asked for trust"));
                    let answer: Result<Option<Value>, HandlerError> = match first.as_str() {
                        "throw" => Err(HandlerError::msg("no idea")),
                        answer => Ok(Some(json!({"trusted": answer, "remember": more == "remember"}))),
                    };
                    std::future::ready(answer)
                });
            }
            "reload" => {
                registrar.add_command(Command {
                    name: first,
                    description: None,
                    handler: Arc::new(move |_, ctx| {
                        let (say, name) = (Arc::clone(&say), name.clone());
                        Box::pin(async move {
                            let done = ctx.reload().await;
                            say(format!("{name}: reload gave {done:?}, check gives {:?}", ctx.check()));
                            Ok(())
                        })
                    }),
                    completer: None,
                });
            }
            "" | "syntax" | "dialect" => {}
            word => return Err(failure(&file.path, line, &format!("unknown word {word}"))),
        }
        Ok(())
    }
}

fn failure(path: &Path, line: usize, why: &str) -> HandlerError {
    let location = Some(format!("{}:{line}", path.display()));
    HandlerError::Failed { message: why.to_owned(), stack: None, location, ended: false }
}

#[async_trait]
impl ScriptHost for FakeScripts {
    async fn check(&self, files: &[Script], _: &LoadContext) -> Vec<LoadFailure> {
        self.say("checked".to_owned());
        let failed = |file: &Script| {
            let error = Self::compile(&file.path).err()?;
            Some(LoadFailure { path: file.path.clone(), error })
        };
        files.iter().filter_map(failed).collect()
    }

    async fn load(&self, files: Vec<Script>, with: &LoadContext) -> Vec<LoadOutcome> {
        if !self.running.swap(true, Ordering::Relaxed) {
            self.say(format!("runtime {}", self.runtimes.fetch_add(1, Ordering::Relaxed) + 1));
        }
        let mut outcomes = Vec::new();
        for file in files {
            let result = self.run(&file, with).await;
            outcomes.push(LoadOutcome { path: file.path, result });
        }
        outcomes
    }

    async fn shut_down(&self) {
        self.say("shut down".to_owned());
        if self.stays.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        self.running.store(false, Ordering::Relaxed);
    }
}
