//! What an extension asks for outside of the JavaScript heap counts against the engine too.

use std::path::Path;

use serde_json::json;
use tau_engine::{Engine, EngineOptions, script};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::support::Scripts;
use crate::tour::{self, tour_in};

/// The limit of the engine, in bytes.
const MEMORY: usize = 96 << 20;

/// Far below what each of the programs asks for, in KB; a test program with debug information takes some itself.
const PEAK: u64 = 700 << 10;

/// What is done, and a part of the error that it ends with.
const BOMBS: &[(&str, &str, &str)] = &[
    ("a file without end", "readFileSync('/dev/zero')", "ERR_FS_FILE_TOO_LARGE"),
    ("a file without end, as text", "readFileSync('/dev/zero', 'utf8')", "ERR_FS_FILE_TOO_LARGE"),
    ("a file without end, later", "await promises.readFile('/dev/zero')", "ERR_FS_FILE_TOO_LARGE"),
    ("a sparse file", "readFileSync(sparse)", "ERR_FS_FILE_TOO_LARGE"),
    ("a child without end", "execSync('yes', { maxBuffer: Infinity })", "ENOBUFS"),
    ("a costly key", "scryptSync('a', 'b', 32, { N: 2 ** 24, r: 8, p: 1, maxmem: 2 ** 40 })", "memory limit exceeded"),
    ("a long key", "pbkdf2Sync('a', 'b', 1, 2 ** 30, 'sha256')", "the key would need more memory"),
    ("random bytes", "randomBytes(2 ** 30)", "the random bytes would need more memory"),
    ("a gzip bomb", "gunzipSync(gzipBomb)", "ERR_BUFFER_TOO_LARGE"),
    ("a gzip bomb, later", "await promisify(gunzip)(gzipBomb)", "ERR_BUFFER_TOO_LARGE"),
    ("a brotli bomb", "brotliDecompressSync(brotliBomb)", "ERR_BUFFER_TOO_LARGE"),
    (
        "writes that wait",
        "const large = Buffer.alloc(8 << 20);
         await all(1_000, () => promises.writeFile('/dev/null', large))",
        "the arguments of the call would need more memory",
    ),
    ("reads that wait", "await all(100, () => promises.readFile('/dev/zero'))", "ERR_FS_FILE_TOO_LARGE"),
    (
        "a database in memory",
        "const database = new DatabaseSync(':memory:'); database.exec('CREATE TABLE t (x)');
         for (;;) database.exec('INSERT INTO t VALUES (randomblob(8000000))')",
        "out of memory",
    ),
    (
        "a text in narrow lines",
        "wrapTextWithAnsi('x'.repeat(8 << 20), 1)",
        "the lines of the text would need more memory",
    ),
    (
        "a long link in narrow lines",
        "wrapTextWithAnsi(`\\x1b]8;;${'u'.repeat(3000)}\\x07${'x'.repeat(1 << 20)}`, 1)",
        "the lines of the text would need more memory",
    ),
    (
        "a line padded to billions",
        "truncateToWidth('\u{e4}', 4e9, '...', true)",
        "the padded line would need more memory",
    ),
    (
        "a code block with a long indent",
        "new Markdown('```\\na\\n```', 0, 0, { ...theme, codeBlockIndent: ' '.repeat(1 << 20) }).render(80)",
        "codeBlockIndent is too long",
    ),
    (
        "a theme that makes much of a text",
        "new Markdown('- a\\n'.repeat(10_000), 0, 0, { ...theme, listBullet: () => 'x'.repeat(1 << 20) }).render(80)",
        "out of memory",
    ),
    (
        "streams that compress",
        "const streams = []; for (;;) streams.push(createBrotliCompress())",
        "what is kept of the data would need more memory",
    ),
    (
        "tables of WebAssembly",
        "const tables = []; for (;;) tables.push(new WebAssembly.Table({ element: 'anyfunc', initial: 1_000_000 }))",
        "could not make the table as large",
    ),
    (
        "memories of WebAssembly",
        "const memory = new WebAssembly.Memory({ initial: 1 }); for (;;) memory.grow(64)",
        "Maximum memory size exceeded",
    ),
    ("a large session", "SessionManager.open(sparse)", "the session file would need more memory"),
    (
        "a large module of data",
        "writeFileSync('large.json', `[${'{\"a\":0},'.repeat(2 << 20)}0]`); await import('./large.json')",
        "large.json would need more memory",
    ),
    (
        "a large module",
        "writeFileSync('large.mjs', 'a;\\n'.repeat(1 << 20)); await import('./large.mjs')",
        "ERR_MEMORY_ALLOCATION_FAILED",
    ),
    (
        "an answer without end",
        // What ended the body is the cause of its error.
        "await (await fetch(`http://${endless}/`)).text().catch((error) => { throw error.cause ?? error; })",
        "memory",
    ),
    (
        "a message without end",
        "const socket = new WebSocket(`ws://${endless}/`);
         await new Promise((_, failed) => {
           socket.onerror = (event) => failed(new Error(`failed: ${(event as ErrorEvent).message}`));
         })",
        "failed:",
    ),
];

