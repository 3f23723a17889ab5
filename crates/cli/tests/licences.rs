//! Every crate that is compiled may be used: what `deny.toml` allows, without another program to check it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The licences that `deny.toml` allows.
fn allowed(text: &str) -> BTreeSet<String> {
    let (_, list) = text.split_once("\nallow = [\n").expect("a list of licences");
    let (list, _) = list.split_once("\n]").expect("its end");
    list.lines().map(|line| line.trim().trim_matches([',', '"']).to_owned()).collect()
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be met; a slash is an older word for OR.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ").replace(" WITH ", "+WITH+");
    let words: Vec<String> = spaced.split_whitespace().map(|word| word.replace("+WITH+", " WITH ")).collect();
    let mut rest = &words[..];
    let met = any(&mut rest, allowed);
    assert!(rest.is_empty(), "{expression} cannot be read");
    met
}

fn any(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    let mut met = all(rest, allowed);
    while rest.first().is_some_and(|word| word == "OR") {
        *rest = &rest[1..];
        met |= all(rest, allowed);
    }
    met
}

fn all(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    let mut met = one(rest, allowed);
    while rest.first().is_some_and(|word| word == "AND") {
        *rest = &rest[1..];
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[String], allowed: &BTreeSet<String>) -> bool {
    let (word, after) = rest.split_first().expect("a licence");
    *rest = after;
    if word != "(" {
        // A later version of a licence may be chosen, and need not be.
        return allowed.contains(word.trim_end_matches('+'));
    }
    let met = any(rest, allowed);
    let (close, after) = rest.split_first().expect("a bracket");
    assert_eq!(close, ")");
    *rest = after;
    met
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "MPL-2.0"].map(str::to_owned).into();
    for met in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/Apache-2.0",
        "MPL-2.0+",
        "Apache-2.0 WITH LLVM-exception",
        "(GPL-3.0 OR MIT) AND MPL-2.0",
        "GPL-3.0 AND MIT OR MIT",
    ] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "Apache-2.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND GPL-3.0", "MIT AND (GPL-3.0)"] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let allowed = allowed(&std::fs::read_to_string(root.join("deny.toml")).expect("deny.toml"));
    // What is compiled here was fetched; crates for other systems were not.
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc");
    let rustc = String::from_utf8(rustc.stdout).expect("text");
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("a system");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", host]);
    let output = cargo.current_dir(root).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = found["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "only {} packages", packages.len());
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(|licence| is_met(licence, &allowed)))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert_eq!(refused, [""; 0]);
}
