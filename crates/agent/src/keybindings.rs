//! The user's key bindings: `keybindings.json` in the agent folder, an object of actions to a key or a list of keys.

use serde_json::{Map, Value};
use tau_view::bindings::{Bindings, Conflict, Platform};
use tau_view::keys::is_key;

use crate::settings::Environment;

/// The name of the file.
const FILE: &str = "keybindings.json";

/// The bindings in force on this platform, and what is wrong with them: with the user's file, and with keys that mean two
/// things. A file that cannot be read counts as empty.
pub fn read(env: &Environment) -> (Bindings, Vec<String>) {
    let (bindings, mut problems) = read_own(env);
    let bindings = bindings.on(Platform::of(std::env::consts::OS, |name| env.var(name).map(str::to_owned)));
    problems.extend(conflicts(&bindings));
    (bindings, problems)
}

/// Keys that mean two things at once, in words.
fn conflicts(bindings: &Bindings) -> Vec<String> {
    let line = |conflict: Conflict| {
        let actions: Vec<&str> = conflict.actions.iter().map(|binding| binding.id).collect();
        format!("{} is a key of {}; only one of them can have it", conflict.key, actions.join(" and "))
    };
    bindings.conflicts().into_iter().map(line).collect()
}

fn read_own(env: &Environment) -> (Bindings, Vec<String>) {
    let path = env.agent_dir().join(FILE);
    let wrong = |what: &dyn std::fmt::Display| vec![format!("{}: {what}", path.display())];
    let text = match tau_tools::read_small_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (Bindings::default(), Vec::new()),
        Err(error) => return (Bindings::default(), wrong(&error)),
    };
    let map: Map<String, Value> = match serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(&text)) {
        Ok(map) => map,
        Err(error) => return (Bindings::default(), wrong(&error)),
    };
    let (mut own, mut problems) = (Vec::new(), Vec::new());
    // Editors read the schema, nobody else.
    for (name, value) in map.into_iter().filter(|(name, _)| name != "$schema") {
        match keys(&value) {
            Some(keys) => {
                let (known, lost): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| is_key(key));
                problems.extend(lost.iter().flat_map(|key| wrong(&format!("\"{name}\": there is no key \"{key}\""))));
                // Without any key of its own it keeps the usual ones.
                if lost.is_empty() || !known.is_empty() {
                    own.push((name, known));
                }
            }
            None => problems.extend(wrong(&format!("\"{name}\" must be a key or a list of keys"))),
        }
    }
    let (bindings, unknown) = Bindings::new(own);
    problems.extend(unknown.iter().flat_map(|name| wrong(&format!("there is no action \"{name}\""))));
    (bindings, problems)
}

fn keys(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(key) => Some(vec![key.clone()]),
        Value::Array(keys) => keys.iter().map(|key| key.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tau_view::bindings::Binding;

    use super::*;

    fn read_text(text: &str) -> (Bindings, Vec<String>) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut env = Environment::new(dir.path(), dir.path());
        env.vars.insert("PI_CODING_AGENT_DIR".to_owned(), dir.path().display().to_string());
        std::fs::write(dir.path().join(FILE), text).expect("written");
        let (bindings, problems) = read_own(&env);
        let short = |text: String| text.replace(&dir.path().display().to_string(), "");
        (bindings, problems.into_iter().map(short).collect())
    }

    #[test]
    fn what_cannot_be_understood_is_named_and_the_rest_counts() {
        let (bindings, problems) =
            read_text(r#"{"$schema": "x", "undo": "f5", "app.exit": [], "app.clear": 3, "frob": "f6"}"#);
        let keys = |name: &str| bindings.keys(Binding::find(name).expect("an action"));
        assert_eq!(
            (keys("tui.editor.undo"), keys("app.exit"), keys("app.clear")),
            (vec!["f5"], vec![], vec!["ctrl+c"])
        );
        assert_eq!(
            problems,
            [
                "/keybindings.json: \"app.clear\" must be a key or a list of keys",
                "/keybindings.json: there is no action \"frob\""
            ]
        );
    }

    #[test]
    fn a_key_that_does_not_exist_is_named() {
        let (bindings, problems) =
            read_text(r#"{"app.interrupt": "foo+bar", "app.clear": ["ctrl++", "shift+F5", "ctrl+frob"]}"#);
        let keys = |name: &str| bindings.keys(Binding::find(name).expect("an action"));
        assert_eq!((keys("app.interrupt"), keys("app.clear")), (vec!["escape"], vec!["ctrl++", "shift+F5"]));
        assert_eq!(
            problems,
            [
                "/keybindings.json: \"app.interrupt\": there is no key \"foo+bar\"",
                "/keybindings.json: \"app.clear\": there is no key \"ctrl+frob\""
            ]
        );
    }

    #[test]
    fn keys_that_mean_two_things_are_named() {
        let (bindings, _) = Bindings::new([("app.tools.expand".to_owned(), vec!["Ctrl+T".to_owned()])]);
        let expected = "Ctrl+T is a key of app.tools.expand and app.thinking.toggle; only one of them can have it";
        assert_eq!(conflicts(&bindings), [expected]);
        assert_eq!(conflicts(&Bindings::default()), [""; 0]);
    }

    #[test]
    fn every_usual_key_is_one() {
        let all = || tau_view::bindings::BINDINGS.iter();
        let keys =
            Platform::ALL.into_iter().flat_map(|platform| all().flat_map(move |binding| binding.keys_on(platform)));
        assert_eq!(keys.filter(|key| !is_key(key)).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn windows_has_keys_of_its_own_under_linux_too() {
        let dir = tempfile::tempdir().expect("a folder");
        let undo = |env: &Environment| {
            let binding = Binding::find("tui.editor.undo").expect("an action");
            read(env).0.keys(binding).join(" ")
        };
        let env = Environment::new(dir.path(), dir.path());
        assert_eq!(undo(&env), "ctrl+-");
        assert_eq!(undo(&env.with_var("WSL_DISTRO_NAME", "Debian")), "alt+z");
    }

    #[test]
    fn a_damaged_file_counts_as_empty() {
        let (bindings, problems) = read_text("{\n  oops");
        assert_eq!(bindings, Bindings::default());
        assert_eq!(problems, ["/keybindings.json: key must be a string at line 2 column 3"]);
    }
}
