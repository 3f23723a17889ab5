//! Whatever tools call, in whatever way: events keep their order.

use std::collections::HashMap;

use futures_util::future::join_all;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use tau_hooks::Registrar;
use tau_hooks::events::{ToolCall, ToolExecutionEnd, ToolExecutionStart};
use tau_hooks::payload::ToolCallResult;
use tau_tools::{ExecutionMode, Invocation, NestedCall, ToolFailure, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

use super::{record, trace};
use crate::common::tools::spec;
use crate::common::{Log, World, calls};

/// A call and the calls it makes.
#[derive(Debug, Clone)]
struct Plan {
    /// No other sequential call may run beside it.
    alone: bool,
    /// How its calls are made.
    making: Making,
    children: Vec<Plan>,
    ending: Ending,
    /// A gate blocks it.
    blocked: bool,
    /// Its caller cancels it after this many turns.
    cancelled: Option<u8>,
    /// How long its gate thinks and it works, in turns.
    turns: u8,
}

#[derive(Debug, Clone, Copy)]
enum Making {
    OneByOne,
    AtOnce,
    /// It returns without waiting for them.
    Left,
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Fine,
    Fails,
    Crashes,
}

impl Plan {
    fn name(&self) -> &'static str {
        if self.alone { "alone" } else { "node" }
    }

    fn to_json(&self) -> Value {
        json!({
            "making": match self.making { Making::OneByOne => "one by one", Making::AtOnce => "at once", Making::Left => "left" },
            "children": self.children.iter().map(|child| json!([child.name(), child.to_json(), child.cancelled])).collect::<Vec<_>>(),
            "ending": match self.ending { Ending::Fine => "fine", Ending::Fails => "fails", Ending::Crashes => "crashes" },
            "blocked": self.blocked,
            "turns": self.turns,
        })
    }

    /// Nothing of it is cancelled.
    fn is_calm(&self) -> bool {
        let left = matches!(self.making, Making::Left);
        !left && self.cancelled.is_none() && self.children.iter().all(Self::is_calm)
    }

    fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    let making = prop_oneof![1 => Just(Making::OneByOne), 2 => Just(Making::AtOnce), 1 => Just(Making::Left)];
    let ending = prop_oneof![4 => Just(Ending::Fine), 1 => Just(Ending::Fails), 1 => Just(Ending::Crashes)];
    let often = |percent: u32| prop::bool::weighted(f64::from(percent) / 100.0);
    let node = (often(25), making, ending, often(15), option::weighted(0.15, 0..12u8), 0..6u8);
    let node = node.boxed();
    let leaf = node.clone().prop_map(|node| with(node, Vec::new()));
    leaf.prop_recursive(3, 24, 4, move |inner| {
        (node.clone(), vec(inner, 0..4)).prop_map(|(node, children)| with(node, children))
    })
}

type Node = (bool, Making, Ending, bool, Option<u8>, u8);

fn with((alone, making, ending, blocked, cancelled, turns): Node, children: Vec<Plan>) -> Plan {
    Plan { alone, making, children, ending, blocked, cancelled, turns }
}

async fn pause(turns: &Value) {
    for _ in 0..turns.as_u64().unwrap_or_default() {
        tokio::task::yield_now().await;
    }
}

/// What happened, in order.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// A tool asked for this call.
    Made(String),
    Started(String),
    Asked(String),
    Answered(String),
    Ended(String),
}

/// A tool that does what its arguments say.
fn node(registrar: &mut Registrar, name: &str, execution_mode: ExecutionMode, steps: &Log<Step>) {
    let steps = steps.clone();
    let spec = ToolSpec { execution_mode, parameters: json!({"type": "object"}), ..spec(name) };
    registrar.tool(spec, move |invocation: Invocation, ctx| {
        let steps = steps.clone();
        async move {
            let plan = invocation.args;
            pause(&plan["turns"]).await;
            let mut made = 0;
            let mut make = |child: &Value| {
                made += 1;
                let cancel = CancellationToken::new();
                if child[2].is_u64() {
                    let (cancel, turns) = (cancel.clone(), child[2].clone());
                    tokio::spawn(async move {
                        pause(&turns).await;
                        cancel.cancel();
                    });
                }
                let call = NestedCall::new(child[0].as_str().expect("a name"), child[1].clone());
                steps.push(Step::Made(format!("{}/{made}", invocation.id)));
                ctx.execute_tool(NestedCall { cancel, ..call })
            };
            let children = plan["children"].as_array().expect("children");
            match plan["making"].as_str().expect("a way") {
                "one by one" => {
                    for child in children {
                        make(child).await;
                    }
                }
                "at once" => drop(join_all(children.iter().map(make)).await),
                _ => children.iter().map(make).for_each(|answer| drop(tokio::spawn(answer))),
            }
            match plan["ending"].as_str().expect("an ending") {
                "fine" => Ok(ToolOutput::text("fine")),
                "fails" => Err(ToolFailure::new("it failed")),
                _ => panic!("it crashed"),
            }
        }
    });
}

