//! Digests and HMAC.

use std::cell::RefCell;
use std::rc::Rc;

use hmac::digest::{DynDigest, KeyInit, Mac};
use hmac::{EagerHash, Hmac};
use rquickjs::{Ctx, Function, Object};
use subtle::ConstantTimeEq;

use crate::ops::{Bytes, OpError, OpHost};

/// The digests there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha512Trunc224,
    Sha512Trunc256,
}

impl Hash {
    /// The digest of that name, in any of the spellings programs use: `sha256`, `SHA-256`, `RSA-SHA256`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("rsa-").unwrap_or(&name);
        let name = name.strip_suffix("withrsaencryption").unwrap_or(name);
        Some(match name {
            "md5" => Self::Md5,
            "sha1" | "sha-1" | "sha1-2" => Self::Sha1,
            "sha224" | "sha-224" | "sha2-224" => Self::Sha224,
            "sha256" | "sha-256" | "sha2-256" => Self::Sha256,
            "sha384" | "sha-384" | "sha2-384" => Self::Sha384,
            "sha512" | "sha-512" | "sha2-512" => Self::Sha512,
            "sha512-224" | "sha512/224" | "sha-512/224" => Self::Sha512Trunc224,
            "sha512-256" | "sha512/256" | "sha-512/256" => Self::Sha512Trunc256,
            _ => return None,
        })
    }
}

