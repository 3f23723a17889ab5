//! Names to addresses, by the system's resolver.

use std::net::IpAddr;

use rquickjs::Ctx;

use super::{Json, OpError};
use crate::ops::table::{Host, Promised, ops};

ops! {
    /// Names to addresses, by the system's resolver.
    pub static OPS: watched;

    /// `[{address, family}, …]` in the system's order.
    fn dnsLookup(name) -> "{ address: string; family: 4 | 6 }[]" = dns_lookup, Recorded;
}

/// Node's numbers for the two ways a look-up fails.
const NOT_FOUND: i32 = -3_008;
const TRY_AGAIN: i32 = -3_001;

async fn lookup(name: &str) -> Result<Json, OpError> {
    let found = tokio::net::lookup_host((name, 0)).await.map_err(|error| {
        // The resolver's own codes are only in the text.
        let (code, errno) = if error.to_string().contains("emporary failure") {
            ("EAI_AGAIN", TRY_AGAIN)
        } else {
            ("ENOTFOUND", NOT_FOUND)
        };
        let error = OpError::new(code, format!("getaddrinfo {code} {name}"));
        OpError { errno: Some(errno), syscall: Some("getaddrinfo".to_owned()), ..error }
    })?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found {
        if !addresses.contains(&address.ip()) {
            addresses.push(address.ip());
        }
    }
    let entry =
        |ip: IpAddr| serde_json::json!({ "address": ip.to_string(), "family": if ip.is_ipv6() { 6 } else { 4 } });
    Ok(Json(addresses.into_iter().map(entry).collect()))
}

fn dns_lookup<'js>(ctx: Ctx<'js>, Host(host): Host, name: String) -> rquickjs::Result<Promised<'js, Json>> {
    host.spawn(&ctx, async move { lookup(&name).await })
}
