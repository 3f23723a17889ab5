//! A home, a project and servers, as a reader of the manual may have them.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::blocks::root;
use crate::packages::Registry;
use crate::support::Place;

pub struct World {
    pub place: Place,
    pub server: LoopbackServer,
    registry: Registry,
    /// What the pages put into `models.json`.
    providers: Value,
}

/// What a session file of a reader holds.
const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hi","timestamp":1}}"#,
    "\n"
);
const EXTENSION: &str = "export default (pi) => { pi.on('tool_call', () => {}); };";

impl World {
    pub fn new() -> Self {
        let place = Place::new();
        let server = LoopbackServer::start((0..100).map(|_| Reply::text("Done.")));
        let registry = Registry::start(&place);
        for package in ["pi-mermaid", "loud"] {
            registry.publish(package, "1.0.0");
        }
        for (path, text) in [
            ("work/notes.txt", "one\ntwo\n"),
            ("work/parser.rs", "fn parse() {}\n"),
            ("work/src/main.rs", "fn main() {}\n"),
            ("work/session.jsonl", SESSION),
            ("work/permission-gate.ts", EXTENSION),
            ("work/my-extension/index.ts", EXTENSION),
            ("home/.pi/agent/extensions/guard.ts", EXTENSION),
            ("home/.pi/agent/skills/two/SKILL.md", "---\nname: two\ndescription: Two.\n---\nTwo.\n"),
        ] {
            place.write(path, text);
        }
        let theme = std::fs::read(root().join("docs/themes/ocean.json")).expect("the theme");
        place.write("work/docs/themes/ocean.json", &theme);
        place.write("work/ocean.json", &theme);
        let day = String::from_utf8(theme.clone()).expect("UTF-8").replace("\"ocean\"", "\"day\"");
        place.write("home/.pi/agent/themes/ocean.json", &theme);
        place.write("home/.pi/agent/themes/day.json", &day);
        place.write("home/.pi/agent/themes/night.json", day.replace("\"day\"", "\"night\""));
        // `cargo run --release -- …` is the program that is tested here.
        let tau = env!("CARGO_BIN_EXE_tau");
        let cargo = place.write(
            "bin/cargo",
            format!("#!/bin/sh\n[ \"$1 $2 $3\" = 'run --release --' ] || exit 99\nshift 3\nexec {tau} \"$@\"\n"),
        );
        std::fs::set_permissions(cargo, std::fs::Permissions::from_mode(0o755)).expect("executable");
        symlink(tau, place.root().join("bin/tau")).expect("a link");
        let own = Self { place, server, registry, providers: json!({}) };
        own.write_models();
        own
    }

    /// Adds providers of a page. Their addresses become those of the server here.
    pub fn add_providers(&mut self, models: &Value) {
        let given = models["providers"].as_object().expect("providers");
        for (name, provider) in given {
            self.providers[name] = self.here(provider.clone(), provider["api"].as_str().unwrap_or_default());
        }
        self.write_models();
    }

    fn here(&self, mut value: Value, api: &str) -> Value {
        let api = value["api"].as_str().unwrap_or(api).to_owned();
        if value.get("baseUrl").is_some() {
            value["baseUrl"] = self.address(&api).into();
        }
        for model in value.get_mut("models").and_then(Value::as_array_mut).into_iter().flatten() {
            *model = self.here(model.take(), &api);
        }
        value
    }

    fn address(&self, api: &str) -> String {
        let path = if api == "openai-completions" { "/v1" } else { "" };
        format!("{}{path}", self.server.url())
    }

    fn write_models(&self) {
        let mut providers = json!({
            "anthropic": {"baseUrl": self.address("anthropic-messages")},
            "openai": {"baseUrl": self.address("openai-completions")},
        });
        for (name, provider) in self.providers.as_object().expect("an object") {
            providers[name] = provider.clone();
        }
        self.place.write("home/.pi/agent/models.json", json!({ "providers": providers }).to_string());
    }

    /// Runs a script of a shell in the project; what is not of this place is not in its environment.
    pub fn shell(&self, script: &str, input: &str) -> Output {
        let root = self.place.root();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", root.join("bin").display());
        self.place.write("input", input);
        let mut command = Command::new("sh");
        command.args(["-e", "-c", script]).env_clear().current_dir(self.place.work());
        command.env("PATH", path).env("HOME", root.join("home"));
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CORP_LLM_KEY", "CORP_PROJECT"] {
            command.env(name, "test");
        }
        command.env("npm_config_registry", self.registry.base()).env("npm_config_globalconfig", "/nowhere");
        command.stdin(std::fs::File::open(root.join("input")).expect("the input"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("a shell")
    }
}
