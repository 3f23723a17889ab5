//! Programs: started, fed, followed to their end, and ended with everything they started.
//!
//! [`GroupChild::spawn`] starts one, [`run`] follows it to its end by [`Rules`] and gives its output to a [`Sink`];
//! [`run_piped`] does both and keeps the beginning of the output. [`output`] and [`output_within`] are for callers that must block.
//! [`kill_running_processes`] is for the end of the program.

mod group;
mod kept;
mod leftovers;
mod limited;
mod page;
mod run;
mod session;
mod streams;

pub use group::{GroupChild, Handle, Place, exit_code, kill_group, kill_running_processes, map_descriptors, output};
pub use kept::{IsWhole, Kept, Piped, PipedCommand, PipedEnd, run_piped};
pub use leftovers::Leftovers;
pub use limited::output_within;
pub use page::open_page;
pub use run::{Ended, Flow, Manner, Room, Rules, Sink, Stopped, run};
pub use rustix::process::Pid;
pub use streams::Streams;
