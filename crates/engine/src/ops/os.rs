//! The machine and the user.

use std::net::IpAddr;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::SockaddrStorage;
use nix::sys::time::TimeValLike;
use nix::unistd::User;
use rquickjs::Ctx;
use rustix::process::Pid;
use serde_json::{Value, json};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::{Json, List, OpError};
use crate::ops::table::ops;

ops! {
    /// The machine and the user.
    pub static OPS: watched;

    /// What the system calls itself.
    fn osUname() -> "Record<\"sysname\" | \"hostname\" | \"release\" | \"version\" | \"machine\", string>" = os_uname, Recorded;
    /// The processors.
    fn osCpus() -> "{ model: string; speed: number }[]" = os_cpus, Recorded;
    /// Total and free memory, in bytes.
    fn osMemory() -> "{ total: number; free: number }" = os_memory, Recorded;
    /// How long the system has been up, in seconds.
    fn osUptime() = os_uptime, Recorded;
    /// The load averages.
    fn osLoad() = os_load, Recorded;
    /// The network interfaces.
    fn osInterfaces() -> "{ name: string; address: string; netmask: string; family: string; mac: string; internal: boolean; prefix: number; scopeid?: number }[]" = os_interfaces, Recorded;
    /// How many threads run at once.
    fn osParallelism() = os_parallelism, Recorded;
    /// The user.
    fn osUser() -> "{ uid: number; gid: number; username: string; homedir: string; shell: string }" = os_user, Recorded;
    /// The priority of a process.
    fn osGetPriority(pid) = os_get_priority, Recorded;
    /// Changes the priority of a process.
    fn osSetPriority(pid, priority) = os_set_priority, Refused;
    /// The groups of the user.
    fn groups() = groups, Recorded;
    /// What the program was started with, without its own name.
    fn programArgs() = program_args, Recorded;
    /// What the process has used.
    fn resourceUsage() -> "Record<\"userCPUTime\" | \"systemCPUTime\" | \"maxRSS\" | \"minorPageFault\" | \"majorPageFault\" | \"fsRead\" | \"fsWrite\" | \"voluntaryContextSwitches\" | \"involuntaryContextSwitches\", number>" = resource_usage, Recorded;
}

fn uname() -> Value {
    let Ok(names) = nix::sys::utsname::uname() else { return json!({}) };
    json!({
        "sysname": names.sysname().to_string_lossy(),
        "hostname": names.nodename().to_string_lossy(),
        "release": names.release().to_string_lossy(),
        "version": names.version().to_string_lossy(),
        "machine": names.machine().to_string_lossy(),
    })
}

fn system(kinds: RefreshKind) -> Option<System> {
    System::new_with_specifics(kinds).ok()
}

fn cpus() -> Value {
    let kinds = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing().with_frequency());
    let Some(system) = system(kinds) else { return json!([]) };
    system.cpus().iter().map(|cpu| json!({"model": cpu.brand(), "speed": cpu.frequency()})).collect()
}

fn memory() -> Value {
    let kinds = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let Some(system) = system(kinds) else { return json!({"total": 0, "free": 0}) };
    json!({"total": system.total_memory(), "free": system.available_memory()})
}

fn user() -> Result<Value, OpError> {
    let id = nix::unistd::getuid();
    let found = User::from_uid(id).map_err(|error| OpError::io(&error.into(), "uv_os_get_passwd", None))?;
    let Some(user) = found else {
        return Err(OpError::io(&rustix::io::Errno::NOENT.into(), "uv_os_get_passwd", None));
    };
    Ok(json!({
        "uid": user.uid.as_raw(),
        "gid": user.gid.as_raw(),
        "username": user.name,
        "homedir": user.dir.to_string_lossy(),
        "shell": user.shell.to_string_lossy(),
    }))
}

fn address(storage: Option<&SockaddrStorage>) -> Option<(IpAddr, u32)> {
    let storage = storage?;
    match (storage.as_sockaddr_in(), storage.as_sockaddr_in6()) {
        (Some(four), _) => Some((IpAddr::V4(four.ip()), 0)),
        (_, Some(six)) => Some((IpAddr::V6(six.ip()), six.scope_id())),
        _ => None,
    }
}