/// Runs code generic over a digest's type for a digest known by value.
macro_rules! with_hash {
    ($hash:expr, $D:ident => $body:expr) => {
        match $hash {
            $crate::ops::crypto::digest::Hash::Md5 => {
                type $D = md5::Md5;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha1 => {
                type $D = sha1::Sha1;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha224 => {
                type $D = sha2::Sha224;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha256 => {
                type $D = sha2::Sha256;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha384 => {
                type $D = sha2::Sha384;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha512 => {
                type $D = sha2::Sha512;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha512Trunc224 => {
                type $D = sha2::Sha512_224;
                $body
            }
            $crate::ops::crypto::digest::Hash::Sha512Trunc256 => {
                type $D = sha2::Sha512_256;
                $body
            }
        }
    };
}
use crate::ops::table::{Host, ops};
pub(super) use with_hash;

ops! {
    /// Digests and HMAC.
    pub static OPS: watched;

    /// A digest under way; nothing when the algorithm is not known.
    fn cryptoHash(name) -> "Digest | undefined" = crypto_hash, Pure;
    /// The digest of data; nothing when the algorithm is not known.
    fn cryptoHashOnce(name, data) = crypto_hash_once, Pure;
    /// A keyed digest under way; nothing when the algorithm is not known.
    fn cryptoHmac(name, key) -> "{ update(bytes: Uint8Array | ArrayBuffer | string): void; digest(): Uint8Array } | undefined" = crypto_hmac, Pure;
    /// Whether two values are equal. How long it takes depends on the lengths alone.
    fn cryptoEqual(left, right) = crypto_equal, Pure;
}

/// The error for a digest that does not exist.
pub(super) fn invalid_digest(name: &str) -> OpError {
    OpError::type_error("ERR_CRYPTO_INVALID_DIGEST", format!("Invalid digest: {name}"))
}

/// The digest of `data`.
pub(super) fn hash_once(hash: Hash, data: &[u8]) -> Vec<u8> {
    let mut state = start(hash);
    state.update(data);
    state.finalize().into_vec()
}

fn start(hash: Hash) -> Box<dyn State> {
    with_hash!(hash, D => Box::new(D::default()))
}

trait State: DynDigest {
    fn copy(&self) -> Box<dyn State>;
}

impl<D: DynDigest + Clone + 'static> State for D {
    fn copy(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// A keyed digest whose type does not matter any more.
trait Keyed {
    fn update(&mut self, data: &[u8]);
    fn finish(self: Box<Self>) -> Vec<u8>;
}

impl<D: EagerHash> Keyed for Hmac<D> {
    fn update(&mut self, data: &[u8]) {
        Mac::update(self, data);
    }
    fn finish(self: Box<Self>) -> Vec<u8> {
        (*self).finalize().into_bytes().to_vec()
    }
}

fn keyed(hash: Hash, key: &[u8]) -> Option<Box<dyn Keyed>> {
    with_hash!(hash, D => Some(Box::new(Hmac::<D>::new_from_slice(key).ok()?)))
}

/// How much is taken at once, in bytes, before it is asked whether there is time for more.
const PIECE: usize = 1 << 20;

/// Takes data piece by piece, for as long as the stretch has time.
fn feed(host: &OpHost, ctx: &Ctx<'_>, data: &[u8], mut take: impl FnMut(&[u8])) -> rquickjs::Result<()> {
    for piece in data.chunks(PIECE) {
        if data.len() > PIECE {
            host.go_on(ctx)?;
        }
        take(piece);
    }
    Ok(())
}

fn hash_object<'js>(ctx: &Ctx<'js>, host: &Rc<OpHost>, state: Box<dyn State>) -> rquickjs::Result<Object<'js>> {
    let state = Rc::new(RefCell::new(state));
    let object = Object::new(ctx.clone())?;
    let (owner, own) = (Rc::clone(&state), Rc::clone(host));
    let update = move |ctx: Ctx<'js>, data: Bytes| {
        let state = &mut *owner.borrow_mut();
        feed(&own, &ctx, &data.0, |piece| state.update(piece))
    };
    object.set("update", Function::new(ctx.clone(), update)?)?;
    let owner = Rc::clone(&state);
    object.set("digest", Function::new(ctx.clone(), move || Bytes(owner.borrow_mut().finalize_reset().into_vec()))?)?;
    let own = Rc::clone(host);
    let copy = move |ctx: Ctx<'js>| hash_object(&ctx, &own, state.borrow().copy());
    object.set("copy", Function::new(ctx.clone(), copy)?)?;
    Ok(object)
}

fn hmac_object<'js>(ctx: &Ctx<'js>, host: &Rc<OpHost>, state: Box<dyn Keyed>) -> rquickjs::Result<Object<'js>> {
    let state = Rc::new(RefCell::new(Some(state)));
    let object = Object::new(ctx.clone())?;
    let (owner, own) = (Rc::clone(&state), Rc::clone(host));
    let update = move |ctx: Ctx<'js>, data: Bytes| match owner.borrow_mut().as_mut() {
        Some(state) => feed(&own, &ctx, &data.0, |piece| state.update(piece)),
        None => Ok(()),
    };
    object.set("update", Function::new(ctx.clone(), update)?)?;
    let digest = move || state.borrow_mut().take().map(|state| Bytes(state.finish()));
    object.set("digest", Function::new(ctx.clone(), digest)?)?;
    Ok(object)
}

fn crypto_hash<'js>(ctx: Ctx<'js>, Host(host): Host, name: String) -> rquickjs::Result<Option<Object<'js>>> {
    Hash::named(&name).map(|hash| hash_object(&ctx, &host, start(hash))).transpose()
}

fn crypto_hash_once<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    name: String,
    data: Bytes,
) -> rquickjs::Result<Option<Bytes>> {
    let Some(mut state) = Hash::named(&name).map(start) else { return Ok(None) };
    feed(&host, &ctx, &data.0, |piece| state.update(piece))?;
    Ok(Some(Bytes(state.finalize().into_vec())))
}

fn crypto_hmac<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    name: String,
    key: Bytes,
) -> rquickjs::Result<Option<Object<'js>>> {
    let Some(state) = Hash::named(&name).and_then(|hash| keyed(hash, &key.0)) else { return Ok(None) };
    hmac_object(&ctx, &host, state).map(Some)
}

fn crypto_equal(left: Bytes, right: Bytes) -> bool {
    bool::from(left.0.ct_eq(&right.0))
}
