//! Scripts without a session: a host of closures answers.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_codemode::engine::{
    Answer, Ask, CallStatus, Ended, Failure, Helper, OutputItem, Pool, Report, Script, ScriptHost, Store, Surface,
    Target, ToolMember, run,
};
use tau_testkit::FixedSources;
use tokio_util::sync::CancellationToken;

type Answers = dyn Fn(Value) -> BoxFuture<'static, Answer> + Send + Sync;

/// Answers `echo` with its arguments, `fail` with an error, `never` not at all, and notes what was asked for.
pub struct Host {
    asked: Mutex<Vec<(String, Value)>>,
    other: Option<Box<Answers>>,
}

impl ScriptHost for Host {
    fn ask(&self, ask: Ask, _: CancellationToken) -> BoxFuture<'static, Answer> {
        self.asked.lock().push((ask.target.name().to_owned(), ask.args.clone()));
        match ask.target.name() {
            "echo" => Box::pin(std::future::ready(Ok(Some(ask.args)))),
            "nothing" => Box::pin(std::future::ready(Ok(None))),
            "fail" => Box::pin(std::future::ready(Err("it failed".to_owned()))),
            "never" => Box::pin(std::future::pending()),
            _ => match (&self.other, ask.target) {
                (Some(other), _) => other(ask.args),
                (None, Target::Helper(Helper::DescribeTool)) => Box::pin(std::future::ready(Ok(Some("a tool".into())))),
                (None, target) => Box::pin(std::future::ready(Err(format!("no {target:?}")))),
            },
        }
    }
}

pub fn surface() -> Surface {
    let member = |name: &str| ToolMember { name: name.to_owned(), identifier: name.replace('-', "_") };
    let tools = ["echo", "fail", "never", "nothing", "other", "with-line"].map(member).into();
    Surface { tools, describe: Some(Arc::new(|name| format!("About {name}."))), ..Surface::default() }
}

/// What came of a script.
pub struct Done {
    pub report: Report,
    pub asked: Vec<(String, Value)>,
}

impl Done {
    /// The texts that were put out; a failure is one more.
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.report.output.items().iter().map(text_of).collect();
        if let Ended::Failed(failure) = &self.report.ended {
            texts.push(format!("! {failure}"));
        }
        texts
    }

    fn text(&self) -> String {
        self.texts().join("|")
    }
}

fn text_of(item: &OutputItem) -> String {
    match item {
        OutputItem::Text(text) => text.clone(),
        OutputItem::Console(text) => format!("> {text}"),
        OutputItem::Image { mime_type, data } => format!("{mime_type} {data}"),
    }
}

pub async fn run_in(pool: &Pool, code: &str, surface: Surface, cancel: CancellationToken) -> Done {
    let script = Script::parse(code).unwrap_or_else(|error| panic!("{code}: {error}"));
    let host = Arc::new(Host { asked: Mutex::default(), other: None });
    let (report, _) = run(&script, surface, Arc::clone(&host) as Arc<dyn ScriptHost>, pool, cancel).await;
    let asked = std::mem::take(&mut *host.asked.lock());
    Done { report, asked }
}

pub async fn done(code: &str) -> Done {
    run_in(&Pool::new(2), code, surface(), CancellationToken::new()).await
}

async fn text(code: &str) -> String {
    done(code).await.text()
}

