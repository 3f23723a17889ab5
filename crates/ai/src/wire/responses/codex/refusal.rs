//! Refusals, most of all those of a plan that is used up.

use serde_json::Value;

use crate::wire::error::whole_body;

/// Words in the code of an error that say that the plan allows no more.
const LIMITS: [&str; 3] = ["usage_limit_reached", "usage_not_included", "rate_limit_exceeded"];

/// The words of a refusal. What is said of a used-up plan is what extensions look for that change accounts.
pub(super) fn wording(status: u16, body: &Value) -> String {
    at(status, body, crate::now_ms())
}

fn at(status: u16, body: &Value, now_ms: i64) -> String {
    let Some(error) = body.get("error").filter(|error| !error.is_null()) else { return whole_body(status, body) };
    let text = |field: &str| error[field].as_str().filter(|text| !text.is_empty());
    let code = text("code").or_else(|| text("type")).unwrap_or_default().to_ascii_lowercase();
    if status == 429 || LIMITS.iter().any(|limit| code.contains(limit)) {
        let plan = text("plan_type").map(|plan| format!(" ({} plan)", plan.to_lowercase())).unwrap_or_default();
        let when = error["resets_at"].as_f64().filter(|at| *at != 0.0).map(|at| minutes(at, now_ms));
        let when = when.map(|minutes| format!(" Try again in ~{minutes} min.")).unwrap_or_default();
        return format!("You have hit your ChatGPT usage limit{plan}.{when}");
    }
    match text("message") {
        Some(message) => format!("{status} {message}"),
        None => format!("{status} {error}"),
    }
}

/// How many minutes from now a time in seconds is; 0 when it has passed.
fn minutes(at: f64, now_ms: i64) -> u64 {
    // A time that far away does not matter to the millisecond, and what is out of range is the nearest number.
    ((at * 1000.0 - now_ms as f64) / 60_000.0).round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_used_up_plan_says_when_it_is_there_again() {
        let now_ms = 1_000_000_000;
        for (status, error, expected) in [
            (
                429,
                json!({"code": "usage_limit_reached", "plan_type": "Plus", "resets_at": 1_000_000 + 725}),
                "You have hit your ChatGPT usage limit (plus plan). Try again in ~12 min.",
            ),
            (403, json!({"type": "usage_not_included"}), "You have hit your ChatGPT usage limit."),
            (429, json!({"resets_at": 5}), "You have hit your ChatGPT usage limit. Try again in ~0 min."),
            (400, json!({"message": "Unknown model"}), "400 Unknown model"),
            (500, json!({"code": "odd"}), r#"500 {"code":"odd"}"#),
        ] {
            assert_eq!(at(status, &json!({ "error": error }), now_ms), expected);
        }
        assert_eq!(at(400, &json!({"detail": "no"}), now_ms), r#"400 {"detail":"no"}"#);
    }
}
