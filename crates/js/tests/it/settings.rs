//! Settings that an extension declares: `pi.tau.settings`.

use serde_json::{Value, json};

use crate::bus::{hear, heard};
use crate::common::World;
use crate::support::Scripts;
use crate::tour;

const SOURCE: &str = "export default (pi) => {
  const listed = Object.keys(pi).includes('tau');
  pi.tau?.settings.declare('limit', { schema: { type: 'integer' }, default: 20, guard: 'onlyLower' });
  pi.tau?.settings.declare('colour', { scope: 'user' });
  const early = pi.tau.settings.get('limit');
  let wrong = [];
  for (const [key, options] of [['a..b', {}], ['x', { schema: { type: 'no' } }], ['y', { guard: 'never' }],
                                ['z', { schema: { type: 'string' }, default: 1 }]]) {
    try { pi.tau.settings.declare(key, options); } catch (error) { wrong.push(error.message); }
  }
  pi.registerCommand('tell', { handler: async () => {
    const { get, why } = pi.tau.settings;
    let unknown;
    try { get('other'); } catch (error) { unknown = error.message; }
    pi.events.emit('told', { listed, early, limit: get('limit'), why: why('limit'), colour: why('colour'), unknown, wrong });
  } });
};";

async fn told(user: Value, project: Value) -> (World, Scripts, Value) {
    let world = tour::world().settings(json!({"tau": {"extensions": {"mine": user}}}));
    world.home.write_agent("extensions/mine.ts", SOURCE);
    world.home.write(".pi/settings.json", json!({"tau": {"extensions": {"mine": project}}}).to_string());
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let log = hear(&world, "told");
    let running = world.start().await;
    running.say("/tell").await;
    let told = heard(&log, 1).await.remove(0);
    (world, scripts, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_reads_its_settings_and_where_they_come_from() {
    let (world, _, told) = told(json!({"limit": 5}), json!({"limit": 3, "colour": "red"})).await;
    assert_eq!((&told["listed"], &told["early"], &told["limit"]), (&json!(false), &json!(3), &json!(3)));
    let file = world.home.cwd().join(".pi/settings.json").display().to_string();
    assert_eq!(told["why"], json!({"value": 3, "layer": "project", "path": file}));
    assert_eq!(told["colour"], json!({"value": null, "layer": "default"}));
    assert_eq!(told["unknown"], "the setting \"other\" was not declared by this extension");
    let wrong: Vec<&str> =
        told["wrong"].as_array().expect("a list").iter().map(|one| one.as_str().expect("a text")).collect();
    let [empty, schema, guard, default] = wrong[..] else { panic!("{wrong:?}") };
    assert_eq!(empty, "setting \"a..b\": a name of the key is empty");
    assert!(schema.starts_with("setting \"x\": the schema cannot be used: "), "{schema}");
    assert!(guard.starts_with("the setting's definition: unknown variant `never`"), "{guard}");
    assert_eq!(default, "setting \"z\": the default does not fit: expected string, got integer");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_them_is_told_when_the_session_starts() {
    let (world, scripts, told) = told(json!({"limit": "many", "colur": "red"}), json!({"limit": 30})).await;
    assert_eq!(told["limit"], json!(20));
    let told: Vec<String> = scripts
        .told
        .all()
        .into_iter()
        .filter(|(extension, ..)| extension == "settings")
        .map(|(_, _, text, _)| text)
        .collect();
    let user = world.home.agent_dir().join("settings.json").display().to_string();
    assert_eq!(
        told,
        [
            format!("{user}: tau.extensions.mine.colur is not a setting and has no effect; did you mean colour?"),
            format!("{user}: tau.extensions.mine.limit is not used: expected integer, got string"),
            "project setting `tau.extensions.mine.limit` ignored: a project may only make it smaller".to_owned(),
        ]
    );
}
