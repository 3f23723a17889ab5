//! Folders and files of a crate that need each other in a circle: none of them can be read, tested or moved alone.
//!
//! What counts are paths of modules: `use crate::a::B`, `super::c::d()`. Neighbours are compared, with everything below
//! them: where `a/x.rs` names `b/y.rs` and `b/z.rs` names `a/`, then `a` and `b` are a circle. What a module passes on with
//! `pub use` counts as where it comes from. A module and what is below it may name each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{code_below, root};

/// Circles that are still there: the crate, the folder, and its modules in the circle. A line becomes shorter and goes; a
/// circle that is not listed is an error, and so is a line without a circle.
const KNOWN: &[(&str, &str, &str)] = &[
    ("hooks", "", "api extension offers registry services tasks"),
    ("hooks", "", "dialect events owner payload table"),
    ("engine", "", "convert engine loader ops raw"),
    ("engine", "engine", "calls core faults thread"),
];

/// A module by its names from the crate's root.
type Module = Vec<String>;

/// What modules pass on: for a module and a name in it, the module that it comes from and its name there.
type Exports = BTreeMap<(Module, String), (Module, String)>;

/// A circle: the folder, and its modules that need each other.
type Circle = (String, BTreeSet<String>);

/// The module of a file, by its path below `src`.
fn module(path: &str) -> Module {
    let names = path.trim_end_matches(".rs").split('/').map(str::to_owned);
    let mut names: Module = names.collect();
    if names.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// The paths of a tree of imports: `a::{b, c::{d, e}}`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, character) in body.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&body[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[from..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(leaves).map(|leaf| format!("{}{leaf}", head.trim())).collect()
}

/// The paths from the crate's root or a neighbour that a text has.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = ["crate::", "super::", "self::"].iter().filter_map(|word| rest.find(word)).min() {
        let before = rest[..at].chars().next_back();
        let text = &rest[at..];
        let is_path = !before.is_some_and(|character| character.is_alphanumeric() || matches!(character, '_' | ':'));
        let is_import = rest[..at].trim_end().ends_with("use") && is_path;
        let end = if is_import {
            text.find(';').unwrap_or(text.len())
        } else {
            text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).unwrap_or(text.len())
        };
        match (is_path, is_import) {
            (true, true) => found.extend(leaves(&text[..end])),
            (true, false) => found.push(text[..end].trim_end_matches(':').to_owned()),
            (false, _) => {}
        }
        rest = &text[end.max(6)..];
    }
    found
}

/// Where a path of a module leads: a module, and the name in it, if any.
fn place(from: &Module, path: &str, modules: &BTreeSet<Module>) -> (Module, Option<String>) {
    let mut names = path.split("::").map(str::trim).peekable();
    let mut at = from.clone();
    match names.peek() {
        Some(&"crate") => {
            at.clear();
            names.next();
        }
        Some(&"self") => drop(names.next()),
        _ => {
            while names.next_if_eq(&"super").is_some() {
                at.pop();
            }
        }
    }
    for name in names {
        at.push(name.to_owned());
        if !modules.contains(&at) {
            let name = at.pop();
            return (at, name);
        }
    }
    (at, None)
}

/// The module that a path of a module leads into, through all that pass it on.
fn target(from: &Module, path: &str, modules: &BTreeSet<Module>, exports: &Exports) -> Module {
    let (mut at, mut name) = place(from, path, modules);
    let mut seen = BTreeSet::new();
    while let Some(key) = name.map(|name| (at.clone(), name))
        && let Some((from, original)) = exports.get(&key)
        && seen.insert(key)
    {
        (at, name) = (from.clone(), Some(original.clone()));
    }
    at
}

/// What the modules of these files pass on.
fn exports(files: &[(String, String)], modules: &BTreeSet<Module>) -> Exports {
    let mut found = Exports::new();
    for (path, code) in files {
        let from = module(path);
        for (at, word) in code.match_indices("use ") {
            let line = code[..at].rsplit('\n').next().unwrap_or_default().trim_start();
            if !line.starts_with("pub") {
                continue;
            }
            let text = &code[at + word.len()..];
            for leaf in leaves(&text[..text.find(';').unwrap_or(text.len())]) {
                let first = leaf.split("::").next().unwrap_or_default();
                let is_own = modules.contains(&[from.as_slice(), &[first.to_owned()]].concat());
                let leaf = if is_own { format!("self::{leaf}") } else { leaf };
                if let (to, Some(name)) = place(&from, &leaf, modules)
                    && (is_own
                        || leaf.starts_with("crate::")
                        || leaf.starts_with("super::")
                        || leaf.starts_with("self::"))
                {
                    found.insert((from.clone(), name.clone()), (to, name));
                }
            }
        }
    }
    found
}

/// Who of these is reached from one of them, itself only if there is a way back.
fn reached<'a>(from: &'a str, edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for next in edges.get(at).into_iter().flatten() {
            if found.insert(*next) {
                open.push(next);
            }
        }
    }
    found
}