/// Plays a plan; what happened, the events that front ends were told of, and the record of the message.
async fn play(plan: &Plan, setting: Option<&str>, abort_at: Option<usize>) -> (Vec<Step>, Vec<Value>, Value) {
    let settings = setting.map_or(json!({}), |how| json!({"tau": {"toolExecution": how}}));
    let world = World::new(json!([calls([("c", plan.name(), plan.to_json())]), "Done."])).settings(settings);
    let steps: Log<Step> = Log::default();
    world.extend("tools", |registrar| {
        node(registrar, "node", ExecutionMode::Parallel, &steps);
        node(registrar, "alone", ExecutionMode::Sequential, &steps);
    });
    world.extend("gate", |registrar| {
        let log = steps.clone();
        registrar.on::<ToolCall>(move |call, ctx| {
            let steps = log.clone();
            async move {
                steps.push(Step::Asked(call.tool_call_id.clone()));
                let asked = steps.all().iter().filter(|step| matches!(step, Step::Asked(_))).count();
                if abort_at == Some(asked) {
                    ctx.host().abort();
                }
                pause(&call.input["turns"]).await;
                steps.push(Step::Answered(call.tool_call_id.clone()));
                (call.input["blocked"] == true).then(|| ToolCallResult::block("no"))
            }
        });
        let log = steps.clone();
        registrar.on::<ToolExecutionStart>(move |start, _| {
            log.push(Step::Started(start.tool_call_id));
            std::future::ready(())
        });
        let log = steps.clone();
        registrar.on::<ToolExecutionEnd>(move |end, _| {
            log.push(Step::Ended(end.tool_call_id));
            std::future::ready(())
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let record = record(&running);
    (steps.all(), running.events.all(), record)
}

/// One end for each start, and a call ends before the one that made it.
/// With `alone`, no call starts beside another but those that it is a part of.
fn check_ends<'a>(told: impl Iterator<Item = (bool, &'a str)>, alone: bool) -> Result<usize, TestCaseError> {
    let mut open: HashMap<&str, bool> = HashMap::new();
    for (starts, id) in told {
        if starts {
            prop_assert!(open.insert(id, true).is_none(), "{id} starts twice");
            if let Some((parent, _)) = id.rsplit_once('/') {
                prop_assert_eq!(open.get(parent), Some(&true), "{} starts outside of its caller", id);
                let above = |other: &str| other == id || id.starts_with(&format!("{other}/"));
                let beside = open.iter().find(|(other, is_open)| **is_open && !above(other));
                prop_assert!(!alone || beside.is_none(), "{id} starts beside {beside:?}");
            }
        } else {
            prop_assert_eq!(open.insert(id, false), Some(true), "{} ends without a start", id);
            let mut within = open.iter().filter(|(other, is_open)| **is_open && other.starts_with(&format!("{id}/")));
            prop_assert!(within.next().is_none(), "{id} ends before what it called");
        }
    }
    prop_assert!(open.values().all(|is_open| !is_open), "some call does not end");
    Ok(open.len())
}

/// One gate at a time. Those that are cut off end their call before another is asked.
fn check_gates(steps: &[Step], in_order: bool) -> Result<(), TestCaseError> {
    let mut asked: Vec<&str> = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let Step::Asked(id) = step else { continue };
        if let Some(last) = asked.last() {
            let done = [Step::Answered((*last).to_owned()), Step::Ended((*last).to_owned())];
            prop_assert!(steps[..place].iter().any(|step| done.contains(step)), "{id} is asked about beside {last}");
        }
        prop_assert!(!asked.contains(&id.as_str()), "{} is asked about twice", id);
        asked.push(id);
    }
    let made: Vec<&str> =
        steps.iter().filter_map(|step| if let Step::Made(id) = step { Some(id.as_str()) } else { None }).collect();
    let place = |id: &str| made.iter().position(|other| *other == id);
    let parent = |id: &str| id.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    for (first, second) in asked.iter().flat_map(|first| asked.iter().map(move |second| (*first, *second))) {
        let earlier = place(first) < place(second) && (in_order || parent(first) == parent(second));
        if earlier {
            let position = |id: &str| asked.iter().position(|other| *other == id);
            prop_assert!(position(first) < position(second), "{second} is asked about before {first}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn events_keep_their_order_whatever_is_called(
        plan in plan(),
        setting in option::of(prop_oneof![Just("parallel"), Just("sequential")]),
        abort_at in option::weighted(0.25, 1..8usize),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (steps, told, record) = runtime.block_on(play(&plan, setting, abort_at));
        let heard = steps.iter().filter_map(|step| match step {
            Step::Started(id) => Some((true, id.as_str())),
            Step::Ended(id) => Some((false, id.as_str())),
            _ => None,
        });
        // A call that is cancelled while it waits starts and ends at once.
        let sequential = setting == Some("sequential");
        let alone = sequential && abort_at.is_none() && plan.is_calm();
        let started = check_ends(heard, alone)?;
        prop_assert!(started <= plan.size());
        let told = trace(&told);
        let lines = told.iter().map(|line| line.strip_suffix(" failed").unwrap_or(line));
        let told = lines.filter_map(|line| match line.split_once(' ') {
            Some(("start", id)) => Some((true, id)),
            Some(("end", id)) => Some((false, id)),
            _ => None,
        });
        prop_assert_eq!(check_ends(told, alone)?, started);
        // With the setting a call waits before its gate is asked, so only the order among the calls of one caller is fixed.
        check_gates(&steps, !sequential)?;
        let ids: Vec<&str> = record["calls"].as_array().into_iter().flatten().filter_map(|call| call["id"].as_str()).collect();
        prop_assert_eq!(ids.len() + 1, started);
        for step in &steps {
            if let Step::Started(id) = step {
                prop_assert!(id == "c" || ids.contains(&id.as_str()), "{} is not in the record", id);
            }
        }
    }
}
