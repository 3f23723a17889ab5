use std::collections::HashSet;

use super::*;

fn own(pairs: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let texts = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    pairs.iter().map(|(name, keys)| ((*name).to_owned(), texts(keys))).collect()
}

#[test]
fn names_are_unique_and_lead_to_their_action() {
    let mut names = HashSet::new();
    for binding in BINDINGS {
        assert!(names.insert(binding.id), "{}", binding.id);
        assert!(binding.older.is_empty() || names.insert(binding.older), "{}", binding.older);
        assert_eq!(Binding::find(binding.id), Some(binding));
        assert!(!binding.doc.is_empty());
    }
    assert_eq!(Binding::find("undo").map(|binding| binding.id), Some("tui.editor.undo"));
    assert_eq!(Binding::find(""), None);
}

#[test]
fn the_users_keys_take_the_place_of_the_usual_ones() {
    let (bindings, unknown) = Bindings::new(own(&[
        ("app.model.select", &["f2", "Ctrl+M"]),
        ("selectModel", &["f9"]),
        ("undo", &[]),
        ("frob", &["f3"]),
    ]));
    let keys = |name: &str| bindings.keys(Binding::find(name).expect("an action"));
    assert_eq!(keys("app.model.select"), ["f2", "Ctrl+M"]);
    assert_eq!(keys("tui.editor.undo"), [] as [&str; 0]);
    assert_eq!(keys("tui.select.cancel"), ["escape", "ctrl+c"]);
    assert_eq!(unknown, ["frob"]);
}

#[test]
fn reserved_keys_are_known_however_they_are_written() {
    let (bindings, _) = Bindings::new(own(&[("app.model.select", &["f2"])]));
    let reserved = |key: &str| bindings.reserved(key).map(|binding| binding.id);
    assert_eq!(reserved("Ctrl+Shift+P"), Some("app.model.cycleBackward"));
    assert_eq!(reserved("f2"), Some("app.model.select"));
    assert_eq!(reserved("ctrl+l"), None);
    assert_eq!(reserved("ctrl++"), None);
    let of_editor = |key: &str| bindings.of_editor(key).map(|binding| binding.id);
    assert_eq!(of_editor("Ctrl+R"), Some("app.history.search"));
    assert_eq!((of_editor("f2"), of_editor("ctrl+l"), of_editor("f7")), (Some("app.model.select"), None, None));
    assert_eq!(normal("shift+ctrl++"), "ctrl+shift++");
    assert_eq!(normal("+"), "+");
}

#[test]
fn platforms_have_keys_of_their_own() {
    let keys = |platform, name: &str| {
        let binding = Binding::find(name).expect("an action");
        Bindings::default().on(platform).keys(binding).join(" ")
    };
    let of = |name: &str| [Platform::Usual, Platform::Mac, Platform::Windows, Platform::Wsl].map(|on| keys(on, name));
    assert_eq!(of("tui.editor.undo"), ["ctrl+-", "ctrl+-", "ctrl+z", "alt+z"]);
    assert_eq!(of("app.suspend"), ["ctrl+z", "ctrl+z", "", "ctrl+z"]);
    assert_eq!(of("app.clipboard.pasteImage"), ["ctrl+v", "ctrl+v", "alt+v ctrl+v", "alt+v ctrl+v"]);
    assert_eq!(of("app.tree.foldOrUp")[..2], ["ctrl+left alt+left", "alt+left ctrl+left"]);
    let (own, _) = Bindings::new(own(&[("undo", &["f5"])]));
    assert_eq!(own.on(Platform::Wsl).keys(Binding::find("undo").expect("an action")), ["f5"]);
}

#[test]
fn the_environment_says_which_platform_it_is() {
    let of = |os: &str, set: &'static str| Platform::of(os, |name| (name == set).then(|| "x".to_owned()));
    assert_eq!([of("linux", ""), of("freebsd", "WSL_INTEROP"), of("macos", "")].map(|on| on as u8), [0, 0, 1]);
    assert_eq!([of("linux", "WSL_INTEROP"), of("linux", "WSL_DISTRO_NAME")], [Platform::Wsl; 2]);
    assert_eq!(of("windows", "WSL_INTEROP"), Platform::Windows);
    assert_eq!(Platform::of("linux", |_| Some(String::new())), Platform::Usual);
}

#[test]
fn the_usual_keys_are_in_no_conflict_on_any_platform() {
    for platform in Platform::ALL {
        assert_eq!(Bindings::default().on(platform).conflicts(), [], "{platform:?}");
    }
}

#[test]
fn two_actions_on_one_key_are_reported_where_both_count() {
    let (bindings, _) = Bindings::new(own(&[
        ("app.model.select", &["Shift+Ctrl+O", "esc"]),
        ("app.tools.expand", &["ctrl+shift+o", "ctrl+shift+o"]),
        // A list has its own keys, and the chooser of sessions has those of a list too.
        ("app.session.rename", &["down"]),
        ("app.tree.filter.all", &["ctrl+d"]),
        // These never count at the same time.
        ("app.models.save", &["ctrl+t"]),
    ]));
    let shown = |conflict: &Conflict| {
        let actions: Vec<&str> = conflict.actions.iter().map(|binding| binding.id).collect();
        format!("{}: {}", conflict.key, actions.join(" "))
    };
    let shown: Vec<String> = bindings.conflicts().iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "escape: app.interrupt app.model.select",
            "Shift+Ctrl+O: app.model.select app.tools.expand",
            "down: tui.select.down app.session.rename",
            "ctrl+d: app.tree.filter.default app.tree.filter.all",
        ]
    );
}

#[test]
fn a_context_knows_the_keys_that_are_valid_in_it() {
    let (bindings, _) = Bindings::new(own(&[("app.tree.editLabel", &["f2"]), ("app.tree.filter.all", &[])]));
    let valid: Vec<_> = bindings.valid_in(Context::Tree).map(|(binding, keys)| (binding.id, keys.join(" "))).collect();
    assert!(valid.contains(&("app.tree.editLabel", "f2".to_owned())));
    assert!(valid.iter().all(|(id, _)| *id != "app.tree.filter.all"));
    assert_eq!(valid.last(), Some(&("tui.select.cancel", "escape ctrl+c".to_owned())));
}
