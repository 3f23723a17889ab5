//! What extensions register, who gets what when several want the same, and what becomes of it when they go.

mod actions;
mod commands;
mod loading;
mod names;
mod sets;

use tau_hooks::Registrar;
use tau_hooks::{Handle, ToolRenderers};
use tau_testkit::Stage;
use tau_testkit::host::extension;
use tau_tools::{Invocation, Progress, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

fn spec(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        label: name.to_owned(),
        description: format!("The tool {name}."),
        parameters: serde_json::json!({ "type": "object", "properties": {} }),
        ..ToolSpec::default()
    }
}

fn invocation() -> Invocation {
    Invocation {
        id: "c1".into(),
        args: serde_json::json!({}),
        cancel: CancellationToken::new(),
        progress: Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    }
}

/// Loads an extension that may clash with others.
fn load(stage: &Stage, name: &str, register: fn(&mut Registrar)) {
    let loaded = stage.load(&extension(name, move |registrar| {
        register(registrar);
        Ok(())
    }));
    loaded.expect("it can be loaded");
}

/// A tool that answers with the extension's name.
fn tool(registrar: &mut Registrar, name: &str) {
    registrar.tool(spec(name), |_, ctx| async move { Ok(ToolOutput::text(&*ctx.owner().name)) });
}

#[tokio::test]
async fn of_two_tools_the_first_is_used_and_the_clash_is_told() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        tool(registrar, "search");
        tool(registrar, "only_one");
    });
    load(&stage, "two", |registrar| {
        tool(registrar, "search");
        tool(registrar, "only_two");
    });
    let mut answers = Vec::new();
    for (owner, tool) in stage.hooks.tools() {
        let output = tool.execute(invocation()).await.expect("the tool works");
        answers.push((owner.name.to_string(), tool.spec().name.clone(), output));
    }
    let expected = [("one", "search"), ("one", "only_one"), ("two", "only_two")];
    assert_eq!(answers, expected.map(|(owner, tool)| (owner.to_owned(), tool.to_owned(), ToolOutput::text(owner))));
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (<native:two>): Tool \"search\" is also registered by <native:one>; the first one is used \
          [load]"]
    );
}

#[tokio::test]
async fn within_an_extension_the_last_tool_counts() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        tool(registrar, "search");
        registrar.tool(spec("search"), |_, _| async { Ok(ToolOutput::text("better")) });
    });
    let tools = stage.hooks.tools();
    let [(_, tool)] = &tools[..] else { panic!("one tool is expected") };
    assert_eq!(tool.execute(invocation()).await, Ok(ToolOutput::text("better")));
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn the_second_tool_takes_over_when_the_first_goes() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| tool(registrar, "search"));
    load(&stage, "two", |registrar| tool(registrar, "search"));
    let one = stage.hooks.extensions()[0].clone();
    stage.hooks.unload(&one);
    let owners = stage.hooks.tools().into_iter().map(|(owner, _)| owner.name.to_string()).collect::<Vec<_>>();
    assert_eq!(owners, ["two"]);
}

#[tokio::test]
async fn a_tool_may_be_added_while_the_extension_runs_but_not_after_its_end() {
    let stage = Stage::new();
    load(&stage, "one", |_| {});
    load(&stage, "donor", |registrar| tool(registrar, "late"));
    let (one, late) = (stage.hooks.extensions()[0].clone(), stage.hooks.tools()[0].1.clone());
    assert_eq!(stage.hooks.add_tool(&one, late.clone()), Ok(()));
    let owners = stage.hooks.tools().into_iter().map(|(owner, _)| owner.name.to_string()).collect::<Vec<_>>();
    assert_eq!(owners, ["one"]);
    stage.hooks.unload(&one);
    assert_eq!(stage.hooks.add_tool(&one, late), Err(tau_hooks::ActionError::Stale));
}

#[test]
fn of_two_shortcuts_the_last_is_used() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        registrar.shortcut("Ctrl+X", "first", |_| async { Ok(()) }).shortcut("ctrl+y", "own", |_| async { Ok(()) });
    });
    load(&stage, "two", |registrar| {
        registrar.shortcut("ctrl+x", "second", |_| async { Ok(()) });
    });
    let shortcuts = stage.hooks.shortcuts().into_iter();
    let shortcuts = shortcuts.map(|(owner, shortcut)| (owner.name.to_string(), shortcut.key, shortcut.description));
    assert_eq!(
        shortcuts.collect::<Vec<_>>(),
        [("one".into(), "ctrl+y".into(), Some("own".into())), ("two".into(), "ctrl+x".into(), Some("second".into())),]
    );
    assert_eq!(
        stage.take_report_texts(),
        ["Extension error (<native:two>): Shortcut \"ctrl+x\" is also registered by <native:one>; the last one is \
          used [load]"]
    );
}

#[test]
fn of_two_renderers_the_first_is_used() {
    let stage = Stage::new();
    load(&stage, "one", |registrar| {
        registrar.message_renderer("note", Handle::new("one"));
        let renderers = ToolRenderers { call: Some(Handle::new("one")), result: None };
        registrar.tool_renderers("search", renderers);
    });
    load(&stage, "two", |registrar| {
        registrar.message_renderer("note", Handle::new("two")).message_renderer("other", Handle::new("two"));
        registrar.tool_renderers("search", ToolRenderers::default());
    });
    let text = |handle: &Handle| handle.get::<&str>().copied().unwrap_or_default();
    let renderer = |kind: &str| {
        let found = stage.hooks.message_renderer(kind);
        found.map(|(owner, handle)| (owner.name.to_string(), text(&handle)))
    };
    assert_eq!(renderer("note"), Some(("one".to_owned(), "one")));
    assert_eq!(renderer("other"), Some(("two".to_owned(), "two")));
    assert_eq!(renderer("missing"), None);
    let (owner, renderers) = stage.hooks.tool_renderers("search").expect("there are renderers");
    assert_eq!(
        (&*owner.name, renderers.call.as_ref().map(text), renderers.result.is_some()),
        ("one", Some("one"), false)
    );
    assert_eq!(
        stage.take_report_texts(),
        [
            "Extension error (<native:two>): Renderer \"note\" is also registered by <native:one>; the first one is \
             used [load]",
            "Extension error (<native:two>): Renderer of tool \"search\" is also registered by <native:one>; the \
             first one is used [load]",
        ]
    );
}

#[test]
fn providers_come_in_load_order() {
    let stage = Stage::new();
    for (name, base) in [("one", "https://one.example"), ("two", "https://two.example")] {
        stage.add(name, move |registrar| {
            let config = serde_json::json!({ "baseUrl": base });
            registrar.provider(tau_hooks::Provider {
                name: "local".into(),
                config,
                api: None,
                oauth: None,
                operations: tau_ai::Operations::default(),
                source: None,
            });
        });
    }
    let providers = stage.hooks.providers().into_iter();
    let providers = providers.map(|(owner, provider)| (owner.name.to_string(), provider.name, provider.config));
    assert_eq!(
        providers.collect::<Vec<_>>(),
        [
            ("one".into(), "local".into(), serde_json::json!({ "baseUrl": "https://one.example" })),
            ("two".into(), "local".into(), serde_json::json!({ "baseUrl": "https://two.example" })),
        ]
    );
}
