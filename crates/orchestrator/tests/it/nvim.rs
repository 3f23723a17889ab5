//! Changed files in the quickfix list of a Neovim, which here is a socket that answers what a test wants.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tau_agent::Prompted;
use tau_agent_testkit::World;
use tau_hooks::Mode;
use tau_hooks::dialogs::NotifyLevel;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener};

use crate::screen::{first, notices};
use crate::world::{load, provide};

const COMMAND: &str = "/nvim-changed-files";

/// A session inside of the Neovim at this address.
fn inside(world: World, address: Option<&str>) -> World {
    let mut world = match address {
        Some(address) => world.with_var("NVIM", address),
        None => world,
    };
    world.mode = Mode::Rpc;
    provide(&world);
    load(&world, &["nvim"]);
    world
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments);
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    let done = command.output().expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with a branch of the remote, and three files that differ from it; one of them is gone.
fn repository(folder: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch=main", "."]);
    for name in ["a", "gone"] {
        std::fs::write(folder.join(name), "1\n2\n3\n").expect("a file");
    }
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "first"]);
    git(folder, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    std::fs::write(folder.join("a"), "1\ntwo\n3\n").expect("a file");
    git(folder, &["commit", "--quiet", "--all", "--message", "second"]);
    std::fs::write(folder.join("'); os.exit() --"), "new\n").expect("a file");
    std::fs::remove_file(folder.join("gone")).expect("a file");
}

/// The end of every request that lists files.
const END: &[u8] = b"changed since origin/main";

/// Takes one request and answers with these pieces; gives the request.
async fn serve(listener: UnixListener, pieces: Vec<Vec<u8>>) -> Vec<u8> {
    let (mut stream, _) = listener.accept().await.expect("a client");
    let mut request = Vec::new();
    while !request.ends_with(END) {
        assert_ne!(stream.read_buf(&mut request).await.expect("a request"), 0);
    }
    for piece in pieces {
        stream.write_all(&piece).await.expect("a client");
        stream.flush().await.expect("a client");
        tokio::task::yield_now().await;
    }
    request
}

/// The message `[1, 1, nil, count]`.
fn taken(count: u8) -> Vec<u8> {
    vec![0x94, 1, 1, 0xc0, count]
}

fn has(request: &[u8], part: &[u8]) -> bool {
    request.windows(part.len()).any(|found| found == part)
}

