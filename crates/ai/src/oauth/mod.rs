//! Logins: what each of them does, and those that tau makes itself.
//!
//! [`OAuth`] is a login as the rest of tau sees it; extensions implement it too. [`ServerLogin`] is one at an authorization
//! server that somebody described, [`OpenRouter`] the one that OpenRouter has for any program, and [`WorkloadIdentity`]
//! what a workload has instead of a key. Nobody here reads or writes a file: who calls keeps what a login gives.

mod callback;
mod client;
mod code;
mod device;
mod failure;
mod login;
mod loopback;
mod open_router;
mod paste;
mod server;
mod server_login;
mod tokens;
mod workload;

pub use client::Connections;
pub use login::{LoginNotice, LoginQuestion, LoginUi, OAuth, without_secrets};
pub use loopback::{CodeWait, Loopback, LoopbackError, ReturnedCode};
pub use open_router::OpenRouter;
pub use server::{OAuthServer, OAuthServerError};
pub use server_login::ServerLogin;
pub use workload::{Exchanged, WorkloadError, WorkloadIdentity};
