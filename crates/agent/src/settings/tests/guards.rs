//! What a project cannot do.

use serde_json::json;

use super::*;
use crate::settings::table::GUARDS;

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
        [
            "images.blockImages",
            "shellPath",
            "defaultProjectTrust",
            "httpProxy",
            "tau.trace",
            "tau.limits",
            "tau.shellHooks"
        ]
    );
    assert_eq!(settings.why(KeyPath::dotted("tau.limits.observeMs")).map(|origin| origin.layer), Some(Layer::Global));
    assert_eq!(settings.why(KeyPath::dotted("tau.required")).map(|origin| origin.layer), Some(Layer::Project));
    assert_eq!(settings.why(KeyPath::dotted("shellCommandPrefix")).map(|origin| origin.layer), Some(Layer::Project));
}

#[test]
fn a_project_cannot_get_around_a_guard_by_replacing_the_parent() {
    let global = json!({"tau": {"required": ["gate"]}, "images": {"blockImages": true}});
    for project in
        [json!({"tau": null, "images": null}), json!({"tau": "x", "images": []}), json!({"tau": {"required": null}})]
    {
        let settings = in_memory(global.clone(), project.clone());
        assert_eq!(settings.tau().required, ["gate"], "{project}");
        assert!(settings.images().block_images, "{project}");
    }
}

#[test]
fn a_project_that_switches_off_what_is_off_is_not_named() {
    let project = json!({"images": {"blockImages": false}, "ttsr": {"enabled": false}});
    let ignored = |user| in_memory(user, project.clone()).ignored().iter().map(|key| key.key).collect::<Vec<_>>();
    assert_eq!(ignored(json!({})), ["ttsr.enabled"]);
    assert_eq!(ignored(json!({"images": {"blockImages": true}})), ["images.blockImages", "ttsr.enabled"]);
}

#[test]
fn every_guard_holds_for_every_value() {
    for guard in GUARDS.iter() {
        for user in [None, Some(json!(["u"])), Some(json!(true)), Some(json!("u"))] {
            for project in [json!(null), json!(false), json!(true), json!("p"), json!(["p"]), json!({"p": 1})] {
                let key = KeyPath::dotted(guard.key);
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
fn a_project_cannot_let_tools_run_behind_shell_hooks_that_fail() {
    let global = json!({"tau": {"shellHooks": {"strict": true}}});
    let project = json!({"tau": {"shellHooks": {"strict": false, "onFailure": "allow"}}});
    let settings = in_memory(global, project);
    let hooks = settings.tau().shell_hooks;
    assert_eq!((hooks.strict, hooks.allow_on_failure), (true, false));
    assert_eq!(settings.ignored().iter().map(|ignored| ignored.key).collect::<Vec<_>>(), ["tau.shellHooks"]);
}
