//! Runs a TypeScript or JavaScript file in tau's engine: `cargo run -p tau-js --example run -- FILE`.

use std::path::Path;
use std::process::ExitCode;

use tau_engine::{Engine, EngineOptions};

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("a file is needed");
        return ExitCode::FAILURE;
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let cwd = std::env::current_dir().unwrap_or_default();
    let path = cwd.join(Path::new(&file));
    let engine = match Engine::start(EngineOptions::new(cwd)) {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(tau_engine::script::run(&engine, &path)) {
        Ok(report) if report["failed"].as_u64().unwrap_or(0) == 0 => {
            if !report.is_null() {
                println!("{} passed, {} skipped", report["passed"], report["skipped"]);
            }
            ExitCode::SUCCESS
        }
        Ok(report) => {
            for failure in report["failures"].as_array().into_iter().flatten() {
                println!(
                    "FAILED {}\n{}\n",
                    failure["name"].as_str().unwrap_or(""),
                    failure["error"].as_str().unwrap_or("")
                );
            }
            println!("{} passed, {} failed", report["passed"], report["failed"]);
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