/// What the user reads when Neovim answers this.
async fn told_after(pieces: Vec<Vec<u8>>) -> (NotifyLevel, String, Vec<u8>) {
    let world = World::new(json!([]));
    let socket = world.home.root().join("nvim.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    repository(&world.home.cwd());
    let world = inside(world, socket.to_str());
    let told = notices(&world);
    let running = world.start().await;
    let server = tokio::spawn(serve(listener, pieces));
    assert_eq!(running.say(COMMAND).await, Prompted::Command { failed: false });
    let (level, text) = first(&told).await;
    assert_eq!(told.all().len(), 1);
    (level, text, server.await.expect("a server"))
}

#[tokio::test]
async fn changed_files_are_listed_with_their_lines() {
    // A notification comes first: `[2, "redraw", []]`. Then the answer, byte by byte.
    let notification = [&[0x93, 2, 0xa6][..], b"redraw", &[0x90]].concat();
    let mut pieces = vec![notification];
    pieces.extend(taken(2).iter().map(|byte| vec![*byte]));
    let (level, text, request) = told_after(pieces).await;
    assert_eq!(level, NotifyLevel::Info, "{text}");
    assert_eq!(
        text,
        "2 files are in the quickfix list of Neovim, changed since origin/main. 1 file is left out that is deleted or no \
         plain file."
    );
    assert!(has(&request, b"nvim_exec_lua"));
    // Names are values of their own, behind the code that is always the same.
    assert!(has(&request, b"/a\xa4lnum\x02") && has(&request, b"/'); os.exit() --\xa4lnum\x01"), "{request:?}");
    let code = b"local items, title = ...\nvim.fn.setqflist({}, ' ', { title = title, items = items })\n\
                 vim.cmd('botright copen')\nreturn #items\x92";
    assert!(has(&request, code));
}

#[tokio::test]
async fn what_goes_wrong_is_told() {
    let refused = [&[0x94, 1, 1, 0x92, 0, 0xa5][..], b"E42: ", &[0xc0]].concat();
    for (pieces, wanted) in [
        (vec![refused], "it answered with an error: E42: "),
        (vec![b"HTTP/1.1 400\r\n".to_vec()], "no msgpack-RPC"),
        (vec![vec![0x94, 1, 1]], "the connection ended before the answer"),
        (vec![vec![0xc1]], "the byte 0xc1 begins no value"),
        (vec![taken(1)], "did not take all files: it answered Count(1)"),
        (vec![[&[0x94, 1, 1, 0xa5][..], b"\x1b[2Jx", &[0xc0]].concat()], "it answered with an error: x"),
    ] {
        let (level, text, _) = told_after(pieces).await;
        assert!(level == NotifyLevel::Error && text.contains(wanted) && text.contains("nvim.sock"), "{wanted}: {text}");
    }
}

#[tokio::test]
async fn without_a_neovim_a_repository_or_changes_there_is_a_notice() {
    let world = inside(World::new(json!([])), Some("/nowhere/nvim.sock"));
    let told = notices(&world);
    let running = world.start().await;
    for (prepare, level, wanted) in [
        ("", NotifyLevel::Error, "is in no git repository"),
        ("repository", NotifyLevel::Error, "Neovim at /nowhere/nvim.sock: nobody answers"),
        ("commit", NotifyLevel::Info, "No file has changed since HEAD."),
    ] {
        let folder = world.home.cwd();
        match prepare {
            "repository" => repository(&folder),
            "commit" => {
                git(&folder, &["update-ref", "-d", "refs/remotes/origin/main"]);
                git(&folder, &["add", "--all"]);
                git(&folder, &["commit", "--quiet", "--message", "third"]);
            }
            _ => {}
        }
        running.say(COMMAND).await;
        let (found, text) = first(&told).await;
        assert!(found == level && text.contains(wanted), "{wanted}: {text}");
        told.take();
    }
}

#[tokio::test]
async fn the_branch_that_is_followed_counts_where_the_remote_has_no_usual_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let world = inside(World::new(json!([])), Some(&address));
    let folder = world.home.cwd();
    repository(&folder);
    git(&folder, &["update-ref", "refs/remotes/origin/trunk", "refs/remotes/origin/main"]);
    git(&folder, &["update-ref", "-d", "refs/remotes/origin/main"]);
    git(&folder, &["remote", "add", "origin", "https://example.org/x.git"]);
    git(&folder, &["branch", "--quiet", "--set-upstream-to=origin/trunk"]);
    let told = notices(&world);
    let running = world.start().await;
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let mut request = Vec::new();
        while !request.ends_with(b"changed since origin/trunk") {
            assert_ne!(stream.read_buf(&mut request).await.expect("a request"), 0);
        }
        stream.write_all(&taken(2)).await.expect("a client");
    });
    running.say(COMMAND).await;
    server.await.expect("a server");
    assert!(first(&told).await.1.contains("changed since origin/trunk"));
}

#[tokio::test]
async fn a_neovim_that_does_not_answer_is_not_waited_for() {
    let world = World::new(json!([])).with_own_timers();
    let socket = world.home.root().join("nvim.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    repository(&world.home.cwd());
    let world = inside(world, socket.to_str());
    let told = notices(&world);
    let running = world.start().await;
    let command = running.say_later(COMMAND);
    let (mut stream, _) = listener.accept().await.expect("a client");
    let mut request = Vec::new();
    while !request.ends_with(END) {
        assert_ne!(stream.read_buf(&mut request).await.expect("a request"), 0);
    }
    world.timers.as_ref().expect("timers").notify_waiters();
    let (level, text) = first(&told).await;
    assert!(level == NotifyLevel::Error && text.contains("did not answer within 30 seconds"), "{text}");
    command.await.expect("a task").expect("a command");
    assert_eq!(stream.read(&mut [0; 1]).await.expect("an end"), 0, "the connection is closed");
}

#[tokio::test]
async fn outside_of_a_neovim_there_is_no_command() {
    for address in [None, Some("")] {
        let world = inside(World::new(json!([])), address);
        assert!(world.hooks.commands().is_empty());
        assert_eq!(world.hooks.extensions().len(), 1);
    }
    assert_eq!(inside(World::new(json!([])), Some("/x")).hooks.commands().len(), 1);
}

#[tokio::test]
async fn for_one_answer_what_there_is_to_say_is_a_report() {
    let mut world = inside(World::new(json!([])), Some("/nowhere/nvim.sock"));
    world.mode = Mode::Print;
    let running = world.start().await;
    assert_eq!(running.say(COMMAND).await, Prompted::Command { failed: true });
    git(&world.home.cwd(), &["init", "--quiet", "--initial-branch=main", "."]);
    git(&world.home.cwd(), &["commit", "--quiet", "--allow-empty", "--message", "first"]);
    assert_eq!(running.say(COMMAND).await, Prompted::Command { failed: false });
    let reports = world.reports.all();
    assert!(reports.last().is_some_and(|report| report.2.contains("No file has changed")), "{reports:?}");
}
