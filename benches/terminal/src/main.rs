//! Measures tau in a terminal, in both of its modes, and the TypeScript agent in both of its own beside it. `benches/run terminal` starts it.
//!
//! `TAU_BIN` names tau. `TAU_REFERENCE` names the module of the other one, and `TAU_NODE` the Node that runs it; without
//! them tau is measured alone. Arguments are `--quick`, for fewer rounds, and the names of measurements that are wanted.
#![allow(clippy::disallowed_methods, reason = "it measures this system")]

mod answers;
mod components;
mod measures;
mod model;
mod place;
mod process;
mod seat;
mod table;
mod text;

use std::path::PathBuf;

use measures::{Amount, Bench};
use model::Model;
use place::Place;
use table::Table;

/// A measurement.
type Measure = fn(&mut Bench);

/// The measurements, in their order.
const MEASURES: [(&str, Measure); 5] = [
    ("starts", Bench::starts),
    ("resumes", Bench::resumes),
    ("sessions", Bench::sessions),
    ("tokens", Bench::tokens),
    ("components", Bench::components),
];

fn main() {
    let (flags, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let quick = flags.iter().any(|flag| flag == "--quick");
    let known = |name: &String| MEASURES.iter().any(|(measure, _)| measure == name);
    if let Some(unknown) =
        flags.iter().find(|flag| *flag != "--quick").or_else(|| wanted.iter().find(|name| !known(name)))
    {
        let names = MEASURES.map(|(name, _)| name).join(", ");
        eprintln!("{unknown} is not known; there are --quick, {names}");
        std::process::exit(2);
    }
    let amount = if quick {
        Amount { starts: 3, resumes: 1, keys: 100, messages: &[0, 5000], words: 100 }
    } else {
        Amount { starts: 10, resumes: 3, keys: 400, messages: &[0, 500, 5000], words: 300 }
    };
    let place = Place::new();
    let model = Model::start();
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let tau = path("TAU_BIN").expect("TAU_BIN names the program");
    let mut programs = vec![
        place.program("tau", vec![tau.clone()], &["--tui-mode", "regular"], &model.origin),
        place.program("tau full", vec![tau], &["--tui-mode", "fullscreen"], &model.origin),
    ];
    if let Some(module) = path("TAU_REFERENCE") {
        let command = vec![path("TAU_NODE").unwrap_or_else(|| "node".into()), module];
        let modes = [("regular", &["--tui-mode", "regular"]), ("full screen", &["--tui-mode", "fullscreen"])];
        programs.extend(modes.map(|(name, mode)| place.program(name, command.clone(), mode, &model.origin)));
    }
    let table = Table::new(programs.iter().map(|program| program.name).collect());
    let mut bench = Bench { place, model, programs, amount, table };
    for (name, measure) in MEASURES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            eprintln!("measuring: {name} …");
            measure(&mut bench);
        }
    }
    bench.table.print();
}
