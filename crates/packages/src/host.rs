//! Packages that the program running extensions has built in.

/// Under which the packages of pi were published.
const SCOPES: [&str; 3] = ["@earendil-works/", "@mariozechner/", "@oh-my-pi/"];
/// Those that are built in.
const BUILT_IN: [&str; 4] = ["pi-coding-agent", "pi-agent-core", "pi-ai", "pi-tui"];

/// Whether a dependency is built in, so that an installed copy would never be used.
pub(crate) fn has(name: &str) -> bool {
    let of_pi = SCOPES.iter().find_map(|scope| name.strip_prefix(scope));
    matches!(name, "typebox" | "@sinclair/typebox") || of_pi.is_some_and(|name| BUILT_IN.contains(&name))
}

/// Whether a peer is the host's business: all that was published with pi.
pub(crate) fn has_peer(name: &str) -> bool {
    has(name) || SCOPES.iter().any(|scope| name.starts_with(scope))
}
