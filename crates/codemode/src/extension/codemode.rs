//! The extension `builtin:codemode` and its tool.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use tau_ai::{ConstrainedSampling, GrammarVariants};
use tau_hooks::{Api, Ctx, Extension, HandlerError, Reach, Registrar};
use tau_tools::{Exposure, Invocation, Loadout, LoadoutChanges, Tool, ToolFailure, ToolOutput, ToolSpec};

use super::host::SessionHost;
use super::loadout::{CODEMODE, Shown};
use super::progress::Watched;
use super::{loadout, result, store_entries, undeclared};
use crate::declarations::{Listing, Mode, identifier};
use crate::engine::{Ended, LostGroup, Pool, Report, Script, ScriptHost, Surface, run};

/// How many tokens of declarations the description has, unless the user says something else.
const BUDGET: usize = 3000;

/// Where the functions for models are described.
const DOCS: &str = "codemode.md in tau's documentation";

/// What a provider holds the source to that takes raw text: a line with options, or none, and the rest.
const GRAMMAR: &str = r"start: with_options | SOURCE
with_options: OPTIONS NEWLINE SOURCE
OPTIONS: /[ \t]*\/\/ @options:[^\r\n]*/
NEWLINE: /\r?\n/
SOURCE: /[\s\S]+/
";

/// The globals with which a script can reach any tool.
const LOOKING: [&str; 4] = ["searchTools", "describeTool", "describeNamespace", "ALL_TOOLS"];

/// Gives the model the tool `codemode`, once somebody wants it.
#[derive(Debug, Clone)]
pub struct Codemode {
    pool: Pool,
    directory: Option<PathBuf>,
    options: CodemodeOptions,
}

/// What a program that loads the extension says in place of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CodemodeOptions {
    /// The setting `codemode.mode`.
    pub mode: Option<Mode>,
    /// The setting `codemode.inlineBudget`.
    pub inline_budget: Option<u64>,
    /// Whether scripts can ask models; they can if nothing is said.
    pub models: Option<bool>,
}

impl CodemodeOptions {
    fn docs(self) -> Option<&'static str> {
        self.has_models().then_some(DOCS)
    }

    fn has_models(self) -> bool {
        self.models.unwrap_or(true)
    }
}

impl Default for Codemode {
    fn default() -> Self {
        Self::new()
    }
}

impl Codemode {
    /// With as many scripts at once as the user allows, in all sessions of the process together.
    pub fn new() -> Self {
        Self::with_pool(Pool::of_process())
    }

    /// With these places for scripts.
    pub fn with_pool(pool: Pool) -> Self {
        Self { pool, directory: None, options: CodemodeOptions::default() }
    }

    /// With these options in place of the settings.
    #[must_use]
    pub fn with_options(self, options: CodemodeOptions) -> Self {
        Self { options, ..self }
    }

    /// Long output and pictures go to this folder; to the system's for temporary files otherwise.
    #[must_use]
    pub fn saving_in(self, directory: PathBuf) -> Self {
        Self { directory: Some(directory), ..self }
    }
}

impl Extension for Codemode {
    fn name(&self) -> &str {
        CODEMODE
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let directory = self.directory.clone().unwrap_or_else(std::env::temp_dir);
        let (options, pool) = (self.options, self.pool.clone());
        let tool = CodemodeTool { spec: spec(options), api: registrar.api(), pool, directory, options };
        registrar.add_tool(Arc::new(tool));
        let api = registrar.api();
        registrar.tool_hint(move |name| {
            let tool = undeclared(&api, CODEMODE, name)?;
            Some(format!("Scripts of {CODEMODE} call it as tools.{}(args)", identifier(&tool.name)))
        });
        Ok(())
    }
}

fn spec(options: CodemodeOptions) -> ToolSpec {
    ToolSpec {
        name: CODEMODE.to_owned(),
        label: CODEMODE.to_owned(),
        description: Listing { models: options.docs(), ..Listing::default() }.text(),
        parameters: json!({
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The JavaScript source."}},
            "required": ["code"],
        }),
        prompt_snippet: Some("Run a JavaScript program that calls other tools".to_owned()),
        prompt_guidelines: vec![
            "Use codemode when several tool calls do not depend on each other (Promise.allSettled), when one call uses the result of another, or when a result is large and only a part of it matters."
                .to_owned(),
        ],
        // A script must not start another one.
        exposure: Exposure::ModelOnly,
        default_active: false,
        constrained_sampling: Some(ConstrainedSampling::Grammar {
            variants: GrammarVariants { openai_lark: Some(GRAMMAR.to_owned()), openai_regex: None },
        }),
        ..ToolSpec::default()
    }
}

struct CodemodeTool {
    spec: ToolSpec,
    api: Api,
    pool: Pool,
    directory: PathBuf,
    options: CodemodeOptions,
}

