//! Whose token a key is.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// What a token says of the account stands here.
const CLAIM: &str = "https://api.openai.com/auth";

/// The account that a token names, unless it is no such token. Whether the token is genuine is for its vendor to say.
pub(super) fn of(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims.get(CLAIM)?["chatgpt_account_id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn token(claims: &Value) -> String {
        format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(claims.to_string()))
    }

    #[test]
    fn a_token_names_its_account() {
        let whole = token(&json!({"name": "ÿÿ>?", CLAIM: {"chatgpt_account_id": "acc-1"}}));
        assert_eq!(of(&whole).as_deref(), Some("acc-1"));
        for other in [
            "sk-key".to_owned(),
            "a.b.c".to_owned(),
            format!("{whole}.more"),
            token(&json!({})),
            token(&json!({CLAIM: {"chatgpt_account_id": ""}})),
            token(&json!({CLAIM: "text"})),
        ] {
            assert_eq!(of(&other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_problem(text in ".*", claims in "[A-Za-z0-9_=-]*") {
            prop_assert_eq!(of(&text), None);
            prop_assert_eq!(of(&format!("a.{claims}.b")), None);
        }
    }
}
