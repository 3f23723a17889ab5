//! `load write FILE` makes a long session, `load open FILE` opens one and builds its context, `load scan FILE` only
//! opens it.

use std::path::Path;

use tau_session::Session;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [action, file] = &args[..] else { panic!("an action and a file are needed") };
    let path = Path::new(file);
    match action.as_str() {
        "write" => tau_benches::write_long_session(path).expect("a session file"),
        "scan" => assert!(!Session::open(path).expect("a session").entries().is_empty()),
        "open" => assert!(!Session::open(path).expect("a session").context().messages.is_empty()),
        other => panic!("{other} is no action"),
    }
}
