//! `tau mcp add` and `remove`: they change a file and connect nothing.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tau_mcp::config::{Edited, Transport, put_server, remove_server};
use tau_mcp::names::namespace;
use tau_mcp::{Config, Entry, Scope, ServerConfig};

use super::Mcp;
use super::args::{About, FLAGS};
use crate::diagnostics;
use crate::output::say;

pub(super) fn add(mcp: &Mcp<'_>, name: &str) -> ExitCode {
    match added(mcp, name) {
        Ok(text) => say(&text),
        Err(problem) => diagnostics::fail(&problem),
    }
}

fn added(mcp: &Mcp<'_>, name: &str) -> Result<String, String> {
    let entry = entry(mcp)?;
    let config = ServerConfig::parse(name, entry.clone())?;
    let (file, scope) = mcp.target();
    let same_tools = |entry: &&Entry| entry.name != name && namespace(&entry.name) == namespace(name);
    if let Some(other) = mcp.load().servers.iter().find(same_tools) {
        return Err(format!(
            "there is a server \"{}\" in {}, and the tools of \"{name}\" would have the same names; choose another name",
            other.name, other.source
        ));
    }
    let done = match put_server(&file, name, &entry).map_err(|error| error.to_string())? {
        Edited::Replaced => "Replaced",
        _ => "Added",
    };
    let mut lines = vec![format!("{done} {scope} MCP server \"{name}\" in {}.", file.display())];
    if mcp.options.local && !mcp.context.is_trusted() {
        lines.push(format!(
            "The project is not trusted, so {} is ignored until you start tau there and trust it.",
            file.display()
        ));
    }
    let may_sign_in = match &config.transport {
        Transport::Http { headers, .. } => !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")),
        Transport::Stdio { .. } => false,
    };
    let sign_in =
        if may_sign_in { format!(". If it wants you to sign in: tau mcp login {name}") } else { String::new() };
    lines.push(format!("Check it with: tau mcp list{sign_in}"));
    Ok(lines.join("\n") + "\n")
}

fn entry(mcp: &Mcp<'_>) -> Result<Value, String> {
    let options = mcp.options;
    let given = |flag: &str| options.given.get(flag).cloned();
    let stray = |is_meant: fn(About) -> bool| {
        let is_given = |name: &str| options.given.contains_key(name) || options.lists.contains_key(name);
        FLAGS.iter().find(|flag| is_meant(flag.about) && is_given(flag.name)).map(|flag| flag.name)
    };
    let mut entry = Map::new();
    match (given("--url"), options.rest.split_first()) {
        (Some(url), None) => {
            if let Some(flag) = stray(|about| matches!(about, About::Program(_))) {
                return Err(format!("{flag} is for servers that are programs, not for --url"));
            }
            entry.insert("url".to_owned(), json!(url));
            let mut headers = pairs(mcp, "--header")?;
            if let Some(variable) = given("--bearer-token-env-var") {
                headers.insert("Authorization".to_owned(), json!(format!("Bearer ${{{variable}}}")));
            }
            put(&mut entry, "headers", headers);
            put(&mut entry, "oauth", oauth(mcp)?);
        }
        (None, Some((command, args))) => {
            if let Some(flag) = stray(|about| matches!(about, About::Address | About::OAuth(..))) {
                return Err(format!("{flag} is for servers of the web, which --url names"));
            }
            entry.insert("command".to_owned(), json!(command));
            if !args.is_empty() {
                entry.insert("args".to_owned(), json!(args));
            }
            for flag in &FLAGS {
                match flag.about {
                    About::Program(key) if flag.is_list => put(&mut entry, key, pairs(mcp, flag.name)?),
                    About::Program(key) => entry.extend(given(flag.name).map(|value| (key.to_owned(), json!(value)))),
                    _ => {}
                }
            }
        }
        _ => return Err("give either --url URL or a program: tau mcp add NAME -- PROGRAM [ARGS…]".to_owned()),
    }
    for flag in &FLAGS {
        if let About::Entry(key) = flag.about {
            entry.extend(given(flag.name).map(|value| (key.to_owned(), json!(value))));
        }
    }
    Ok(Value::Object(entry))
}

/// What the flags say of the sign-in.
fn oauth(mcp: &Mcp<'_>) -> Result<Map<String, Value>, String> {
    let mut oauth = Map::new();
    for flag in &FLAGS {
        let (About::OAuth(key, is_number), Some(value)) = (flag.about, mcp.options.given.get(flag.name)) else {
            continue;
        };
        let value = if is_number {
            json!(value.parse::<u16>().map_err(|_| format!("{} must be a port number", flag.name))?)
        } else {
            json!(value)
        };
        oauth.insert(key.to_owned(), value);
    }
    Ok(oauth)
}

fn put(entry: &mut Map<String, Value>, key: &str, value: Map<String, Value>) {
    if !value.is_empty() {
        entry.insert(key.to_owned(), Value::Object(value));
    }
}

/// Names and values. What has no name is not quoted: it may be a secret.
fn pairs(mcp: &Mcp<'_>, flag: &str) -> Result<Map<String, Value>, String> {
    let all = mcp.options.lists.get(flag).into_iter().flatten();
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        Some((name.to_owned(), json!(value)))
    };
    all.map(|text| pair(text).ok_or_else(|| format!("{flag} takes NAME=VALUE"))).collect()
}

pub(super) fn remove(mcp: &Mcp<'_>, name: &str) -> ExitCode {
    let (file, scope) = mcp.target();
    match remove_server(&file, name) {
        Ok(Edited::Missing) => {
            // The other file is only looked at for a hint, so trust does not matter.
            let config = Config::load(&mcp.mcp.user_file(), Some(&mcp.project_file()));
            let other = config.servers.into_iter().find(|entry| entry.name == name);
            let hint = other.map(|entry| match entry.scope {
                Scope::Project => format!("; it is in {}: use --local", entry.source),
                _ => format!("; it is in {}: leave --local out", entry.source),
            });
            let text =
                format!("there is no {scope} MCP server \"{name}\" in {}{}", file.display(), hint.unwrap_or_default());
            diagnostics::fail(&text)
        }
        Ok(_) => say(&format!("Removed {scope} MCP server \"{name}\" from {}.\n", file.display())),
        Err(error) => diagnostics::fail(&error.to_string()),
    }
}
