//! Scripts that ask models.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_agent_testkit::{Log, World, registry};
use tau_ai::{
    ClassifierAnswer, ClassifierApi, ClassifierContext, ClassifierResult, OperationRequest, Operations, ProviderConfig,
    StopReason, Usage,
};
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallResult;
use tokio::sync::watch;

use crate::world::{load, output, result, say, scripted};

/// Says yes to everything, and notes how many ask at once.
struct Judge {
    asked: Log<ClassifierContext>,
    open: watch::Sender<(usize, usize)>,
}

#[async_trait]
impl ClassifierApi for Judge {
    async fn classify(&self, request: OperationRequest<ClassifierContext>) -> ClassifierResult {
        self.open.send_modify(|(now, most)| {
            *now += 1;
            *most = (*most).max(*now);
        });
        // The others come in meanwhile, if they are let.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        self.open.send_modify(|(now, _)| *now -= 1);
        let answer = |(id, _): &(String, _)| (id.clone(), ClassifierAnswer::Bool { probability: 1.0 });
        let answers = request.context.questions.iter().map(answer).collect();
        self.asked.push(request.context.clone());
        ClassifierResult {
            answers,
            stop_reason: StopReason::Stop,
            usage: Some(Usage { input: 3, total_tokens: 3, ..Usage::default() }),
            ..ClassifierResult::of(&request.model, 0)
        }
    }
}

fn world(script: &str) -> (World, Arc<Judge>) {
    let world = scripted(&[script]);
    let judge = Arc::new(Judge { asked: Log::default(), open: watch::Sender::default() });
    let models = registry();
    let script = Arc::new(world.script.clone());
    let chat = ProviderConfig {
        api: Some(tau_ai::scripted::PROVIDER.to_owned()),
        stream: Some(script),
        keyless: true,
        ..ProviderConfig::default()
    };
    models.register_provider(tau_ai::scripted::PROVIDER, chat).expect("a provider");
    let classifiers = BTreeMap::from([("yes".to_owned(), Arc::clone(&judge) as Arc<dyn ClassifierApi>)]);
    let config = json!({"models": [{"id": "judge", "type": "classifier", "api": "yes", "baseUrl": "http://localhost"}], "headers": {"x": "secret"}});
    let mut config: ProviderConfig = serde_json::from_value(config).expect("a provider");
    config.keyless = true;
    config.operations = Operations { classifiers, ..Operations::default() };
    models.register_provider("court", config).expect("a provider");
    let model = Arc::new(world.script.model());
    (world.with_models(models, model), judge)
}

const ASK: &str = "const [judge] = await models.getModelsOfType('classifier', 'court');
    const ask = (n) => models.classify(judge, {state: {n}, questions: {q: {type: 'bool', instructions: 'Is it?', criteria: {true: 'yes', false: 'no'}}}});";

#[tokio::test]
async fn a_question_is_a_call_that_gates_judge() {
    let script = format!(
        "{ASK} text(Object.keys(judge).includes('headers')); text((await ask(1)).answers); try {{ await ask(2) }} catch (e) {{ text(e.message) }}"
    );
    let (world, judge) = world(&script);
    let seen: Log<(String, Option<String>, Value)> = Log::default();
    world.extend("gate", |registrar| {
        let seen = seen.clone();
        registrar.on::<ToolCall>(move |call, _| {
            seen.push((
                call.tool_name.clone(),
                call.parent_tool_call_id.clone(),
                call.input["context"]["state"].clone(),
            ));
            let block = (call.input["context"]["state"]["n"] == 2).then(|| ToolCallResult::block("too expensive"));
            async move { block }
        });
    });
    load(&world);
    let running = say(&world).await;
    let expected = "==> text 1/3 <==\nfalse\n==> text 2/3 <==\n{\"q\":{\"type\":\"bool\",\"probability\":1}}\n==> text 3/3 <==\ntoo expensive";
    assert_eq!(output(&running).replace("1.0}", "1}"), expected);
    assert_eq!(judge.asked.all().len(), 1);
    let parent = Some("call_1".to_owned());
    let calls: Vec<_> = seen.all().into_iter().filter(|(name, ..)| name != "codemode").collect();
    let name = || "models.classify".to_owned();
    assert_eq!(calls, [(name(), parent.clone(), json!({"n": 1})), (name(), parent, json!({"n": 2}))]);
    let result = result(&running);
    assert_eq!(result["usage"]["input"], 3);
    assert_eq!(result["nestedCalls"]["calls"][1]["status"], "error");
    // Nobody else can call it.
    assert!(!tau_hooks::HostView::all_tools(&*running.session).iter().any(|tool| tool.name.starts_with("models.")));
}

#[tokio::test]
async fn four_questions_are_asked_at_once() {
    let script = format!("{ASK} return (await Promise.all(Array.from({{length: 12}}, (_, n) => ask(n)))).length");
    let (world, judge) = world(&script);
    load(&world);
    let running = say(&world).await;
    assert_eq!(output(&running), "12");
    assert!((1..=4).contains(&judge.open.borrow().1), "{:?}", *judge.open.borrow());
    assert_eq!(result(&running)["usage"]["input"], 36);
}

#[tokio::test]
async fn what_is_no_model_and_no_question_is_named() {
    let script = format!(
        "{ASK} const why = async (ask) => {{ try {{ await ask() }} catch (e) {{ text(e.message) }} }};
        await why(() => models.classify({{provider: 'court', id: 'none'}}, {{}}));
        await why(() => models.classify(undefined, {{}}));
        await why(() => models.generateImages(judge, {{}}));
        await why(() => models.classify(judge, {{state: {{}}}}));
        await why(() => models.getModelsOfType('sound'));
        text(await models.getModelOfType('classifier', 'court', 'none') === undefined);
        text((await models.getAvailableOfType('classifier')).map((model) => model.id));
        await why(() => models.guess)"
    );
    let (world, judge) = world(&script);
    load(&world);
    let running = say(&world).await;
    let texts = output(&running);
    for expected in [
        "models.classify(): there is no classifier model court/none; models.getAvailableOfType(\"classifier\")",
        "models.classify(): the first argument must be a model, not nothing",
        "models.generateImages(): court/judge is a model of the type classifier, not image",
        "models.classify(): questions must be an object with a question for each id, not nothing",
        "models.getModelsOfType(): the type must be \"chat\", \"image\" or \"classifier\", not \"sound\"",
        "\ntrue\n",
        "[\"judge\"]",
        "models.guess does not exist. There are: models.getModelsOfType",
    ] {
        assert!(texts.contains(expected), "{expected}: {texts}");
    }
    assert!(judge.asked.all().is_empty());
}
