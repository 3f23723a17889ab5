//! `tau policy`: tries a command against the rules of `builtin:enforcement`, and shows these rules, without a session.

use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use tau_agent::services::ExtensionServices;
use tau_hooks::dialect::PI;
use tau_hooks::{Folders, Hooks, Owner};
use tau_orchestrator::shared::policy::facts::{Facts, trailer};
use tau_orchestrator::shared::policy::{Now, Places, PolicyFiles, Prefixed, Wanted, allowed, report};
use tau_orchestrator::shared::settings::settings_of;
use tau_policy::rules::{Action, Finding, Verdict};
use tau_policy::{Evaluation, Listed, Machine, Policy, evaluate};

use super::command::{Command, POLICY_USAGE};
use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::output::say;

/// The row of the table.
pub(super) const COMMAND: Command = Command {
    name: "policy",
    alias: None,
    usage: "tau policy test COMMAND, tau policy explain [RULE], tau policy list [--json] [--approve|--no-approve]",
    about: "Try a shell command against the rules of builtin:enforcement, and look at these rules; nothing of the command runs.",
    more: "\
\x20 tau policy test \"COMMAND\"           what becomes of the command in this folder, and by which rules
  tau policy explain RULE             what a rule catches and what it cannot catch; without RULE, all of them
  tau policy list                     the rules in force and those that are not, with their places

  --json              As JSON

The exit code of test is 0 if the command is allowed, 1 if it is blocked or asks, and 2 if the arguments are wrong. No
forge is asked: main, master and the default branch count as protected.
",
    takes_local: false,
    asks_extensions: false,
    most_words: 2,
    verbs: &VERBS,
    flags: &[("--json", false)],
    also: &[],
    refused: None,
    run: |context, options| Box::pin(policy(context, options)),
};

/// What may follow its name.
const VERBS: [&str; 3] = ["test", "explain", "list"];

/// The setting by which Claude Code's rules count.
const CLAUDE: &str = "/tau/policy/claudeRules";

/// The rules of this folder, and the machine that a command would run on.
struct Scene {
    policy: Arc<Policy>,
    machine: Machine,
    places: Places,
    problems: Vec<String>,
}

async fn policy(context: &Context, options: &Options) -> ExitCode {
    context.warn();
    let words: Vec<&str> = options.words.iter().map(String::as_str).collect();
    let is_json = options.given.contains_key("--json");
    let scene =
        || Scene::of(context).inspect(|scene| scene.problems.iter().map(String::as_str).for_each(diagnostics::warning));
    let scene = match scene() {
        Ok(scene) => scene,
        Err(why) => return diagnostics::fail(&why),
    };
    match words.as_slice() {
        ["test", command] => scene.test(command, is_json),
        ["explain"] => scene.explain(None, is_json),
        ["explain", rule] => scene.explain(Some(rule), is_json),
        [] | ["list"] => scene.list(is_json),
        ["test"] => wrong("tau policy test needs a command: tau policy test \"git push --force\""),
        [verb, ..] => wrong(&format!("there is no `tau policy {verb}`; known: {}", VERBS.join(", "))),
    }
}

fn wrong(why: &str) -> ExitCode {
    diagnostics::error(why);
    ExitCode::from(POLICY_USAGE)
}

impl Scene {
    fn of(context: &Context) -> Result<Self, String> {
        let env = &context.env;
        let folders = Folders {
            agent_dir: env.agent_dir(),
            project_dir: env.project_dir(),
            cwd: env.cwd.clone(),
            home: env.home.clone(),
        };
        let settings = context.settings.snapshot();
        let (co_author, use_worktrees) = of_suite(context).map_err(|error| error.to_string())?;
        let facts = Facts { ui: true, co_author, use_worktrees, ..Facts::default() };
        let model = settings.default_model().unwrap_or_default();
        let wanted = Wanted {
            is_trusted: context.is_trusted(),
            claude: settings.merged().pointer(CLAUDE) == Some(&Value::Bool(true)),
            trailer: co_author.then(|| trailer(model)),
        };
        let places = Places::of(&folders);
        let Now { policy, problems, .. } = PolicyFiles::default().look(&places, &wanted);
        let mut variables = env.vars.clone();
        variables.insert("PI_CODING_AGENT_DIR".to_owned(), folders.agent_dir.to_string_lossy().into_owned());
        let machine = Machine::new(&env.cwd, variables).with_home(&env.home).with_facts(facts.names());
        Ok(Self { policy, machine, places, problems })
    }

