//! What is added to the index.

use crate::git::Effect;
use crate::git::pathspec::{Breadth, Here};
use crate::text::Text;

use super::support::{Machine, effects};

#[test]
fn everything_is_distinguished_from_files_that_are_named() {
    let machine = Machine::on_branch();
    machine.write("src/x", "");
    let root = machine.path.display().to_string();
    for words in [
        &["git", "add", "."][..],
        &["git", "add", "./"],
        &["git", "add", "./."],
        &["git", "add", "-A"],
        &["git", "add", "--all"],
        &["git", "add", "--al"],
        &["git", "add", "-u"],
        &["git", "add", "--update"],
        &["git", "add", "-vA"],
        &["git", "add", "~*"],
        &["git", "add", "./~*"],
        &["git", "add", ".~*"],
        &["git", "add", "*"],
        &["git", "add", "**"],
        &["git", "add", "src/../*"],
        &["git", "add", ":/"],
        &["git", "add", ":/*"],
        &["git", "add", ":"],
        &["git", "add", ":(top)"],
        &["git", "add", ":(top,glob)**"],
        &["git", "add", ":!src"],
        &["git", "add", ":^src"],
        &["git", "add", ":(exclude)src"],
        &["git", "add", "--", "."],
        &["git", "add", "a", "."],
        &["git", "add", ".", ":!src"],
        &["git", "add", "src/.."],
        &["git", "add", &root],
        &["git", "add", "/"],
        &["git", "stage", "."],
        &["dir=src", "git", "add", "."],
        &["dir=src", "git", "add", ".."],
        &["dir=src", "git", "add", "../"],
        &["git", "-C", "src", "add", ".."],
        &["git", "commit", "-a", "-m", "x"],
        &["git", "commit", "-am", "x"],
        &["git", "commit", "--all"],
        &["git", "commit", "."],
        &["git", "commit", "-m", "x", "--", "."],
        &["git", "commit", "-i", "./"],
    ] {
        let step = machine.step(words);
        assert!(Effect::StagesAll.is_in(&step.usage), "{words:?}: {}", effects(&step));
    }
    for words in [
        &["git", "add", "src"][..],
        &["git", "add", ".gitignore"],
        &["git", "add", "./a"],
        &["git", "add", "..a"],
        &["git", "add", ".*"],
        &["git", "add", "~*.rs"],
        &["git", "add", "src/~*"],
        &["git", "add", "src/*"],
        &["git", "add", "*.rs"],
        &["git", "add", ":/src"],
        &["git", "add", ":(top)src"],
        &["git", "add", "src", ":!src/x"],
        &["git", "add", "-u", "src"],
        &["git", "add", "-p"],
        &["git", "add", "--", "-A"],
        &["dir=src", "git", "add", "../a"],
        &["git", "-C", "src", "add", "x"],
    ] {
        assert_eq!(effects(&machine.step(words)), "stages", "{words:?}");
    }
    for words in [
        &["git", "add", "-n", "."][..],
        &["git", "add", "--refresh", "."],
        &["git", "add"],
        &["git", "commit", "--dry-run", "-a"],
    ] {
        assert_eq!(effects(&machine.step(words)), "", "{words:?}");
    }
    assert_eq!(effects(&machine.step(&["git", "commit", "-m", "."])), "commits");
}

#[test]
fn forced_files_and_lists_of_files_are_known() {
    let machine = Machine::on_branch();
    assert_eq!(effects(&machine.step(&["git", "add", "-f", "x"])), "stages stages-ignored");
    assert_eq!(effects(&machine.step(&["git", "add", "--forc", "x"])), "stages stages-ignored");
    assert_eq!(effects(&machine.step(&["git", "add", "-Af"])), "stages-all stages-ignored");
    machine.write("list", "a\nsrc/b\n");
    let step = machine.step(&["git", "add", "--pathspec-from-file=list"]);
    let names: Vec<String> = step.usage.stages.iter().map(|name| name.text.shown()).collect();
    assert_eq!((effects(&step).as_str(), names), ("stages", vec!["a".to_owned(), "src/b".to_owned()]));
    machine.write("list", ".\n");
    assert_eq!(effects(&machine.step(&["git", "add", "--pathspec-from-file", "list"])), "stages-all");
    assert!(machine.step(&["git", "add", "--pathspec-from-file=-"]).opaque.is_some());
}

proptest::proptest! {
    #[test]
    fn a_name_of_a_file_is_never_everything(name in "[a-z]{1,4}(/[a-z.]{1,4}){0,2}[a-z]", magic in "(:/|:\\(top\\)|\\./)?") {
        let machine = std::path::Path::new("/r");
        let world = Machine::empty();
        let here = Here { directory: Some(machine), root: Some(machine), world: &world };
        proptest::prop_assert_eq!(here.breadth(&Text::new(format!("{magic}{name}"))), Breadth::Some);
    }

    #[test]
    fn any_name_is_fine(name: String) {
        let world = Machine::empty();
        let here = Here { directory: Some(&world.path), root: Some(&world.path), world: &world };
        let breadth = here.breadth(&Text::new(name));
        proptest::prop_assert_ne!(breadth, Breadth::Unknown);
    }
}
