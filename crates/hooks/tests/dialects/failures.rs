//! Failures of hooks, and what else users and authors are told.

use serde_json::json;
use tau_hooks::dialect::{DIALECTS, Dialect, OMP, ORIGINAL, PI};
use tau_hooks::dialogs::{DialogAnswer, NotifyLevel};
use tau_hooks::events::{AgentStart, SessionBeforeFork, ToolCall};
use tau_hooks::payload::{Empty, ForkPosition, SessionBeforeForkEvent};
use tau_hooks::{AnyOutput, BoxFuture, Ctx, HandlerError, Mode, Report};
use tau_testkit::StaticHost;
use tokio_util::sync::CancellationToken;

use super::{Log, call, failing, load, on, stage, stage_on};

#[tokio::test]
pub(super) async fn a_failing_hook_is_told_by_its_kind_and_the_next_one_runs() {
    for (dialect, record, label) in [
        (&PI, "extension_error", "Extension error (<native:bad>): boom [agent_start at "),
        (&OMP, "hook_error", "Hook error (<native:bad>): boom [agent_start at "),
        (&ORIGINAL, "hook_error", "Hook error (<native:bad>): boom [agent_start at "),
    ] {
        let (stage, log) = (stage(), Log::default());
        failing(&stage, dialect, ("bad", "agent_start"));
        on(&stage, dialect, ("good", "agent_start"), &log, json!(null));
        stage.fire::<AgentStart>(Empty {}).await;
        let [report] = &stage.take_reports()[..] else { panic!("one report") };
        assert_eq!(report.failures.record(), record);
        assert!(report.to_string().starts_with(label), "{report}");
        assert_eq!(log.take().len(), 1);
    }
}

#[tokio::test]
pub(super) async fn a_failure_names_the_event_as_the_hook_knows_it() {
    for (dialect, event) in [(&PI, "session_before_fork"), (&OMP, "session_before_branch"), (&ORIGINAL, "branch")] {
        let stage = stage();
        failing(&stage, dialect, ("bad", event));
        let fork = SessionBeforeForkEvent { entry_id: "e1".into(), position: ForkPosition::Before };
        stage.fire::<SessionBeforeFork>(fork).await;
        let names = stage.take_reports().into_iter().map(|report| report.event).collect::<Vec<_>>();
        assert_eq!(names, [event]);
    }
}

#[tokio::test]
pub(super) async fn a_failing_command_is_told_by_its_kind() {
    for (dialect, label) in [(&PI, "Extension error"), (&OMP, "Hook error")] {
        let stage = stage();
        load(&stage, dialect, "bad", |registrar| {
            registrar.command("go", "goes", |_, _| async { Err(HandlerError::msg("boom")) });
        });
        assert_eq!(stage.hooks.run_command("go", "", CancellationToken::new()).await, Some(false));
        let expected = format!("{label} (command:go): boom [command at <native:bad>]");
        assert_eq!(stage.take_report_texts(), [expected]);
    }
}

