//! Which names are modules of the runtime itself, whatever is installed beside an extension.

/// Modules that Node has and that are never looked for on disk. Those without a file in `runtime/node` exist as
/// names only: using one says that it is not available.
const NODE: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "domain",
    "events",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "inspector/promises",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "repl",
    "sea",
    "sqlite",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "test",
    "test/reporters",
    "timers",
    "timers/promises",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "util/types",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Node's modules that exist with the prefix `node:` only.
const PREFIX_ONLY: &[&str] = &["sea", "sqlite", "test", "test/reporters"];

/// The scopes under which the packages of pi were published.
const SCOPES: &[&str] = &["@earendil-works/", "@mariozechner/", "@oh-my-pi/"];

/// The packages of pi, with the module that stands for each and all its subpaths.
const PACKAGES: &[(&str, &str)] = &[
    ("pi-coding-agent", "pi/coding-agent.ts"),
    ("pi-agent-core", "pi/agent-core.ts"),
    ("pi-ai", "pi/ai.ts"),
    ("pi-tui", "pi/tui/index.ts"),
    ("pi-utils", "pi/utils.ts"),
];

/// Packages of pi that are of another kind: native code, which tau does not run.
const NATIVE: &[&str] = &["pi-natives"];

/// Where the package of the agent had its hooks, by the ends of specifiers.
const HOOKS: &[&str] = &["hooks", "extensibility/hooks", "extensibility/extensions", "core/hooks"];

/// The modules of hooks: by the scope of the package, because the packages look for hooks in different places.
const HOOK_MODULES: &[(&str, &str)] = &[
    ("@oh-my-pi/", "pi/hooks/oh_my_pi.ts"),
    ("@mariozechner/", "pi/hooks/index.ts"),
    ("@earendil-works/", "pi/hooks/index.ts"),
];

/// The module of hooks that a subpath of the agent's package means.
fn hooks(scope: &str, subpath: &str) -> Option<&'static str> {
    let plain = subpath.strip_prefix("src/").or_else(|| subpath.strip_prefix("dist/")).unwrap_or(subpath);
    let plain = plain.strip_suffix(".js").or_else(|| plain.strip_suffix(".ts")).unwrap_or(plain);
    let folder = plain.strip_suffix("/index").unwrap_or(plain);
    let known = HOOKS.iter().any(|hooks| {
        folder == *hooks
            || plain.strip_prefix(hooks).is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
    });
    known.then(|| HOOK_MODULES.iter().find(|(of, _)| *of == scope).map(|(_, module)| *module)).flatten()
}

/// Packages that give a child a terminal, under all names that they were published with: native code, with a module in its
/// place.
const TERMINALS: &[&str] = &[
    "node-pty",
    "node-pty-prebuilt",
    "node-pty-prebuilt-multiarch",
    "@cdktf/node-pty-prebuilt-multiarch",
    "@devm33/node-pty",
    "@homebridge/node-pty-prebuilt-multiarch",
    "@lydell/node-pty",
    "@scrypted/node-pty",
    "@theia/node-pty",
];

/// What such a package calls the file that it begins with.
const TERMINAL_FILES: &[&str] = &["", "/lib", "/lib/index", "/lib/index.js", "/index.js"];

fn is_terminal_package(specifier: &str) -> bool {
    let subpath = TERMINALS.iter().filter_map(|package| specifier.strip_prefix(package));
    subpath.into_iter().any(|subpath| TERMINAL_FILES.contains(&subpath))
}

/// What a specifier means when the runtime itself has the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Builtin {
    /// A module of the runtime, by its path in `runtime/`.
    Runtime(String),
    /// A module of Node that tau does not have, by its name.
    Missing(String),
    /// The ops; for modules of the runtime only.
    Ops,
}

/// What the runtime has under this specifier; `exists` tells which files it holds.
pub fn find(specifier: &str, exists: impl Fn(&str) -> bool) -> Option<Builtin> {
    if specifier == "tau:ops" {
        return Some(Builtin::Ops);
    }
    if let Some(path) = specifier.strip_prefix("tau:") {
        return exists(path).then(|| Builtin::Runtime(path.to_owned()));
    }
    let prefixed = specifier.strip_prefix("node:");
    let name = prefixed.unwrap_or(specifier);
    if prefixed.is_some() || (NODE.contains(&name) && !PREFIX_ONLY.contains(&name)) {
        let path = format!("node/{}.ts", if name == "sys" { "util" } else { name });
        return Some(if exists(&path) { Builtin::Runtime(path) } else { Builtin::Missing(name.to_owned()) });
    }
    let scoped = SCOPES.iter().find_map(|scope| Some((*scope, specifier.strip_prefix(scope)?)));
    if let Some((scope, package)) = scoped {
        let (name, subpath) = package.split_once('/').unwrap_or((package, ""));
        if NATIVE.contains(&name) {
            return Some(Builtin::Missing(specifier.to_owned()));
        }
        if let Some(module) = hooks(scope, subpath).filter(|_| name == "pi-coding-agent") {
            return Some(Builtin::Runtime(module.to_owned()));
        }
        let (_, root) = PACKAGES.iter().find(|(known, _)| *known == name)?;
        let own = format!("{}/{subpath}.ts", root.trim_end_matches("/index.ts").trim_end_matches(".ts"));
        return Some(Builtin::Runtime(if !subpath.is_empty() && exists(&own) { own } else { (*root).to_owned() }));
    }
    if is_terminal_package(specifier) {
        return Some(Builtin::Runtime("npm/node-pty.ts".to_owned()));
    }
    for (package, folder) in [("typebox", "typebox"), ("@sinclair/typebox", "typebox/sinclair")] {
        let Some(rest) = specifier.strip_prefix(package) else { continue };
        let subpath = match rest.strip_prefix('/') {
            Some(subpath) => subpath,
            None if rest.is_empty() => "index",
            None => continue,
        };
        let own = [format!("{folder}/{subpath}.ts"), format!("typebox/{subpath}.ts")];
        return own.into_iter().find(|path| exists(path)).map(Builtin::Runtime);
    }
    None
}