const SETUP: &str = "
    import { promises, readFileSync, truncateSync, writeFileSync } from 'node:fs';
    import { execSync } from 'node:child_process';
    import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
    import { brotliDecompressSync, createBrotliCompress, gunzip, gunzipSync, gzipSync } from 'node:zlib';
    import { DatabaseSync } from 'node:sqlite';
    import { SessionManager } from '@earendil-works/pi-coding-agent';
    import { Markdown, truncateToWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
    import { promisify } from 'node:util';
    // Every style leaves text as it is.
    const theme: any = Object.fromEntries(
      ['heading', 'link', 'linkUrl', 'code', 'codeBlock', 'codeBlockBorder', 'quote', 'quoteBorder', 'hr', 'listBullet',
        'bold', 'italic', 'strikethrough', 'underline'].map((style) => [style, (text: string) => text]),
    );
    const sparse = 'sparse'; writeFileSync(sparse, ''); truncateSync(sparse, 2 ** 33);
    // Members in a row: 400 MB of zeros.
    const member = gzipSync(Buffer.alloc(8 << 20));
    const gzipBomb = Buffer.concat(Array.from({ length: 50 }, () => member));
    const brotliBomb = readFileSync('bomb.br'), endless = readFileSync('endless', 'utf8');
    // Waits for all of them, then throws what the first one that failed did.
    const all = async (length: number, work: () => Promise<unknown>) => {
      const ended = await Promise.allSettled(Array.from({ length }, work));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    };
";

async fn run(engine: &Engine, folder: &Path, name: &str, source: &str) -> Result<String, String> {
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a file");
    script::run(engine, &file).await.map(|report| report.to_string())
}

/// The most that this process ever had in memory, in KB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// 400 MB of zeros, compressed.
fn brotli_bomb() -> Vec<u8> {
    use std::io::Write;
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 1 << 16, 5, 22);
    let zeros = vec![0; 1 << 20];
    for _ in 0..400 {
        writer.write_all(&zeros).expect("compressed");
    }
    writer.into_inner()
}

/// The address of a server whose answers, and whose messages, never end.
fn endless() -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked).expect("a request");
            let asked = String::from_utf8_lossy(&asked[..length]);
            let key = asked
                .lines()
                .find_map(|line| line.to_lowercase().starts_with("sec-websocket-key:").then(|| line[18..].trim()));
            let head = match key {
                Some(key) => {
                    let accept = derive_accept_key(key.as_bytes());
                    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
                    let begun = [0x81, 127, 0, 0, 0, 2, 0, 0, 0, 0];
                    [format!("{head}Sec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes(), &begun].concat()
                }
                None => b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
            };
            // Until the other side has had enough.
            let mut sent = stream.write_all(&head);
            while sent.is_ok() {
                sent = stream.write_all(&[b'x'; 1 << 16]);
            }
        }
    });
    address
}

/// Runs a test in a process of its own, whose memory nobody else uses.
fn alone(name: &str) {
    let program = std::env::current_exe().expect("this program");
    let mut child = std::process::Command::new(program);
    let ended = child.args(["--exact", &format!("memory::{name}"), "--ignored", "--nocapture"]).output();
    let ended = ended.expect("a process");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{}: {said}\n{}", ended.status, String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn each_way_to_ask_for_too_much_fails_and_says_what_was_too_large() {
    alone("ask_for_too_much");
}

#[test]
fn what_is_huge_outside_of_javascript_fails_with_the_name_of_the_extension() {
    alone("hand_over_too_much");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by another test, in a process of its own"]
async fn ask_for_too_much() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bomb.br"), brotli_bomb()).expect("a file");
    std::fs::write(folder.path().join("endless"), endless()).expect("a file");
    let options = EngineOptions { memory: MEMORY, ..tau_js::options(folder.path()) };
    let engine = Engine::start(options).expect("an engine");
    let mut wrong = Vec::new();
    for (at, (what, bomb, expected)) in BOMBS.iter().enumerate() {
        let (name, check) = (format!("bomb{at}.ts"), format!("after{at}.ts"));
        let source = format!(
            "{SETUP};\ntry {{ {bomb}; }} catch (error) {{ throw new Error(`${{error.code}} ${{error.message}}`) }}\n\
             throw new Error('it was done');"
        );
        let ended = match run(&engine, folder.path(), &name, &source).await {
            Ok(text) | Err(text) => text,
        };
        // Code that is stopped between two of its own lines has no place.
        let placed = ended.contains(&name) || ended.contains("out of memory");
        if !ended.contains(expected) || !placed {
            wrong.push(format!("{what}: {ended}"));
        }
        let after =
            "import { readFileSync } from 'node:fs'; throw new Error(`read ${readFileSync('bomb.br').length > 0}`)";
        let lives = match run(&engine, folder.path(), &check, after).await {
            Ok(text) | Err(text) => text,
        };
        if !lives.contains("read true") {
            wrong.push(format!("after {what}: {lives}"));
        }
        if peak() > PEAK {
            wrong.push(format!("{what}: the process had {} MB", peak() >> 10));
            break;
        }
    }
    engine.stop();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asking leaves nothing behind, however often it is done.
#[tokio::test(flavor = "multi_thread")]
async fn asking_the_session_counts_for_nothing() {
    let world = tour::world();
    let scripts = Scripts::new(&world).tau(json!({"limits": {"memoryMb": 48, "stretchMs": 600_000}}));
    let source = "export default (pi) => pi.registerCommand('ask', { handler: () => {
        for (let round = 0; round < 120_000; round += 1) pi.getSessionName();
        throw new Error('asked');
    } });";
    for outcome in scripts.load(&world, &[("ask.ts", source)]).await {
        outcome.result.expect("an extension that loads");
    }
    let running = world.start().await;
    running.say("/ask").await;
    let told: Vec<String> = scripts.told.all().into_iter().map(|(_, _, message, _)| message).collect();
    assert_eq!(told, ["asked"]);
    running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
}

