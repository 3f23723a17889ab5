//! Wire formats against the loopback server.

mod abort;
mod again;
#[cfg(feature = "bedrock")]
mod bedrock;
mod changes;
mod completions;
mod cuts;
mod failures;
#[cfg(feature = "bedrock")]
mod frames;
mod google;
mod hooks;
mod mistral;
mod operations;
mod payloads;
mod providers;
mod responses;
mod sending;
mod streaming;
mod strict;
mod support;
mod talk;
mod threads;
mod tls;
