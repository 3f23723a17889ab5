//! The numbers of this system that JavaScript passes back.

use rustix::fs::OFlags;

use crate::ops::Json;
use crate::ops::table::ops;

ops! {
    /// The numbers of this system that JavaScript passes back.
    pub static OPS: watched;

    /// The flags of `open` on this system, by name.
    fn fsOpenFlags() -> "Record<string, number>" = fs_open_flags, Pure;
}

fn open_flags() -> serde_json::Value {
    let mut flags = serde_json::Map::new();
    let mut add = |name: &str, flag: OFlags| {
        flags.insert(name.to_owned(), flag.bits().into());
    };
    add("O_RDONLY", OFlags::RDONLY);
    add("O_WRONLY", OFlags::WRONLY);
    add("O_RDWR", OFlags::RDWR);
    add("O_CREAT", OFlags::CREATE);
    add("O_EXCL", OFlags::EXCL);
    add("O_NOCTTY", OFlags::NOCTTY);
    add("O_TRUNC", OFlags::TRUNC);
    add("O_APPEND", OFlags::APPEND);
    add("O_DIRECTORY", OFlags::DIRECTORY);
    add("O_NOFOLLOW", OFlags::NOFOLLOW);
    add("O_SYNC", OFlags::SYNC);
    add("O_DSYNC", OFlags::DSYNC);
    add("O_NONBLOCK", OFlags::NONBLOCK);
    #[cfg(target_os = "linux")]
    {
        add("O_NOATIME", OFlags::NOATIME);
        add("O_DIRECT", OFlags::DIRECT);
    }
    flags.into()
}

fn fs_open_flags() -> Json {
    Json(open_flags())
}