/// Values that are small in JavaScript and huge outside of it.
const VALUES: &[(&str, &str)] = &[
    ("an array with nothing in it", "new Array(4e9)"),
    ("an object with such an array", "{ deep: [{ items: Object.assign([], { length: 2 ** 32 - 1 }) }] }"),
    ("shared objects", "Array.from({ length: 40 }).reduce((inner) => [inner, inner], { x: 1 })"),
    ("a shared text", "Array.from({ length: 1_000 }, ((text) => () => text)('x'.repeat(4 << 20)))"),
];

/// Where an extension hands them over.
const WAYS: &[(&str, &str)] = &[
    ("agent_start", "pi.appendEntry('large', VALUE);"),
    ("agent_start", "pi.sendMessage({ customType: 'large', content: 'x', display: false, details: VALUE });"),
    ("tool_result", "return { details: VALUE };"),
];

/// What the session keeps, a little at a time.
const GIFTS: &[&str] = &[
    "pi.appendEntry('large', text)",
    "pi.sendMessage({ customType: 'large', content: text, display: false })",
    "pi.sendUserMessage(text, { deliverAs: 'followUp' })",
    "pi.setSessionName(text + round)",
    "pi.registerFlag('flag' + round, { type: 'string', description: text })",
    "pi.registerCommand('command' + round, { description: text, handler() {} })",
    "ctx.ui.setStatus('status' + round, text)",
    "ctx.ui.setWidget('widget' + round, [text])",
    "process.env['LARGE' + round] = text",
];

/// What a session is given counts for as long as it has it, not only on its way.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_session_keeps_counts_against_the_engine() {
    for gift in GIFTS {
        let world = tour::world();
        let scripts = Scripts::new(&world).tau(json!({"limits": {"memoryMb": 48}}));
        let source = format!(
            "export default (pi) => pi.registerCommand('give', {{ handler: (_, ctx) => {{
               const text = 'x'.repeat(1 << 20); for (let round = 0; ; round += 1) {gift};
             }} }});"
        );
        for outcome in scripts.load(&world, &[("give.ts", &source)]).await {
            outcome.result.expect("an extension that loads");
        }
        let running = world.start().await;
        running.say("/give").await;
        let told = scripts.told_of("give");
        let named = |message: &str| message.contains("would need more memory than scripts may take");
        assert!(told.iter().any(|(_, _, message, place)| named(message) && place.is_some()), "{gift}: {told:?}");
        running.session.abort();
        running.session.shut_down(tau_hooks::payload::SessionShutdownReason::Quit).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by another test, in a process of its own"]
async fn hand_over_too_much() {
    let mut wrong = Vec::new();
    for (at, (what, value)) in VALUES.iter().enumerate() {
        // Each value in one way, and one of them in all.
        for (event, way) in &WAYS[..if at == 0 { WAYS.len() } else { 1 }] {
            let world = tour::world();
            let scripts = Scripts::new(&world).tau(json!({"limits": {"memoryMb": 48}}));
            let body = way.replace("VALUE", &format!("({value})"));
            let source = format!("export default (pi) => {{\n  pi.on({event:?}, () => {{ {body} }});\n}};\n");
            for outcome in scripts.load(&world, &[("large.ts", &source)]).await {
                outcome.result.expect("an extension that loads");
            }
            let worked = tour_in(world).await.worked;
            let told = scripts.told_of("large.ts");
            let named =
                told.iter().any(|(_, _, message, _)| message.contains("would need more memory than scripts may take"));
            if !named {
                wrong.push(format!("{what}, {way}: {told:?}"));
            }
            if worked.is_empty() {
                wrong.push(format!("{what}, {way}: the session did not go on"));
            }
            if peak() > PEAK {
                wrong.push(format!("{what}, {way}: the process had {} MB", peak() >> 10));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
