//! The counts are those of `git status` after anything that was done.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;

use crate::support::{Repo, try_git};

/// What is done to a repository.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8),
    Append(usize),
    Remove(usize),
    Move(usize, usize),
    Stage(usize),
    StageAll,
    Unstage(usize),
    Intend(usize),
    Commit,
    Mode(usize),
    Link(usize),
    Ignore(usize),
    Nested(usize),
    Empty(usize),
    Branch(usize),
    Merge(usize),
}

/// Files in several folders; one is another's folder.
const PATHS: &[&str] = &["a", "b", "dir/c", "dir/d", "dir/deep/e", "new/f", "new/g", "x", "x/y", "h.log", "ü ber"];

fn step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    prop_oneof![
        6 => (path.clone(), 0..4_u8).prop_map(|(path, content)| Step::Write(path, content)),
        3 => path.clone().prop_map(Step::Append),
        3 => path.clone().prop_map(Step::Remove),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Move(from, to)),
        4 => path.clone().prop_map(Step::Stage),
        3 => Just(Step::StageAll),
        1 => path.clone().prop_map(Step::Unstage),
        1 => path.clone().prop_map(Step::Intend),
        3 => Just(Step::Commit),
        1 => path.clone().prop_map(Step::Mode),
        1 => path.clone().prop_map(Step::Link),
        1 => path.clone().prop_map(Step::Ignore),
        1 => path.clone().prop_map(Step::Nested),
        1 => path.clone().prop_map(Step::Empty),
        1 => (0..2_usize).prop_map(Step::Branch),
        1 => (0..2_usize).prop_map(Step::Merge),
    ]
}

/// Does a step as far as it can be done.
fn take(repo: &Repo, step: &Step) {
    let at = |path: &usize| repo.path.join(PATHS[*path]);
    let parent = |path: &usize| fs::create_dir_all(at(path).parent().expect("a folder"));
    // Long enough that a change leaves it alike, and unlike any other.
    let content = |number: u8| (0..20).map(|line| format!("{number} line {line} of a file\n")).collect::<String>();
    let branches = ["main", "other"];
    // What cannot be done in this state is not done.
    let _done = match step {
        Step::Write(path, number) => parent(path).and_then(|()| fs::write(at(path), content(*number))),
        Step::Append(path) => {
            fs::read(at(path)).and_then(|before| fs::write(at(path), [&before[..], b"more\n"].concat()))
        }
        Step::Remove(path) => fs::remove_file(at(path)),
        Step::Move(from, to) => parent(to).and_then(|()| fs::rename(at(from), at(to))),
        Step::Stage(path) => run(repo, &["add", PATHS[*path]]),
        Step::StageAll => run(repo, &["add", "--all"]),
        Step::Unstage(path) => run(repo, &["reset", "--quiet", "--", PATHS[*path]]),
        Step::Intend(path) => run(repo, &["add", "--intent-to-add", PATHS[*path]]),
        Step::Commit => run(repo, &["commit", "--quiet", "--message", "x"]),
        Step::Mode(path) => fs::set_permissions(at(path), fs::Permissions::from_mode(0o755)),
        Step::Link(path) => fs::remove_file(at(path)).and_then(|()| symlink("a", at(path))),
        Step::Ignore(path) => fs::write(repo.path.join(".gitignore"), format!("{}\n*.log\n", PATHS[*path])),
        Step::Nested(path) => run(repo, &["init", "--quiet", &format!("nested-{path}")]),
        Step::Empty(path) => fs::create_dir_all(repo.path.join(format!("empty-{path}/inner"))),
        Step::Branch(name) => run(repo, &["checkout", "--quiet", "-B", branches[*name]]),
        Step::Merge(name) => run(repo, &["merge", "--quiet", "--message", "x", branches[*name]]),
    };
}

fn run(repo: &Repo, arguments: &[&str]) -> std::io::Result<()> {
    try_git(&repo.path, arguments);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn counts_are_those_of_git(steps in prop::collection::vec(step(), 1..25)) {
        let repo = Repo::empty();
        for step in &steps {
            take(&repo, step);
        }
        // Twice: the second time git has written what it learned into the index.
        prop_assert_eq!(repo.status(), repo.wanted());
        prop_assert_eq!(repo.status(), repo.wanted());
    }
}

/// A commit: its parents among those before it, and how much later it was made.
fn commit() -> impl Strategy<Value = (Vec<prop::sample::Index>, u32)> {
    (prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..2_u32)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, ..ProptestConfig::with_cases(24) })]

    /// Many commits have the same time.
    #[test]
    fn distances_and_ancestors_are_those_of_git(
        commits in prop::collection::vec(commit(), 2..30),
        ends: [prop::sample::Index; 2],
        has_graph: bool,
    ) {
        let repo = Repo::empty();
        let mut times: Vec<u32> = Vec::new();
        let mut stream = String::new();
        for (number, (parents, later)) in commits.iter().enumerate() {
            let mut parents: Vec<usize> = parents.iter().filter(|_| number > 0).map(|at| at.index(number)).collect();
            parents.sort_unstable();
            parents.dedup();
            let time = parents.iter().map(|at| times[*at]).max().unwrap_or(1_500_000_000) + later;
            times.push(time);
            // Without a parent of its own a commit would go on from its branch.
            stream.push_str(&format!("reset refs/heads/c{number}\n\ncommit refs/heads/c{number}\nmark :{}\n", number + 1));
            stream.push_str(&format!("committer t <t@example.org> {time} +0000\ndata 1\n{}\n", number % 10));
            for (at, parent) in parents.iter().enumerate() {
                stream.push_str(&format!("{} :{}\n", if at == 0 { "from" } else { "merge" }, parent + 1));
            }
            stream.push('\n');
        }
        let mut import = crate::support::command(&repo.path);
        import.args(["fast-import", "--quiet"]).stdin(std::process::Stdio::piped());
        let mut import = import.spawn().expect("git runs");
        std::io::Write::write_all(&mut import.stdin.take().expect("a pipe"), stream.as_bytes()).expect("git reads");
        prop_assert!(import.wait().expect("git ends").success());
        if has_graph {
            repo.git(&["commit-graph", "write", "--reachable"]);
        }
        let [one, other] = ends.map(|at| format!("c{}", at.index(commits.len())));
        repo.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{one}")]);
        repo.git(&["config", &format!("branch.{one}.remote"), "."]);
        repo.git(&["config", &format!("branch.{one}.merge"), &format!("refs/heads/{other}")]);
        let wanted = repo.git(&["rev-list", "--left-right", "--count", &format!("{one}...{other}")]);
        let distance = repo.facts().upstream.and_then(|upstream| upstream.distance).expect("a distance");
        prop_assert!(distance.is_complete);
        prop_assert_eq!(format!("{}\t{}", distance.ahead, distance.behind), wanted);
        let repository = repo.open();
        let base = repository.merge_base(&one, &other).expect("a history");
        let bases = try_git(&repo.path, &["merge-base", "--all", &one, &other]).stdout;
        let bases = String::from_utf8_lossy(&bases).into_owned();
        prop_assert_eq!(base.is_none(), bases.is_empty());
        prop_assert!(base.is_none_or(|base| bases.lines().any(|line| line == base)));
        let is_ancestor = try_git(&repo.path, &["merge-base", "--is-ancestor", &one, &other]).status.success();
        prop_assert_eq!(repository.is_merged(&one, &other), Ok(is_ancestor));
    }
}
