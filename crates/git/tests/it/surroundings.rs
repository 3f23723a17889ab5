//! Variables of the process name no repository.

use std::process::Command;

use crate::support::Repo;

/// Set in the process that is started for the test.
const REPOSITORY: &str = "OF_TEST_REPOSITORY";

#[test]
fn variables_of_git_are_not_believed() {
    if let Some(path) = std::env::var_os(REPOSITORY) {
        let path = std::path::PathBuf::from(path);
        let found = crate::support::facts(&path);
        assert_eq!(found.head.branch(), Some("wanted"));
        assert_eq!(found.work_tree.as_deref(), Some(&*path));
        let status = crate::support::status(&path).expect("a status").expect("a work tree");
        assert!(status.is_clean(), "{status:?}");
        return;
    }
    let (repo, other) = (Repo::new(), Repo::new());
    repo.git(&["checkout", "--quiet", "-b", "wanted"]);
    other.write("untracked", "x");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["surroundings::variables_of_git_are_not_believed", "--exact", "--nocapture"]);
    command.env(REPOSITORY, &repo.path);
    for (name, value) in [
        ("GIT_DIR", ".git"),
        ("GIT_COMMON_DIR", ".git"),
        ("GIT_INDEX_FILE", ".git/no-index"),
        ("GIT_OBJECT_DIRECTORY", ".git/no-objects"),
        ("GIT_WORK_TREE", ""),
    ] {
        command.env(name, other.path.join(value));
    }
    command.env("GIT_NAMESPACE", "other").env("GIT_CEILING_DIRECTORIES", "/");
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.bare").env("GIT_CONFIG_VALUE_0", "true");
    let output = command.output().expect("this program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
