//! The suite, and the one in TypeScript that is called the same: a session has one of them.

use serde_json::json;

use super::{ON, asked, settings};
use crate::support::Place;

/// A suite in TypeScript with a tool of the same name.
const TWIN: &str = r#"
export default (pi) => pi.registerTool({
  name: "ask_user", label: "Ask", description: "Asks", parameters: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: "typescript" }], details: {} }),
});
"#;

#[test]
fn of_the_suite_and_the_one_in_typescript_a_session_has_one() {
    let on = json!({"packages": ["builtin:orchestrator"]});
    let preferred = json!({"packages": ["builtin:orchestrator"], "tau": {"preferBuiltin": true}});
    let single = json!({"extensions": ["builtin:ask-user"]});
    let (users, projects) = ("agent/extensions/orchestrator/index.ts", "work/.pi/extensions/orchestrator/index.ts");
    let (off, skipped) =
        ("builtin:orchestrator is off: this extension is the same suite", "skipped: builtin:orchestrator is on");
    let script = "typescript".to_owned();
    for (file, user, project, args, result, notice) in [
        (users, Some(&on), None, &[][..], script.as_str(), off),
        (users, Some(&preferred), None, &[], ON, skipped),
        (users, None, Some(&on), &[], &script, off),
        (users, None, Some(&preferred), &[], &script, off),
        (users, Some(&on), None, &["-e", "builtin:orchestrator"], ON, skipped),
        (users, None, None, &["-e", "builtin:status"], &script, ""),
        (users, Some(&single), None, &[], &script, off),
        (users, Some(&on), None, &["-ne", "-e", users], &script, ""),
        (projects, Some(&on), None, &[], ON, skipped),
        (projects, None, Some(&on), &[], &script, off),
        (projects, None, None, &[], &script, ""),
        (projects, Some(&preferred), None, &["-e", projects], &script, off),
    ] {
        let place = Place::new();
        let path = place.write(file, TWIN).display().to_string();
        user.iter().for_each(|on| settings(&place, "agent/settings.json", on));
        project.iter().for_each(|on| settings(&place, "work/.pi/settings.json", on));
        let args: Vec<&str> = args.iter().map(|arg| if *arg == file { path.as_str() } else { arg }).collect();
        let (said, stderr) = asked(&place, &[&["--approve"], args.as_slice()].concat());
        let case = format!("{file} {user:?} {project:?} {args:?}: {stderr}");
        assert_eq!(said, result, "{case}");
        let notices = |text: &str| stderr.matches(text).count();
        assert_eq!([off, skipped].map(notices), [off, skipped].map(|one| usize::from(one == notice)), "{case}");
    }
}

#[test]
fn a_required_module_whose_place_is_taken_shuts_the_gates() {
    let place = Place::new();
    let path = place.write("agent/extensions/orchestrator.ts", TWIN);
    let on = json!({"packages": ["builtin:orchestrator"], "tau": {"required": ["builtin:ask-user"]}});
    settings(&place, "agent/settings.json", &on);
    let (said, _) = asked(&place, &[]);
    let expected = format!("{} takes its place; set tau.preferBuiltin to true", path.display());
    assert!(said.contains(&expected), "{said}");
}

/// Otherwise a repository could answer in the place of the user.
#[test]
fn an_extension_of_a_project_takes_no_module_of_the_user_away() {
    let place = Place::new();
    place.write("work/.pi/extensions/mine.ts", TWIN);
    let on = json!({"packages": ["builtin:orchestrator"]});
    settings(&place, "agent/settings.json", &on);
    let (said, stderr) = asked(&place, &["--approve"]);
    let why = "the tool ask_user belongs to builtin:ask-user, which you switched on; a project cannot replace it";
    assert!(said == ON && stderr.contains(why), "{said} {stderr}");
    // Of what the project switched on itself, its own extension takes the place.
    settings(&place, "agent/settings.json", &json!({}));
    settings(&place, "work/.pi/settings.json", &on);
    let (said, stderr) = asked(&place, &["--approve"]);
    assert!(said == "typescript" && stderr.contains("takes the place of builtin:ask-user"), "{said} {stderr}");
}
