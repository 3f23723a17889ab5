//! The process groups of a session.

use rustix::process::Pid;

/// The groups of a session that something still runs in, the one of its leader among them while that is there. Shells
/// with job control give each job a group.
#[cfg(target_os = "linux")]
pub(super) fn groups(session: Pid) -> Vec<Pid> {
    let entries = match std::fs::read_dir("/proc") {
        Ok(entries) => entries,
        Err(error) => {
            tracing::debug!(%error, "the groups of a session are not known");
            return Vec::new();
        }
    };
    let is_number = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let mut groups: Vec<Pid> = entries
        .flatten()
        .filter(|entry| is_number(&entry.file_name()))
        // One that ends meanwhile has no file any more.
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter_map(|stat| member(&stat))
        .filter_map(|(group, of)| (of == session).then_some(group))
        .collect();
    groups.sort_unstable_by_key(|group| group.as_raw_nonzero());
    groups.dedup();
    groups
}

/// Without `/proc` only the group of the leader is known.
#[cfg(not(target_os = "linux"))]
pub(super) fn groups(session: Pid) -> Vec<Pid> {
    vec![session]
}

/// The group and the session of a process, as `/proc/PID/stat` has them. The name before them may contain anything.
#[cfg(target_os = "linux")]
fn member(stat: &str) -> Option<(Pid, Pid)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut numbers = rest.split_ascii_whitespace().skip(2).map(|number| Pid::from_raw(number.parse().ok()?));
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::super::group::{GroupChild, Place};
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest() {
        let pid = |number| Pid::from_raw(number).expect("a number");
        assert_eq!(member("12 (sh) S 9) S 3 5 7 0 -1"), Some((pid(5), pid(7))));
        assert_eq!(member("12 (kthreadd) S 0 0 0 0 -1"), None);
        assert_eq!(member("12"), None);
    }

    // The session of this process may belong to a process that cannot be seen from here, as in a container.
    #[tokio::test]
    async fn the_groups_of_a_session_are_found() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let leader = GroupChild::spawn(command, Place::Session).expect("a program that starts");
        assert_eq!(groups(leader.pid()), [leader.pid()]);
    }
}
