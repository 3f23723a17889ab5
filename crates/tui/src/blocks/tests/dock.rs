use std::time::Duration;

use insta::assert_snapshot;

use super::{at_widths, look, plain, styled};
use crate::blocks::{Context, Footer, Pending, Totals, Waiting, Working, count};

fn footer() -> Footer {
    Footer {
        path: "~/src/tau".into(),
        branch: Some("main".into()),
        session: Some("the parser".into()),
        totals: Totals {
            input: 12_345,
            output: 3_456,
            cache_read: 1_200_000,
            cache_write: 80_000,
            hit_rate: Some(91.25),
            cost: 0.1234,
            subscription: false,
        },
        context: Context { percent: Some(4.52), window: 200_000, auto_compact: true },
        provider: Some("anthropic".into()),
        model: "claude-sonnet".into(),
        routed: None,
        level: Some("high".into()),
        statuses: vec![("b".into(), "second".into()), ("a".into(), "first\nline".into())],
        status_line: None,
    }
}

fn shown(footer: &Footer, width: usize) -> String {
    plain(&footer.lines(&look().get(), width))
}

#[test]
fn the_footer_fits_at_every_width() {
    assert_snapshot!(at_widths(|width| footer().lines(&look().get(), width)));
    for width in 1..140 {
        let lines = footer().lines(&look().get(), width);
        assert!(lines.iter().all(|line| line.width() <= width), "{width}");
        assert!(width < 20 || lines[1].plain().contains("4.5%/200k"), "{width}: {}", lines[1].plain());
        assert!(width < 32 || lines[1].plain().contains("sonnet"), "{width}: {}", lines[1].plain());
    }
}

#[test]
fn the_footer_leaves_out_what_is_nothing() {
    let empty = Footer { path: "/".into(), model: "m".into(), ..Footer::default() };
    assert_eq!(shown(&empty, 30), "/\n?/0                          m\n");
    let off = Footer { level: Some("off".into()), routed: Some("m-2".into()), ..empty };
    assert_eq!(shown(&off, 40), "/\n?/0               m → m-2 • thinking off\n");
}

#[test]
fn a_full_context_stands_out() {
    let line = |percent| {
        let context = Context { percent: Some(percent), window: 1000, auto_compact: false };
        let footer = Footer { path: "/".into(), model: "m".into(), context, ..Footer::default() };
        styled(&footer.lines(&look().get(), 20)[1..])
    };
    assert_snapshot!([line(70.0), line(70.1), line(90.1)].concat());
}

#[test]
fn the_path_gives_way_to_the_branch() {
    let footer = Footer { path: "~/some/where/deep/below/tau".into(), ..footer() };
    let place = |width| footer.lines(&look().get(), width)[0].plain();
    assert_eq!(place(60), "~/some/where/deep/below/tau (main) • the parser");
    assert_eq!(place(40), "…/tau (main) • the parser");
    assert_eq!(place(20), "…/tau (main)");
    assert_eq!(place(8), "…/tau (…");
}

#[test]
fn lines_of_the_users_own_command_keep_their_colours() {
    let footer = Footer { status_line: Some("\x1b[32mok\x1b[0m 3\x1b[2J\n\nmore\n".into()), ..footer() };
    assert_eq!(
        styled(&footer.lines(&look().get(), 60)[3..]),
        "␛[32mok ␛[38;2;106;106;106m3␛[m\n␛[38;2;106;106;106mmore␛[m\n"
    );
}

#[test]
fn numbers_are_short() {
    let numbers = [0, 999, 1_000, 9_949, 9_999, 10_000, 999_499, 999_999, 1_000_000, 9_999_999, 12_345_678];
    let shown = ["0", "999", "1.0k", "9.9k", "10.0k", "10k", "999k", "1000k", "1.0M", "10.0M", "12M"];
    assert_eq!(numbers.map(count), shown);
}

#[test]
fn messages_that_wait_are_listed() {
    let pending = Pending {
        steering: vec!["look at the\ntests first, they say what is wanted".into()],
        follow_up: vec!["then commit\x1b[2J".into()],
        edit_key: "Alt+Up".into(),
        list_key: String::new(),
    };
    assert_snapshot!(at_widths(|width| pending.lines(&look().get(), width)));
    assert_eq!(Pending { edit_key: "Alt+Up".into(), ..Pending::default() }.lines(&look().get(), 30), []);
}

#[test]
fn a_prompt_that_waits_names_the_handler() {
    let mut waiting = Waiting { prompt: "fix it\nnow".into(), ..Waiting::default() };
    let show = |waiting: &Waiting| plain(&waiting.lines(&look().get(), 60));
    assert_eq!(show(&waiting), " > fix it now\n");
    waiting.handler = Some("guard (before_agent_start)".into());
    assert_eq!(show(&waiting), " > fix it now\n ↳ waiting for guard (before_agent_start)\n");
    waiting.waited = Duration::from_secs(7);
    waiting.handler = Some("guard".into());
    assert_eq!(show(&waiting), " > fix it now\n ↳ waiting for guard (7s)\n");
    waiting.skip_key = Some("escape".into());
    assert_eq!(show(&waiting), " > fix it now\n ↳ waiting for guard (7s), escape to continue without it\n");
}

#[test]
fn what_works_moves() {
    let look = look().get();
    let text = |working: &Working, frame| tau_view::ansi::strip(&working.text(&look, frame));
    let working = Working { message: "Working".into(), frames: None, hint: Some("escape to interrupt".into()) };
    assert_eq!(text(&working, 0), "⠋ Working (escape to interrupt)");
    assert_eq!(text(&working, 11), "⠙ Working (escape to interrupt)");
    assert_eq!(working.rule(&look, "border", 0, 50).plain(), "── ⠋ Working (escape to interrupt) ───────────────");
    assert_eq!(working.rule(&look, "border", 0, 20).plain(), "── ⠋ Working (esc… ─");
    assert_eq!(working.rule(&look, "border", 0, 4).plain(), "────");
    assert_eq!(working.line(&look, 0, 12).plain(), " ⠋ Working…");
    let own = Working { frames: Some(vec!["\x1b[31mo\x1b[2J".into(), "O".into()]), hint: None, ..working.clone() };
    assert_eq!((text(&own, 2), text(&own, 3)), ("o Working".to_owned(), "O Working".to_owned()));
    let still = Working { frames: Some(Vec::new()), hint: None, ..working };
    assert_eq!((text(&still, 5), still.moves()), ("Working".to_owned(), false));
}
