//! The functions that runtime modules import as `tau:ops`, a file per area.
//!
//! Everything Node-shaped is TypeScript in `runtime/`; what it cannot do itself is an op. An op is small, checks
//! what it is given, and throws errors that already look like Node's.

mod account;
mod bytes;
mod callbacks;
mod child;
mod crypto;
mod dns;
mod encoding;
mod error;
mod fetch;
mod fs;
mod host;
mod http;
mod inspect;
mod intl;
mod net;
mod os;
mod process;
mod programs;
mod promised;
mod resources;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stream;
pub mod table;
mod tls;
mod url;
mod waiting;
mod wasm;
mod watch;
mod websocket;
mod zlib;

pub use account::{Account, Charged, Meter, Named, charge, output_room, read_to_end, too_large};
pub use bytes::{Bytes, Json, List, OrNull, Pair, Text, Words};
pub use callbacks::Callbacks;
pub use error::{OpError, defect};
pub use host::{Around, Completion, Hosted, Leaving, Left, OpHost};
pub use promised::Promised;
pub use resources::Resources;
pub use stream::Stream;

/// The ops of Node and the web.
pub static AREAS: &[&table::Area] = &[
    &child::OPS,
    &child::signals::OPS,
    &child::terminal::OPS,
    &crypto::cipher::OPS,
    &crypto::digest::OPS,
    &crypto::kdf::OPS,
    &crypto::key_ops::OPS,
    &crypto::OPS,
    &crypto::rsa_cipher::OPS,
    &crypto::sign::OPS,
    &crypto::x509::OPS,
    &dns::OPS,
    &encoding::OPS,
    &fetch::OPS,
    &fs::constants::OPS,
    &fs::content::OPS,
    &fs::directory::OPS,
    &fs::handle::OPS,
    &fs::inspect::OPS,
    &fs::links::OPS,
    &fs::remove::OPS,
    &http::OPS,
    &inspect::OPS,
    &intl::OPS,
    &net::OPS,
    &os::OPS,
    &process::OPS,
    #[cfg(feature = "sqlite")]
    &sqlite::OPS,
    &stream::OPS,
    &tls::OPS,
    &url::OPS,
    &wasm::OPS,
    &watch::OPS,
    &websocket::OPS,
    &zlib::OPS,
];
