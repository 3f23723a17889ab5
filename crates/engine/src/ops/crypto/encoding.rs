//! The forms keys are written in: PEM, encrypted PKCS#8, and JSON web keys.
#![expect(clippy::disallowed_methods, reason = "randomness that scripts ask for")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pkcs8::der::asn1::UintRef;
use pkcs8::der::{Decode, Encode};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, pkcs5::pbes2};
use rsa::pkcs1;
use serde_json::{Value as Json, json};

use super::key::{PrivateKey, PublicKey, bad, unsupported};
use super::pem::pem_blocks;
use crate::ops::OpError;

/// Either half of a pair.
pub(super) enum Key {
    Private(PrivateKey),
    Public(PublicKey),
}

/// Reads the first key of a PEM text.
pub(super) fn from_pem(text: &str, passphrase: Option<&[u8]>) -> Result<Key, OpError> {
    for (label, der) in pem_blocks(text) {
        return Ok(match label.as_str() {
            "PRIVATE KEY" => Key::Private(PrivateKey::from_pkcs8(&der)?),
            "ENCRYPTED PRIVATE KEY" => Key::Private(decrypt(&der, passphrase)?),
            "RSA PRIVATE KEY" => Key::Private(PrivateKey::from_pkcs1(&der)?),
            "EC PRIVATE KEY" => Key::Private(PrivateKey::from_sec1(&der)?),
            "PUBLIC KEY" => Key::Public(PublicKey::from_spki(&der)?),
            "RSA PUBLIC KEY" => Key::Public(PublicKey::from_pkcs1(&der)?),
            "CERTIFICATE" => Key::Public(super::x509::public_key(&der)?),
            _ => continue,
        });
    }
    Err(unsupported())
}

/// Reads a key of a known form.
pub(super) fn from_der(der: &[u8], form: &str, private: bool, passphrase: Option<&[u8]>) -> Result<Key, OpError> {
    Ok(match (form, private) {
        ("pkcs8", _) => match PrivateKey::from_pkcs8(der) {
            Ok(key) => Key::Private(key),
            Err(_) => Key::Private(decrypt(der, passphrase)?),
        },
        ("sec1", _) => Key::Private(PrivateKey::from_sec1(der)?),
        ("spki", _) => Key::Public(PublicKey::from_spki(der)?),
        ("pkcs1", true) => Key::Private(PrivateKey::from_pkcs1(der)?),
        ("pkcs1", false) => Key::Public(PublicKey::from_pkcs1(der)?),
        _ => return Err(unsupported()),
    })
}

fn decrypt(der: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey, OpError> {
    let info = EncryptedPrivateKeyInfoRef::from_der(der).map_err(bad)?;
    let missing = || super::openssl("07880109", "common libcrypto routines", "interrupted or cancelled");
    let plain = info.decrypt(passphrase.ok_or_else(missing)?);
    let plain = plain.map_err(|_| super::openssl("1C800064", "Provider routines", "bad decrypt"))?;
    PrivateKey::from_pkcs8(plain.as_bytes())
}

/// Encrypts PKCS#8 with a passphrase.
pub(super) fn encrypt(der: &[u8], cipher: &str, passphrase: &[u8]) -> Result<Vec<u8>, OpError> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    getrandom::fill(&mut salt).and_then(|()| getrandom::fill(&mut iv)).map_err(bad)?;
    let rounds = 2_048;
    let params = match cipher.to_ascii_lowercase().as_str() {
        "aes-128-cbc" => pbes2::Parameters::generate_pbkdf2_sha256_aes128cbc(rounds, &salt, iv),
        "aes-256-cbc" => pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(rounds, &salt, iv),
        _ => return Err(OpError::new("ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher")),
    };
    let encrypted =
        PrivateKeyInfoRef::from_der(der).map_err(bad)?.encrypt_with_params(params.map_err(bad)?, passphrase);
    Ok(encrypted.map_err(bad)?.as_bytes().to_vec())
}

fn text(bytes: &[u8]) -> Json {
    Json::from(URL_SAFE_NO_PAD.encode(bytes))
}

