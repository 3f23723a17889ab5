//! Keys from passwords and from other keys. The costly ones also run off the engine's thread.

use std::sync::Arc;

use hkdf::Hkdf;
use rquickjs::Ctx;

use super::digest::{Hash, invalid_digest, with_hash};
use crate::engine::Memory;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::waiting::while_working;
use crate::ops::{Bytes, OpError, charge};

ops! {
    /// Keys from passwords and from other keys.
    pub static OPS: watched;

    /// A key from a password, by PBKDF2.
    fn cryptoPbkdf2(password, salt, rounds, length, hash) = crypto_pbkdf2, Pure;
    /// A key from a password, by PBKDF2, from another thread.
    fn cryptoPbkdf2Async(password, salt, rounds, length, hash) = crypto_pbkdf2_async, Pure;
    /// A key from a password, by scrypt.
    fn cryptoScrypt(password, salt, cost, length) = crypto_scrypt, Pure;
    /// A key from a password, by scrypt, from another thread.
    fn cryptoScryptAsync(password, salt, cost, length) = crypto_scrypt_async, Pure;
    /// A key from a key, by HKDF.
    fn cryptoHkdf(hash, key, salt, info, length) = crypto_hkdf, Pure;
}

/// Longer outputs than this are not keys.
const MAX_LENGTH: usize = i32::MAX as usize;

/// What takes more rounds than this may take longer than a stretch has: it is done on a thread that can be left behind.
const ROUNDS: f64 = 400_000.0;

struct Pbkdf2 {
    password: Vec<u8>,
    salt: Vec<u8>,
    rounds: u32,
    length: usize,
    hash: Hash,
}

impl Pbkdf2 {
    fn new(password: Bytes, salt: Bytes, rounds: u32, length: usize, hash: &str) -> Result<Self, OpError> {
        let hash = Hash::named(hash).ok_or_else(|| invalid_digest(hash))?;
        Ok(Self { password: password.0, salt: salt.0, rounds, length: length.min(MAX_LENGTH), hash })
    }

    fn run(&self, memory: &Arc<Memory>) -> Result<Bytes, OpError> {
        let counted = charge(memory, self.length.saturating_mul(2), "the key")?;
        let mut key = vec![0; self.length];
        with_hash!(self.hash, D => pbkdf2::pbkdf2_hmac::<D>(&self.password, &self.salt, self.rounds, &mut key));
        drop(counted);
        Ok(Bytes(key))
    }
}

struct Scrypt {
    password: Vec<u8>,
    salt: Vec<u8>,
    params: scrypt::Params,
    length: usize,
}

impl Scrypt {
    fn new(password: Bytes, salt: Bytes, cost: (f64, u32, u32), length: usize) -> Result<Self, OpError> {
        let (n, r, p) = cost;
        let invalid = || OpError::range_error("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", "Invalid scrypt params");
        let log_n = (n.log2().fract() == 0.0 && (2.0..=2_147_483_648.0).contains(&n)).then(|| n.log2());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 31, checked above")]
        let log_n = log_n.ok_or_else(invalid)? as u8;
        let params = scrypt::Params::new(log_n, r, p).map_err(|_| invalid())?;
        Ok(Self { password: password.0, salt: salt.0, params, length: length.min(MAX_LENGTH) })
    }

    fn run(&self, memory: &Arc<Memory>) -> Result<Bytes, OpError> {
        // The table that makes it costly, and what each lane works on.
        let (r, p) = (self.params.r() as usize, self.params.p() as usize);
        let table = 1_usize.checked_shl(self.params.log_n().into()).unwrap_or(usize::MAX).saturating_add(p);
        let needs = table.saturating_mul(r).saturating_mul(128).saturating_add(self.length);
        let counted = memory.charge(needs).map_err(|_| {
            let message = "Invalid scrypt params: memory limit exceeded";
            OpError::range_error("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", message)
        })?;
        let mut key = vec![0; self.length];
        if self.length > 0 {
            scrypt::scrypt(&self.password, &self.salt, &self.params, &mut key)
                .map_err(|_| OpError::range_error("ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length"))?;
        }
        drop(counted);
        Ok(Bytes(key))
    }
}

fn hkdf(hash: &str, key: &[u8], salt: &[u8], info: &[u8], length: usize) -> Result<Bytes, OpError> {
    let hash = Hash::named(hash).ok_or_else(|| invalid_digest(hash))?;
    let mut out = vec![0; length.min(255 * 64 + 1)];
    let done = with_hash!(hash, D => Hkdf::<D>::new(Some(salt), key).expand(info, &mut out).is_ok());
    if done { Ok(Bytes(out)) } else { Err(OpError::range_error("ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length")) }
}

/// Runs something that takes long on a thread of its own.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> Result<T, OpError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(OpError::message(error.to_string())))
}

type Cost = (f64, u32, u32);

/// `[N, r, p]`.
fn cost_of(cost: &[f64]) -> Cost {
    let whole = |index: usize| {
        let value = cost.get(index).copied().unwrap_or(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "out of range becomes an error later"
        )]
        let value = value.clamp(0.0, f64::from(u32::MAX)) as u32;
        value
    };
    (cost.first().copied().unwrap_or(0.0), whole(1), whole(2))
}

fn crypto_pbkdf2<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    password: Bytes,
    salt: Bytes,
    rounds: u32,
    length: usize,
    hash: String,
) -> rquickjs::Result<Bytes> {
    let job = Pbkdf2::new(password, salt, rounds, length, &hash).map_err(|error| error.throw(&ctx))?;
    let long = (f64::from(job.rounds) > ROUNDS).then(|| "`pbkdf2Sync`".to_owned());
    let memory = Arc::clone(host.memory());
    while_working(&ctx, &host, long, move || job.run(&memory))
}

fn crypto_pbkdf2_async<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    password: Bytes,
    salt: Bytes,
    rounds: u32,
    length: usize,
    hash: String,
) -> rquickjs::Result<Promised<'js, Bytes>> {
    let job = Pbkdf2::new(password, salt, rounds, length, &hash).map_err(|error| error.throw(&ctx))?;
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, off_thread(move || job.run(&memory)))
}

fn crypto_scrypt<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    password: Bytes,
    salt: Bytes,
    cost: Vec<f64>,
    length: usize,
) -> rquickjs::Result<Bytes> {
    let job = Scrypt::new(password, salt, cost_of(&cost), length).map_err(|error| error.throw(&ctx))?;
    let steps = cost.iter().product::<f64>();
    let long = (steps > ROUNDS).then(|| "`scryptSync`".to_owned());
    let memory = Arc::clone(host.memory());
    while_working(&ctx, &host, long, move || job.run(&memory))
}

fn crypto_scrypt_async<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    password: Bytes,
    salt: Bytes,
    cost: Vec<f64>,
    length: usize,
) -> rquickjs::Result<Promised<'js, Bytes>> {
    let job = Scrypt::new(password, salt, cost_of(&cost), length).map_err(|error| error.throw(&ctx))?;
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, off_thread(move || job.run(&memory)))
}

fn crypto_hkdf<'js>(
    ctx: Ctx<'js>,
    hash: String,
    key: Bytes,
    salt: Bytes,
    info: Bytes,
    length: usize,
) -> rquickjs::Result<Bytes> {
    hkdf(&hash, &key.0, &salt.0, &info.0, length).map_err(|error| error.throw(&ctx))
}
