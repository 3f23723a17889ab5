//! Where session files live by default.

use std::path::{Path, PathBuf};

/// The folder for sessions of `cwd`: `<agent_dir>/sessions/--<cwd>--`, with separators and colons as dashes.
/// Overrides by flag, environment or setting are the caller's business.
pub fn session_dir_for(agent_dir: &Path, cwd: &Path) -> PathBuf {
    agent_dir.join("sessions").join(dir_name(cwd))
}

/// The name of that folder. Two paths can share one: `/a/b` and `/a-b` do.
pub(crate) fn dir_name(cwd: &Path) -> String {
    let cwd = cwd.to_string_lossy();
    let relative = cwd.strip_prefix(['/', '\\']).unwrap_or(&cwd);
    format!("--{}--", relative.replace(['/', '\\', ':'], "-"))
}

/// The name of a session file.
pub(crate) fn file_name(timestamp: &str, id: &str) -> String {
    format!("{}_{id}.jsonl", timestamp.replace([':', '.'], "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_the_working_directory() {
        let dir = |cwd: &str| session_dir_for(Path::new("/home/u/.pi/agent"), Path::new(cwd));
        assert_eq!(dir("/home/u/my.app"), Path::new("/home/u/.pi/agent/sessions/--home-u-my.app--"));
        assert_eq!(dir_name(Path::new("/")), "----");
        assert_eq!(dir_name(Path::new(r"C:\src\app")), "--C--src-app--");
    }

    #[test]
    fn a_file_is_named_after_time_and_id() {
        assert_eq!(file_name("2026-02-03T04:05:06.789Z", "x"), "2026-02-03T04-05-06-789Z_x.jsonl");
    }
}
