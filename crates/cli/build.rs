//! Lays out the program so that a start reads little of it.
//!
//! The system maps a program by the piece, sixteen pages around each one that is touched. What a start runs is a sixth
//! of the program: `startup.order` names those functions, and the linker puts them side by side. `benches/run order`
//! writes the file; a name that is no function any more does no harm, and what is missing is only further away.
//!
//! The program is linked to a fixed address, as Node is: otherwise fifty thousand addresses are rewritten before `main`,
//! which copies the pages they are on. Heap, stack and libraries stay where chance puts them.
#![allow(clippy::disallowed_methods, reason = "a build script reads what cargo tells it, and asks the compiler")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=startup.order");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("PROFILE") != "release" || variable("TARGET") != "x86_64-unknown-linux-gnu" {
        return;
    }
    let order = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("startup.order");
    let order = format!("-Wl,--symbol-ordering-file={}", order.display());
    for wish in [&["-no-pie"] as &[&str], &[&order, "-Wl,--no-warn-symbol-ordering"]] {
        // Not every linker knows it, and which one there is only trying tells.
        if links(wish, Path::new(&variable("OUT_DIR"))) {
            wish.iter().for_each(|argument| println!("cargo::rustc-link-arg-bins={argument}"));
        }
    }
}

/// Whether a program can be linked with these arguments.
fn links(arguments: &[&str], folder: &Path) -> bool {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut command = Command::new(variable("RUSTC").unwrap_or_else(|| "rustc".to_owned()));
    command.args(["--crate-name", "probe", "--crate-type", "bin", "-"]).arg("-o").arg(folder.join("probe"));
    command.args(variable("TARGET").iter().flat_map(|target| ["--target", target]));
    command.args(variable("RUSTC_LINKER").map(|linker| format!("-Clinker={linker}")));
    command.args(variable("CARGO_ENCODED_RUSTFLAGS").iter().flat_map(|flags| flags.split('\u{1f}')));
    command.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    let written = child.stdin.take().is_some_and(|mut input| input.write_all(b"fn main() {}").is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}
