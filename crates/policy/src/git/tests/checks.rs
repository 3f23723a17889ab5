//! What is known of branches and files.

use crate::git::{BranchState, Head, branch_state, ignored, protected};
use crate::world::Protected;

use super::support::Machine;

fn state(machine: &Machine, calls: &[&str]) -> BranchState {
    let usage = machine.script(calls).usage;
    let [head] = usage.heads.as_slice() else { panic!("{:?}", usage.heads) };
    branch_state(&usage, head, machine).expect("it can be read")
}

fn is_protected(branch: &str, fallback: Option<&str>) -> BranchState {
    BranchState::Protected { branch: branch.to_owned(), fallback: fallback.map(str::to_owned) }
}

const COMMIT: &[&str] = &["git commit -m x"];

#[test]
fn protected_branches_are_those_of_the_forge_and_the_usual_ones() {
    let mut machine = Machine::new();
    assert_eq!(state(&machine, COMMIT), is_protected("main", None));
    assert_eq!(state(&machine, &["git checkout -b x", "git commit"]), BranchState::Free);
    assert_eq!(state(&machine, &["git checkout -b x", "git checkout main", "git commit"]), is_protected("main", None));
    assert_eq!(state(&machine, &["git checkout --detach", "git commit"]), BranchState::Detached);
    assert_eq!(state(&machine, &["git checkout -", "git commit"]), BranchState::Unknown);
    machine.protected = Protected { branches: vec!["release".to_owned()], fallback: Some("no answer".to_owned()) };
    assert_eq!(state(&machine, &["git checkout -b release", "git commit"]), is_protected("release", Some("no answer")));
    let usage = machine.script(&["git push origin main"]).usage;
    assert_eq!(protected(&usage, "main", &machine), Ok(Some(is_protected("main", Some("no answer")))));
    assert_eq!(protected(&usage, "feature/main-fix", &machine), Ok(None));
}

#[test]
fn the_default_branch_of_the_remote_is_protected_under_any_name() {
    let machine = Machine::with(&["--initial-branch=trunk"]);
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
    machine.git(&["remote", "add", "origin", "url"]);
    machine.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    machine.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(state(&machine, COMMIT), is_protected("trunk", None));
}

#[test]
fn the_first_commit_of_a_repository_may_go_to_main() {
    let machine = Machine::unborn(&[]);
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
    assert_eq!(state(&machine, &["git commit", "git commit"]), is_protected("main", None));
    let machine = Machine::on_branch();
    assert_eq!(state(&machine, &["git init -b main y", "git -C y commit"]), BranchState::Free);
    machine.git(&["branch", "-D", "main"]);
    assert_eq!(state(&machine, &["git switch --orphan main", "git commit"]), is_protected("main", None));
}

#[test]
fn a_branch_is_merged_when_its_own_commits_are_in_the_default_branch() {
    let machine = Machine::on_branch();
    // One that was only made is not merged.
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
    machine.commit("own");
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
    let merged = || BranchState::Merged { branch: "work".to_owned(), into: "main".to_owned() };
    machine.git(&["checkout", "--quiet", "main"]);
    machine.git(&["merge", "--quiet", "--ff-only", "work"]);
    machine.git(&["checkout", "--quiet", "work"]);
    assert_eq!(state(&machine, COMMIT), merged());
    // Others that begin there are not.
    machine.git(&["branch", "fresh"]);
    assert_eq!(state(&machine, &["git checkout fresh", "git commit"]), BranchState::Free);
    // The default branch has more commits by now.
    machine.git(&["checkout", "--quiet", "main"]);
    machine.commit("more");
    machine.git(&["checkout", "--quiet", "work"]);
    assert_eq!(state(&machine, COMMIT), merged());
    machine.git(&["branch", "behind", "main~1"]);
    assert_eq!(state(&machine, &["git checkout behind", "git commit"]), BranchState::Free);
    // A branch that begins anew is not merged, and one with a new commit is not.
    machine.git(&["reset", "--quiet", "--hard", "main"]);
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
    machine.commit("new");
    assert_eq!(state(&machine, COMMIT), BranchState::Free);
}

#[test]
fn a_merge_tells_that_a_branch_without_history_is_merged() {
    let machine = Machine::on_branch();
    machine.commit("own");
    machine.git(&["checkout", "--quiet", "main"]);
    machine.commit("other");
    machine.git(&["merge", "--quiet", "--no-ff", "--no-edit", "work"]);
    machine.git(&["branch", "line", "main~1"]);
    std::fs::remove_dir_all(machine.path.join(".git/logs")).expect("logs");
    let merged = BranchState::Merged { branch: "work".to_owned(), into: "main".to_owned() };
    assert_eq!(state(&machine, &["git checkout work", "git commit"]), merged);
    assert_eq!(state(&machine, &["git checkout line", "git commit"]), BranchState::Free);
}

#[test]
fn a_pull_request_says_that_a_branch_is_merged() {
    let mut machine = Machine::on_branch();
    machine.merged.insert("work".to_owned(), 7);
    assert_eq!(state(&machine, COMMIT), BranchState::MergedByRequest { branch: "work".to_owned(), number: 7 });
    // A name of a branch is never more than a name.
    let name = "$(touch${IFS}ran)";
    machine.git(&["checkout", "--quiet", "-b", name]);
    let usage = machine.script(COMMIT).usage;
    assert_eq!(usage.heads, [Head::Branch(name.to_owned())]);
    assert_eq!(branch_state(&usage, &usage.heads[0], &machine), Ok(BranchState::Free));
    assert!(!machine.path.join("ran").exists());
}

#[test]
fn ignored_files_are_found_without_running_anything() {
    let machine = Machine::on_branch();
    machine.write(".gitignore", "*.log\nfolder/\n");
    machine.write("tracked.log", "");
    machine.git(&["add", "-f", "tracked.log"]);
    let found = |words: &[&str]| {
        let mut call = machine.call(words);
        call.git = Some(machine.after(&Default::default(), &call).usage);
        let names = ignored(&call, &machine).expect("it can be read");
        names.iter().map(|name| name.text.shown()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["git", "add", "a", "x.log", "tracked.log", "folder/x", ".gitignore"]), ["x.log", "folder/x"]);
    assert_eq!(found(&["git", "-C", "sub", "add", "x.log", "../y.log", "../../z.log"]), ["x.log", "../y.log"]);
    assert_eq!(found(&["git", "add", "a $(touch${IFS}ran) b", "a;touch${IFS}ran", "-f", "x.log"]), ["x.log"]);
    assert_eq!(found(&["git", "commit", "-m", "x.log"]), Vec::<String>::new());
    assert!(!machine.path.join("ran").exists());
}
