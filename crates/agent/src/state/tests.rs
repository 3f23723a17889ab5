use std::collections::BTreeMap;

use tempfile::TempDir;

use super::*;

type Numbers = BTreeMap<String, u32>;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn nothing_is_there_before_something_is_written_and_only_the_user_can_read_it() {
    let dir = TempDir::new().expect("a folder");
    let state = StateDir::of_project(dir.path(), &dir.path().join("my project"));
    let file = state.file::<Numbers>("numbers");
    assert_eq!(file.read(), Ok(Numbers::new()));
    assert_eq!(file.update(|_| {}), Ok(Numbers::new()));
    assert!(!file.path().exists());
    // Somebody was careless.
    fs::set_permissions(dir.path().join("tau"), Permissions::from_mode(0o755)).expect("permissions");
    let one = Numbers::from([("one".to_owned(), 1)]);
    assert_eq!(file.update(|numbers| numbers.extend([("one".to_owned(), 1)])), Ok(one.clone()));
    assert_eq!(file.read(), Ok(one));
    assert_eq!(mode(file.path()), 0o600);
    for folder in [dir.path().join("tau"), dir.path().join("tau/projects"), state.path().to_path_buf()] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    let left: Vec<_> = fs::read_dir(state.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "neither a lock nor a temporary file: {left:?}");
}

#[test]
fn a_project_has_one_state_under_all_its_names() {
    let dir = TempDir::new().expect("a folder");
    let (one, other) = (dir.path().join("a/app"), dir.path().join("b/app"));
    for folder in [&one, &other] {
        fs::create_dir_all(folder).expect("a folder");
    }
    std::os::unix::fs::symlink(&one, dir.path().join("link")).expect("a link");
    let of = |folder: &Path| StateDir::of_project(dir.path(), folder);
    assert_eq!(of(&one), of(&dir.path().join("link")));
    assert_ne!(of(&one), of(&other));
    let name = of(&one).path().file_name().map(|name| name.to_string_lossy().into_owned());
    assert!(name.is_some_and(|name| name.starts_with("app-")));
    assert_eq!(StateDir::of_user(dir.path()).path(), dir.path().join("tau"));
}

#[test]
fn a_damaged_file_is_an_error_and_stays_until_it_is_set_aside() {
    let dir = TempDir::new().expect("a folder");
    let file = StateDir::of_user(dir.path()).file::<Numbers>("numbers");
    fs::create_dir(dir.path().join("tau")).expect("a folder");
    for text in ["", "{", "[]", "{\"one\": \"1\"}"] {
        fs::write(file.path(), text).expect("a file");
        assert!(matches!(file.read(), Err(StateError::Malformed { .. })), "{text}");
        assert!(file.update(|numbers| numbers.clear()).is_err(), "{text}");
        assert_eq!(fs::read_to_string(file.path()).expect("a file"), text);
    }
    let aside = file.set_aside().expect("it can be moved");
    assert_eq!((file.read(), aside.exists()), (Ok(Numbers::new()), true));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let dir = TempDir::new().expect("a folder");
    let file = StateDir::of_user(dir.path()).file::<Numbers>("numbers");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let file = file.clone();
            scope.spawn(move || {
                for number in 0..5 {
                    let change = |numbers: &mut Numbers| numbers.extend([(format!("{writer}.{number}"), number)]);
                    file.update(change).expect("it can be written");
                }
            });
        }
    });
    assert_eq!(file.read().expect("numbers").len(), 20);
}
