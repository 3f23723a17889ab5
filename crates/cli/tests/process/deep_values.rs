//! Values that nest deep, through a whole program: a stack that runs out would end it.

use crate::support::Place;

const SOURCE: &str = r#"import { writeFileSync } from 'node:fs';
const deep = (n) => { let v = 1; for (let i = 0; i < n; i++) v = i % 2 ? [v] : { v }; return v; };
let refused = [];
const attempt = (what, run) => {
  try {
    run(1990);
  } catch (error) {
    refused.push(`${what}: ${error.message}`.slice(0, 300));
  }
  try {
    run(100000);
    refused.push(`${what}: not refused`);
  } catch (error) {
    if (!/2000 levels|Maximum call stack/.test(error.message)) refused.push(`${what}: ${error.message}`.slice(0, 300));
  }
};
export default (pi) => {
  const schema = (value) => ({ type: 'object', properties: { a: { type: 'string', examples: [value] } } });
  attempt('tool', (n) => pi.registerTool({ name: `t${n}`, description: 't', parameters: schema(deep(n - 10)), execute() {} }));
  pi.registerTool({
    name: 'work', description: 'w', parameters: { type: 'object', properties: {} },
    execute: async (id, args, signal, update) => {
      update({ content: [{ type: 'text', text: 'half' }], details: deep(1990) });
      return { content: [{ type: 'text', text: 'worked' }], details: deep(1990) };
    },
  });
  pi.registerTool({
    name: 'dig', description: 'd', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'dug' }], details: deep(100000) }),
  });
  pi.on('tool_result', (event) => { JSON.stringify(event.details).length; return { details: deep(1980) }; });
  pi.on('context', (event) => ({ messages: event.messages }));
  pi.on('agent_end', (event) => { JSON.stringify(event.messages).length; writeFileSync('refused.json', JSON.stringify(refused)); });
  pi.on('before_agent_start', () => {
    attempt('entry', (n) => pi.appendEntry('e', deep(n)));
    attempt('message', (n) => pi.sendMessage({ customType: 'm', content: 'm', display: true, details: deep(n - 5) }));
  });
};
"#;

/// Wherever a value crosses, one that is as deep as may be works, and everything that is done with it later, on whatever
/// thread, has the stack for it; a deeper one is an error of the extension.
#[test]
fn a_deep_value_crosses_or_is_refused_wherever_it_is_given() {
    let place = Place::new();
    place.write("agent/extensions/deep.ts", SOURCE);
    let script = "replies: [[{tool_call: {name: work, arguments: {}}}], [{tool_call: {name: dig, arguments: {}}}], [{text: Done}]]";
    let done = place.play(script, ["--mode", "json", "-p", "Go"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let refused = std::fs::read_to_string(place.work().join("refused.json")).expect("what was refused");
    assert_eq!((refused.as_str(), done.stderr.as_str()), ("[]", ""));
    let file = place.session_files().into_iter().next().expect("a session");
    // Not read as values: a test has less stack than the program.
    let told = std::fs::read_to_string(&file).expect("a session file");
    let refused = "Converting circular structure to JSON: the value contains itself or nests more than 2000 levels";
    assert!(told.contains("\"worked\"") && told.contains(refused));

    let done = place.play(script, ["--continue", "-p", "Go on"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(done.stderr, "");
    let page = place.work().join("page.html");
    let done = place.play(script, ["--export", &file.display().to_string(), &page.display().to_string()]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(page.exists());
}
