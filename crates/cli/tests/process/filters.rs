//! Handlers of `tool_result` that tau ends: what they may have been about to take out reaches nobody.

use crate::support::{Place, transcript};

const TOOL: &str = "
replies:
  - - tool_call: {name: bash, arguments: {command: 'cat kept'}}
  - 'Read: {{tool.last.text}}'
";
const SECRET: &str = "sesame-4711";

/// A native call that never ends and never asks whether it must.
const HANG: &str = "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })";

/// Runs the tool. Gives what the model read of it; the rest of what there is of the session says the same.
fn read(limits: &str, handlers: &str) -> (String, String) {
    let place = Place::new();
    place.write("agent/settings.json", format!("{{\"tau\": {{\"limits\": {limits}}}}}"));
    place.write("agent/extensions/filter.ts", format!("export default (pi) => {{\n{handlers}\n}};\n"));
    place.write("work/kept", SECRET);
    let done = place.play(TOOL, ["-p", "x"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = transcript(&place.session());
    let result = said[2].strip_prefix("toolResult: ").expect("a result").to_owned();
    assert_eq!(done.stdout, format!("Read: {result}\n"));
    let file = std::fs::read_to_string(place.session_files().remove(0)).expect("a session");
    assert_eq!(file.contains(SECRET), result.contains(SECRET), "{file}");
    (place.normal(&result), place.normal(&done.stderr))
}

#[test]
fn the_result_of_a_filter_that_tau_ends_is_withheld() {
    let late = "const out = { content: [{ type: 'text', text: 'red' }] };";
    for (limits, body, why) in [
        ("{\"stretchMs\": 60}", "for (;;) {}", ": ran for more than 60ms without a pause"),
        ("{\"stretchMs\": 60}", "await null; for (;;) {}", ": ran for more than 60ms without a pause"),
        (
            "{\"handlerMs\": 60}",
            "await new Promise(() => {});",
            " did not answer within 60ms, the limit of tau.limits.handlerMs",
        ),
        ("{\"memoryMb\": 48, \"stretchMs\": 60000}", "const all = []; for (;;) all.push({});", ": out of memory"),
        (
            "{\"stretchMs\": 100}",
            format!("{HANG};").as_str(),
            " is lost: its script engine does not answer any more; /reload",
        ),
    ] {
        let (result, stderr) =
            read(limits, &format!("pi.on('tool_result', async () => {{ {late} {body} return out; }});"));
        let start =
            format!("The tool ran, but its result is withheld: extension /ROOT/agent/extensions/filter.ts{why}");
        assert!(result.starts_with(&start), "{body}: {result}\n{stderr}");
        assert!(stderr.contains("filter.ts"), "{stderr}");
    }
}

#[test]
fn so_is_that_of_a_filter_whose_engine_somebody_else_lost() {
    let handlers = format!(
        "pi.on('tool_execution_start', () => {{ {HANG}; }});\npi.on('tool_result', () => ({{ content: [] }}));"
    );
    let (result, stderr) = read("{\"stretchMs\": 100}", &handlers);
    assert!(result.contains("its result is withheld") && result.contains("is lost"), "{result}\n{stderr}");
}

#[test]
fn a_filter_that_throws_changes_nothing_and_is_reported() {
    let (result, stderr) = read("{}", "pi.on('tool_result', () => { throw new Error('no rules'); });");
    assert_eq!(result, SECRET);
    assert!(stderr.contains("filter.ts): no rules"), "{stderr}");
}

#[test]
fn a_handler_that_only_observes_keeps_nothing_from_anybody() {
    // Hooks of oh-my-pi cannot change what a tool that failed says.
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"limits": {"stretchMs": 60}}}"#);
    let hook = "// @hook-dialect omp\nexport default (pi) => { pi.on('tool_result', () => { for (;;) {} }); };\n";
    place.write("agent/extensions/hook.ts", hook);
    place.write("work/kept", SECRET);
    let done = place.play(&TOOL.replace("cat kept", "cat kept; exit 3"), ["-p", "x"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains(SECRET) && done.stderr.contains("ran for more than 60ms"), "{}", done.stderr);
}
