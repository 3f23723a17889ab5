//! Where the programs run: a home with a model, sessions of some length, extensions.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

/// How many extensions are loaded where some are.
const EXTENSIONS: usize = 10;
/// What the last extension writes when it is bound.
pub const BOUND: &str = "all-of-them-are-bound";

/// What the footer of the extension that draws says.
pub const DRAWN: &str = "my-own-footer";
/// What its overlay says, and the command that shows it.
pub const OVER: (&str, &str) = ("it-lies-over", "/over");

/// An extension with a header, a footer, two widgets, an editor, and an overlay that moves.
const DRAWING: &str = r#"import { CustomEditor, type ExtensionAPI } from "@earendil-works/pi-coding-agent";

class OwnEditor extends CustomEditor {
    render(width: number): string[] {
        return super.render(width);
    }
}

export default function (pi: ExtensionAPI) {
    pi.on("session_start", async (_event, ctx) => {
        const lines = (...all: string[]) => ({ render: () => all, invalidate() {} });
        ctx.ui.setHeader(() => lines("a header"));
        ctx.ui.setFooter((_tui, theme, data) => ({
            render: () => [theme.fg("dim", `my-own-footer ${data.getGitBranch() ?? "no branch"}`)],
            invalidate() {},
        }));
        ctx.ui.setWidget("a", (_tui, theme) => ({ render: (width) => [theme.fg("accent", "above".padEnd(width))], invalidate() {} }));
        ctx.ui.setWidget("b", () => lines("below", "and below that"), { placement: "belowEditor" });
        ctx.ui.setEditorComponent((tui, theme, keybindings) => new OwnEditor(tui, theme, keybindings));
    });
    pi.registerCommand("over", {
        description: "Shows something that moves",
        handler: async (_args, ctx) => {
            await ctx.ui.custom((tui, theme, _keybindings, done) => {
                let step = 0;
                const timer = setInterval(() => {
                    step++;
                    tui.requestRender();
                }, 33);
                return {
                    render: (width) =>
                        Array.from({ length: 10 }, (_, row) =>
                            theme.fg("accent", `it-lies-over ${row} ${".".repeat((step + row) % 20)}`.padEnd(width))),
                    handleInput: () => done(undefined),
                    invalidate() {},
                    dispose: () => clearInterval(timer),
                };
            }, { overlay: true, overlayOptions: { width: 50 } });
        },
    });
}
"#;

/// A program under measurement.
#[derive(Clone)]
pub struct Program {
    pub name: &'static str,
    /// The program and its first arguments.
    command: Vec<PathBuf>,
    last: &'static [&'static str],
    home: PathBuf,
}

pub struct Place {
    dir: TempDir,
    extensions: Vec<PathBuf>,
    /// One that draws.
    drawing: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let extensions = (0..EXTENSIONS).map(|n| dir.path().join(format!("extension-{n}.ts"))).collect();
        let drawing = dir.path().join("drawing.ts");
        fs::write(&drawing, DRAWING).expect("an extension");
        let place = Self { dir, extensions, drawing };
        for (n, path) in place.extensions.iter().enumerate() {
            fs::write(path, extension(n)).expect("an extension");
        }
        place
    }

    /// A program with a home of its own, whose model is at `origin`.
    pub fn program(
        &self,
        name: &'static str,
        command: Vec<PathBuf>,
        last: &'static [&'static str],
        origin: &str,
    ) -> Program {
        let home = self.dir.path().join(name.replace(' ', "-"));
        for folder in ["agent", "work", "tmp"] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
        }
        // More than the longest session.
        let model = json!({"id": "loop-a", "name": "loop-a", "contextWindow": 100_000_000, "maxTokens": 8192});
        let provider = json!({"baseUrl": origin, "api": "anthropic-messages", "apiKey": "key", "models": [model]});
        let models = json!({"providers": {"loop": provider}});
        let settings = json!({"compaction": {"enabled": false}});
        fs::write(home.join("agent/models.json"), models.to_string()).expect("models");
        fs::write(home.join("agent/settings.json"), settings.to_string()).expect("settings");
        Program { name, command, last, home }
    }
}

