//! The user's key bindings: `keybindings.json` in the agent folder, an object of actions to a key or a list of keys.

use serde_json::{Map, Value};
use tau_view::bindings::Bindings;
use tau_view::keys::is_key;

use crate::settings::Environment;

/// The name of the file.
const FILE: &str = "keybindings.json";

/// The bindings in force, and what is wrong with the user's file. A file that cannot be read counts as empty.
pub fn read(env: &Environment) -> (Bindings, Vec<String>) {
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
        let (bindings, problems) = read(&env);
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
    fn every_usual_key_is_one() {
        let keys = tau_view::bindings::BINDINGS.iter().flat_map(|binding| binding.keys);
        assert_eq!(keys.filter(|key| !is_key(key)).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn a_damaged_file_counts_as_empty() {
        let (bindings, problems) = read_text("{\n  oops");
        assert_eq!(bindings, Bindings::default());
        assert_eq!(problems, ["/keybindings.json: key must be a string at line 2 column 3"]);
    }
}
