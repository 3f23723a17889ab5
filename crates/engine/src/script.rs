//! Running a plain file in an engine, without an agent: for the tests of the runtime and for trying things out.

use std::io;
use std::path::{Path, PathBuf};

use rquickjs::Function;
use serde_json::Value as Json;

use crate::engine::{Core, Engine, EngineOptions, ExtensionId, Fault, InFlight, Settle};
use crate::ops::Left;

/// Evaluates a file as a module, then runs the tests it registered with `node:test`.
///
/// Gives `{passed, failed, skipped, failures: [{name, error}]}`, or `null` when it registered none.
///
/// # Errors
/// What the file threw, with its stack.
pub async fn run(engine: &Engine, path: &Path) -> Result<Json, String> {
    let path = path.to_string_lossy().into_owned();
    let (sender, result) = tokio::sync::oneshot::channel();
    let started = engine.post(move |core| {
        let extension = ExtensionId(1);
        let owned = std::rc::Rc::clone(core);
        let fault = core.enter(extension, |ctx| {
            let done = (|| -> rquickjs::Result<()> {
                let settle: Settle = Box::new(move |ctx, result, _| {
                    let json = |value| crate::convert::from_js(ctx, &value).map(Option::unwrap_or_default);
                    let result = result.map_err(|fault| text_of(&fault));
                    // The one that waits may have given up.
                    let _ = sender.send(result.and_then(|value| json(value).map_err(|error| error.to_string())));
                });
                let id = owned.add_call(InFlight::new(extension, settle));
                let run: Function<'_> = owned.entry(ctx, "runScript")?;
                run.call((id, extension.0, path))
            })();
            done.err().map(|_| Fault::caught(ctx, &owned, extension))
        });
        if let Some(fault) = fault {
            core.fail(&Fault { extension, ..fault });
        }
    });
    started.map_err(|gone| gone.to_string())?;
    engine.activity().answer(result).await.ok_or_else(|| "the engine ended".to_owned())?
}

/// What came of the tests of a folder.
#[derive(Debug, Default)]
pub struct Tested {
    /// How many passed.
    pub passed: u64,
    /// What did not, each with its file.
    pub failures: Vec<String>,
}

/// Runs all tests in the files `*.test.ts` of a folder, each file in an engine of its own, which must be done when they are:
/// only the files that `may_leave` names may leave something behind. `options` makes the options of an engine for a home.
///
/// # Errors
/// When the folder cannot be read, or no home be made.
pub async fn run_all(
    folder: &Path,
    options: impl Fn(&Path) -> EngineOptions,
    may_leave: &[&str],
) -> io::Result<Tested> {
    let entries: io::Result<Vec<PathBuf>> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut files = entries?;
    files.retain(|path| path.to_string_lossy().ends_with(".test.ts"));
    files.sort();
    let mut tested = Tested::default();
    for file in files {
        let home = tempfile::tempdir()?;
        let mut options = options(home.path());
        options.env.insert("HOME".to_owned(), home.path().display().to_string());
        let engine = Engine::start(options)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match run(&engine, &file).await {
            Ok(report) => {
                tested.passed += report["passed"].as_u64().unwrap_or(0);
                if report.is_null() {
                    tested.failures.push(format!("{name}: it registered no test"));
                }
                for failure in report["failures"].as_array().into_iter().flatten() {
                    let error = failure["error"].as_str().unwrap_or("");
                    tested.failures.push(format!("{name}: {}: {error}", failure["name"]));
                }
            }
            Err(error) => tested.failures.push(format!("{name}: {error}")),
        }
        let left = if may_leave.contains(&name.as_str()) { Left::default() } else { left(&engine).await };
        if left != Left::default() {
            tested.failures.push(format!("{name}: it left {left:?}"));
        }
        engine.stop();
    }
    Ok(tested)
}

fn text_of(fault: &Fault) -> String {
    // The stack begins with the message of the error, which says less than the fault when code was stopped.
    match &fault.stack {
        Some(stack) if !fault.kind.cuts_off() => stack.clone(),
        _ => fault.to_string(),
    }
}

/// What goes on in an engine although no script of it runs. What is about to end gets the time for it.
pub async fn left(engine: &Engine) -> Left {
    const LOOKS: usize = 1_000;
    let mut left = Left::default();
    for _ in 0..LOOKS {
        left = engine.run(|core: &std::rc::Rc<Core>| core.host().left()).await.unwrap_or_default();
        if left == Left::default() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    left
}

/// How much memory the runtime of an engine holds, in bytes.
pub async fn memory(engine: &Engine) -> u64 {
    engine.run(|core: &std::rc::Rc<Core>| core.memory_used()).await.unwrap_or(0)
}
