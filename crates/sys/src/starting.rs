//! Processes that are being started: between the call and their own program a signal to the group, or the end of this
//! program, would meet them half made.

use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Read by those who start a process, until it is among those that run and runs its own program.
static STARTING: RwLock<()> = RwLock::new(());

/// How long processes that are being started are waited for: the system may not let go of one.
const STARTED: Duration = Duration::from_secs(2);

/// A process is being started until this is dropped.
pub(crate) fn begin() -> RwLockReadGuard<'static, ()> {
    STARTING.read()
}

/// Waits until no process is being started, and keeps others from being started until what this gives is dropped; none if
/// the system does not let go of one.
pub(crate) fn none_starts() -> Option<RwLockWriteGuard<'static, ()>> {
    STARTING.try_write_for(STARTED)
}
