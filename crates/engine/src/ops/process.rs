//! The process as JavaScript sees it: its own working directory, environment and exit, never the host's.

use rquickjs::{Ctx, Function, Persistent, Value};

use super::{Json, List, OpError};
use crate::ops::table::{Host, ops};

ops! {
    /// The process as JavaScript sees it.
    pub static OPS: watched;

    /// The kind of processor.
    let arch = arch, Recorded;
    /// The kind of system.
    let platform -> "\"linux\" | \"darwin\"" = platform, Recorded;
    /// The process.
    let pid = pid, Recorded;
    /// The process that started this one.
    let ppid = ppid, Recorded;
    /// Ends the program.
    fn processExit(code) = process_exit, Refused;
    /// Runs pending jobs until a function says that it is enough; whether it did.
    fn runJobsUntil(done) = run_jobs_until, Pure;
    /// Writes a line of an extension's console to standard error: standard output belongs to the protocol or the screen.
    fn consoleWrite(level, text) = console_write, Refused;
    /// What `process.execPath` names.
    fn execPath() = exec_path, Recorded;
    /// The user.
    fn getuid() = getuid, Recorded;
    /// The effective user.
    fn geteuid() = geteuid, Recorded;
    /// The group.
    fn getgid() = getgid, Recorded;
    /// The effective group.
    fn getegid() = getegid, Recorded;
    /// Milliseconds since the engine started, with fractions.
    fn now() = now, Recorded;
    /// When that was zero: milliseconds since 1970, with fractions.
    fn timeOrigin() = time_origin, Recorded;
    /// Milliseconds since 1970.
    fn clockNow() = clock_now, Recorded;
    /// A number from 0 on and below 1, as `Math.random` gives it; asked only of sources that are not the system's.
    fn chance() = chance, Recorded;
    /// How much memory the process holds, in bytes; zero where the system does not say.
    fn memoryResident() = memory_resident, Recorded;
    /// The working directory.
    fn cwd() = cwd, Recorded;
    /// Changes the working directory of the engine.
    fn chdir(path) = chdir, Pure;
    /// A variable of the environment.
    fn envGet(name) = env_get, Recorded;
    /// Sets a variable of the environment.
    fn envSet(name, value) = env_set, Pure;
    /// Removes a variable of the environment; whether it was there.
    fn envDelete(name) = env_delete, Pure;
    /// The names of all variables.
    fn envKeys() = env_keys, Recorded;
    /// All variables.
    fn envAll() -> "Record<string, string>" = env_all, Recorded;
    /// Says what is called when a timer is due.
    fn timerHandler(handler) = timer_handler, Pure;
    /// Starts a timer; the delay is in milliseconds.
    fn timerStart(id, delay, repeat) = timer_start, Pure;
    /// Ends a timer.
    fn timerCancel(id) = timer_cancel, Pure;
    /// Starts an immediate.
    fn immediateStart(id) = immediate_start, Pure;
    /// Ends an immediate.
    fn immediateCancel(id) = immediate_cancel, Pure;
    /// Says what runs the calls that wait for the end of the running code.
    fn tickHandler(handler) = tick_handler, Pure;
    /// There are calls that wait for the end of the running code.
    fn ticksWait() = ticks_wait, Pure;
    /// Says what empties the asynchronous context.
    fn contextHandler(handler) = context_handler, Pure;
    /// A function of the runtime that makes jobs of other functions, in the place of one that the language has.
    fn makesJobs(callback) = makes_jobs, Pure;
}

/// One line of an extension's console. Standard output belongs to the protocol or the screen, so everything goes to
/// standard error.
fn console_write(_level: String, text: String) {
    use std::io::Write;
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn process_exit<'js>(ctx: Ctx<'js>, Host(host): Host, code: i32) -> rquickjs::Result<()> {
    Err(host.exit(&ctx, code))
}

fn run_jobs_until<'js>(ctx: Ctx<'js>, Host(host): Host, done: Function<'js>) -> rquickjs::Result<bool> {
    while !done.call::<_, bool>(())? {
        if host.limits().must_stop() || (!ctx.execute_pending_job() && !host.callbacks().run_ticks(&ctx)?) {
            return done.call(());
        }
    }
    Ok(true)
}

