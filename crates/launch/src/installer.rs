//! How packages are fetched.

use std::sync::Arc;

use tau_agent::extensions::PackageInstaller;
use tau_agent::settings::Environment;

use crate::voice::Voice;

/// How packages are got; the user is told how far it is.
pub fn installer(offline: bool, voice: &Voice) -> PackageInstaller {
    let voice = voice.clone();
    PackageInstaller { offline, progress: Arc::new(move |text: &str| voice.note(text)) }
}

/// Whether the network may not be used: by the flag, or by the variable that pi has for it.
pub fn is_offline(flag: bool, env: &Environment) -> bool {
    flag || env.var("PI_OFFLINE").is_some_and(|value| matches!(&*value.to_ascii_lowercase(), "1" | "true" | "yes"))
}