#[tokio::test]
pub(super) async fn of_commands_of_one_name_the_first_is_used_and_current_ones_keep_theirs() {
    let named = |dialects: &[(&'static Dialect, &str)]| {
        let stage = stage();
        for (dialect, name) in dialects {
            load(&stage, dialect, name, |registrar| {
                registrar.command("go", "goes", |_, _| async { Ok(()) });
            });
        }
        let commands = stage.hooks.commands().into_iter();
        let list = commands.map(|entry| (entry.name, entry.owner.name.to_string())).collect::<Vec<_>>();
        let told = stage.take_reports().iter().map(Report::message).collect::<Vec<_>>();
        (list, told)
    };
    let entry = |name: &str, owner: &str| (name.to_owned(), owner.to_owned());
    let told = |what: &str| vec![format!("Command \"/go\" is also registered by <native:a>; {what}")];
    let first = "the first one is used";
    assert_eq!(named(&[(&OMP, "a"), (&OMP, "b")]), (vec![entry("go", "a")], told(first)));
    assert_eq!(named(&[(&PI, "a"), (&OMP, "b")]), (vec![entry("go", "a")], told(first)));
    assert_eq!(named(&[(&OMP, "a"), (&PI, "b")]), (vec![entry("go", "b")], told("the last one is used")));
    let both = "both get a number behind their name";
    assert_eq!(named(&[(&PI, "a"), (&PI, "b")]), (vec![entry("go:1", "a"), entry("go:2", "b")], told(both)));
}

#[tokio::test]
pub(super) async fn original_hooks_are_not_told_of_a_client_that_shows_their_dialogs() {
    for (dialect, mode, has_ui) in
        [(&PI, Mode::Rpc, true), (&OMP, Mode::Rpc, true), (&ORIGINAL, Mode::Rpc, false), (&ORIGINAL, Mode::Tui, true)]
    {
        let (stage, log) = (stage_on(StaticHost::new().with_mode(mode)), Log::default());
        let user = stage.user(|_| Some(DialogAnswer::Value("a".into())));
        let noted = log.clone();
        load(&stage, dialect, "asks", move |registrar| {
            let log = noted.clone();
            registrar.on_json("agent_start", move |_, ctx| {
                let log = log.clone();
                async move {
                    log.add(ctx.has_ui());
                    log.add(ctx.ui().select("which", &["a", "b"]).await.unwrap_or_default());
                    Ok(None)
                }
            });
        });
        stage.fire::<AgentStart>(Empty {}).await;
        assert_eq!(log.take(), [json!(has_ui), json!("a")], "{} {mode:?}", dialect.id);
        drop(user);
    }
}

#[tokio::test]
pub(super) async fn where_nobody_can_be_asked_a_hook_gets_the_answer_of_somebody_who_leaves() {
    for dialect in [&PI, &OMP, &ORIGINAL] {
        let (stage, log) = (stage_on(StaticHost::new().with_mode(Mode::Print)), Log::default());
        let noted = log.clone();
        load(&stage, dialect, "asks", move |registrar| {
            let log = noted.clone();
            registrar.on_json("agent_start", move |_, ctx| {
                let log = log.clone();
                async move {
                    let ui = ctx.ui();
                    ui.notify("nobody reads this", NotifyLevel::Info);
                    log.add(json!([
                        ctx.has_ui(),
                        ui.select("which", &["a"]).await,
                        ui.confirm("sure", "").await,
                        ui.input("what", None).await,
                    ]));
                    Ok(None)
                }
            });
        });
        stage.fire::<AgentStart>(Empty {}).await;
        assert_eq!(log.take(), [json!([false, null, false, null])], "{}", dialect.id);
        assert_eq!(stage.take_reports().len(), 0);
    }
}

/// A reload ends the engine of an extension while one of its handlers runs: what it observes is over, a gate stays shut.
#[tokio::test]
pub(super) async fn a_handler_that_a_reload_overtakes_is_no_failure_but_its_gate_stays_shut() {
    let removed = |event: &'static str, removes: bool| {
        let stage = stage();
        let hooks = std::sync::Arc::downgrade(&stage.hooks);
        load(&stage, &PI, "late", move |registrar| {
            let hooks = hooks.clone();
            registrar.on_json(event, move |_, ctx| {
                if removes {
                    hooks.upgrade().expect("the hooks are there").unload(ctx.owner());
                }
                std::future::ready(Err(HandlerError::Gone("the engine has ended".into())))
            });
        });
        stage
    };
    let gone = "Extension error (<native:late>): is gone: the engine has ended";
    for (removes, reported) in [(true, vec![]), (false, vec![gone])] {
        let told = |stage: &tau_testkit::Stage| {
            let told = stage.take_report_texts().into_iter();
            told.map(|text| text.split(" [").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let stage = removed("agent_start", removes);
        stage.fire::<AgentStart>(Empty {}).await;
        assert_eq!(told(&stage), reported);
        let stage = removed("tool_call", removes);
        let done = stage.fire::<ToolCall>(call("bash", json!({ "command": "ls" }))).await;
        assert_eq!(told(&stage), reported);
        assert!(done.shut.is_some(), "a gate that is gone stays shut");
    }
}

/// A handler in another language that changed what it was given.
struct Edits;

impl tau_hooks::LocalHandler for Edits {
    fn call(&self, _: &dyn tau_hooks::AnyPayload, _: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let fields = json!({ "input": { "command": "changed" } }).as_object().cloned().unwrap_or_default();
        Box::pin(std::future::ready(Ok(AnyOutput::Edited { result: None, fields })))
    }
}

#[tokio::test]
pub(super) async fn a_change_without_effect_is_told_once() {
    let stage = stage();
    load(&stage, &OMP, "edits", |registrar| {
        let event = (registrar.api().owner().dialect.event)("tool_call").expect("an event");
        let handler = tau_hooks::Callable::Local(std::sync::Arc::new(Edits));
        registrar.add_handler(event, handler, "a.ts:3".into());
    });
    for _ in 0..2 {
        let done = stage.fire::<ToolCall>(call("bash", json!({ "command": "ls" }))).await;
        assert_eq!((done.output, done.payload.unwrap().input), (None, json!({ "command": "ls" })));
    }
    let expected = "Hook error (<native:edits>): changed `input` in place, which has no effect in oh-my-pi hooks \
                    [tool_call at a.ts:3]";
    assert_eq!(stage.take_report_texts(), [expected]);
}

#[test]
fn dialects_are_found_by_their_names() {
    let found = |id: &str| Dialect::parse(id).map(|dialect| dialect.id);
    let names = ["pi", "omp", "oh-my-pi", "original", "comono", "shell", "other"].map(found);
    assert_eq!(names, [Some("pi"), Some("omp"), Some("omp"), Some("original"), Some("original"), Some("shell"), None]);
    assert!(DIALECTS.is_sorted_by_key(|dialect| dialect.layer));
}

/// Each name leads to one event, and back.
#[test]
fn names_and_events_of_a_dialect_belong_together() {
    for dialect in DIALECTS {
        let known = tau_hooks::events::TABLE.iter().filter_map(|row| (dialect.rule)(row.id).map(|rule| (rule, row.id)));
        let mut count = 0;
        for (rule, event) in known {
            assert_eq!((dialect.event)(rule.name), Some(event), "{} of {}", rule.name, dialect.id);
            // What has two words is a reason of an event, for hooks that know it.
            if !rule.name.contains(' ') {
                assert_eq!(
                    tau_hooks::events::EventId::parse(rule.name),
                    Some(event),
                    "{} of {}",
                    rule.name,
                    dialect.id
                );
            }
            count += 1;
        }
        let expected = [("pi", tau_hooks::events::TABLE.len()), ("omp", 25), ("original", 12), ("shell", 8)];
        assert!(expected.contains(&(dialect.id, count)), "{} has {count}", dialect.id);
    }
}