    fn test(&self, command: &str, is_json: bool) -> ExitCode {
        let verdict = self.policy.judge(evaluate(command, &self.machine), &self.machine);
        let whole = Prefixed::new(None, command);
        let becomes = Some(&verdict.edits).filter(|edits| !edits.is_empty()).and_then(|edits| whole.edited(edits));
        let said = if is_json {
            print(&Test::of(command, &verdict, becomes))
        } else {
            say(&format!("{}\n", report::verdict(&verdict, becomes.as_deref())))
        };
        if verdict.action < Action::Ask { said } else { ExitCode::FAILURE }
    }

    fn explain(&self, wanted: Option<&str>, is_json: bool) -> ExitCode {
        let rules = self.policy.rules(&self.machine);
        let rules: Vec<&Listed> = rules.iter().filter(|rule| wanted.is_none_or(|wanted| rule.id == wanted)).collect();
        if let Some(wanted) = wanted.filter(|_| rules.is_empty()) {
            return wrong(&format!("there is no rule {wanted:?}; `tau policy list` shows all"));
        }
        if is_json {
            return print(&rules.iter().map(|rule| of_rule(rule)).collect::<Vec<_>>());
        }
        let texts: Vec<String> = rules.iter().map(|rule| report::explain(rule)).collect();
        say(&format!("{}\n", texts.join("\n\n")))
    }

    fn list(&self, is_json: bool) -> ExitCode {
        let rules = self.policy.rules(&self.machine);
        if is_json {
            return print(&rules.iter().map(of_rule).collect::<Vec<_>>());
        }
        // What is wrong with the file is on standard error already.
        let kept = allowed::list(&self.places.user).unwrap_or_default();
        say(&format!("{}\n", report::list(&rules, &kept, &[])))
    }
}

/// Whether commits name the agent, and whether tasks have work trees of their own. The files of pi-config are read by sessions
/// only.
fn of_suite(context: &Context) -> Result<(bool, bool), tau_hooks::ActionError> {
    let hooks = Hooks::new();
    hooks.serve(ExtensionServices::new(Arc::clone(&context.settings)));
    let settings = settings_of(&hooks.api(&Owner::new("tau", "policy", &PI)))?;
    Ok((settings.co_author().value, settings.use_worktrees().value))
}

/// What becomes of a command, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Test<'a> {
    command: &'a str,
    /// `allow`, `warn`, `rewrite`, `ask` or `block`.
    action: Action,
    findings: Vec<Value>,
    /// The command as it would run; `null` if no rule changes it.
    becomes: Option<String>,
    drops_timeout: bool,
}

impl<'a> Test<'a> {
    fn of(command: &'a str, verdict: &Verdict, becomes: Option<String>) -> Self {
        let findings = verdict.findings.iter().map(|finding| of_finding(finding, &verdict.evaluation)).collect();
        Self { command, action: verdict.action, findings, becomes, drops_timeout: verdict.drops_timeout }
    }
}

fn of_finding(finding: &Finding, evaluation: &Evaluation) -> Value {
    let site = |site: &tau_policy::Site| {
        let text =
            evaluation.scripts.get(site.script).and_then(|script| script.text.get(site.span.start..site.span.end));
        json!({"script": site.script, "start": site.span.start, "end": site.span.end, "text": text})
    };
    let sites: Vec<Value> = finding.sites.iter().map(site).collect();
    json!({
        "rule": finding.rule, "origin": finding.origin, "action": finding.action, "message": finding.message,
        "sites": sites, "instead": finding.instead,
    })
}

fn of_rule(rule: &Listed) -> Value {
    let file = rule.place.as_ref().map(|(path, line)| json!({"path": path, "line": line}));
    json!({
        "id": rule.id, "action": rule.action, "description": rule.description, "message": rule.message,
        "origin": rule.origin, "file": file, "inactive": rule.inactive, "catches": rule.catches, "misses": rule.misses,
    })
}

fn print(value: &impl Serialize) -> ExitCode {
    match serde_json::to_string_pretty(value) {
        Ok(text) => say(&format!("{text}\n")),
        Err(error) => diagnostics::fail(&error.to_string()),
    }
}
