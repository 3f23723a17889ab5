//! Encryption of short texts with RSA.

use rquickjs::Ctx;
use rsa::oaep::Oaep;
use rsa::pkcs1v15::Pkcs1v15Encrypt;

use super::digest::{Hash, invalid_digest, with_hash};
use super::key::{PrivateKey, PublicKey};
use crate::ops::table::ops;
use crate::ops::{Bytes, OpError};

ops! {
    /// Encryption of short texts with RSA.
    pub static OPS: watched;

    /// Encrypts with a public RSA key.
    fn cryptoRsaEncrypt(key, hash, label, data) = crypto_rsa_encrypt, Recorded;
    /// Decrypts with a private RSA key.
    fn cryptoRsaDecrypt(key, hash, label, data) = crypto_rsa_decrypt, Pure;
}

/// The padding: PKCS#1 v1.5 without a digest, OAEP with one.
fn padding(hash: Option<&str>) -> Result<Option<Hash>, OpError> {
    hash.map(|name| Hash::named(name).ok_or_else(|| invalid_digest(name))).transpose()
}

fn encrypt(key: &PublicKey, hash: Option<&str>, label: Vec<u8>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    let key = key.rsa()?;
    let mut random = super::system_random();
    let encrypted = match padding(hash)? {
        None => key.encrypt(&mut random, Pkcs1v15Encrypt, data),
        Some(hash) => with_hash!(hash, D => key.encrypt(&mut random, Oaep::<D>::new_with_label(label), data)),
    };
    encrypted.map_err(|_| {
        let code = "ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE";
        OpError::new(code, "error:0200006E:rsa routines::data too large for key size")
    })
}

fn decrypt(key: &PrivateKey, hash: Option<&str>, label: Vec<u8>, data: &[u8]) -> Result<Vec<u8>, OpError> {
    let key = key.rsa()?;
    let mut random = super::system_random();
    let decrypted = match padding(hash)? {
        None => key.decrypt_blinded(&mut random, Pkcs1v15Encrypt, data),
        Some(hash) => with_hash!(hash, D => key.decrypt_blinded(&mut random, Oaep::<D>::new_with_label(label), data)),
    };
    decrypted.map_err(|_| {
        let code = "ERR_OSSL_RSA_OAEP_DECODING_ERROR";
        OpError::new(code, "error:02000079:rsa routines::oaep decoding error")
    })
}

fn crypto_rsa_encrypt<'js>(
    ctx: Ctx<'js>,
    key: Bytes,
    hash: Option<String>,
    label: Bytes,
    data: Bytes,
) -> rquickjs::Result<Bytes> {
    let encrypted = PublicKey::from_spki(&key.0).and_then(|key| encrypt(&key, hash.as_deref(), label.0, &data.0));
    encrypted.map(Bytes).map_err(|error| error.throw(&ctx))
}

fn crypto_rsa_decrypt<'js>(
    ctx: Ctx<'js>,
    key: Bytes,
    hash: Option<String>,
    label: Bytes,
    data: Bytes,
) -> rquickjs::Result<Bytes> {
    let decrypted = PrivateKey::from_pkcs8(&key.0).and_then(|key| decrypt(&key, hash.as_deref(), label.0, &data.0));
    decrypted.map(Bytes).map_err(|error| error.throw(&ctx))
}