impl Program {
    /// The program with nothing but its model.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(self.last).args(["--model", "loop/loop-a"]).env_clear();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = |name| self.home.join(name);
        command.current_dir(home("work")).env("PATH", path).env("HOME", &self.home).env("TMPDIR", home("tmp"));
        command.env("XDG_CACHE_HOME", home("cache")).env("PI_CODING_AGENT_DIR", home("agent"));
        command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor").env("LANG", "C.UTF-8");
        for (name, value) in [("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")] {
            command.env(name, value);
        }
        command
    }

    /// With extensions, of which the last one says that it is there.
    pub fn with_extensions(&self, place: &Place) -> Command {
        let mut command = self.command();
        for path in &place.extensions {
            command.arg("-e").arg(path);
        }
        command
    }

    /// In a session of so many messages, with an extension that draws.
    pub fn with_components(&self, place: &Place, count: usize) -> Command {
        let mut command = self.with_messages(count);
        command.arg("-e").arg(&place.drawing);
        command
    }

    /// In a session of so many messages, made anew.
    pub fn with_messages(&self, count: usize) -> Command {
        let mut command = self.command();
        if count > 0 {
            let path = self.home.join(format!("session-{count}.jsonl"));
            write_session(&path, &self.home.join("work"), count).expect("a session");
            command.arg("--session").arg(path);
        }
        command
    }
}

fn extension(n: usize) -> String {
    let bound = if n + 1 == EXTENSIONS { format!("ctx.ui.setStatus(\"bound\", \"{BOUND}\");") } else { String::new() };
    format!(
        r#"import type {{ ExtensionAPI }} from "@earendil-works/pi-coding-agent";
import {{ Type }} from "typebox";

let calls = 0;

export default function (pi: ExtensionAPI) {{
    pi.registerTool({{
        name: "measure_{n}",
        label: "Measure",
        description: "Does nothing, for the measurement {n}.",
        parameters: Type.Object({{ path: Type.String(), count: Type.Optional(Type.Number()) }}),
        async execute(_id, params) {{
            calls += 1;
            return {{ content: [{{ type: "text", text: `${{params.path}} ${{calls}}` }}], details: {{}} }};
        }},
    }});
    pi.registerCommand("measure-{n}", {{
        description: "Says how many calls there were",
        handler: async (_args, ctx) => ctx.ui.notify(`${{calls}} calls`, "info"),
    }});
    pi.on("tool_call", async (event) => {{
        if (event.toolName === "measure_{n}" && calls > 1000) return {{ block: true, reason: "too many" }};
    }});
    pi.on("session_start", async (_event, ctx) => {{
        {bound}
    }});
}}
"#
    )
}

/// Questions, answers with a call, results and answers in Markdown, of about 400 bytes each.
fn write_session(path: &Path, cwd: &Path, count: usize) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let time = "2026-01-01T00:00:00.000Z";
    let head = json!({"type": "session", "version": 3, "id": "measured", "timestamp": time, "cwd": cwd});
    writeln!(out, "{head}")?;
    let words = "The parser reads each line and keeps what it cannot know for later. ";
    let markdown = format!(
        "## What it does\n\n{words}{words}\n\n- **first**: `parse` is called\n- then {words}\n\n```rust\nlet line = reader.next()?;\n```\n"
    );
    let zero = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0});
    let usage = json!({"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": zero});
    let assistant = |content: serde_json::Value, stop: &str, n: usize| {
        json!({
            "role": "assistant", "content": content, "api": "anthropic-messages", "provider": "loop", "model": "loop-a",
            "usage": usage, "stopReason": stop, "timestamp": n,
        })
    };
    let mut parent = serde_json::Value::Null;
    for n in 0..count {
        let message = match n % 4 {
            0 => json!({"role": "user", "content": [{"type": "text", "text": words.repeat(5)}], "timestamp": n}),
            1 => {
                let arguments = json!({"command": "grep -n parse src/*.rs | head"});
                let call =
                    json!({"type": "toolCall", "id": format!("call-{n}"), "name": "bash", "arguments": arguments});
                assistant(json!([{"type": "text", "text": markdown}, call]), "toolUse", n)
            }
            2 => json!({
                "role": "toolResult", "toolCallId": format!("call-{}", n - 1), "toolName": "bash", "isError": false,
                "content": [{"type": "text", "text": "src/main.rs:12: fn parse(line: &str)\n".repeat(10)}], "timestamp": n,
            }),
            _ => assistant(json!([{"type": "text", "text": markdown}]), "stop", n),
        };
        let id = format!("{n:08x}");
        let line = json!({"type": "message", "id": id, "parentId": parent, "timestamp": time, "message": message});
        writeln!(out, "{line}")?;
        parent = id.into();
    }
    out.flush()
}
