//! What the measurements share: a session without files, extensions made of closures, and a long session file.
//!
//! Nothing here uses the test kit: its virtual clock makes every look at the time slower than it is in the program.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use tau_agent::resources::LoadOptions;
use tau_agent::settings::{Environment, SettingsStore};
use tau_agent::{AgentSession, SessionOptions, ToolChoice};
use tau_ai::scripted::{PROVIDER, ScriptedApi};
use tau_ai::{ModelRegistry, ProviderConfig, ValueResolver};
use tau_hooks::{Extension, HandlerError, Hooks, Mode, Registrar};
use tau_session::{NewSession, Session};

/// Entries of [`write_long_session`].
pub const LONG_ENTRIES: usize = 100_000;
/// Bytes of [`write_long_session`], about.
pub const LONG_BYTES: usize = 100_000_000;

/// An extension that is no more than a function.
struct Closure<F>(F);

impl<F: Fn(&mut Registrar) + Send + Sync> Extension for Closure<F> {
    fn name(&self) -> &str {
        "bench"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        (self.0)(registrar);
        Ok(())
    }
}

struct NoValues;

impl ValueResolver for NoValues {
    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn command(&self, _: &str) -> Result<String, String> {
        Err("there is no shell here".to_owned())
    }
}

/// A session in memory whose model plays `script`, with one extension. `dir` takes the few files that are needed.
///
/// # Panics
/// When the script or the extension is no good.
pub async fn session(dir: &Path, script: &str, register: impl Fn(&mut Registrar) + Send + Sync) -> Arc<AgentSession> {
    let hooks = Hooks::new();
    hooks.load(&Closure(register)).expect("an extension that registers");
    let script = ScriptedApi::from_str("bench.yaml", script).expect("a script");
    let model = Arc::new(script.model());
    let models = ModelRegistry::new(Arc::new(NoValues));
    let provider = ProviderConfig {
        api: Some(model.api.clone()),
        stream: Some(Arc::new(script)),
        keyless: true,
        ..ProviderConfig::default()
    };
    models.register_provider(PROVIDER, provider).expect("a provider");
    let env = Environment::new(dir, dir);
    let options = SessionOptions {
        settings: Arc::new(SettingsStore::open(&env, false)),
        mode: Mode::Print,
        hooks,
        extensions: None,
        models: Arc::new(models),
        session: Arc::new(Session::in_memory(dir, NewSession::default()).expect("a session in memory")),
        model: Some(model),
        thinking: None,
        scoped_models: Vec::new(),
        tools: ToolChoice::default(),
        resources: LoadOptions::default(),
        name: None,
        temp_dir: None,
        patterns: None,
        env,
    };
    AgentSession::start(options).await.expect("a session")
}

/// Writes a session of [`LONG_ENTRIES`] entries and about [`LONG_BYTES`] bytes: questions, answers with tool calls,
/// results.
///
/// # Errors
/// When the file cannot be written.
pub fn write_long_session(path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let time = "2026-01-01T00:00:00.000Z";
    writeln!(out, r#"{{"type":"session","version":3,"id":"long","timestamp":"{time}","cwd":"/"}}"#)?;
    // What stands around the text is about 270 bytes.
    let text = "All work and no play makes a long session. ".repeat((LONG_BYTES / LONG_ENTRIES - 260) / 43);
    let mut parent = "null".to_owned();
    for n in 0..LONG_ENTRIES {
        let message = match n % 3 {
            0 => format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}],"timestamp":{n}}}"#),
            1 => format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}},{{"type":"toolCall","id":"c{n}","name":"read","arguments":{{"path":"src/main.rs"}}}}],"api":"x","provider":"p","model":"m","usage":{{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"toolUse","timestamp":{n}}}"#
            ),
            _ => format!(
                r#"{{"role":"toolResult","toolCallId":"c{}","toolName":"read","content":[{{"type":"text","text":"{text}"}}],"isError":false,"timestamp":{n}}}"#,
                n - 1
            ),
        };
        writeln!(
            out,
            r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"{time}","message":{message}}}"#
        )?;
        parent = format!("\"{n:08x}\"");
    }
    out.flush()
}
