//! What this program does when it is started in a terminal.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tau_tui::terminal::input::{Event, Timing};
use tau_tui::terminal::{Answers, Incoming, Options, Question, Switch, Terminal, Wanted, restore_now};

const LONG: Duration = Duration::from_secs(60);

/// Nothing, when it is run as a test.
#[test]
fn plays() {
    let variable = |name| tau_sys::variable(name).map(PathBuf::from);
    let (Some(part), Some(folder)) = (variable("TAU_TUI_PART"), variable("TAU_TUI_FOLDER")) else { return };
    let say = move |name: &str, text: &str| {
        let (new, place) = (folder.join(format!("{name}.new")), folder.join(name));
        fs::write(&new, format!("{text}\n")).and_then(|()| fs::rename(new, place)).expect("said");
    };
    say("pid", &std::process::id().to_string());
    let part = part.to_string_lossy().into_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match part.as_str() {
        "keys" => runtime.block_on(keys(&say)),
        "hook" => {
            std::panic::set_hook(Box::new(|_| {
                restore_now();
                std::process::abort();
            }));
            runtime.block_on(keys(&say));
        }
        "signal" | "flood" => {
            let terminal = runtime.block_on(async { taken() });
            terminal.set_below("[below]");
            ends_by_signal();
            if part == "flood" {
                loop {
                    terminal.writer().commit("flood ");
                    terminal.writer().flush(LONG);
                }
            }
            terminal.writer().commit("[taken]");
            // It does nothing else any more.
            loop {
                std::thread::park();
            }
        }
        "ticks" => runtime.block_on(ticks(&say)),
        "background-close" | "background-restore" => {
            let terminal = runtime.block_on(async { taken() });
            terminal.writer().commit("[taken]");
            while !tau_sys::terminal::is_in_background(io::stdin()) {
                std::thread::yield_now();
            }
            match part.as_str() {
                "background-close" => runtime.block_on(terminal.close(Duration::from_millis(20))),
                _ => assert!(!restore_now()),
            }
            say("ended", "");
            std::process::exit(0);
        }
        "stalled" | "stalled-panic" => {
            let terminal = runtime.block_on(async { taken() });
            terminal.writer().commit(vec![b'x'; 10_000_000]);
            while !terminal.writer().is_stalled() {
                std::thread::yield_now();
            }
            match part.as_str() {
                "stalled" => runtime.block_on(terminal.close(Duration::from_millis(20))),
                _ => {
                    assert!(restore_now());
                    drop(terminal);
                }
            }
            say("ended", "");
            // What libtest says would wait for the terminal.
            std::process::exit(0);
        }
        other => panic!("no such part: {other}"),
    }
}

fn taken() -> Terminal {
    let switches = vec![Switch::Title, Switch::Paste, Switch::Focus, Switch::Keyboard, Switch::NoCursor];
    let wanted = Wanted { switches, questions: vec![Question::Keyboard, Question::Background] };
    let options =
        Options { wanted, timing: Timing::default(), known: Answers::default(), variable: Arc::new(|_: &str| None) };
    Terminal::take(io::stdin(), io::stdout(), options).expect("a terminal")
}

/// Puts the terminal back and ends, on a thread of its own.
fn ends_by_signal() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let number = runtime.block_on(async { tau_sys::signals::endings().expect("signals").next().await });
        restore_now();
        std::process::exit(128 + i32::from(number));
    });
    // The signal must not come before it is awaited.
    while !fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & (1 << 14) != 0)
    }) {
        std::thread::yield_now();
    }
}

async fn keys(say: &impl Fn(&str, &str)) {
    let mut terminal = taken();
    terminal.set_below("[below]");
    terminal.writer().commit("[taken]");
    loop {
        let incoming = terminal.next().await;
        let text = match incoming {
            Incoming::Event(Event::End(end)) => {
                say("end", &end.to_string());
                return terminal.close(LONG).await;
            }
            Incoming::Event(Event::Key(key)) => match key.as_str() {
                "q" => return terminal.close(LONG).await,
                "p" => panic!("as it was asked to"),
                "\x1a" => {
                    terminal.suspend().await.expect("stopped");
                    continue;
                }
                "e" => {
                    let ended = lend(&mut terminal).await;
                    format!("[lent {ended:?}]")
                }
                key => format!("[key {key}]"),
            },
            Incoming::Event(_) => continue,
            Incoming::Answered { differs } => {
                let answers = terminal.answers();
                let light = answers
                    .background
                    .is_some_and(|background| background.appearance() == tau_view::theme::Appearance::Light);
                format!("[kitty {:?} light {light} differs {differs}]", answers.kitty)
            }
            Incoming::Resized(size) => format!("[resized {}x{}]", size.columns, size.rows),
            Incoming::Suspend => {
                terminal.suspend().await.expect("stopped");
                continue;
            }
            Incoming::Continued => "[continued]".to_owned(),
        };
        terminal.writer().commit(text);
    }
}

async fn lend(terminal: &mut Terminal) -> Option<i32> {
    let script = "stty -a | grep -q -- ' icanon' && echo '[cooked]'; echo '[child]'; read line; \
                  echo \"[child read $line]\"; stty raw -echo";
    let program = async {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]);
        let mut child = tau_sys::process::GroupChild::spawn(command, tau_sys::process::Place::Ours).expect("a program");
        child.wait().await.expect("its status").code()
    };
    let writer = terminal.writer().clone();
    terminal
        .lend(async {
            let code = program.await;
            writer.commit("[meanwhile]");
            code
        })
        .await
}

async fn ticks(say: &impl Fn(&str, &str)) {
    let mut terminal = taken();
    for tick in 0_u64.. {
        // What waits meanwhile is not more than one.
        if terminal.writer().frame("tick ") {
            say("shown", &tick.to_string());
        }
        say("ticks", &tick.to_string());
        let next = tokio::time::timeout(Duration::from_millis(1), terminal.next());
        drop(next.await);
    }
}