fn interfaces() -> Value {
    let Ok(all) = nix::ifaddrs::getifaddrs() else { return json!([]) };
    let all: Vec<_> = all.collect();
    let hardware = |name: &str| {
        let addr = all
            .iter()
            .filter(|one| one.interface_name == name)
            .find_map(|one| one.address.as_ref()?.as_link_addr()?.addr());
        addr.unwrap_or_default().map(|byte| format!("{byte:02x}")).join(":")
    };
    all.iter()
        .filter(|one| one.flags.contains(nix::net::if_::InterfaceFlags::IFF_UP))
        .filter_map(|one| {
            let (ip, scope) = address(one.address.as_ref())?;
            let mask = address(one.netmask.as_ref()).map(|(mask, _)| mask);
            let mut entry = json!({
                "name": one.interface_name,
                "address": ip.to_string(),
                "netmask": mask.map_or_else(String::new, |mask| mask.to_string()),
                "family": if ip.is_ipv4() { "IPv4" } else { "IPv6" },
                "mac": hardware(&one.interface_name),
                "internal": one.flags.contains(nix::net::if_::InterfaceFlags::IFF_LOOPBACK),
                "prefix": mask.map_or(0, ones),
            });
            if ip.is_ipv6() {
                entry["scopeid"] = scope.into();
            }
            Some(entry)
        })
        .collect()
}

/// How many leading bits a mask has.
fn ones(mask: IpAddr) -> u32 {
    match mask {
        IpAddr::V4(mask) => u32::from(mask).leading_ones(),
        IpAddr::V6(mask) => u128::from(mask).leading_ones(),
    }
}

/// What this process has used, times in microseconds.
fn usage() -> Value {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return json!({}) };
    json!({
        "userCPUTime": usage.user_time().num_microseconds(),
        "systemCPUTime": usage.system_time().num_microseconds(),
        "maxRSS": usage.max_rss(),
        "minorPageFault": usage.minor_page_faults(),
        "majorPageFault": usage.major_page_faults(),
        "fsRead": usage.block_reads(),
        "fsWrite": usage.block_writes(),
        "voluntaryContextSwitches": usage.voluntary_context_switches(),
        "involuntaryContextSwitches": usage.involuntary_context_switches(),
    })
}

fn os_uname() -> Json {
    Json(uname())
}

fn os_cpus() -> Json {
    Json(cpus())
}

fn os_memory() -> Json {
    Json(memory())
}

fn os_uptime() -> f64 {
    System::uptime().map_or(0.0, |seconds| seconds as f64)
}

fn os_load() -> List<f64> {
    List(System::load_average().map_or(vec![0.0; 3], |load| vec![load.one, load.five, load.fifteen]))
}

fn os_interfaces() -> Json {
    Json(interfaces())
}

fn os_parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn os_user<'js>(ctx: Ctx<'js>) -> rquickjs::Result<Json> {
    user().map(Json).map_err(|error| error.throw(&ctx))
}

fn os_get_priority<'js>(ctx: Ctx<'js>, pid: i32) -> rquickjs::Result<i32> {
    let priority = rustix::process::getpriority_process(Pid::from_raw(pid));
    priority.map_err(|error| OpError::io(&error.into(), "uv_os_getpriority", None).throw(&ctx))
}

fn os_set_priority<'js>(ctx: Ctx<'js>, pid: i32, priority: i32) -> rquickjs::Result<()> {
    let done = rustix::process::setpriority_process(Pid::from_raw(pid), priority);
    done.map_err(|error| OpError::io(&error.into(), "uv_os_setpriority", None).throw(&ctx))
}

fn groups() -> List<u32> {
    let groups = rustix::process::getgroups().unwrap_or_default();
    List(groups.into_iter().map(rustix::process::Gid::as_raw).collect::<Vec<_>>())
}

fn program_args() -> List<String> {
    List(std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>())
}

fn resource_usage() -> Json {
    Json(usage())
}
