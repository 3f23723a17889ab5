//! tau with no extensions of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tau::run(std::env::args_os().skip(1), Vec::new())
}
