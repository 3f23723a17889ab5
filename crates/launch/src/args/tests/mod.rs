//! Arguments through the public interface.

mod any;
mod files;
mod leftovers;
mod own;
mod shells;

use super::*;

/// The values of `--mode`.
const MODES: &[&str] = &["text", "json", "rpc"];

fn cli(args: &[&str]) -> Result<Cli, ArgsError> {
    cli_with(args, &[])
}

fn cli_with(args: &[&str], flags: &[ExtensionFlag]) -> Result<Cli, ArgsError> {
    parse(args, MODES)?.finish(flags)
}

fn ok(args: &[&str]) -> Cli {
    cli(args).expect("valid arguments")
}

fn problem(args: &[&str]) -> String {
    cli(args).expect_err("invalid arguments").to_string()
}

fn flag(name: &str, kind: FlagKind) -> ExtensionFlag {
    ExtensionFlag { name: name.to_owned(), kind, default: None, description: None }
}
