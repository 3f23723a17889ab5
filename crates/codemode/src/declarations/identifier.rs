//! Names of tools as identifiers.

/// The name as an identifier of JavaScript: what none can have becomes `_`.
pub fn identifier(name: &str) -> String {
    let fits = |at: usize, c: char| c.is_ascii_alphabetic() || c == '_' || c == '$' || (at > 0 && c.is_ascii_digit());
    let name: String = name.chars().enumerate().map(|(at, c)| if fits(at, c) { c } else { '_' }).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// Whether the name is one without change.
pub(super) fn is_identifier(name: &str) -> bool {
    !name.is_empty() && identifier(name) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_identifier_has_becomes_a_line() {
        let cases = [("read", "read"), ("mcp__a-b__c d", "mcp__a_b__c_d"), ("1x2", "_x2"), ("", "_"), ("ü$", "_$")];
        for (name, expected) in cases {
            assert_eq!(identifier(name), expected);
        }
        assert!(is_identifier("a1") && !is_identifier("1a") && !is_identifier(""));
    }
}
