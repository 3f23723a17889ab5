//! Source and values that nest deeper than a stack is.

use tau_hooks::HandlerError;

use crate::bus::{hear, heard};
use crate::support::{Scripts, write};
use crate::tour;

/// The name of a file, what stands in front, what opens a level, what stands inside, what closes a level, and how many
/// tokens a level has.
type Kind = (&'static str, &'static str, &'static str, &'static str, &'static str, usize);

/// Each kind of nesting.
const KINDS: &[Kind] = &[
    ("array.ts", "export const a = ", "[", "", "]", 2),
    ("call.ts", "const f = () => 1; export const a = ", "f(", "1", ")", 3),
    ("plus.ts", "export const a = 1", "+1", "", "", 2),
    ("parentheses.ts", "export const a = ", "(", "1", ")", 2),
    ("object.ts", "export const a = ", "{a:", "1", "}", 4),
    ("not.ts", "export const a = ", "!", "1", "", 1),
    ("minus.ts", "export const a = ", "- ", "1", "", 1),
    ("template.ts", "export const a = ", "`${", "1", "}`", 4),
    ("condition.ts", "export const a = ", "0 ? 1 : ", "2", "", 4),
    ("if.ts", "", "if (0) ", ";", "", 4),
    ("else.ts", "", "if (0) ; else ", ";", "", 6),
    ("arrow.ts", "export const a = ", "() => ", "1", "", 4),
    ("block.ts", "", "{", "", "}", 2),
    ("function.ts", "", "function f() {", "", "}", 6),
    ("method.ts", "export const a = ", "{ get a() { return ", "1", "} }", 9),
    ("types.ts", "export type A = ", "Array<", "1", ">", 3),
    ("maps.ts", "export type A = ", "Map<1, ", "1", ">", 5),
    ("tuple.ts", "export type A = ", "[", "", "]", 2),
    ("pattern.ts", "export const ", "[", "a", "] = []", 5),
    ("member.js", "const a = {}; export const b = a", "?.b", "", "", 3),
    ("elements.tsx", "const React = { createElement() {} }; export const a = ", "<a>", "", "</a>", 7),
    ("await.mjs", "", "await ", "1", "", 1),
    ("sum.cjs", "exports.a = 1", "+1", "", "", 2),
];

const FINE: &str = "export default (pi) => { pi.events.on('anybody', () => pi.events.emit('here', 'fine')); };";
/// A module of one kind, so deep.
fn nested((name, head, open, inner, close, _): &Kind, depth: usize) -> String {
    let export = if name.ends_with("cjs") { "module.exports =" } else { "export default" };
    format!("{head}{}{inner}{};\n{export} () => {{}};\n", open.repeat(depth), close.repeat(depth))
}

/// A parser that overflows its stack ends the process, and with it this test. Some depths are the most that is parsed
/// without a thread of its own, with and without optimisations.
#[tokio::test(flavor = "multi_thread")]
async fn source_of_any_depth_loads_or_is_refused_with_its_place() {
    for tokens in [300, 1_500, 3_800, 7_700, 9_000, 19_900, 1_000_000] {
        let world = tour::world();
        let sources: Vec<(&str, String)> = KINDS.iter().map(|kind| (kind.0, nested(kind, tokens / kind.5))).collect();
        let mut files: Vec<(&str, &str)> = sources.iter().map(|(name, source)| (*name, source.as_str())).collect();
        files.push(("fine.ts", FINE));
        let scripts = Scripts::new(&world);
        let outcomes = scripts.load(&world, &files).await;
        for outcome in &outcomes[..KINDS.len()] {
            let path = outcome.path.display().to_string();
            match &outcome.result {
                Ok(_) => assert!(tokens < 1_000_000, "{path} loads"),
                Err(error) => {
                    let HandlerError::Failed { message, location, .. } = error else { panic!("{path}: {error}") };
                    let place = format!("{path}:1:");
                    let deep = message.starts_with(&place) && message.contains("deep");
                    // What the engine does not read any further, it takes for wrong syntax.
                    let wrong = location.as_ref().is_some_and(|location| location.starts_with(&place));
                    assert!(tokens > 300 && (deep || wrong), "{path}, {tokens} tokens: {error} {location:?}");
                }
            }
        }
        assert!(outcomes[KINDS.len()].result.is_ok());
        let here = hear(&world, "here");
        world.hooks.bus.emit(
            "anybody",
            serde_json::json!(1).into(),
            tau_hooks::bus::EngineId::NATIVE,
            &"<native:x>".into(),
        );
        assert_eq!(heard(&here, 1).await, [serde_json::json!("fine")]);
    }
}

/// Source in which only a parser sees what is deep: `P` stands for many parentheses.
const HIDDEN: &[(&str, &str)] = &[
    ("brace.ts", "let x;\nx = {}\n/ P / 1;"),
    ("type.ts", "let type = 1, y;\ny = type / P / 1;"),
    ("assertion.ts", "let y: any; y = y as Array<number> / P / 1;"),
    ("private.ts", "class A { #if(x: any) { return 1; } f() { return this.#if(1) / P / 1; } }"),
    ("regex.ts", "let y; if (1) {} /`/.test('');\ny = P; // `"),
    ("return.ts", "let y = 1; //\ry = P;"),
    ("string.ts", "'a\\\r\n`'; let y = P; // `"),
    ("quote.tsx", "const React = { createElement() {} }; let y = <a>' {P}</a>;"),
    ("html.cjs", "<!-- `\nvar y = P;\n<!-- `"),
];

/// A hand that looks for depth can be fooled; the stack is there all the same.
#[tokio::test(flavor = "multi_thread")]
async fn source_that_hides_its_depth_ends_nothing() {
    let parentheses = format!("{}1{}", "(".repeat(60_000), ")".repeat(60_000));
    let world = tour::world();
    let source = |(name, source): &(&'static str, &str)| {
        let export = if name.ends_with("cjs") { "module.exports =" } else { "export default" };
        (*name, format!("{}\n{export} () => {{}};\n", source.replace('P', &parentheses)))
    };
    let sources: Vec<(&str, String)> = HIDDEN.iter().map(source).collect();
    let mut files: Vec<(&str, &str)> = sources.iter().map(|(name, source)| (*name, source.as_str())).collect();
    files.push(("fine.ts", FINE));
    let outcomes = Scripts::new(&world).load(&world, &files).await;
    assert!(outcomes[HIDDEN.len()].result.is_ok());
}

/// As above, but the deep file is imported: statically, later, and as data.
#[tokio::test(flavor = "multi_thread")]
async fn a_deep_module_fails_whoever_imports_it_and_nobody_else() {
    let world = tour::world();
    write(
        &world,
        "deep.ts",
        &format!("// One line in front.\nexport default {}1{};\n", "[".repeat(50_000), "]".repeat(50_000)),
    );
    write(&world, "deep.json", &format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)));
    let files = [
        ("static.ts", "import deep from './deep.ts';\nexport default () => deep;\n"),
        ("later.ts", "export default async () => { await import('./deep.ts'); };\n"),
        ("required.cjs", "module.exports = () => { require('./deep.ts'); };\n"),
        ("data.ts", "import deep from './deep.json';\nexport default () => deep;\n"),
        ("fine.ts", FINE),
    ];
    let outcomes = Scripts::new(&world).load(&world, &files).await;
    let folder = outcomes[0].path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let told: Vec<String> = outcomes
        .iter()
        .map(|outcome| match &outcome.result {
            Ok(_) => "loaded".to_owned(),
            Err(error) => error.to_string().replace(&folder, "~"),
        })
        .collect();
    let deep = "~/deep.ts:2:20016: this nests too deep: more than 20000 tokens that belong together";
    let data = "~/deep.json:1:128: recursion limit exceeded at line 1 column 128";
    assert_eq!(told, [deep, deep, deep, data, "loaded"]);
}

