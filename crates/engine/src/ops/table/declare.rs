//! `runtime/ops.d.ts`: what runtime modules may ask, in TypeScript. Written from the tables and held fresh by a test.

use std::fmt::Write as _;

use super::{Area, How, Op, Signature};

/// The declarations of all ops of these areas.
///
/// # Panics
/// When a row names other parameters than its function has.
pub fn declarations(areas: &[&Area]) -> String {
    let mut signature = Signature::default();
    let mut members = String::new();
    let mut names = Vec::new();
    for area in areas {
        let _ = writeln!(members, "\n    // ---- {}: {}", area.module.trim_start_matches("tau_"), area.doc.trim());
        for op in area.rows.iter().copied().flatten() {
            members.push_str(&member(op, &mut signature));
            names.push(op.name);
        }
    }
    let twins = names.iter().filter(|name| names.contains(&format!("{name}Async").as_str()));
    let twins: Vec<String> = twins.map(|name| format!("\n    | \"{name}\"")).collect();
    format!(
        "// Generated from the tables of ops in Rust; a test of tau-js keeps it fresh. Change those.

/// <reference path=\"./ops_data.d.ts\" />
/// <reference path=\"./pi/data.d.ts\" />

declare module \"tau:ops\" {{
  /** What runs in Rust. */
  export const ops: Ops;

  /** Ops that exist twice: one that blocks, and one with `Async` behind its name that gives a promise. */
  export type Twin ={};

  export interface Ops {{{members}  }}
}}
",
        twins.concat()
    )
}

/// The type that a row says, as a promise where the function gives one.
fn result_of(said: &str, known: &str) -> String {
    if known.starts_with("Promise<") { format!("Promise<{said}>") } else { said.to_owned() }
}

fn member(op: &Op, signature: &mut Signature) -> String {
    signature.params.clear();
    signature.is_value = false;
    let Some(about) = op.about else { return format!("    // {}\n", op.name) };
    (about.signature)(signature);
    assert_eq!(
        about.params.len(),
        signature.params.len(),
        "the row of `{}` names other parameters than it has",
        op.name
    );
    let params: Vec<String> = (about.params.iter().zip(&signature.params))
        .map(|((name, said), passed)| {
            let text = if said.is_empty() { &passed.text } else { *said };
            match passed.how {
                How::Required => format!("{name}: {text}"),
                How::Optional => format!("{name}?: {text}"),
                How::Rest => format!("...{name}: {text}"),
            }
        })
        .collect();
    let replay = format!("{:?}", about.replay).to_lowercase();
    let doc = about.doc.split_whitespace().collect::<Vec<_>>().join(" ");
    let params = params.join(", ");
    let result =
        if about.result.is_empty() { signature.result.clone() } else { result_of(about.result, &signature.result) };
    let declared = if signature.is_value {
        format!("readonly {}: {result};", op.name)
    } else {
        format!("{}({params}): {result};", op.name)
    };
    format!("    /** {doc} ({replay}) */\n    {declared}\n")
}
