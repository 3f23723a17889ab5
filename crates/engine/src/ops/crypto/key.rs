//! Asymmetric keys: their kinds, and the two forms they cross in, PKCS#8 and SubjectPublicKeyInfo.

use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{Decode, Encode};
use pkcs8::spki::AlgorithmIdentifierRef;
use pkcs8::{EncodePrivateKey, EncodePublicKey, ObjectIdentifier, PrivateKeyInfoRef, SubjectPublicKeyInfoRef};
use rsa::pkcs1;

use crate::ops::OpError;

const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
pub(super) const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
pub(super) const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// A private key. RSA stays in its DER until it is used: reading its numbers takes long.
pub(super) enum PrivateKey {
    /// PKCS#1.
    Rsa(Vec<u8>),
    P256(p256::SecretKey),
    P384(p384::SecretKey),
    Ed25519([u8; 32]),
    X25519([u8; 32]),
}

/// A public key.
pub(super) enum PublicKey {
    /// PKCS#1.
    Rsa(Vec<u8>),
    P256(p256::PublicKey),
    P384(p384::PublicKey),
    Ed25519([u8; 32]),
    X25519([u8; 32]),
}

/// The error for bytes that are no key, or a kind of key that does not exist here.
pub(super) fn unsupported() -> OpError {
    super::openssl("1E08010C", "DECODER routines", "unsupported")
}

/// Any failure to read or write a key.
pub(super) fn bad<E>(_: E) -> OpError {
    unsupported()
}

impl PrivateKey {
    /// Reads PKCS#8.
    pub(super) fn from_pkcs8(der: &[u8]) -> Result<Self, OpError> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(bad)?;
        let octets = info.private_key.as_bytes();
        // An octet string in an octet string.
        let seed = || octets.get(2..).and_then(|seed| <[u8; 32]>::try_from(seed).ok()).ok_or_else(unsupported);
        Ok(match info.algorithm.oid {
            pkcs1::ALGORITHM_OID => Self::from_pkcs1(octets)?,
            EC => match info.algorithm.parameters_oid().map_err(bad)? {
                P256 => Self::P256(p256::SecretKey::try_from(info).map_err(bad)?),
                P384 => Self::P384(p384::SecretKey::try_from(info).map_err(bad)?),
                _ => return Err(unsupported()),
            },
            ED25519 => Self::Ed25519(seed()?),
            X25519 => Self::X25519(seed()?),
            _ => return Err(unsupported()),
        })
    }

    /// Reads PKCS#1.
    pub(super) fn from_pkcs1(der: &[u8]) -> Result<Self, OpError> {
        pkcs1::RsaPrivateKeyRef::from_der(der).map_err(bad)?;
        Ok(Self::Rsa(der.to_vec()))
    }

    /// Reads SEC1.
    pub(super) fn from_sec1(der: &[u8]) -> Result<Self, OpError> {
        if let Ok(key) = p256::SecretKey::from_sec1_der(der) {
            return Ok(Self::P256(key));
        }
        p384::SecretKey::from_sec1_der(der).map(Self::P384).map_err(bad)
    }

    /// Writes PKCS#8.
    pub(super) fn to_pkcs8(&self) -> Result<Vec<u8>, OpError> {
        let info = |algorithm, octets: &[u8]| {
            PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(octets).map_err(bad)?).to_der().map_err(bad)
        };
        let edwards = |oid, seed: &[u8; 32]| {
            let octets: Vec<u8> = [0x04, 0x20].into_iter().chain(*seed).collect();
            info(AlgorithmIdentifierRef { oid, parameters: None }, &octets)
        };
        match self {
            Self::Rsa(der) => info(pkcs1::ALGORITHM_ID, der),
            Self::P256(key) => Ok(key.to_pkcs8_der().map_err(bad)?.as_bytes().to_vec()),
            Self::P384(key) => Ok(key.to_pkcs8_der().map_err(bad)?.as_bytes().to_vec()),
            Self::Ed25519(seed) => edwards(ED25519, seed),
            Self::X25519(seed) => edwards(X25519, seed),
        }
    }

    /// The public half.
    pub(super) fn public(&self) -> Result<PublicKey, OpError> {
        Ok(match self {
            Self::Rsa(der) => {
                let key = pkcs1::RsaPrivateKeyRef::from_der(der).map_err(bad)?;
                PublicKey::Rsa(key.public_key().to_der().map_err(bad)?)
            }
            Self::P256(key) => PublicKey::P256(key.public_key()),
            Self::P384(key) => PublicKey::P384(key.public_key()),
            Self::Ed25519(seed) => {
                PublicKey::Ed25519(ed25519_dalek::SigningKey::from_bytes(seed).verifying_key().to_bytes())
            }
            Self::X25519(seed) => PublicKey::X25519(x25519_dalek::x25519(*seed, x25519_dalek::X25519_BASEPOINT_BYTES)),
        })
    }

    /// The numbers of an RSA key.
    pub(super) fn rsa(&self) -> Result<rsa::RsaPrivateKey, OpError> {
        let Self::Rsa(der) = self else { return Err(unsupported()) };
        pkcs1::DecodeRsaPrivateKey::from_pkcs1_der(der).map_err(bad)
    }
}

