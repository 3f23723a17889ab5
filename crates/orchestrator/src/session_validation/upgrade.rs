//! A notice with what is new, once after an upgrade.

use serde::{Deserialize, Serialize};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError};

use super::changelog::{news, shortened};
use super::kept::change;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Most characters of the notice.
const LONGEST: usize = 1_500;

/// The version that ran last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Ran {
    version: Option<String>,
}

/// Remembers the version, and tells what is new in it and in those that were left out.
pub(super) async fn tell(ctx: &Ctx) -> Result<(), HandlerError> {
    let before = change(ctx, "version", |ran: &mut Ran| ran.version.replace(VERSION.to_owned())).await?;
    if let Some(notice) = before.and_then(|before| notice(&before, VERSION)) {
        ctx.ui().notify(&notice, NotifyLevel::Info);
    }
    Ok(())
}

/// Nothing after a downgrade, and where the changelog has nothing to say.
fn notice(before: &str, now: &str) -> Option<String> {
    let news = news(before, now)?;
    Some(shortened(&format!("tau is {now} now.\n\n{news}"), LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_has_a_notice_and_nothing_else_has() {
        let text = notice("0.0.9", "0.1.0").expect("a notice");
        assert!(text.starts_with("tau is 0.1.0 now.\n\n0.1.0\n"), "{text}");
        assert!(text.contains("- Hooks: ") && text.chars().count() <= LONGEST, "{text}");
        for (before, now) in [("0.1.0", "0.1.0"), ("0.2.0", "0.1.0"), ("strange", "0.1.0"), ("", "0.1.0")] {
            assert_eq!(notice(before, now), None, "{before} {now}");
        }
    }
}
