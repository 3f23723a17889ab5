//! A Neovim around tau: `/nvim-changed-files` puts what changed into its quickfix list.
//!
//! Neovim sets `NVIM` for programs in its terminals. Without that there is nothing here.

mod changed;
mod client;
mod msgpack;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tau_git::Stop;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Command, Ctx, Extension, HandlerError, Registrar};
use tau_view::untrusted::plain;

use self::changed::Changed;
use self::client::{Address, NvimError};
use self::msgpack::Value;
use crate::module::Module;
use crate::shared::commands::share;
use crate::shared::repository::facts_of;
use crate::shared::say::{of_command, refuse, say};

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:nvim",
    about: "inside of Neovim, /nvim-changed-files: changed files in the quickfix list",
    needs: &[],
    programs: &[],
    in_children: false,
    make: || Box::new(Nvim),
};

/// The command.
const COMMAND: &str = "nvim-changed-files";
/// The variable with the address of the Neovim that tau runs in.
const VARIABLE: &str = "NVIM";
/// How long the repository and Neovim may take together.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fills the quickfix list and opens it. What differs from call to call are its arguments.
const FILL: &str = "local items, title = ...
vim.fn.setqflist({}, ' ', { title = title, items = items })
vim.cmd('botright copen')
return #items";

/// The extension.
struct Nvim;

impl Extension for Nvim {
    fn name(&self) -> &str {
        "nvim"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let address = registrar.api().variables()?.remove(VARIABLE);
        let Some(address) = address.filter(|address| !address.is_empty()) else { return Ok(()) };
        let address = Address::parse(&address);
        let command = Command {
            name: COMMAND.to_owned(),
            description: Some("Put changed files into the quickfix list of Neovim".to_owned()),
            handler: Arc::new(move |_, ctx| {
                let address = address.clone();
                Box::pin(async move { run(&address, &ctx).await })
            }),
            completer: None,
        };
        share(registrar, vec![command])
    }
}

async fn run(address: &Address, ctx: &Ctx) -> Result<(), HandlerError> {
    let clock = ctx.api()?.sources()?.clock;
    let patience = i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX);
    let (stop, late) = (Stop::default(), clock.now_ms().saturating_add(patience));
    let done = tokio::select! {
        biased;
        done = show(address, ctx, &stop) => done,
        () = clock.reached(late) => Err(format!(
            "Neovim or the git repository did not answer within {} seconds. A message in Neovim may wait for a key.",
            PATIENCE.as_secs()
        )),
    };
    // A look that nobody waits for ends.
    stop.stop();
    match done {
        Ok(text) => say(ctx, &of_command(COMMAND), &plain(&text), NotifyLevel::Info),
        Err(why) => refuse(ctx, &plain(&why), NotifyLevel::Error),
    }
}

/// Fills the list; gives what there is to say, or why that failed.
async fn show(address: &Address, ctx: &Ctx, stop: &Stop) -> Result<String, String> {
    let (cwd, stop) = (ctx.cwd(), stop.clone());
    let looked = facts_of(&cwd).ask(move |repository| changed::look(repository, &stop)).await;
    let changed = match looked {
        Ok(Some(Ok(changed))) => changed,
        Ok(None) => {
            return Err(format!("{} is in no git repository, so nothing is known to have changed.", cwd.display()));
        }
        Ok(Some(Err(error))) | Err(error) => return Err(error.to_string()),
    };
    if changed.files.is_empty() {
        return Ok(format!("No file has changed since {}.{}", changed.since, changed.left_out()));
    }
    let listed = client::exec_lua(address, FILL, arguments(&changed)).await;
    let listed = listed.map_err(|error: NvimError| format!("Neovim at {address}: {error}"))?;
    if listed.as_count() != Some(changed.files.len() as u64) {
        return Err(format!("Neovim at {address} did not take all files: it answered {listed}"));
    }
    let files = if changed.files.len() == 1 { "1 file is" } else { &format!("{} files are", changed.files.len()) };
    Ok(format!("{files} in the quickfix list of Neovim, changed since {}.{}", changed.since, changed.left_out()))
}

/// The items of the list, and its title.
fn arguments(changed: &Changed) -> Vec<Value> {
    let item = |(path, line): &(std::path::PathBuf, u32)| {
        Value::Map(vec![
            (Value::text("filename"), of_path(path)),
            (Value::text("lnum"), Value::Count(u64::from(*line))),
        ])
    };
    let items = changed.files.iter().map(item).collect();
    vec![Value::Array(items), Value::text(&format!("changed since {}", changed.since))]
}

/// Paths are bytes, here as there.
fn of_path(path: &Path) -> Value {
    use std::os::unix::ffi::OsStrExt as _;
    Value::Text(path.as_os_str().as_bytes().to_vec())
}
