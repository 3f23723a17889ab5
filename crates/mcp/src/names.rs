//! The names of tools. Gates match them, so they are exactly those that other programs give.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// The longest name, in characters.
const LONGEST: usize = 64;
/// Hex digits of the hash at the end of a name.
const DIGITS: usize = 8;

/// The group of a server's tools, and what their names begin with: `mcp__NAME`.
pub fn namespace(server: &str) -> String {
    format!("mcp__{}", server.replace('-', "_"))
}

/// The name of a tool where no other tool has it.
fn plain(server: &str, tool: &str) -> String {
    // JavaScript counts characters beyond the first plane twice, and names have to be the same everywhere.
    let units = format!("mcp__{server}__{tool}");
    let units = units.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => char::from(byte),
        _ => '_',
    });
    units.collect()
}

/// The name of a tool that cannot have its plain name.
fn hashed(server: &str, tool: &str) -> String {
    let digest = Sha256::digest(format!("{server}\0{tool}"));
    let hash: String = digest.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
    let mut name = plain(server, tool);
    name.truncate(LONGEST - DIGITS - 1);
    format!("{name}_{hash}")
}

/// The names of all tools of a server, in the order of the list. A name that is too long, or that several tools of the
/// list would have, or that `is_taken` elsewhere, ends with a hash: all of those that collide get one, so that the order
/// of a list has no say.
pub fn names_of(server: &str, tools: &[&str], is_taken: impl Fn(&str) -> bool) -> Vec<String> {
    let mut tools_of: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for tool in tools {
        let same = tools_of.entry(plain(server, tool)).or_default();
        if !same.contains(tool) {
            same.push(tool);
        }
    }
    let name_of = |tool: &&str| {
        let name = plain(server, tool);
        let is_alone = tools_of.get(&name).is_none_or(|same| same.len() == 1);
        if name.len() <= LONGEST && is_alone && !is_taken(&name) { name } else { hashed(server, tool) }
    };
    tools.iter().map(name_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(server: &str, tools: &[&str]) -> Vec<String> {
        names_of(server, tools, |_| false)
    }

    #[test]
    fn other_characters_become_underscores() {
        assert_eq!(
            names("e-v", &["get.item", "ä", "a b", "😀"]),
            ["mcp__e_v__get_item", "mcp__e_v___", "mcp__e_v__a_b", "mcp__e_v____"]
        );
        assert_eq!(namespace("dev-radius"), "mcp__dev_radius");
    }

    #[test]
    fn a_long_name_is_cut_and_ends_with_a_hash() {
        let tool = "x".repeat(80);
        let name = names("s", &[&tool]).remove(0);
        // printf 's\0xxx…' | sha256sum
        let digest = Sha256::digest(format!("s\0{tool}"));
        let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(name, format!("mcp__s__{}_{hash}", "x".repeat(47)));
        assert_eq!(name.len(), 64);
        let fits = "x".repeat(56);
        assert_eq!(names("s", &[&fits]), [format!("mcp__s__{fits}")]);
    }

    #[test]
    fn all_that_collide_get_a_hash_whatever_their_order() {
        let both = names("s", &["a.b", "a-b", "c"]);
        let turned = names("s", &["a-b", "c", "a.b"]);
        assert_eq!((&both[0], &both[1], &both[2]), (&turned[2], &turned[0], &turned[1]));
        assert_ne!(both[0], both[1]);
        assert!(both[0].starts_with("mcp__s__a_b_") && both[0].len() == "mcp__s__a_b_".len() + 8);
        assert_eq!(both[2], "mcp__s__c");
    }

    #[test]
    fn the_same_tool_twice_is_one_tool() {
        assert_eq!(names("s", &["a", "a"]), ["mcp__s__a", "mcp__s__a"]);
    }

    #[test]
    fn a_name_that_another_server_has_ends_with_a_hash() {
        let name = names_of("a", &["b__c"], |name| name == "mcp__a__b__c").remove(0);
        assert!(name.starts_with("mcp__a__b__c_"), "{name}");
    }
}
