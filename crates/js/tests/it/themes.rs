//! Themes as TypeScript extensions see them.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::Mode;
use tau_js::JsHost;
use tau_script::ScriptHost;

use crate::common::themes::theme;
use crate::common::{Running, World};

const SOURCE: &str = r#"
    import { theme as shared, initTheme, Theme } from "@mariozechner/pi-coding-agent";
    export default function (pi: any) {
      pi.registerCommand("look", { handler: async (args: string, ctx: any) => {
        const { ui } = ctx;
        const before = ui.theme.name;
        const switched = args ? ui.setTheme(args) : undefined;
        pi.appendEntry("note", {
          before, switched, now: ui.theme.name,
          accent: ui.theme.fg("accent", "x"), behind: ui.theme.bg("selectedBg", "x"), bold: ui.theme.bold("x"),
          shared: shared.fg("accent", "x"), same: ui.theme instanceof Theme,
          all: ui.getAllThemes(), named: ui.getTheme("ocean")?.fg("accent", "x"), none: ui.getTheme("none") ?? null,
        });
      } });
      pi.registerCommand("instance", { handler: async (_: string, ctx: any) => {
        const made = new Theme({ accent: 7, text: "", muted: "", thinkingXhigh: "" }, { selectedBg: "" }, "256color", { name: "made" });
        const done = ctx.ui.setTheme(made);
        pi.appendEntry("note", { done, accent: ctx.ui.theme.fg("accent", "x") });
        initTheme("light");
        pi.appendEntry("note", { name: shared.name });
      } });
    }
"#;

async fn started(mode: Mode) -> (World, Running) {
    let mut world = World::new(json!([])).settings(json!({"theme": "ocean"}));
    world.mode = mode;
    world.home.write_agent("themes/any.json", theme("ocean", 44));
    world.home.write_agent("themes/moss.json", theme("moss", 22));
    world.home.write_agent("extensions/look.ts", SOURCE);
    let host: Arc<dyn ScriptHost> = Arc::new(JsHost::new(None));
    world.load_found_by(Arc::new(move |_: &_| Arc::clone(&host))).await;
    let running = world.start().await;
    assert_eq!(world.reports.all(), []);
    (world, running)
}

fn noted(running: &Running) -> Vec<Value> {
    let entries = running.session.session().entries();
    let lines = entries.iter().map(|entry| Value::Object(entry.to_value().expect("json")));
    lines.filter(|line| line["customType"] == "note").map(|line| line["data"].clone()).collect()
}

fn escaped(code: &str, end: u8) -> String {
    format!("\u{1b}[{code}mx\u{1b}[{end}m")
}

#[tokio::test]
async fn without_a_terminal_there_is_a_theme_but_nothing_to_choose() {
    let (_world, running) = started(Mode::Json).await;
    running.say("/look moss").await;
    let seen = &noted(&running)[0];
    // The theme of the settings, with its colours.
    let accent = escaped("38;5;44", 39);
    assert_eq!(
        [&seen["before"], &seen["now"], &seen["accent"], &seen["shared"], &seen["bold"], &seen["same"]],
        [&json!("ocean"), &json!("ocean"), &json!(accent), &json!(accent), &json!(escaped("1", 22)), &json!(true)]
    );
    assert_eq!(
        [&seen["switched"], &seen["all"], &seen["named"], &seen["none"]],
        [&json!({"success": false, "error": "UI not available"}), &json!([]), &Value::Null, &Value::Null]
    );
    assert!(
        seen["behind"].as_str().is_some_and(|text| text.starts_with("\u{1b}[48;") && text.ends_with("x\u{1b}[49m"))
    );
}

#[tokio::test]
async fn in_a_terminal_themes_are_listed_and_changed() {
    let (world, running) = started(Mode::Tui).await;
    running.say("/look moss").await;
    running.say("/look none").await;
    running.say("/instance").await;
    let seen = noted(&running);
    let path = |name: &str| world.home.agent_dir().join("themes").join(name).display().to_string();
    assert_eq!(
        seen[0]["all"],
        json!([{"name": "dark"}, {"name": "light"}, {"name": "moss", "path": path("moss.json")},
               {"name": "ocean", "path": path("any.json")}, {"name": "system"}])
    );
    let accent = escaped("38;5;22", 39);
    assert_eq!(
        [&seen[0]["switched"], &seen[0]["now"], &seen[0]["accent"], &seen[0]["shared"], &seen[0]["named"]],
        [&json!({"success": true}), &json!("moss"), &json!(accent), &json!(accent), &json!(escaped("38;5;44", 39))]
    );
    assert_eq!(
        [&seen[1]["switched"], &seen[1]["now"]],
        [&json!({"success": false, "error": "Theme not found: none"}), &json!("moss")]
    );
    let settings = std::fs::read_to_string(world.home.agent_dir().join("settings.json")).expect("settings");
    assert_eq!(serde_json::from_str::<Value>(&settings).expect("JSON"), json!({"theme": "moss"}));
    assert_eq!(
        &seen[2..],
        [json!({"done": {"success": true}, "accent": escaped("38;5;7", 39)}), json!({"name": "light"})]
    );
}
