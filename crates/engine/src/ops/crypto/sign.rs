//! Signatures.

use ed25519_dalek::{Signer, Verifier};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use rquickjs::Ctx;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pss::Pss;

use super::digest::{Hash, hash_once, invalid_digest, with_hash};
use super::key::{PrivateKey, PublicKey, bad};
use crate::ops::table::ops;
use crate::ops::{Bytes, Json, OpError};

ops! {
    /// Signatures.
    pub static OPS: watched;

    /// Signs data.
    fn cryptoSign(key, scheme: "SignatureScheme", data) = crypto_sign, Recorded;
    /// Whether a signature is right.
    fn cryptoVerify(key, scheme: "SignatureScheme", data, signature) = crypto_verify, Pure;
}

/// How a signature is made.
struct Scheme {
    /// None where the kind of key has its own.
    hash: Option<Hash>,
    pss: bool,
    /// For PSS: none is as long as the digest when signing and whatever is found when verifying.
    salt: Option<usize>,
    /// The two numbers of an ECDSA signature side by side, not as DER.
    plain: bool,
}

impl Scheme {
    /// From `{hash, pss, salt, plain}`.
    fn read(options: &serde_json::Value) -> Result<Self, OpError> {
        let name = options["hash"].as_str();
        let hash = name.map(|name| Hash::named(name).ok_or_else(|| invalid_digest(name))).transpose()?;
        let salt = options["salt"].as_u64().and_then(|salt| usize::try_from(salt).ok());
        let flag = |name: &str| options[name].as_bool().unwrap_or(false);
        Ok(Self { hash, pss: flag("pss"), salt, plain: flag("plain") })
    }

    /// The digest that signatures with this kind of key use when none is named.
    fn hash(&self) -> Hash {
        self.hash.unwrap_or(Hash::Sha256)
    }
}

fn sign(key: &PrivateKey, scheme: &Scheme, data: &[u8]) -> Result<Vec<u8>, OpError> {
    let failed = |error: &dyn std::fmt::Display| OpError::message(error.to_string());
    let hashed = || hash_once(scheme.hash(), data);
    Ok(match key {
        PrivateKey::Rsa(_) => {
            let key = key.rsa()?;
            let mut random = super::system_random();
            let hashed = hashed();
            let signed = with_hash!(scheme.hash(), D => if scheme.pss {
                let salt = scheme.salt.unwrap_or(hashed.len());
                key.sign_with_rng(&mut random, Pss::<D>::new_with_salt(salt), &hashed)
            } else {
                key.sign_with_rng(&mut random, Pkcs1v15Sign::new::<D>(), &hashed)
            });
            signed.map_err(|error| failed(&error))?
        }
        PrivateKey::P256(key) => {
            let key = p256::ecdsa::SigningKey::from(key);
            let signature: p256::ecdsa::Signature = key.sign_prehash(&hashed()).map_err(|error| failed(&error))?;
            if scheme.plain { signature.to_vec() } else { signature.to_der().to_bytes().into_vec() }
        }
        PrivateKey::P384(key) => {
            let key = p384::ecdsa::SigningKey::from(key);
            let signature: p384::ecdsa::Signature = key.sign_prehash(&hashed()).map_err(|error| failed(&error))?;
            if scheme.plain { signature.to_vec() } else { signature.to_der().to_bytes().into_vec() }
        }
        PrivateKey::Ed25519(seed) => ed25519_dalek::SigningKey::from_bytes(seed).sign(data).to_vec(),
        PrivateKey::X25519(_) => return Err(no_signatures()),
    })
}

fn verify(key: &PublicKey, scheme: &Scheme, data: &[u8], signature: &[u8]) -> Result<bool, OpError> {
    let hashed = || hash_once(scheme.hash(), data);
    Ok(match key {
        PublicKey::Rsa(_) => {
            let key = key.rsa()?;
            with_hash!(scheme.hash(), D => if scheme.pss {
                let mut pss = Pss::<D>::new();
                pss.salt_len = scheme.salt;
                key.verify(pss, &hashed(), signature).is_ok()
            } else {
                key.verify(Pkcs1v15Sign::new::<D>(), &hashed(), signature).is_ok()
            })
        }
        PublicKey::P256(key) => {
            let read = if scheme.plain { p256::ecdsa::Signature::from_slice } else { p256::ecdsa::Signature::from_der };
            let key = p256::ecdsa::VerifyingKey::from(key);
            read(signature).is_ok_and(|signature| key.verify_prehash(&hashed(), &signature).is_ok())
        }
        PublicKey::P384(key) => {
            let read = if scheme.plain { p384::ecdsa::Signature::from_slice } else { p384::ecdsa::Signature::from_der };
            let key = p384::ecdsa::VerifyingKey::from(key);
            read(signature).is_ok_and(|signature| key.verify_prehash(&hashed(), &signature).is_ok())
        }
        PublicKey::Ed25519(point) => {
            let key = ed25519_dalek::VerifyingKey::from_bytes(point).map_err(bad)?;
            let signature = ed25519_dalek::Signature::from_slice(signature);
            signature.is_ok_and(|signature| key.verify(data, &signature).is_ok())
        }
        PublicKey::X25519(_) => return Err(no_signatures()),
    })
}

/// Whether a certificate's signature is right; the algorithm by its number.
pub(super) fn certificate_signature(oid: &str, key: &PublicKey, data: &[u8], signature: &[u8]) -> bool {
    let hash = match oid {
        "1.2.840.113549.1.1.5" => Hash::Sha1,
        "1.2.840.113549.1.1.11" | "1.2.840.10045.4.3.2" => Hash::Sha256,
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Hash::Sha384,
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Hash::Sha512,
        "1.3.101.112" => Hash::Sha512,
        _ => return false,
    };
    let scheme = Scheme { hash: Some(hash), pss: false, salt: None, plain: false };
    verify(key, &scheme, data, signature).unwrap_or(false)
}

fn no_signatures() -> OpError {
    super::openssl("03000096", "digital envelope routines", "operation not supported for this keytype")
}

fn crypto_sign<'js>(ctx: Ctx<'js>, key: Bytes, scheme: Json, data: Bytes) -> rquickjs::Result<Bytes> {
    let signed = Scheme::read(&scheme.0)
        .and_then(|scheme| PrivateKey::from_pkcs8(&key.0).and_then(|key| sign(&key, &scheme, &data.0)));
    signed.map(Bytes).map_err(|error| error.throw(&ctx))
}

fn crypto_verify<'js>(
    ctx: Ctx<'js>,
    key: Bytes,
    scheme: Json,
    data: Bytes,
    signature: Bytes,
) -> rquickjs::Result<bool> {
    let right = Scheme::read(&scheme.0)
        .and_then(|scheme| PublicKey::from_spki(&key.0).and_then(|key| verify(&key, &scheme, &data.0, &signature.0)));
    right.map_err(|error| error.throw(&ctx))
}
