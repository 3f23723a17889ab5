//! Settings that extensions declare.

use serde_json::{Value, json};
use tau_hooks::{SettingGuard, SettingSource, SettingSpec, SettingValue};

use super::super::{Declared, Environment, Settings};

fn declared(spec: SettingSpec) -> Declared {
    Declared { extension: "notes".to_owned(), spec }
}

/// Settings of the extension `notes` in both files.
fn settings(user: Value, project: Value) -> Settings {
    let file = |own: Value| match own {
        Value::Null => json!({}),
        own => json!({"theme": "dark", "tau": {"extensions": {"notes": own}}}),
    };
    Settings::in_memory(&Environment::new("/home/ada", "/project"), file(user), file(project))
}

fn limit() -> Declared {
    declared(SettingSpec::new("show.limit", "", 10).schema(json!({"type": "integer"})))
}

#[test]
fn a_value_says_which_file_it_comes_from() {
    let user = || SettingSource::User("/home/ada/.pi/agent/settings.json".into());
    let project = || SettingSource::Project("/project/.pi/settings.json".into());
    let of = |limit: i64| json!({"show": {"limit": limit}});
    for (users, projects, value, source) in [
        (Value::Null, Value::Null, 10, SettingSource::Default),
        (of(1), Value::Null, 1, user()),
        (Value::Null, of(2), 2, project()),
        (of(1), of(2), 2, project()),
        (of(1), json!({"show": {"limit": null}}), 1, user()),
        (json!({"show": {}}), json!({}), 10, SettingSource::Default),
    ] {
        let settings = settings(users, projects);
        assert_eq!(settings.declared(&limit()), SettingValue { value: value.into(), source });
        assert_eq!(settings.declared_problems(&[limit()], true), [""; 0]);
    }
}

#[test]
fn a_value_of_the_wrong_type_is_named_and_what_holds_without_it_counts() {
    let settings = settings(json!({"show": {"limit": 3}}), json!({"show": {"limit": "many"}}));
    assert_eq!(settings.declared(&limit()).value, json!(3));
    assert_eq!(
        settings.declared_problems(&[limit()], true),
        ["/project/.pi/settings.json: tau.extensions.notes.show.limit is not used: expected integer, got string"]
    );
    let explained = settings.explain_declared(&limit());
    assert_eq!(explained.effective(), "3");
    assert_eq!(
        explained.places().into_iter().map(|(place, says)| format!("{place}: {says}")).collect::<Vec<_>>(),
        [
            "project /project/.pi/settings.json: \"many\" (ignored: it is no value that this key takes)",
            "user /home/ada/.pi/agent/settings.json: 3",
            "default: 10",
        ]
    );
}

#[test]
fn keys_that_nobody_declared_are_named_with_the_nearest_one() {
    let all = |own: Value| settings(own, Value::Null).declared_problems(&[limit()], true);
    let file = "/home/ada/.pi/agent/settings.json: tau.extensions";
    assert_eq!(
        all(json!({"show": {"limt": 1, "colour": "red"}, "shown": 2, "zzz": {}})),
        [
            format!("{file}.notes.show.limt is not a setting and has no effect; did you mean show.limit?"),
            format!("{file}.notes.show.colour is not a setting and has no effect"),
            format!("{file}.notes.shown is not a setting and has no effect"),
            format!("{file}.notes.zzz is not a setting and has no effect"),
        ]
    );
    assert_eq!(all(json!({"show": 1})), [format!("{file}.notes.show must be an object")]);
    assert_eq!(all(json!([])), [format!("{file}.notes must be an object")]);
    // An extension of the program that is off is no mistake.
    let off = json!({"tau": {"extensions": {"project-settings": {"co_author": true}, "project-setting": {}}}});
    let settings = Settings::in_memory(&Environment::new("/home/ada", "/project"), off, json!({}));
    assert_eq!(
        settings.declared_problems(&[limit()], true),
        [format!("{file}.project-setting belongs to no loaded extension that declares settings")]
    );
}

