//! Where hooks are.

use std::path::Path;

use tau_script::Surroundings;

use super::extract::Bridged;
use crate::ops::List;
use crate::ops::table::{Host, ops};

ops! {
    /// Where hooks are.
    pub(super) static OPS: watched;

    /// The files that the registry has for a directory, in the order in which they count. The caller has decided that the project's are wanted.
    fn piHooks(cwd, home) = pi_hooks, Recorded;
}

fn pi_hooks(Host(host): Host, Bridged(bridge): Bridged, cwd: String, home: String) -> List<String> {
    let place = Surroundings { cwd: host.resolve(&cwd), vars: host.env().clone() };
    let found = bridge.finder().map(|finder| finder.find(Path::new(&home), &place)).into_iter().flatten();
    List(found.map(|path| path.to_string_lossy().into_owned()).collect())
}
