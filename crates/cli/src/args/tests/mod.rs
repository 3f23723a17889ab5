//! Arguments through the public interface.

mod any;
mod files;
mod leftovers;
mod own;

use super::*;

fn cli(args: &[&str]) -> Result<Cli, ArgsError> {
    cli_with(args, &[])
}

fn cli_with(args: &[&str], flags: &[ExtensionFlag]) -> Result<Cli, ArgsError> {
    parse(args)?.finish(flags)
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
