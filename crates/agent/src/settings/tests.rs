use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

struct Home {
    dir: TempDir,
    env: Environment,
}

fn home() -> Home {
    let dir = tempfile::tempdir().expect("temp dir");
    let env = Environment::new(dir.path().join("home"), dir.path().join("app"));
    Home { dir, env }
}

impl Home {
    fn file(&self, layer: Layer) -> std::path::PathBuf {
        SettingsPaths::of(&self.env).file(layer)
    }

    fn write(&self, layer: Layer, text: impl AsRef<[u8]>) {
        let file = self.file(layer);
        fs::create_dir_all(file.parent().expect("parent")).expect("folder");
        fs::write(file, text).expect("write");
    }

    fn read(&self, layer: Layer) -> String {
        fs::read_to_string(self.file(layer)).expect("read")
    }

    fn settings(&self) -> Settings {
        Settings::load(&self.env, true)
    }
}

fn in_memory(global: Value, project: Value) -> Settings {
    Settings::in_memory(&Environment::new("/home/ada", "/work"), global, project)
}

#[test]
fn the_project_wins_key_by_key_and_every_value_knows_its_file() {
    let home = home();
    home.write(Layer::Global, r#"{"defaultModel": "a", "retry": {"enabled": false, "maxRetries": 1}, "mine": [1]}"#);
    home.write(Layer::Project, "\u{feff}{\"retry\": {\"maxRetries\": 7}, \"mine\": [2], \"theme\": \"dark\"}");
    let settings = home.settings();
    assert_eq!(
        settings.merged(),
        &json!({
            "defaultModel": "a",
            "retry": {"enabled": false, "maxRetries": 7},
            "mine": [2],
            "theme": "dark"
        })
    );
    let why = |key: &str| settings.why(key).map(|origin| (origin.layer, origin.path));
    let global = Some((Layer::Global, home.file(Layer::Global)));
    let project = Some((Layer::Project, home.file(Layer::Project)));
    assert_eq!(why("defaultModel"), global);
    assert_eq!(why("retry.enabled"), global);
    assert_eq!(why("retry.maxRetries"), project);
    assert_eq!(why("retry"), project);
    assert_eq!(why("compaction"), None);
    assert_eq!(settings.errors(), []);
}

#[test]
fn an_untrusted_project_counts_for_nothing() {
    let home = home();
    home.write(Layer::Global, r#"{"theme": "light"}"#);
    home.write(Layer::Project, "not even JSON");
    let settings = Settings::load(&home.env, false);
    assert_eq!(settings.merged(), &json!({"theme": "light"}));
    assert_eq!(settings.errors(), []);
    let store = SettingsStore::from(settings);
    let refused = store.set(Layer::Project, "theme", Some(json!("dark")));
    assert_eq!(refused, Err(SettingsError::Untrusted { path: home.file(Layer::Project) }));
}

#[test]
fn a_damaged_file_is_named_with_its_place_and_never_written() {
    let cases: [(&[u8], usize, usize, &str); 5] = [
        (b"{\n  \"theme\": \"dark\",\n  oops\n}", 3, 3, "key must be a string"),
        (b"{\"theme\": \"dark\"", 1, 16, "EOF while parsing an object"),
        (b"[1, 2]", 1, 1, "settings must be a JSON object"),
        (b"{\n \"a\": \"\xff\"}", 2, 8, "the file is not UTF-8 text"),
        (b"{} trailing", 1, 4, "trailing characters"),
    ];
    for (text, line, column, message) in cases {
        let home = home();
        home.write(Layer::Global, text);
        let store = SettingsStore::open(&home.env, true);
        let expected =
            SettingsError::Malformed { path: home.file(Layer::Global), line, column, message: message.into() };
        let settings = store.snapshot();
        assert_eq!(settings.errors(), [expected.clone()]);
        assert_eq!(settings.merged(), &json!({}));
        assert_eq!(store.set(Layer::Global, "theme", Some(json!("x"))), Err(expected.clone()));
        assert_eq!(fs::read(home.file(Layer::Global)).expect("read"), text);
        assert_eq!(
            expected.to_string(),
            format!("{}:{line}:{column}: {message}", home.file(Layer::Global).display())
        );
    }
}

#[test]
fn a_file_that_gets_damaged_while_running_keeps_its_values() {
    let home = home();
    home.write(Layer::Global, r#"{"theme": "dark"}"#);
    let store = SettingsStore::open(&home.env, true);
    home.write(Layer::Global, "{");
    let settings = store.reload(true);
    assert_eq!(settings.theme(), Some("dark"));
    assert_eq!(settings.errors().len(), 1);
    home.write(Layer::Global, r#"{"theme": "light"}"#);
    let settings = store.reload(true);
    assert_eq!((settings.theme(), settings.errors().len()), (Some("light"), 0));
}

#[test]
fn missing_and_empty_files_are_fine() {
    let home = home();
    assert_eq!(home.settings().merged(), &json!({}));
    home.write(Layer::Global, " \n");
    let settings = home.settings();
    assert_eq!((settings.merged(), settings.errors()), (&json!({}), [].as_slice()));
}

#[test]
fn writing_keeps_what_it_does_not_know_and_its_order() {
    let home = home();
    home.write(Layer::Global, r#"{"zeta": {"deep": [1.5, null]}, "queueMode": "all", "alpha": "é"}"#);
    let store = SettingsStore::open(&home.env, true);
    store.set(Layer::Global, "retry.maxRetries", Some(json!(5))).expect("written");
    let model = KeyPath::of(["modelThinkingLevels", "openai/gpt-5.1"]);
    store.set(Layer::Global, &model, Some(json!("high"))).expect("written");
    store.set(Layer::Global, "alpha", None).expect("written");
    insta::assert_snapshot!(home.read(Layer::Global), @r#"
    {
      "zeta": {
        "deep": [
          1.5,
          null
        ]
      },
      "queueMode": "all",
      "retry": {
        "maxRetries": 5
      },
      "modelThinkingLevels": {
        "openai/gpt-5.1": "high"
      }
    }
    "#);
    let settings = store.snapshot();
    assert_eq!(settings.retry().max_retries, 5);
    assert_eq!(settings.get(&model), Some(&json!("high")));
    assert_eq!(settings.steering_mode(), QueueMode::All);
    assert!(!home.file(Layer::Global).with_extension("json.lock").exists());
}

#[test]
fn writing_creates_the_project_folder() {
    let home = home();
    let store = SettingsStore::open(&home.env, true);
    store.set(Layer::Project, "theme", Some(json!("dark"))).expect("written");
    assert_eq!(home.read(Layer::Project), "{\n  \"theme\": \"dark\"\n}");
    assert_eq!(store.snapshot().why("theme").map(|origin| origin.layer), Some(Layer::Project));
}

#[cfg(unix)]
#[test]
fn writing_follows_links_and_keeps_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = home();
    let real = home.dir.path().join("dotfiles.json");
    fs::write(&real, "{}").expect("write");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("mode");
    let link = home.file(Layer::Global);
    fs::create_dir_all(link.parent().expect("parent")).expect("folder");
    symlink(&real, &link).expect("link");
    SettingsStore::open(&home.env, true).set(Layer::Global, "theme", Some(json!("dark"))).expect("written");
    assert!(fs::symlink_metadata(&link).expect("link").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("read"), "{\n  \"theme\": \"dark\"\n}");
    assert_eq!(fs::metadata(&real).expect("metadata").permissions().mode() & 0o777, 0o640);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let home = home();
    home.write(Layer::Global, r#"{"kept": true}"#);
    let (writers, keys) = (8, 12);
    let start = Barrier::new(writers);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (env, start) = (&home.env, &start);
            scope.spawn(move || {
                // A store of its own, as another process would have.
                let store = SettingsStore::open(env, true);
                start.wait();
                for key in 0..keys {
                    let path = KeyPath::of([format!("writer{writer}"), format!("key{key}")]);
                    store.set(Layer::Global, path, Some(json!(key))).expect("written");
                }
            });
        }
    });
    let mut expected = json!({"kept": true});
    for writer in 0..writers {
        for key in 0..keys {
            expected[format!("writer{writer}")][format!("key{key}")] = json!(key);
        }
    }
    assert_eq!(home.settings().merged(), &expected);
}

/// Other programs empty the file before they fill it, holding the lock: a reader must not see the empty moment.
#[test]
fn a_reader_waits_for_a_writer_that_is_halfway() {
    let home = home();
    home.write(Layer::Global, "");
    let file = home.file(Layer::Global);
    let lock = FileLock::acquire(&file, Duration::ZERO).expect("free");
    let reader = std::thread::spawn({
        let env = home.env.clone();
        move || Settings::load(&env, true)
    });
    std::thread::sleep(Duration::from_millis(30));
    fs::write(&file, r#"{"theme": "dark"}"#).expect("write");
    drop(lock);
    assert_eq!(reader.join().expect("reader").theme(), Some("dark"));
}

#[test]
fn a_trusted_project_cannot_loosen_guarded_keys() {
    let global = json!({
        "tau": {"required": ["gate"], "limits": {"observeMs": 1000}, "toolExecution": "parallel"},
        "shellPath": "/bin/safe",
        "images": {"blockImages": true}
    });
    let project = json!({
        "defaultProjectTrust": "always",
        "httpProxy": "http://evil",
        "tau": {
            "required": ["audit", "gate"],
            "limits": {"observeMs": 1, "softMs": 1},
            "shellHooks": {"off": true},
            "trace": {"jsonl": "out.jsonl"},
            "toolExecution": "sequential"
        },
        "shellPath": "/bin/evil",
        "shellCommandPrefix": "nice",
        "images": {"blockImages": false}
    });
    let settings = in_memory(global, project);
    assert_eq!(
        settings.merged(),
        &json!({
            "tau": {"required": ["gate", "audit"], "limits": {"observeMs": 1000}, "toolExecution": "sequential"},
            "shellPath": "/bin/safe",
            "images": {"blockImages": true},
            "shellCommandPrefix": "nice"
        })
    );
    let ignored: Vec<_> = settings.ignored().iter().map(|ignored| ignored.key).collect();
    assert_eq!(
        ignored,
        ["defaultProjectTrust", "httpProxy", "tau.limits", "tau.shellHooks", "tau.trace", "shellPath", {
            "images.blockImages"
        }]
    );
    assert_eq!(settings.why("tau.limits.observeMs").map(|origin| origin.layer), Some(Layer::Global));
    assert_eq!(settings.why("tau.required").map(|origin| origin.layer), Some(Layer::Project));
    assert_eq!(settings.why("shellCommandPrefix").map(|origin| origin.layer), Some(Layer::Project));
}

#[test]
fn a_project_cannot_get_around_a_guard_by_replacing_the_parent() {
    let global = json!({"tau": {"required": ["gate"]}, "images": {"blockImages": true}});
    for project in [json!({"tau": null, "images": null}), json!({"tau": "x", "images": []}), json!({"tau": {"required": null}})]
    {
        let settings = in_memory(global.clone(), project.clone());
        assert_eq!(settings.tau().required, ["gate"], "{project}");
        assert!(settings.images().block_images, "{project}");
    }
}

#[test]
fn every_guard_holds_for_every_value() {
    for guard in GUARDS {
        for user in [None, Some(json!(["u"])), Some(json!(true)), Some(json!("u"))] {
            for project in [json!(null), json!(false), json!(true), json!("p"), json!(["p"]), json!({"p": 1})] {
                let key = KeyPath::from(guard.key);
                let (mut global, mut of_project) = (json!({}), json!({}));
                key.set(&mut global, user.clone());
                key.set(&mut of_project, Some(project.clone()));
                let settings = in_memory(global, of_project);
                let effective = settings.get(&key).cloned();
                let fine = match guard.rule {
                    Rule::UserOnly => effective == user,
                    Rule::UserFirst => effective == user.clone().or(Some(project.clone())),
                    Rule::OnlyOn => effective == user || effective == Some(json!(true)),
                    Rule::AddOnly => match user.as_ref().and_then(Value::as_array) {
                        Some(kept) => {
                            let all = effective.as_ref().and_then(Value::as_array).expect("a list stays a list");
                            kept.iter().all(|entry| all.contains(entry))
                        }
                        None => effective == user || effective == Some(project.clone()),
                    },
                };
                assert!(fine, "{}: {user:?} and {project} gave {effective:?}", guard.key);
            }
        }
    }
}

#[test]
fn defaults() {
    let settings = in_memory(json!({}), json!({}));
    let tau = settings.tau();
    assert_eq!(
        tau,
        TauSettings {
            tool_execution: ToolExecution::Sequential,
            required: vec![],
            trace: TraceTarget::Off,
            limits: Limits {
                soft: Duration::from_secs(5),
                observe: Duration::from_secs(30),
                handler: None,
                stretch: Duration::from_secs(5),
                shutdown: Duration::from_secs(5),
            },
            isolate: vec![],
            shell_hooks: None,
        }
    );
    assert_eq!(Limits::DEFAULT_HANDLER, Duration::from_millis(600_000));
    assert_eq!((settings.steering_mode(), settings.follow_up_mode()), (QueueMode::OneAtATime, QueueMode::OneAtATime));
    assert_eq!(settings.images(), ImageSettings { auto_resize: true, block_images: false });
    assert_eq!(
        settings.retry(),
        RetrySettings {
            enabled: true,
            max_retries: 3,
            base_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(60),
        }
    );
    assert_eq!(
        settings.compaction(Some("openai/gpt")),
        CompactionSettings { enabled: true, reserve_tokens: 16_384, keep_recent_tokens: 20_000 }
    );
    assert!(settings.enable_skill_commands());
    assert_eq!((settings.shell_path(), settings.default_model(), settings.default_tools()), (None, None, None));
}

#[test]
fn values_are_read_with_their_types() {
    let settings = in_memory(
        json!({
            "tau": {
                "toolExecution": "parallel",
                "trace": {"jsonl": "traces/now.jsonl"},
                "isolate": true,
                "shellHooks": {"enabled": false},
                "limits": {"handlerMs": 9}
            },
            "shellPath": "~/bin/zsh",
            "compaction": {"reserveTokens": 5, "modelOverrides": {"openai/gpt-5.1": {"keepRecentTokens": 6}}},
            "appendSystemPrompt": ["one", "two.md"],
            "skills": ["~/skills"],
            "defaultThinkingLevel": "high"
        }),
        json!({"skills": ["local", "!old*"], "appendSystemPrompt": "three"}),
    );
    let tau = settings.tau();
    assert_eq!(tau.trace, TraceTarget::File("/home/ada/.pi/agent/traces/now.jsonl".into()));
    assert_eq!((tau.tool_execution, tau.isolate), (ToolExecution::Parallel, vec!["*".to_owned()]));
    assert_eq!((tau.limits.handler, tau.shell_hooks), (Some(Duration::from_millis(9)), Some(json!({"enabled": false}))));
    assert_eq!(settings.shell_path().as_deref(), Some(Path::new("/home/ada/bin/zsh")));
    assert_eq!(settings.default_thinking_level(), Some("high"));
    assert_eq!(
        settings.compaction(Some("openai/gpt-5.1")),
        CompactionSettings { enabled: true, reserve_tokens: 5, keep_recent_tokens: 6 }
    );
    let entry = |layer, base: &str, entry: &str| ResourceEntry { layer, base: base.into(), entry: entry.into() };
    assert_eq!(
        settings.resource_entries(ResourceKind::Skills),
        [
            entry(Layer::Project, "/work/.pi", "local"),
            entry(Layer::Project, "/work/.pi", "!old*"),
            entry(Layer::Global, "/home/ada/.pi/agent", "~/skills"),
        ]
    );
    assert_eq!(settings.append_system_prompt(), [entry(Layer::Project, "/work/.pi", "three")]);
    let bare = in_memory(json!({"shellPath": "zsh"}), json!({}));
    assert_eq!(bare.shell_path().as_deref(), Some(Path::new("zsh")));
}

#[test]
fn wrong_types_are_reported_and_the_default_is_used() {
    let settings = in_memory(
        json!({"retry": {"maxRetries": "three"}, "steeringMode": "some", "theme": null}),
        json!({"skills": "one", "tau": {"limits": 5}}),
    );
    let messages: Vec<_> = settings.wrong_types().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "/home/ada/.pi/agent/settings.json: steeringMode must be one of all, one-at-a-time; the default is used",
            "/work/.pi/settings.json: skills must be a list of texts; the default is used",
            "/home/ada/.pi/agent/settings.json: retry.maxRetries must be a whole number, zero or more; \
             the default is used",
        ]
    );
    assert_eq!((settings.retry().max_retries, settings.steering_mode()), (3, QueueMode::OneAtATime));
    assert_eq!(settings.resource_entries(ResourceKind::Skills), []);
}

#[test]
fn every_known_key_is_documented() {
    let manual = include_str!("../../../../docs/settings.md");
    let missing: Vec<_> =
        KNOWN_KEYS.iter().map(|known| known.key).filter(|key| !manual.contains(&format!("`{key}`"))).collect();
    assert_eq!(missing, [""; 0], "docs/settings.md does not name these keys");
    let unguarded: Vec<_> = GUARDS.iter().filter(|guard| !manual.contains(guard.key)).collect();
    assert_eq!(unguarded, Vec::<&Guard>::new(), "docs/settings.md does not name these guarded keys");
}
