//! Shipped rules about what destroys something, or runs as somebody else.

use std::os::unix::fs::symlink;

use crate::shipped::check;
use crate::support::Scene;

#[test]
fn deleting_folders_asks_in_every_spelling() {
    check(
        &Scene::new(),
        &[
            ("rm -rf x", "rm-recursive: ask"),
            ("rm -fr x", "rm-recursive: ask"),
            ("rm -f -r x", "rm-recursive: ask"),
            ("rm -R x", "rm-recursive: ask"),
            ("rm x -rf", "rm-recursive: ask"),
            ("rm -v --recursive x", "rm-recursive: ask"),
            ("rm --rec x", "rm-recursive: ask"),
            ("rm --no-preserve-root -rf /", "rm-recursive: ask"),
            ("/bin/rm -rf x", "rm-recursive: ask"),
            ("rm $x", ""),
            ("rm -$x y", "rm-recursive: ask"),
            ("rm $@", "rm-recursive: ask"),
            ("rm -- -rf", ""),
            ("rm -f x", ""),
            ("rm x", ""),
            ("rm *.o", ""),
            ("rm -f a$x", ""),
            ("echo rm -rf x", ""),
            ("grep rm -rf x", ""),
        ],
    );
}

#[test]
fn temporary_files_may_be_deleted() {
    let scene = Scene::new();
    symlink("/etc", scene.project().join(".pi/tmp/link")).expect("a link");
    check(
        &scene,
        &[
            ("rm -rf .pi/tmp/x", ""),
            ("rm -rf .pi/tmp/*", ""),
            ("rm -rf /tmp/some-folder-that-is-not-there", ""),
            ("rm -rf /tmp/x-that-is-not-there/a .pi/tmp", ""),
            ("rm -rf /tmp", "rm-recursive: ask"),
            ("rm -rf /tmp/", "rm-recursive: ask"),
            ("rm -rf /tmp/../etc", "rm-recursive: ask"),
            ("rm -rf .pi/tmp/../../src", "rm-recursive: ask"),
            ("rm -rf .pi/tmp/link/x", "rm-recursive: ask"),
            ("rm -rf .pi/tmp/.*", "rm-recursive: ask"),
            ("rm -rf .pi/tmp/x src", "rm-recursive: ask"),
            ("rm -rf /tmp/x-that-is-not-there $y", "rm-recursive: ask"),
            ("rm -rf /tmp/$x", "rm-recursive: ask"),
            ("<elsewhere:ssh> rm -rf /tmp/x", "rm-recursive: ask"),
        ],
    );
    // The project itself lies below /tmp here.
    let project = format!("rm -rf {}", scene.project().display());
    assert_eq!(scene.says(&project), "rm-recursive: ask");
    assert_eq!(scene.says(&format!("rm -rf {}", scene.root().display())), "rm-recursive: ask");
}

#[test]
fn a_link_in_place_of_the_folder_makes_nothing_temporary() {
    let scene = Scene::new();
    std::fs::remove_dir(scene.project().join(".pi/tmp")).expect("a folder");
    symlink(scene.project().join("src"), scene.project().join(".pi/tmp")).expect("a link");
    check(&scene, &[("rm -rf .pi/tmp/x", "rm-recursive: ask"), ("mktemp -p .pi/tmp", "mktemp: block")]);
}

#[test]
fn other_users_ask() {
    check(
        &Scene::new(),
        &[
            ("sudo ls", "sudo: ask"),
            ("doas ls", "sudo: ask"),
            ("/usr/bin/su -", "sudo: ask"),
            ("pkexec ls", "sudo: ask"),
            ("run0 ls", "sudo: ask"),
            ("grep sudo f", ""),
            ("echo use sudo", ""),
            ("sudoku", ""),
        ],
    );
}

#[test]
fn modes_that_let_anyone_write_ask() {
    check(
        &Scene::new(),
        &[
            ("chmod 777 x", "chmod-777: ask"),
            ("chmod 0777 x", "chmod-777: ask"),
            ("chmod -R 1777 x", "chmod-777: ask"),
            ("chmod a+rwx x", "chmod-777: ask"),
            ("chmod ugo+rwx x", "chmod-777: ask"),
            ("chmod a=rwx x", "chmod-777: ask"),
            ("chmod o+w x", "chmod-777: ask"),
            ("chmod $m x", "chmod-777: ask"),
            ("chown 777 x", "chmod-777: ask"),
            ("mkdir -m 777 x", "chmod-777: ask"),
            ("install -m777 a b", "chmod-777: ask"),
            ("chmod 755 x", ""),
            ("chmod +x x", ""),
            ("chmod u+w x", ""),
            ("chmod u=rwx,go=rx x", ""),
            ("chmod 644 777", ""),
        ],
    );
}

#[test]
fn devices_and_file_systems_ask() {
    check(
        &Scene::new(),
        &[
            ("mkfs /dev/sda1", "mkfs: ask, device: ask"),
            ("mkfs.ext4 image", "mkfs: ask"),
            ("dd if=image of=/dev/sda", "device: ask"),
            ("dd if=/dev/zero of=image", ""),
            ("dd if=x of=/dev/null", ""),
            ("tee /dev/sda", "device: ask"),
            ("echo x >/dev/sda", "device: ask"),
            ("echo x >/dev/null", ""),
            ("echo x >/dev/stderr", ""),
            ("cat /dev/sda", ""),
            ("cp image /dev/nvme0n1", "device: ask"),
            ("<elsewhere:ssh> dd of=/dev/sda", "device: ask"),
        ],
    );
}

#[test]
fn other_ways_to_lose_files_ask() {
    check(
        &Scene::new(),
        &[
            ("find . -delete", "find-delete: ask"),
            ("find . -name x", ""),
            ("find . -exec rm {} +", "find-delete: ask"),
            ("<wrapper:find> rm $@", "rm-recursive: ask, find-delete: ask"),
            ("<wrapper:fd> rm -f x", "find-delete: ask"),
            ("<wrapper:xargs> rm -f x", "xargs-rm: ask"),
            ("<wrapper:xargs> ls", ""),
            ("shred x", "shred: ask"),
            ("truncate -s 0 x", "shred: ask"),
            ("truncate -s 0 .pi/tmp/x", ""),
            ("mv x /dev/null", "mv-null: ask"),
            ("mv x y", ""),
        ],
    );
}