/// The circles among files, given by their paths below `src` with their code.
fn circles(files: &[(String, String)]) -> Vec<Circle> {
    let modules: BTreeSet<Module> = files.iter().map(|(path, _)| module(path)).collect();
    let exports = exports(files, &modules);
    // For each folder: which of its modules names which.
    let mut folders: BTreeMap<Module, BTreeSet<(String, String)>> = BTreeMap::new();
    for (path, code) in files {
        let from = module(path);
        for path in paths(code) {
            let to = target(&from, &path, &modules, &exports);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(own), Some(other)) = (from.get(shared), to.get(shared)) {
                folders.entry(from[..shared].to_vec()).or_default().insert((own.clone(), other.clone()));
            }
        }
    }
    let mut found = Vec::new();
    for (folder, pairs) in &folders {
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in pairs {
            edges.entry(from).or_default().insert(to);
        }
        let all: BTreeMap<&str, BTreeSet<&str>> = edges.keys().map(|name| (*name, reached(name, &edges))).collect();
        let circle = |name: &str| -> BTreeSet<String> {
            let back = |other: &&&str| all.get(**other).is_some_and(|reached| reached.contains(name));
            all[name].iter().filter(back).map(|other| (*other).to_owned()).collect()
        };
        let circles: BTreeSet<BTreeSet<String>> =
            all.keys().map(|name| circle(name)).filter(|circle| !circle.is_empty()).collect();
        found.extend(circles.into_iter().map(|circle| (folder.join("/"), circle)));
    }
    found
}

/// The crate's files by their paths below `src`.
fn files_of(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    code_below(&folder.join("src"), &mut files);
    let short = |(path, code): (String, String)| {
        let (_, path) = path.split_once("/src/").expect("a path below a crate's sources");
        (path.to_owned(), code)
    };
    files.into_iter().map(short).collect()
}

#[test]
fn no_folder_needs_one_that_needs_it() {
    let mut found: Vec<(String, String, BTreeSet<String>)> = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        found.extend(circles(&files_of(&folder)).into_iter().map(|(at, circle)| (name.clone(), at, circle)));
    }
    found.sort();
    let set = |names: &str| -> BTreeSet<String> { names.split_whitespace().map(str::to_owned).collect() };
    let shown = |(name, at, circle): &(String, String, BTreeSet<String>)| {
        let names: Vec<&str> = circle.iter().map(String::as_str).collect();
        format!("    ({name:?}, {at:?}, {:?}),\n", names.join(" "))
    };
    let is_within = |found: &(String, String, BTreeSet<String>), (name, at, circle): &(&str, &str, &str)| {
        found.0 == *name && found.1 == *at && found.2.is_subset(&set(circle))
    };
    let new: String =
        found.iter().filter(|found| !KNOWN.iter().any(|known| is_within(found, known))).map(shown).collect();
    assert!(new.is_empty(), "these modules need each other in a circle:\n{new}");
    let gone: Vec<_> = KNOWN.iter().filter(|known| !found.iter().any(|found| is_within(found, known))).collect();
    assert!(gone.is_empty(), "these circles are gone; remove them from the list: {gone:?}");
}

#[test]
fn a_circle_is_seen_however_it_is_written() {
    let circles_of = |files: &[(&str, &str)]| {
        let files: Vec<(String, String)> =
            files.iter().map(|(path, code)| ((*path).to_owned(), (*code).to_owned())).collect();
        let found = circles(&files).into_iter();
        found.map(|(at, names)| (at, names.into_iter().collect::<Vec<_>>().join(" "))).collect::<Vec<_>>()
    };
    let one = |at: &str, names: &str| vec![(at.to_owned(), names.to_owned())];
    // By imports, nested ones too, and by paths in code.
    let there = ("a/x.rs", "use std::io;\nuse crate::{c::D, b::{y::Y, Z as W}};\n");
    for back in ["pub(crate) use super::super::a::X;", "fn f() { crate::a::x::go(); }", "use crate::a::{self, X};"] {
        assert_eq!(
            circles_of(&[there, ("a/mod.rs", ""), ("b/mod.rs", ""), ("b/y.rs", back)]),
            one("", "a b"),
            "{back}"
        );
    }
    // Through a third, which is part of it; a fourth that only looks on is not.
    let three = [
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use super::c::C;"),
        ("c.rs", "use crate::a;"),
        ("d.rs", "use crate::a;"),
    ];
    assert_eq!(circles_of(&three), one("", "a b c"));
    // Deeper down.
    let deep = [("a/mod.rs", "mod x; mod y;"), ("a/x.rs", "use super::y::Y;"), ("a/y.rs", "use crate::a::x::X;")];
    assert_eq!(circles_of(&deep), one("a", "x y"));
    // By names that the root passes on.
    let passed = [("lib.rs", "pub use a::X;\npub use b::{Y};"), ("a.rs", "use crate::Y;"), ("b.rs", "use crate::X;")];
    assert_eq!(circles_of(&passed), one("", "a b"));
    // A module and what is below it may name each other, and so may what is in another crate.
    let fine = [
        ("lib.rs", "pub use a::X;"),
        ("a/mod.rs", "use self::x::X; use crate::b::B;"),
        ("a/x.rs", "use super::A; use tau_other::a::b; use crate::B;"),
        ("b.rs", "use other_crate::a::X; fn f(x: &mycrate::a::X) {}"),
    ];
    assert_eq!(circles_of(&fine), Vec::new());
}
