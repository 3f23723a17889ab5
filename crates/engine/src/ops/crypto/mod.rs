//! What `node:crypto` and Web Crypto cannot do in TypeScript: digests, ciphers, keys and signatures.
//!
//! State that outlives a call is held by the functions an op returns, so the collector frees it. Keys cross as DER:
//! PKCS#8 for private ones, SubjectPublicKeyInfo for public ones.
#![expect(clippy::disallowed_methods, reason = "randomness that scripts ask for")]

mod aead;
pub(super) mod cipher;
pub(super) mod digest;
mod encoding;
pub(super) mod kdf;
mod key;
pub(super) mod key_ops;
mod modes;
mod pem;
pub(super) mod rsa_cipher;
pub(super) mod sign;
mod transform;
pub(super) mod x509;

use super::{Bytes, OpError, charge};
use crate::ops::table::{Host, ops};

ops! {
    /// What `node.
    pub static OPS: watched;

    /// Random bytes.
    fn randomFill(length) = random_fill, Recorded;
}

/// The system's random numbers, for algorithms that take a generator.
pub(super) fn system_random() -> impl rsa::rand_core::CryptoRng {
    rsa::rand_core::UnwrapErr(getrandom::SysRng)
}

/// An error of the kind OpenSSL reports: `error:1C800064:Provider routines::bad decrypt`.
pub(super) fn openssl(number: &str, library: &str, reason: &str) -> OpError {
    let code = format!("ERR_OSSL_{}", reason.to_uppercase().replace(' ', "_"));
    OpError::new(&code, format!("error:{number}:{library}::{reason}"))
}

fn random_fill<'js>(ctx: rquickjs::Ctx<'js>, Host(host): Host, length: usize) -> rquickjs::Result<Bytes> {
    let counted =
        charge(host.memory(), length.saturating_mul(2), "the random bytes").map_err(|error| error.throw(&ctx))?;
    let mut bytes = vec![0; length];
    drop(counted);
    if host.sources().random.fill("js crypto", &mut bytes) {
        return Ok(Bytes(bytes));
    }
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(Bytes(bytes)),
        Err(error) => Err(OpError::message(error.to_string()).throw(&ctx)),
    }
}