/// A key as a JSON web key.
pub(super) fn to_jwk(key: &Key) -> Result<Json, OpError> {
    let public = match key {
        Key::Private(key) => key.public()?,
        Key::Public(_) => PublicKey::Ed25519([0; 32]),
    };
    let public = if let Key::Public(key) = key { key } else { &public };
    let point = |curve: &str, bytes: &[u8]| {
        let (x, y) = bytes[1..].split_at((bytes.len() - 1) / 2);
        json!({ "kty": "EC", "x": text(x), "y": text(y), "crv": curve })
    };
    let mut jwk = match public {
        PublicKey::Rsa(der) => {
            let key = pkcs1::RsaPublicKeyRef::from_der(der).map_err(bad)?;
            json!({ "kty": "RSA", "n": text(key.modulus.as_bytes()), "e": text(key.public_exponent.as_bytes()) })
        }
        PublicKey::P256(key) => point("P-256", &key.to_sec1_bytes()),
        PublicKey::P384(key) => point("P-384", &key.to_sec1_bytes()),
        PublicKey::Ed25519(point) => json!({ "crv": "Ed25519", "x": text(point), "kty": "OKP" }),
        PublicKey::X25519(point) => json!({ "crv": "X25519", "x": text(point), "kty": "OKP" }),
    };
    match key {
        Key::Private(PrivateKey::Rsa(der)) => {
            let key = pkcs1::RsaPrivateKeyRef::from_der(der).map_err(bad)?;
            jwk["d"] = text(key.private_exponent.as_bytes());
            jwk["p"] = text(key.prime1.as_bytes());
            jwk["q"] = text(key.prime2.as_bytes());
            jwk["dp"] = text(key.exponent1.as_bytes());
            jwk["dq"] = text(key.exponent2.as_bytes());
            jwk["qi"] = text(key.coefficient.as_bytes());
        }
        Key::Private(PrivateKey::P256(key)) => jwk["d"] = text(&key.to_bytes()),
        Key::Private(PrivateKey::P384(key)) => jwk["d"] = text(&key.to_bytes()),
        Key::Private(PrivateKey::Ed25519(seed) | PrivateKey::X25519(seed)) => jwk["d"] = text(seed),
        Key::Public(_) => {}
    }
    Ok(jwk)
}

/// Reads a JSON web key; a private one where it has a `d`.
pub(super) fn from_jwk(jwk: &Json) -> Result<Key, OpError> {
    let invalid = || OpError::new("ERR_CRYPTO_INVALID_JWK", "Invalid JWK data");
    let bytes = |name: &str| {
        let value = jwk.get(name).and_then(Json::as_str).ok_or_else(invalid)?;
        URL_SAFE_NO_PAD.decode(value.trim_end_matches('=')).map_err(|_| invalid())
    };
    let array = |name: &str| bytes(name).and_then(|bytes| <[u8; 32]>::try_from(bytes).map_err(|_| invalid()));
    let private = jwk.get("d").is_some_and(|d| !d.is_null());
    let (kind, curve) = (jwk["kty"].as_str().unwrap_or(""), jwk["crv"].as_str().unwrap_or(""));
    Ok(match (kind, curve, private) {
        ("RSA", _, true) => Key::Private(rsa_private(bytes)?),
        ("RSA", _, false) => {
            let (n, e) = (bytes("n")?, bytes("e")?);
            let key = pkcs1::RsaPublicKeyRef {
                modulus: UintRef::new(&n).map_err(bad)?,
                public_exponent: UintRef::new(&e).map_err(bad)?,
            };
            Key::Public(PublicKey::Rsa(key.to_der().map_err(bad)?))
        }
        ("EC", "P-256", true) => {
            Key::Private(PrivateKey::P256(p256::SecretKey::from_slice(&bytes("d")?).map_err(|_| invalid())?))
        }
        ("EC", "P-384", true) => {
            Key::Private(PrivateKey::P384(p384::SecretKey::from_slice(&bytes("d")?).map_err(|_| invalid())?))
        }
        ("EC", "P-256" | "P-384", false) => {
            let point = [vec![4], bytes("x")?, bytes("y")?].concat();
            Key::Public(match curve {
                "P-256" => PublicKey::P256(p256::PublicKey::from_sec1_bytes(&point).map_err(|_| invalid())?),
                _ => PublicKey::P384(p384::PublicKey::from_sec1_bytes(&point).map_err(|_| invalid())?),
            })
        }
        ("OKP", "Ed25519", true) => Key::Private(PrivateKey::Ed25519(array("d")?)),
        ("OKP", "X25519", true) => Key::Private(PrivateKey::X25519(array("d")?)),
        ("OKP", "Ed25519", false) => Key::Public(PublicKey::Ed25519(array("x")?)),
        ("OKP", "X25519", false) => Key::Public(PublicKey::X25519(array("x")?)),
        ("EC", ..) => return Err(OpError::type_error("ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")),
        _ => return Err(invalid()),
    })
}

fn rsa_private(bytes: impl Fn(&str) -> Result<Vec<u8>, OpError>) -> Result<PrivateKey, OpError> {
    let parts = ["n", "e", "d", "p", "q", "dp", "dq", "qi"].map(bytes);
    let mut numbers = Vec::with_capacity(parts.len());
    for part in parts {
        numbers.push(part?);
    }
    let number = |index: usize| UintRef::new(&numbers[index]).map_err(bad);
    let key = pkcs1::RsaPrivateKeyRef {
        modulus: number(0)?,
        public_exponent: number(1)?,
        private_exponent: number(2)?,
        prime1: number(3)?,
        prime2: number(4)?,
        exponent1: number(5)?,
        exponent2: number(6)?,
        coefficient: number(7)?,
        other_prime_infos: None,
    };
    Ok(PrivateKey::Rsa(key.to_der().map_err(bad)?))
}