/// Much source is not deep source, however it is written.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_module_loads_whatever_its_style() {
    let lines = |line: &str| line.repeat(12_000);
    let sources = [
        ("semicolons.ts", format!("let a = 1;\n{}", lines("a = (a + 1) % 7;\n"))),
        ("none.ts", format!("let a = 1\n{}", lines("a = (a + 1) % 7\nfor (const b of [a]) a = b\n"))),
        ("commas.ts", format!("let a = 1, b = [{}];\n", lines("1, 'two', /[(]/, a > 3, "))),
        ("fields.ts", format!("const a = {{ {} }};\n", lines("'key': { a: `${1}` }, "))),
        ("blocks.ts", lines("if (1) { } else { }\n")),
        ("functions.ts", format!("const a = {{ {} }}", lines("f() { return 1 / 2 / 3 },\n"))),
        (
            "types.ts",
            lines("type A<T> = Map<string, T>\ndeclare function f<T>(x: T): T\n").replace("type A<", "type B<"),
        ),
        ("cases.ts", format!("switch (1) {{ {} }}", lines("case 1:\n"))),
    ];
    let world = tour::world();
    let sources = sources.map(|(name, source)| (name, format!("{source}\nexport default () => {{}};\n")));
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, source)| (*name, source.as_str())).collect();
    for outcome in Scripts::new(&world).load(&world, &files).await {
        assert!(outcome.result.is_ok(), "{}: {:?}", outcome.path.display(), outcome.result.err());
    }
}
