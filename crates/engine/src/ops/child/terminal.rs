//! Children that have a terminal of their own.

use std::ffi::OsString;
use std::io;
use std::rc::Rc;

use rquickjs::Ctx;
use serde_json::json;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};
use tau_sys::process::{GroupChild, Place};
use tau_sys::pty::Pty;

use super::command::Spec;
use super::running::Child;
use crate::ops::table::{Host, ops};
use crate::ops::{Json, OpError, OpHost, Stream};
use crate::raw::with_controlling_terminal;

ops! {
    /// Children with a terminal.
    pub static OPS: watched;

    /// Starts a program in a terminal of its own: `rid` is the program, `stream` what it shows and what is typed.
    fn terminalSpawn(spec: "ChildPlan", columns, rows, utf8) -> "{ pid: number; rid: number; stream: number; terminal: number }" = terminal_spawn, Refused;
    /// Says how large a terminal is.
    fn terminalResize(rid, columns, rows) = terminal_resize, Refused;
    /// The name of the program in the foreground of a terminal.
    fn terminalProgram(rid) = terminal_program, Recorded;
}

/// What goes to a terminal, by its number; its text is a [`Stream`].
struct Terminal(Pty);

fn terminal_spawn<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    spec: Json,
    columns: u16,
    rows: u16,
    utf8: bool,
) -> rquickjs::Result<Json> {
    let start = || start(&Spec::read(spec)?, (columns, rows), utf8, &host);
    start().map_err(|error| error.throw(&ctx))
}

fn start(spec: &Spec, (columns, rows): (u16, u16), utf8: bool, host: &Rc<OpHost>) -> Result<Json, OpError> {
    let mut command = spec.command(host)?.command;
    let open = || -> io::Result<_> {
        let pty = Pty::open()?;
        let [stdin, stdout, stderr] = [pty.theirs()?, pty.theirs()?, pty.theirs()?];
        pty.resize(columns, rows)?;
        if utf8 {
            pty.expect_utf8()?;
        }
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        with_controlling_terminal(&mut command);
        let (shown, typed) = pty.for_tasks()?;
        Ok((
            GroupChild::spawn(command, Place::Terminal)?,
            pty,
            Stream::new(Some(Box::new(shown)), Some(Box::new(typed))),
        ))
    };
    let (started, pty, stream) = open().map_err(|error| spec.error(&error))?;
    let child = Child::follow(started.leave_to(spec.leftovers(host)), spec.detached, None, host);
    let pid = child.pid();
    let resources = host.resources();
    let (rid, stream, terminal) = (resources.add(child), resources.add(stream), resources.add(Rc::new(Terminal(pty))));
    Ok(Json(json!({"pid": pid, "rid": rid, "stream": stream, "terminal": terminal})))
}

fn terminal_resize(ctx: Ctx<'_>, Host(host): Host, rid: u32, columns: u16, rows: u16) -> rquickjs::Result<()> {
    let resize = || -> Result<(), OpError> {
        let terminal = host.resources().get::<Terminal>(rid)?;
        terminal.0.resize(columns, rows).map_err(|error| OpError::io(&error, "ioctl", None))
    };
    resize().map_err(|error| error.throw(&ctx))
}

/// As it was called, where the system tells.
fn terminal_program(Host(host): Host, rid: u32) -> Option<String> {
    let terminal = host.resources().get::<Terminal>(rid).ok()?;
    let group = terminal.0.foreground()?;
    let pid = sysinfo::Pid::from(usize::try_from(group.as_raw_nonzero().get()).ok()?);
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
    let program = system.process(pid)?;
    let name = program.cmd().first().map_or_else(|| program.name(), OsString::as_os_str);
    Some(name.to_string_lossy().into_owned())
}
