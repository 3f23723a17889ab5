//! Context files.

use super::*;

#[test]
fn context_files_come_from_the_agent_folder_and_from_the_root_down() {
    let place = place();
    place.write("home/.pi/agent/CLAUDE.md", "\u{feff}mine");
    place.write("AGENTS.md", "top");
    place.write("work/CLAUDE.md", "not used");
    place.write("work/AGENTS.md", "work");
    place.write("work/app/AGENTS.md", "not used");
    place.write("work/app/AGENTS.override.md", "app");
    fs::create_dir_all(place.root.join("work/AGENTS.override.md")).expect("a folder is no context file");
    let resources = place.load(false, LoadOptions::default());
    // What lies above the temporary folder is none of our business.
    let ours = resources.context_files.iter().filter(|file| file.path.starts_with(&place.root));
    let found: Vec<_> = ours.map(|file| (place.short(&file.path), file.content.clone())).collect();
    assert_eq!(
        found,
        pairs(&[
            ("home/.pi/agent/CLAUDE.md", "mine"),
            ("AGENTS.md", "top"),
            ("work/AGENTS.md", "work"),
            ("work/app/AGENTS.override.md", "app"),
        ])
    );
    let none = place.load(false, LoadOptions { no_context_files: true, ..Default::default() });
    assert_eq!(none.context_files, []);
}

/// Lays out `main` with a linked worktree at `worktree`, as git does.
fn link_worktree(place: &Place, main: &str, worktree: &str) {
    place.write(&format!("{main}/.git/HEAD"), "ref: refs/heads/main\n");
    place.write(&format!("{main}/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n");
    place.write(&format!("{main}/.git/worktrees/w/commondir"), "../..\n");
    let git_dir = place.root.join(main).join(".git/worktrees/w");
    place.write(&format!("{worktree}/.git"), &format!("gitdir: {}\n", git_dir.display()));
}

#[test]
fn a_worktree_inside_its_main_checkout_hides_the_main_file() {
    let contexts = |worktree: &str, own: bool| {
        let mut place = place();
        link_worktree(&place, "repo", worktree);
        place.write("repo/AGENTS.md", "main");
        if own {
            place.write(&format!("{worktree}/AGENTS.md"), "worktree");
        }
        place.env.cwd = place.root.join(worktree).join("src");
        fs::create_dir_all(&place.env.cwd).expect("cwd");
        let resources = place.load(false, LoadOptions::default());
        place.contexts(&resources)
    };
    assert_eq!(contexts("repo/.worktrees/w", true), ["worktree"]);
    assert_eq!(contexts("repo/.worktrees/w", false), ["main"]);
    assert_eq!(contexts("beside", true), ["worktree"]);
}

#[test]
fn a_nested_repository_of_its_own_hides_nothing() {
    let mut place = place();
    place.write("outer/.git/HEAD", "ref: refs/heads/main\n");
    place.write("outer/AGENTS.md", "outer");
    place.write("outer/inner/.git/HEAD", "ref: refs/heads/main\n");
    place.write("outer/inner/AGENTS.md", "inner");
    place.env.cwd = place.root.join("outer/inner");
    assert_eq!(place.contexts(&place.load(false, LoadOptions::default())), ["outer", "inner"]);
}

#[test]
fn a_load_looks_once_at_each_place_of_a_context_file() {
    let place = place();
    place.write("work/AGENTS.md", "work");
    place.write("work/app/CLAUDE.md", "app");
    place.write("home/.pi/agent/AGENTS.md", "mine");
    let places = ContextWatch::new(&place.env);
    // What comes and goes after the look does not count in the load that follows: nothing is looked at again.
    place.write("AGENTS.md", "too late");
    place.write("work/app/AGENTS.override.md", "too late");
    fs::remove_file(place.root.join("home/.pi/agent/AGENTS.md")).expect("removed");
    let mut diagnostics = Vec::new();
    let files = load_context_files(&place.env, &places, &mut diagnostics);
    let ours = |file: &ContextFile| file.path.starts_with(&place.root).then(|| file.content.clone());
    assert_eq!(files.iter().filter_map(ours).collect::<Vec<_>>(), ["work", "app"]);
    assert_eq!(diagnostics.len(), 1, "what was there and cannot be read is reported: {diagnostics:?}");
    let resources = place.load(false, LoadOptions::default());
    assert_eq!(place.contexts(&resources), ["too late", "work", "too late"]);
}

#[test]
fn a_context_file_may_be_a_link_that_leads_nowhere_for_a_while() {
    let place = place();
    std::os::unix::fs::symlink(place.root.join("notes.md"), place.root.join("work/app/AGENTS.md")).expect("link");
    place.write("work/app/CLAUDE.md", "the next name");
    let resources = place.load(false, LoadOptions::default());
    assert_eq!(place.contexts(&resources), ["the next name"]);
    place.write("notes.md", "the notes");
    let resources = place.load(false, LoadOptions::default());
    assert_eq!(place.contexts(&resources), ["the notes"]);
}