#[test]
fn the_name_of_an_extension_that_is_not_there_is_named_when_all_are_loaded() {
    let env = Environment::new("/home/ada", "/project");
    let user = json!({"tau": {"extensions": {"note": {"a": 1}, "other": {"a": 1}}}});
    let settings = Settings::in_memory(&env, user, json!({}));
    let near = "/home/ada/.pi/agent/settings.json: tau.extensions.note belongs to no loaded extension that declares settings; did you mean \
                notes?";
    let other =
        "/home/ada/.pi/agent/settings.json: tau.extensions.other belongs to no loaded extension that declares settings";
    assert_eq!(settings.declared_problems(&[limit()], true), [near, other]);
    // One that could not be loaded may have settings.
    assert_eq!(settings.declared_problems(&[limit()], false), [near]);
    assert_eq!(settings.problems(), [""; 0], "what is in the section is for extensions to say");
}

#[test]
fn a_project_may_do_what_the_guard_says_and_no_more() {
    use SettingGuard::{AddOnly, None, OnlyLower, OnlyOff, OnlyOn, UserFirst};
    let spec = |guard, default: Value| SettingSpec::new("key", "", default).guarded(guard);
    for (guard, default, user, project, value, refused) in [
        (None, json!(1), json!(2), json!(3), json!(3), ""),
        (UserFirst, json!(1), json!(2), json!(3), json!(2), "a project may not replace what you set"),
        (UserFirst, json!(1), json!(null), json!(3), json!(3), ""),
        (AddOnly, json!(["a"]), json!(null), json!(["b"]), json!(["a", "b"]), ""),
        (AddOnly, json!(["a"]), json!(["c"]), json!(["b", "c"]), json!(["c", "b"]), ""),
        (OnlyOn, json!(false), json!(null), json!(true), json!(true), ""),
        (OnlyOn, json!(false), json!(null), json!(false), json!(false), ""),
        (OnlyOn, json!(true), json!(null), json!(false), json!(true), "a project may not turn it off"),
        (OnlyOn, json!(false), json!(true), json!(false), json!(true), "a project may not turn it off"),
        (OnlyOff, json!(false), json!(null), json!(true), json!(false), "a project may not turn it on"),
        (OnlyOff, json!(true), json!(null), json!(false), json!(false), ""),
        (OnlyOff, json!(true), json!(false), json!(true), json!(false), "a project may not turn it on"),
        (OnlyLower, json!(10), json!(null), json!(5), json!(5), ""),
        (OnlyLower, json!(10), json!(null), json!(11), json!(10), "a project may only make it smaller"),
        (OnlyLower, json!(10), json!(20), json!(15.5), json!(15.5), ""),
        (OnlyLower, json!(10), json!(4), json!(5), json!(4), "a project may only make it smaller"),
    ] {
        let case = format!("{guard:?} {default} {user} {project}");
        let declared = declared(spec(guard, default));
        let settings = settings(json!({"key": user}), json!({"key": project}));
        assert_eq!(settings.declared(&declared).value, value, "{case}");
        let told = settings.declared_problems(std::slice::from_ref(&declared), true);
        let expected = format!("project setting `tau.extensions.notes.key` ignored: {refused}");
        assert_eq!(told, if refused.is_empty() { vec![] } else { vec![expected] }, "{case}");
    }
    let own = declared(SettingSpec::new("key", "", 1).of_user());
    let settings = settings(Value::Null, json!({"key": 2}));
    assert_eq!(settings.declared(&own), SettingValue { value: json!(1), source: SettingSource::Default });
    assert_eq!(
        settings.declared_problems(&[own], true),
        ["project setting `tau.extensions.notes.key` ignored: only your own file may set it"]
    );
}

#[test]
fn a_project_cannot_get_around_a_guard_by_replacing_the_parent() {
    let guarded = declared(SettingSpec::new("on", "", true).guarded(SettingGuard::OnlyOn));
    let user = json!({"tau": {"extensions": {"notes": {"on": true}}}});
    for project in
        [json!({"tau": null}), json!({"tau": {"extensions": []}}), json!({"tau": {"extensions": {"notes": 1}}})]
    {
        let env = Environment::new("/home/ada", "/project");
        let settings = Settings::in_memory(&env, user.clone(), project.clone());
        assert_eq!(settings.declared(&guarded).value, json!(true), "{project}");
    }
}
