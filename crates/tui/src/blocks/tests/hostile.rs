//! Whatever the data is, at whatever width: lines that fit, with nothing in them that a terminal obeys.

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::look;
use crate::blocks::{
    Blocked, Context, Custom, EndNote, FailedHandler, Footer, Group, Kind, Listing, Message, Note, NoteKind, Pending,
    Places, Section, Skill, Slow, Summary, SummaryKind, Tool, ToolView, Totals, User, UserCommand, Waiting, Working,
    earlier_messages,
};
use crate::screen::{Content, Line};

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => "[ -~\t\n\r]{0,8}",
        2 => any::<String>(),
        1 => Just("\x1b[2J\x1b[31m".to_owned()),
        1 => Just("\x1b]0;x\x07\u{9b}5A\u{202e}".to_owned()),
        1 => Just("你好👩\u{200d}👩e\u{301}\u{301}".to_owned()),
        1 => Just("```rs\n| a | b |\n|---|---|\n- x\n".to_owned()),
        1 => Just("\n\n[cut]\n\nCommand exited with code 1".to_owned()),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("path"),
        Just("command"),
        Just("content"),
        Just("edits"),
        Just("oldText"),
        Just("newText"),
        Just("pattern"),
        Just("details"),
        Just("diff"),
        Just("truncation"),
        Just("truncated"),
        Just("type"),
        Just("text"),
        Just("limit"),
        Just("offset"),
        Just("timeout"),
        Just("outputLines"),
        Just("totalLines"),
        Just("maxBytes"),
        Just("\x1b[2J"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, move |inner| {
        let object = vec((key.clone(), inner.clone()), 0..6).prop_map(|fields| {
            Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
        });
        prop_oneof![vec(inner, 0..4).prop_map(Value::Array), object]
    })
}

fn tool() -> impl Strategy<Value = ToolView> {
    let name = prop_oneof![
        4 => prop_oneof![Just("bash"), Just("codemode"), Just("read"), Just("write"), Just("edit"), Just("grep"), Just("find"), Just("ls")]
            .prop_map(str::to_owned),
        1 => text(),
    ];
    let value = || proptest::option::of(json().prop_map(Arc::new));
    let data = (name, json(), value(), value(), proptest::option::of(text()));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (data, flags, text(), text()).prop_map(|(data, flags, one, other)| {
        let (name, args, partial, result, preview) = data;
        let (args_complete, started, is_error, expanded, special) = flags;
        ToolView {
            args: Arc::new(args),
            args_complete,
            started,
            partial,
            result,
            is_error,
            expanded,
            preview,
            expand_key: other.clone(),
            places: Places { cwd: Some(one.clone()), home: Some(other.clone()) },
            blocked: special.then(|| Blocked { by: one.clone(), reason: other.clone() }),
            slow: special.then(|| Slow { handler: other.clone(), waited: Duration::MAX, waiting: started }),
            failed: vec![FailedHandler { handler: one.clone(), reason: other.clone() }],
            duration: special.then_some(Duration::MAX),
            label: special.then_some(one),
            ..ToolView::new(name)
        }
    })
}

fn check(lines: &[Line], width: usize) -> Result<(), TestCaseError> {
    for line in lines {
        prop_assert!(line.width() <= width, "{line:?} at {width}");
        let plain = line.plain();
        prop_assert!(!plain.chars().any(char::is_control), "{plain:?}");
        let reorders = |ch| matches!(ch, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        prop_assert!(!plain.chars().any(reorders), "{plain:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tools(view in tool(), width in 1usize..50) {
        let tool = Tool::new(look(), view);
        check(&tool.lines(width), width)?;
        tool.estimate(width);
    }

    #[test]
    fn texts(one in text(), other in text(), expanded: bool, width in 1usize..50) {
        let kind = SummaryKind::Compaction { tokens: u64::MAX };
        let command = UserCommand { output: other.clone(), expanded, ..UserCommand::new(look(), one.clone(), expanded) };
        let group = Group { name: other.clone(), items: vec![one.clone(), other.clone()] };
        let sections = vec![Section { title: one.clone(), groups: vec![group], wrong: !expanded }];
        let contents: [Box<dyn Content>; 10] = [
            Box::new(Message::new(look(), Kind::Answer, &one)),
            Box::new(Message::new(look(), Kind::Thinking, &one)),
            Box::new(User::new(look(), &one)),
            Box::new(Custom::new(look(), other.clone(), &one)),
            Box::new(Skill::new(look(), &other, &one, expanded, &other)),
            Box::new(Summary::new(look(), kind, &one, expanded, &other)),
            Box::new(Note::new(look(), NoteKind::Error, one.clone())),
            Box::new(EndNote::Failed(one).content(look())),
            Box::new(command),
            Box::new(Listing { look: look(), sections, expanded }),
        ];
        for content in contents {
            check(&content.lines(width), width)?;
            content.estimate(width);
        }
    }

    #[test]
    fn docks(texts in vec(text(), 4), numbers: [u64; 5], percent: Option<f64>, width in 1usize..60) {
        let look = look().get();
        let [one, two, three, four] = texts.try_into().expect("four");
        let totals = Totals {
            input: numbers[0], output: numbers[1], cache_read: numbers[2], cache_write: numbers[3],
            hit_rate: percent, cost: percent.unwrap_or(1.0), subscription: numbers[0] % 2 == 0,
        };
        let footer = Footer {
            path: one.clone(), branch: Some(two.clone()), session: Some(three.clone()), totals,
            context: Context { percent, window: numbers[4], auto_compact: true },
            provider: Some(two.clone()), model: three.clone(), routed: Some(four.clone()), level: Some(one.clone()),
            statuses: vec![(one.clone(), two.clone()), (three.clone(), four.clone())], status_line: Some(four.clone()),
        };
        check(&footer.lines(&look, width), width)?;
        let pending = Pending { steering: vec![one.clone()], follow_up: vec![two.clone()], edit_key: three.clone(), list_key: three.clone() };
        check(&pending.lines(&look, width), width)?;
        let waiting = Waiting { prompt: one.clone(), handler: Some(two.clone()), waited: Duration::MAX, skip_key: Some(one.clone()) };
        check(&waiting.lines(&look, width), width)?;
        let working = Working { message: one.clone(), frames: Some(vec![two]), hint: Some(three) };
        check(&[working.line(&look, 3, width), working.rule(&look, "border", 3, width)], width)?;
        check(&[earlier_messages(&look, usize::MAX, &one, width)], width)?;
    }
}