#[tokio::test]
async fn a_script_calls_tools_and_puts_out_what_it_wants() {
    assert_eq!(text("return 1 + 1").await, "2");
    assert_eq!(
        text("text('a'); text({b: [1]}); text(null); text(undefined); return 'c'").await,
        "a|{\"b\":[1]}|null|undefined|c"
    );
    assert_eq!(
        text("console.log('a', 1, {b: 2}, NaN); console.error(new Error('x').message)").await,
        "> a 1 {\"b\":2} NaN|> x"
    );
    assert_eq!(text("return await tools.echo({a: [1, null, 'é😀']})").await, "{\"a\":[1,null,\"é😀\"]}");
    assert_eq!(text("return (await tools.nothing()) === undefined").await, "true");
    assert_eq!(text("return await tools['with-line']() .catch((e) => e.message)").await, "no Tool(\"with-line\")");
    assert_eq!(
        text("try { await tools.fail() } catch (e) { return e instanceof Error && e.message }").await,
        "it failed"
    );
    let all = done("return await Promise.all([1, 2, 3].map((n) => tools.echo({n})))").await;
    assert_eq!(all.text(), "[{\"n\":1},{\"n\":2},{\"n\":3}]");
    let numbers: Vec<Value> = all.asked.iter().map(|(_, args)| args["n"].clone()).collect();
    assert_eq!(numbers, [json!(1), json!(2), json!(3)]);
    assert_eq!(text("return ALL_TOOLS.map((t) => t.name).join()").await, "echo,fail,never,nothing,other,with_line");
    assert_eq!(text("return ALL_TOOLS[5].description").await, "About with-line.");
    assert_eq!(text("return await describeTool('echo')").await, "a tool");
    assert_eq!(
        text("return Object.keys(tools).length + ' ' + ('echo' in tools) + ('x' in tools)").await,
        "7 truefalse"
    );
    assert_eq!(text("text('a'); exit(); text('b')").await, "a");
    assert_eq!(text("try { exit() } catch {} text('b'); while (true) {}").await, "");
    assert_eq!(text("```js\nreturn 5 // five\n```").await, "5");
}

#[tokio::test]
async fn errors_name_the_line_and_what_was_meant() {
    let thrown = text("text('before')\nconst a = 1\nnull.x").await;
    assert!(thrown.starts_with("before|! TypeError: "), "{thrown}");
    assert!(thrown.contains("script.js:3:"), "{thrown}");
    let named = text("// @options: {}\n\nthrow new RangeError('far')").await;
    assert!(named.starts_with("! RangeError: far\n") && named.contains("script.js:3:"), "{named}");
    assert!(!named.contains("tau:codemode"), "{named}");
    let syntax = text("const = 1").await;
    assert!(syntax.starts_with("! SyntaxError: "), "{syntax}");
    let missing = text("await tools.ehco({})").await;
    assert!(missing.contains("TypeError: tools.ehco does not exist. Did you mean tools.echo?"), "{missing}");
    assert_eq!(text("throw {a: 1}").await, "! {\"a\":1}");
    assert_eq!(text("throw undefined").await, "! undefined");
    let odd = text("throw Object.defineProperty(new Error('x'), 'name', {get() { throw 1 }})").await;
    assert_eq!(odd, "! Error: the script threw something that cannot be shown");
    let failed = done("await tools.echo(1); await Promise.all([tools.fail(), tools.never()])").await;
    assert!(failed.text().starts_with("! Error: it failed"), "{}", failed.text());
    let calls: Vec<_> = failed.report.calls.iter().map(|call| (call.name.as_str(), call.status)).collect();
    assert_eq!(calls, [("echo", CallStatus::Ok), ("fail", CallStatus::Error), ("never", CallStatus::Open)]);
}

/// What closes the function that a script is the body of would run outside of it.
#[tokio::test]
async fn a_script_stays_inside_of_its_function() {
    for code in [
        "}); text('outside'); (async () => {",
        "})(); text('outside'); (async () => {",
        "}, text('outside'), async () => {",
        "}, async function () { text('outside')",
        "} : 0; text('outside'); 0 ? async () => {",
        "}; text('outside'); async () => {",
        "}\n--> a comment\n); text('outside'); (async () => {",
        "}",
        "{",
        "/*",
    ] {
        let text = text(code).await;
        assert!(text.starts_with("! SyntaxError: ") && !text.contains("|"), "{code}: {text}");
    }
    assert_eq!(text("text('}'); // the last line has no end").await, "}");
}

