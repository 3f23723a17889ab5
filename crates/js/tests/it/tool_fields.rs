//! What the definition of a tool says beside its schema.

use serde_json::json;

use crate::bus::{hear, heard};
use crate::common::{World, calls};
use crate::support::Scripts;
use crate::tour;

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_offered_as_their_definitions_say() {
    let world = tour::world();
    let source = "export default (pi) => {
  const tool = (name, more) => pi.registerTool({
    name, description: name, parameters: { type: 'object', properties: {} }, async execute() {}, ...more,
  });
  tool('plain');
  tool('model', { exposure: 'model-only', annotations: { readOnlyHint: true, title: 'T' } });
  tool('script', { exposure: 'codemode', namespace: { name: 'mcp__docs', aliases: ['docs'], description: 'D' } });
  tool('found', { exposure: 'deferred', outputSchema: { type: 'object' } });
  tool('gone', { exposure: 'hidden' });
  tool('asleep', { defaultActive: false });
  tool('odd', { exposure: 'codmode', namespace: 'mine', annotations: { readOnlyHint: 'yes' }, outputSchema: 'none',
    constrainedSampling: { type: 'json_schema', strict: 'always' } });
  tool('reaching', { reachesTools: (input) => input.all ? 'all' : [input.word] });
  pi.registerCommand('tell', { handler: async () => {
    const all = Object.fromEntries(pi.getAllTools().map((tool) => [tool.name, tool]));
    const { sourceInfo, parameters, ...script } = all.script;
    const reach = all.reaching.reachesTools;
    pi.events.emit('told', {
      active: pi.getActiveTools().join(), script, annotations: all.model.annotations,
      exposures: Object.fromEntries(Object.values(all).slice(7).map((tool) => [tool.name, tool.exposure])),
      odd: Object.keys(all.odd).join(), reach: [reach({ all: true }), reach({ word: 'w' })],
    });
    pi.setActiveTools(['plain', 'gone', 'odd', 'found', 'asleep']);
  } });
};";
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("tools.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    let expected = json!({
        "active": "plain,model,reaching",
        "script": {
            "name": "script", "description": "script", "promptGuidelines": [], "exposure": "codemode",
            "namespace": {"name": "mcp__docs", "aliases": ["docs"], "description": "D"},
        },
        "annotations": {"readOnlyHint": true},
        "exposures": {
            "plain": "direct", "model": "model-only", "script": "codemode", "found": "deferred",
            "gone": "hidden", "asleep": "direct", "odd": "hidden", "reaching": "direct",
        },
        "odd": "name,description,parameters,promptGuidelines,exposure,sourceInfo",
        "reach": ["all", ["w"]],
    });
    assert_eq!(heard(&log, 1).await, [expected]);
    assert_eq!(running.active(), "plain,found,asleep");
    assert!(running.session.callable_tool("odd").is_none());
    let reports: Vec<String> = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    let expected = [
        "unknown exposure of a tool `codmode`; did you mean `codemode`?",
        "the `namespace` of tool \"odd\" is not used: it must be an object with a name",
        "the `annotations` of tool \"odd\" is not used: it must be an object of hints that are true or false",
        "the `outputSchema` of tool \"odd\" is not used: it must be a schema",
        "the `constrainedSampling` of tool \"odd\" is not used: it must be `false`, a `json_schema` that is preferred or \
         required, or a `grammar` with variants",
    ];
    assert_eq!(reports, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_switch_and_no_name_is_refused() {
    let world = tour::world();
    let source = "export default (pi) => {
  const tool = (name, defaultActive) => pi.registerTool({
    name, description: name, parameters: { type: 'object', properties: {} }, async execute() {}, defaultActive,
  });
  tool('word', 'false');
  tool('zero', 0);
  tool('nothing', null);
  tool('on', true);
  tool('off', false);
  tool('unset', undefined);
  pi.registerCommand('tell', { handler: async () => {
    const told = [];
    for (const names of [[5], 'read', ['on', null]]) {
      try { pi.setActiveTools(names); } catch (error) { told.push(`${error instanceof TypeError} ${error.message}`); }
    }
    pi.events.emit('told', told);
  } });
};";
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("tools.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    assert_eq!(running.active(), "word,zero,nothing,on,unset");
    let reports: Vec<String> = world.reports.all().into_iter().map(|(_, _, text)| text).collect();
    let expected = ["word", "zero", "nothing"]
        .map(|name| format!("the `defaultActive` of tool \"{name}\" is not used: it must be true or false"));
    assert_eq!(reports, expected);
    running.say("/tell").await;
    let refused = "true pi.setActiveTools(): names must be a list of texts";
    assert_eq!(heard(&log, 1).await, [json!([refused, refused, refused])]);
    assert_eq!(running.active(), "word,zero,nothing,on,unset");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_prepares_how_others_are_shown() {
    let world = tour::world();
    let source = "export default (pi) => {
  const tool = (name, more) => pi.registerTool({
    name, description: `About ${name}.`, parameters: { type: 'object', properties: {} }, async execute() {}, ...more,
  });
  tool('work');
  tool('one', { promptGuidelines: ['Be careful with one.'], namespace: { name: 'n' } });
  tool('two', { exposure: 'codemode' });
  let broken = false;
  const names = (tools) => tools.map((tool) => tool.name).join();
  tool('chief', { prepareLoadout(l) {
    if (broken) throw new Error('no idea');
    pi.events.emit('told', {
      declared: names(l.declared), callable: names(l.callable), registered: names(l.registered),
      description: l.declared[1].description, exposure: l.getExposure('two'), namespace: l.getNamespace('one'),
      guidelines: [l.getPromptGuidelines('one'), l.getPromptGuidelines('nobody')],
    });
    return { descriptions: { one: 'Shown otherwise.', two: 3 }, hiddenDeclarations: ['work'] };
  } });
  pi.registerCommand('break', { handler: async () => { broken = true; } });
};";
    let scripts = Scripts::new(&world).tau(json!({}));
    scripts.load(&world, &[("chief.ts", source)]).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    let expected = json!({
        "declared": "work,one,chief", "callable": "work,one,two,chief", "registered": "read,bash,edit,write,grep,find,ls,work,one,two,chief",
        "description": "About one.", "exposure": "codemode", "namespace": {"name": "n"},
        "guidelines": [["Be careful with one."], []],
    });
    assert_eq!(heard(&log, 1).await[0], expected);
    let prompt = running.session.system_prompt_parts().text().to_owned();
    running.say("Hi").await;
    assert_eq!(running.declared()[0], "one,chief");
    assert_eq!(running.script.requests()[0]["tools"][0]["description"], "Shown otherwise.");
    assert!(!prompt.contains("- work:"), "{prompt}");
    running.say("/break").await;
    running.say("Again").await;
    let failed = world.reports.all().into_iter().find(|(_, event, _)| event == "prepare_loadout");
    assert_eq!(failed.map(|(_, _, text)| text).as_deref(), Some("no idea"));
}

/// What a tool is asked before it runs has the limit of a handler.
#[tokio::test(flavor = "multi_thread")]
async fn what_prepares_arguments_and_never_answers_ends_with_the_limit_of_handlers() {
    let source = "export default (pi) => pi.registerTool({
  name: 'work', description: 'w', parameters: { type: 'object', properties: {} },
  prepareArguments: () => new Promise(() => {}),
  execute: async () => ({ content: [{ type: 'text', text: 'worked' }] }),
});";
    let world = World::new(json!([calls([("one", "work", json!({}))]), "Done."]))
        .settings(json!({"tau": {"limits": {"handlerMs": 50}}}));
    world.home.write_agent("extensions/waits.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let running = world.start().await;
    running.say("Go").await;
    let (_, result) = running.conversation().remove(2);
    let late = "did not answer within 50ms, the limit of tau.limits.handlerMs";
    assert!(result.contains("waits.ts") && result.contains(late), "{result}");
    assert_eq!(scripts.told.all(), []);
}