#[async_trait]
impl Tool for CodemodeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepares_loadout(&self) -> bool {
        true
    }

    async fn prepare_loadout(&self, tools: &Loadout) -> Result<LoadoutChanges, ToolFailure> {
        let settings = self.api.settings().map_err(ToolFailure::new)?;
        Ok(loadout::changes(tools, shown(&settings, self.options)))
    }

    fn reaches(&self, args: &Value) -> Option<Reach> {
        Some(reach(args["code"].as_str().unwrap_or_default()))
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let source = invocation.args["code"].as_str().unwrap_or_default();
        let script = Script::parse(source).map_err(ToolFailure::new)?;
        let ctx = self.api.tool_ctx(&invocation).map_err(ToolFailure::new)?;
        let missing = self.api.late_tools(reach(&script.code), invocation.cancel.clone()).await;
        let lost = missing.map_err(ToolFailure::new)?.into_iter();
        let lost = lost.map(|lost| LostGroup { prefix: identifier(&lost.prefix), problem: lost.problem }).collect();
        self.run(&script, ctx, lost, invocation).await
    }
}

impl CodemodeTool {
    async fn run(
        &self,
        script: &Script,
        ctx: Ctx,
        lost: Vec<LostGroup>,
        invocation: Invocation,
    ) -> Result<ToolOutput, ToolFailure> {
        let sources = self.api.sources().map_err(ToolFailure::new)?;
        let watched = Watched::new(invocation.progress, sources.clock.clone());
        watched.starts();
        let tools = ctx.tools().into_iter().filter(|tool| tool.name != CODEMODE).collect();
        let host = Arc::new(SessionHost::new(ctx.clone(), tools, watched.clone()));
        let store = store_entries::read(&ctx.session());
        let describe = Some(host.describe());
        let surface =
            Surface { tools: host.members(), describe, lost, models: self.options.has_models(), store, sources };
        let asked = Arc::clone(&host) as Arc<dyn ScriptHost>;
        // They are cancelled by the end of this call, which notes that they are unfinished.
        let (mut report, _unfinished) = tokio::select! {
            biased;
            done = run(script, surface, asked, &self.pool, invocation.cancel) => done,
            never = watched.follow() => match never {},
        };
        let kept = self.keep(&mut report);
        let mut details = watched.finish();
        let directory = self.directory.clone();
        let (limit, pictures) = (script.max_output_tokens, host.pictures());
        // Files are written, and long texts copied.
        let write = move || result::write(report, limit, pictures, &directory);
        let written = tokio::task::spawn_blocking(write).await.map_err(ToolFailure::new)?;
        if let Some(path) = written.full_output {
            details["fullOutputPath"] = path.display().to_string().into();
        }
        kept?;
        Ok(ToolOutput {
            content: written.content,
            details: Some(details),
            is_error: written.is_error,
            ..ToolOutput::default()
        })
    }

    /// Appends to the session what a script kept that ended well.
    fn keep(&self, report: &mut Report) -> Result<(), ToolFailure> {
        let Ended::Completed(writes) = &mut report.ended else { return Ok(()) };
        let writes = std::mem::take(writes);
        if writes.is_empty() {
            return Ok(());
        }
        let entry = store_entries::entry(writes);
        let done = self.api.append_entry(store_entries::STORE_ENTRY, Some(entry));
        let failed =
            |error| ToolFailure::new(format!("the script ran, but the values it stored cannot be kept: {error}"));
        done.map(drop).map_err(failed)
    }
}

/// How options and settings have tools shown.
fn shown(settings: &Value, options: CodemodeOptions) -> Shown {
    let settings = &settings["codemode"];
    let mode = options.mode.unwrap_or_else(|| Mode::parse(settings["mode"].as_str().unwrap_or_default()));
    let budget = options.inline_budget.or_else(|| settings["inlineBudget"].as_u64());
    let budget = budget.map_or(BUDGET, |budget| usize::try_from(budget).unwrap_or(usize::MAX));
    Shown { mode, budget, models: options.docs() }
}

/// Which tools a script may need: all when it looks for some, else those that its words name.
fn reach(code: &str) -> Reach {
    let words: Vec<&str> = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    if words.iter().any(|word| LOOKING.contains(word)) {
        return Reach::All;
    }
    Reach::Words(words.into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_what_it_needs() {
        let words = reach("tools.mcp__docs__get({a: `mcp__other__${x}`})");
        assert!(words.wants("mcp__docs") && words.wants("mcp__other") && !words.wants("mcp__third"));
        assert_eq!(reach("const found = await searchTools('x')"), Reach::All);
    }

    #[test]
    fn settings_say_how_tools_are_shown() {
        let of = |settings: Value| {
            let Shown { mode, budget, .. } = shown(&settings, CodemodeOptions::default());
            (mode, budget)
        };
        assert_eq!(of(Value::Null), (Mode::On, 3000));
        assert_eq!(of(json!({"codemode": {"mode": "only", "inlineBudget": 0}})), (Mode::Only, 0));
        assert_eq!(of(json!({"codemode": {"mode": "off", "inlineBudget": -1}})), (Mode::On, 3000));
        let options = CodemodeOptions { mode: Some(Mode::On), inline_budget: Some(5), models: Some(false) };
        let shown = shown(&json!({"codemode": {"mode": "only"}}), options);
        assert_eq!((shown.mode, shown.budget, shown.models), (Mode::On, 5, None));
    }
}