#[tokio::test]
async fn a_promise_that_nothing_can_settle_fails_at_once() {
    let stalled = text("text('a'); await new Promise(() => {})").await;
    assert!(stalled.starts_with("a|! Error: the script waits for a promise that nothing can settle"), "{stalled}");
    // What is under way could settle it.
    let limited =
        text("// @options: {\"timeout_ms\": 50}\nawait Promise.race([tools.never(), new Promise(() => {})])").await;
    assert_eq!(limited, "! Script timed out: its limit of 50 ms has passed");
}

#[tokio::test]
async fn values_are_kept_when_the_script_ends_well() {
    let mut with = surface();
    with.store = Store::new([("a".to_owned(), json!({"n": 1})), ("b".to_owned(), json!(2))]);
    let pool = Pool::new(1);
    let code = "store('c', [load('a').n, load('none')]); store('b', undefined); return load('b') === undefined";
    let done = run_in(&pool, code, with.clone(), CancellationToken::new()).await;
    assert_eq!(done.text(), "true");
    let Ended::Completed(writes) = done.report.ended else { panic!("{:?}", done.report.ended) };
    assert_eq!((Value::Object(writes.set), writes.delete), (json!({"c": [1, null]}), vec!["b".to_owned()]));
    let failed = run_in(&pool, "store('c', 1); throw 1", with, CancellationToken::new()).await;
    assert!(matches!(failed.report.ended, Ended::Failed(Failure::Threw(_))));
    for (code, error) in [
        ("store(1, 2)", "takes a string as its key"),
        ("store('f', () => 1)", "is nothing that JSON has"),
        ("store('big', 'x'.repeat(262143))", "262144 is the most"),
        ("for (let n = 0; n < 5; n++) store('k' + n, 'x'.repeat(250000))", "1048576 characters"),
    ] {
        let text = text(code).await;
        assert!(text.contains(error), "{code}: {text}");
    }
}

/// The smallest picture there is, about.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn pictures_are_looked_at() {
    let shown = format!("image/png {PIXEL}");
    for code in [
        format!("image('data:image/jpeg;base64,{PIXEL}')"),
        format!("image({{image_url: 'data:;BASE64,{PIXEL}'}})"),
        format!("image({{type: 'image', mimeType: 'x', data: '{}\\n{}'}})", &PIXEL[..8], &PIXEL[8..]),
    ] {
        assert_eq!(text(&code).await, shown, "{code}");
    }
    for (code, error) in [
        ("image('https://example.org/a.png')", "does not fetch addresses"),
        ("image('data:image/png,abc')", "takes a base64 data URL"),
        ("image('data:;base64,aGFsbG8=')", "no picture"),
        ("image('data:;base64,aGFsbG8')", "no base64"),
        ("image({type: 'audio'})", "not \"audio\""),
        ("image(5)", "takes a base64 data URL"),
        ("image({type: 'image', data: ''})", "takes a base64 data URL"),
    ] {
        let text = text(code).await;
        assert!(text.contains("TypeError") && text.contains(error), "{code}: {text}");
    }
}

#[tokio::test]
async fn broken_characters_become_whole() {
    assert_eq!(text("return '\\ud800a'").await, "\u{fffd}a");
    assert_eq!(done("await tools.echo({a: '\\udfff'})").await.asked[0].1, json!({"a": "\u{fffd}"}));
    assert_eq!(text("console.log('\\ud83d')").await, "> \u{fffd}");
}

#[tokio::test]
async fn time_and_chance_are_those_of_the_session() {
    let code =
        "return [Date.now(), new Date().getTime(), typeof Date(), new Date(5).getTime(), new Date() instanceof Date,
        performance.now() >= 0, Math.random()]";
    let fixed = || Surface { sources: FixedSources::new(7, 1_000).sources(), ..surface() };
    let first = run_in(&Pool::new(1), code, fixed(), CancellationToken::new()).await.text();
    let second = run_in(&Pool::new(1), code, fixed(), CancellationToken::new()).await.text();
    assert_eq!(first, second);
    assert!(first.contains(",\"string\",5,true,true,0."), "{first}");
}
