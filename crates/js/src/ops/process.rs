//! The process as JavaScript sees it: its own working directory, environment and exit, never the host's.

use std::time::Instant;

use rquickjs::{Ctx, Function, Persistent, Value};

use super::{Json, List, OpError, Ops};

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    facts(ops)?;
    working_directory(ops)?;
    environment(ops)?;
    timers(ops)?;
    let host = ops.host();
    ops.function("processExit", move |ctx: Ctx<'js>, code: i32| -> rquickjs::Result<()> {
        Err(host.exit(&ctx, code))
    })?;
    let host = ops.host();
    ops.function("runJobsUntil", move |ctx: Ctx<'js>, done: Function<'js>| -> rquickjs::Result<bool> {
        while !done.call::<_, bool>(())? {
            if host.limits().must_stop() || (!ctx.execute_pending_job() && !host.callbacks().run_ticks(&ctx)?) {
                return done.call(());
            }
        }
        Ok(true)
    })?;
    ops.function("consoleWrite", console_write)
}

/// One line of an extension's console. Standard output belongs to the protocol or the screen, so everything goes to
/// standard error.
fn console_write(_level: String, text: String) {
    use std::io::Write;
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn facts<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    };
    let platform = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    ops.constant("arch", arch)?;
    ops.constant("platform", platform)?;
    ops.constant("pid", std::process::id())?;
    let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    ops.constant("ppid", parent)?;
    let host = ops.host();
    ops.function("execPath", move || host.program().to_string_lossy().into_owned())?;
    ops.function("getuid", || rustix::process::getuid().as_raw())?;
    ops.function("geteuid", || rustix::process::geteuid().as_raw())?;
    ops.function("getgid", || rustix::process::getgid().as_raw())?;
    ops.function("getegid", || rustix::process::getegid().as_raw())?;
    let start = Instant::now();
    // Milliseconds since the engine started, with fractions.
    let host = ops.host();
    ops.function("now", move || host.other_time().unwrap_or_else(|| start.elapsed().as_secs_f64() * 1_000.0))?;
    let host = ops.host();
    ops.function("timeOrigin", move || {
        let now = host.sources().clock.now();
        now.duration_since(std::time::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1_000.0)
    })?;
    let host = ops.host();
    ops.function("clockNow", move || host.sources().clock.now_ms() as f64)?;
    let host = ops.host();
    // A number from 0 on and below 1, as `Math.random` gives it; asked only of sources that are not the system's.
    ops.function("chance", move || {
        let mut bytes = [0; 8];
        host.sources().random.fill("js Math.random", &mut bytes);
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1_u64 << 53) as f64
    })?;
    ops.function("memoryResident", || -> f64 {
        // Kilobytes, from the system's own books; zero where it keeps none.
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: f64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
        pages * rustix::param::page_size() as f64
    })
}

fn working_directory<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function("cwd", move || host.cwd().to_string_lossy().into_owned())?;
    let host = ops.host();
    ops.function("chdir", move |ctx: Ctx<'js>, path: String| -> rquickjs::Result<()> {
        let target = std::fs::canonicalize(host.resolve(&path));
        let target = target.and_then(|target| match target.is_dir() {
            true => Ok(target),
            false => Err(std::io::Error::from_raw_os_error(rustix::io::Errno::NOTDIR.raw_os_error())),
        });
        host.set_cwd(target.map_err(|error| OpError::io(&error, "chdir", Some(&path)).throw(&ctx))?);
        Ok(())
    })
}

fn environment<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function("envGet", move |name: String| host.env().get(&name).cloned())?;
    let host = ops.host();
    ops.function("envSet", move |ctx: Ctx<'js>, name: String, value: String| -> rquickjs::Result<()> {
        host.set_env(name, value).map_err(|error| error.throw(&ctx))
    })?;
    let host = ops.host();
    ops.function("envDelete", move |name: String| host.remove_env(&name))?;
    let host = ops.host();
    ops.function("envKeys", move || List(host.env().keys().cloned().collect::<Vec<_>>()))?;
    let host = ops.host();
    ops.function("envAll", move || {
        let env = host.env();
        Json(env.iter().map(|(name, value)| (name.clone(), serde_json::Value::from(value.as_str()))).collect())
    })
}

fn timers<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function("timerHandler", move |ctx: Ctx<'js>, handler: Function<'js>| {
        host.callbacks().set_timer(Persistent::save(&ctx, handler));
    })?;
    let host = ops.host();
    ops.function("timerStart", move |ctx: Ctx<'js>, id: u32, delay: f64, repeat: bool| {
        host.timers().start(id, delay, repeat, host.asking(&ctx));
    })?;
    let host = ops.host();
    ops.function("timerCancel", move |id: u32| host.timers().cancel(id))?;
    let host = ops.host();
    ops.function("immediateStart", move |ctx: Ctx<'js>, id: u32| {
        host.timers().start_immediate(id, host.asking(&ctx));
    })?;
    let host = ops.host();
    ops.function("immediateCancel", move |id: u32| host.timers().cancel_immediate(id))?;
    let host = ops.host();
    ops.function("tickHandler", move |ctx: Ctx<'js>, handler: Function<'js>| {
        host.callbacks().set_ticks(Persistent::save(&ctx, handler));
    })?;
    let host = ops.host();
    ops.function("ticksWait", move || host.callbacks().ticks_wait())?;
    let host = ops.host();
    ops.function("contextHandler", move |ctx: Ctx<'js>, handler: Function<'js>| {
        host.callbacks().set_context(Persistent::save(&ctx, handler));
    })?;
    let host = ops.host();
    // A function of the runtime that makes jobs of other functions, in the place of one that the language has.
    ops.function("makesJobs", move |ctx: Ctx<'js>, function: Value<'js>| {
        host.callbacks().add_maker(Persistent::save(&ctx, function));
    })
}