fn exec_path(Host(host): Host) -> String {
    host.program().to_string_lossy().into_owned()
}

fn getuid() -> u32 {
    rustix::process::getuid().as_raw()
}

fn geteuid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn getgid() -> u32 {
    rustix::process::getgid().as_raw()
}

fn getegid() -> u32 {
    rustix::process::getegid().as_raw()
}

fn now(Host(host): Host) -> f64 {
    host.other_time().unwrap_or_else(|| host.activity().age().as_secs_f64() * 1_000.0)
}

fn time_origin(Host(host): Host) -> f64 {
    let now = host.sources().clock.now();
    now.duration_since(std::time::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1_000.0)
}

fn clock_now(Host(host): Host) -> f64 {
    host.sources().clock.now_ms() as f64
}

fn chance(Host(host): Host) -> f64 {
    let mut bytes = [0; 8];
    host.sources().random.fill("js Math.random", &mut bytes);
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1_u64 << 53) as f64
}

fn memory_resident() -> f64 {
    // Kilobytes, from the system's own books; zero where it keeps none.
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
    pages * rustix::param::page_size() as f64
}

fn cwd(Host(host): Host) -> String {
    host.cwd().to_string_lossy().into_owned()
}

fn chdir<'js>(ctx: Ctx<'js>, Host(host): Host, path: String) -> rquickjs::Result<()> {
    let target = std::fs::canonicalize(host.resolve(&path));
    let target = target.and_then(|target| {
        if target.is_dir() {
            Ok(target)
        } else {
            Err(std::io::Error::from_raw_os_error(rustix::io::Errno::NOTDIR.raw_os_error()))
        }
    });
    host.set_cwd(target.map_err(|error| OpError::io(&error, "chdir", Some(&path)).throw(&ctx))?);
    Ok(())
}

fn env_get(Host(host): Host, name: String) -> Option<String> {
    host.env().get(&name).cloned()
}

fn env_set<'js>(ctx: Ctx<'js>, Host(host): Host, name: String, value: String) -> rquickjs::Result<()> {
    host.set_env(name, value).map_err(|error| error.throw(&ctx))
}

fn env_delete(Host(host): Host, name: String) -> bool {
    host.remove_env(&name)
}

fn env_keys(Host(host): Host) -> List<String> {
    List(host.env().keys().cloned().collect::<Vec<_>>())
}

fn env_all(Host(host): Host) -> Json {
    let env = host.env();
    Json(env.iter().map(|(name, value)| (name.clone(), serde_json::Value::from(value.as_str()))).collect())
}

fn timer_handler<'js>(ctx: Ctx<'js>, Host(host): Host, handler: Function<'js>) {
    host.callbacks().set_timer(Persistent::save(&ctx, handler));
}

fn timer_start<'js>(ctx: Ctx<'js>, Host(host): Host, id: u32, delay: f64, repeat: bool) {
    host.timers().start(id, delay, repeat, host.asking(&ctx));
}

fn timer_cancel(Host(host): Host, id: u32) {
    host.timers().cancel(id)
}

fn immediate_start<'js>(ctx: Ctx<'js>, Host(host): Host, id: u32) {
    host.timers().start_immediate(id, host.asking(&ctx));
}

fn immediate_cancel(Host(host): Host, id: u32) {
    host.timers().cancel_immediate(id)
}

fn tick_handler<'js>(ctx: Ctx<'js>, Host(host): Host, handler: Function<'js>) {
    host.callbacks().set_ticks(Persistent::save(&ctx, handler));
}

fn ticks_wait(Host(host): Host) {
    host.callbacks().ticks_wait()
}

fn context_handler<'js>(ctx: Ctx<'js>, Host(host): Host, handler: Function<'js>) {
    host.callbacks().set_context(Persistent::save(&ctx, handler));
}

fn makes_jobs<'js>(ctx: Ctx<'js>, Host(host): Host, function: Value<'js>) {
    host.callbacks().add_maker(Persistent::save(&ctx, function));
}

fn arch() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    }
}

fn platform() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS }
}

fn pid() -> u32 {
    std::process::id()
}

fn ppid() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}
