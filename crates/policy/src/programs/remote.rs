//! Programs that fetch from other machines.

/// A program that fetches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fetcher {
    /// Its names.
    pub names: &'static [&'static str],
    /// Options whose value is the file that it writes.
    pub file: &'static [&'static str],
    /// Options that name the file after the address.
    pub named: &'static [&'static str],
    /// Whether it writes a file of the address' name anyway.
    pub writes: bool,
    /// Whether it writes to its output unless it writes a file.
    pub prints: bool,
}

const fn row(
    names: &'static [&'static str],
    file: &'static [&'static str],
    named: &'static [&'static str],
    writes: bool,
    prints: bool,
) -> Fetcher {
    Fetcher { names, file, named, writes, prints }
}

/// All of them.
pub(crate) const FETCHERS: &[Fetcher] = &[
    row(
        &["curl"],
        &["-o", "--output"],
        &["-O", "--remote-name", "-J", "--remote-header-name", "--remote-name-all"],
        false,
        true,
    ),
    row(&["wget", "wget2"], &["-O", "--output-document"], &[], true, true),
    row(&["http", "https", "httpie", "xh", "xhs", "curlie"], &["-o", "--output"], &["-d", "--download"], false, true),
    row(&["fetch"], &["-o"], &[], true, true),
    row(&["aria2c", "axel"], &["-o", "--out", "--output"], &[], true, false),
    row(&["lynx", "w3m", "links", "elinks", "GET", "lwp-request"], &[], &[], false, true),
    row(&["nc", "ncat", "netcat", "telnet", "openssl", "socat"], &[], &[], false, true),
    row(&["ftp", "tftp", "sftp", "scp", "rclone", "gsutil", "s3cmd"], &[], &[], false, true),
    row(&["ssh"], &[], &[], false, true),
];

/// The row of a program.
pub(crate) fn of(name: &str) -> Option<&'static Fetcher> {
    FETCHERS.iter().find(|row| row.names.contains(&name))
}