impl PublicKey {
    /// Reads a SubjectPublicKeyInfo.
    pub(super) fn from_spki(der: &[u8]) -> Result<Self, OpError> {
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(bad)?;
        let bytes = info.subject_public_key.as_bytes().ok_or_else(unsupported)?;
        let point = || <[u8; 32]>::try_from(bytes).map_err(bad);
        Ok(match info.algorithm.oid {
            pkcs1::ALGORITHM_OID => Self::from_pkcs1(bytes)?,
            EC => match info.algorithm.parameters_oid().map_err(bad)? {
                P256 => Self::P256(p256::PublicKey::from_sec1_bytes(bytes).map_err(bad)?),
                P384 => Self::P384(p384::PublicKey::from_sec1_bytes(bytes).map_err(bad)?),
                _ => return Err(unsupported()),
            },
            ED25519 => Self::Ed25519(point()?),
            X25519 => Self::X25519(point()?),
            _ => return Err(unsupported()),
        })
    }

    /// Reads PKCS#1.
    pub(super) fn from_pkcs1(der: &[u8]) -> Result<Self, OpError> {
        pkcs1::RsaPublicKeyRef::from_der(der).map_err(bad)?;
        Ok(Self::Rsa(der.to_vec()))
    }

    /// Writes a SubjectPublicKeyInfo.
    pub(super) fn to_spki(&self) -> Result<Vec<u8>, OpError> {
        let info = |algorithm, bytes: &[u8]| {
            let subject_public_key = BitStringRef::new(0, bytes).map_err(bad)?;
            SubjectPublicKeyInfoRef { algorithm, subject_public_key }.to_der().map_err(bad)
        };
        let edwards = |oid, point: &[u8; 32]| info(AlgorithmIdentifierRef { oid, parameters: None }, point);
        match self {
            Self::Rsa(der) => info(pkcs1::ALGORITHM_ID, der),
            Self::P256(key) => Ok(key.to_public_key_der().map_err(bad)?.into_vec()),
            Self::P384(key) => Ok(key.to_public_key_der().map_err(bad)?.into_vec()),
            Self::Ed25519(point) => edwards(ED25519, point),
            Self::X25519(point) => edwards(X25519, point),
        }
    }

    /// The numbers of an RSA key.
    pub(super) fn rsa(&self) -> Result<rsa::RsaPublicKey, OpError> {
        let Self::Rsa(der) = self else { return Err(unsupported()) };
        pkcs1::DecodeRsaPublicKey::from_pkcs1_der(der).map_err(bad)
    }

    /// What `asymmetricKeyType` and `asymmetricKeyDetails` say.
    pub(super) fn details(&self) -> Result<serde_json::Value, OpError> {
        Ok(match self {
            Self::Rsa(der) => {
                let key = pkcs1::RsaPublicKeyRef::from_der(der).map_err(bad)?;
                let modulus = key.modulus.as_bytes();
                let bits = modulus.len() * 8 - modulus.first().map_or(0, |byte| byte.leading_zeros() as usize);
                let exponent = key.public_exponent.as_bytes();
                let exponent = exponent.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                serde_json::json!({ "type": "rsa", "modulusLength": bits, "publicExponent": format!("0x{exponent}") })
            }
            Self::P256(_) => serde_json::json!({ "type": "ec", "namedCurve": "prime256v1" }),
            Self::P384(_) => serde_json::json!({ "type": "ec", "namedCurve": "secp384r1" }),
            Self::Ed25519(_) => serde_json::json!({ "type": "ed25519" }),
            Self::X25519(_) => serde_json::json!({ "type": "x25519" }),
        })
    }
}
