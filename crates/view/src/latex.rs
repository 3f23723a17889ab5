//! t
/// x
pub fn render(_s: &str, _d: bool) -> Option<String> { None }
