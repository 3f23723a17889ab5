//! Making, reading and writing keys.
#![expect(clippy::disallowed_methods, reason = "randomness that scripts ask for")]

use p256::elliptic_curve::Generate;
use pkcs8::der::Encode;
use rquickjs::{Ctx, Object};
use rsa::pkcs1;
use rsa::traits::PublicKeyParts;

use super::encoding::{Key, encrypt, from_der, from_jwk, from_pem, to_jwk};
use super::kdf::off_thread;
use super::key::{P256, P384, PrivateKey, PublicKey, bad, unsupported};
use super::pem::to_pem;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::waiting::while_working;
use crate::ops::{Bytes, Json, List, OpError};

ops! {
    /// Making, reading and writing keys.
    pub static OPS: watched;

    /// `{kind, der}` of a PEM text, or of DER where a form is given.
    fn cryptoKeyParse(data, form, isPrivate, passphrase) -> "{ kind: \"private\" | \"public\"; der: Uint8Array }" = crypto_key_parse, Pure;
    /// `{kind, der}` of a JSON web key.
    fn cryptoKeyFromJwk(jwk) -> "{ kind: \"secret\" | \"private\" | \"public\"; der: Uint8Array }" = crypto_key_from_jwk, Pure;
    /// A key as a JSON web key.
    fn cryptoKeyToJwk(kind, der) -> "Record<string, string>" = crypto_key_to_jwk, Pure;
    /// What a key is: its type and its parameters.
    fn cryptoKeyDetails(kind, der) -> "KeyDetails" = crypto_key_details, Pure;
    /// The public key of a private one.
    fn cryptoKeyPublic(der) = crypto_key_public, Pure;
    /// A key in another form.
    fn cryptoKeyExport(kind, der, form, pem, cipher, passphrase) = crypto_key_export, Pure;
    /// A new pair of keys.
    fn cryptoKeyGenerate(kind, curve, bits, exponent) -> "[publicKey: Uint8Array, privateKey: Uint8Array]" = crypto_key_generate, Recorded;
    /// A new pair of keys, from another thread.
    fn cryptoKeyGenerateAsync(kind, curve, bits, exponent) -> "[publicKey: Uint8Array, privateKey: Uint8Array]" = crypto_key_generate_async, Recorded;
    /// The secret that two pairs share.
    fn cryptoAgree(privateKey, public) = crypto_agree, Pure;
}

/// How keys cross: `private` with PKCS#8 or `public` with a SubjectPublicKeyInfo.
fn read(kind: &str, der: &[u8]) -> Result<Key, OpError> {
    match kind {
        "private" => PrivateKey::from_pkcs8(der).map(Key::Private),
        _ => PublicKey::from_spki(der).map(Key::Public),
    }
}

fn object<'js>(ctx: &Ctx<'js>, key: &Key) -> rquickjs::Result<Object<'js>> {
    let (kind, der) = match key {
        Key::Private(key) => ("private", key.to_pkcs8()),
        Key::Public(key) => ("public", key.to_spki()),
    };
    let object = Object::new(ctx.clone())?;
    object.set("kind", kind)?;
    object.set("der", Bytes(der.map_err(|error| error.throw(ctx))?))?;
    Ok(object)
}

/// A new pair: SubjectPublicKeyInfo and PKCS#8.
fn generate(kind: &str, curve: &str, bits: usize, exponent: u64) -> Result<List<Bytes>, OpError> {
    let mut random = super::system_random();
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(bad)?;
    let key = match (kind, curve) {
        ("rsa", _) => {
            let key = match exponent {
                65_537 => rsa::RsaPrivateKey::new(&mut random, bits),
                other => rsa::RsaPrivateKey::new_with_exp(&mut random, bits, rsa::BoxedUint::from(other)),
            };
            let key = key.map_err(|error| OpError::message(error.to_string()))?;
            debug_assert!(key.size() > 0);
            PrivateKey::Rsa(pkcs1::EncodeRsaPrivateKey::to_pkcs1_der(&key).map_err(bad)?.as_bytes().to_vec())
        }
        ("ec", "P-256" | "prime256v1" | "secp256r1") => {
            PrivateKey::P256(p256::SecretKey::generate_from_rng(&mut random))
        }
        ("ec", "P-384" | "secp384r1") => PrivateKey::P384(p384::SecretKey::generate_from_rng(&mut random)),
        ("ec", _) => return Err(OpError::type_error("ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name")),
        ("ed25519", _) => PrivateKey::Ed25519(seed),
        ("x25519", _) => PrivateKey::X25519(seed),
        _ => return Err(unsupported()),
    };
    Ok(List(vec![Bytes(key.public()?.to_spki()?), Bytes(key.to_pkcs8()?)]))
}

/// The bytes of a key in the asked form, and the PEM label of that form.
fn export(key: &Key, form: &str, encrypted: Option<(&str, &[u8])>) -> Result<(Vec<u8>, &'static str), OpError> {
    let incompatible = || {
        let why = format!("Selected key encoding {form} does not fit this kind of key.");
        OpError::new("ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS", why)
    };
    Ok(match (form, key) {
        ("pkcs8", Key::Private(key)) => match encrypted {
            Some((cipher, passphrase)) => (encrypt(&key.to_pkcs8()?, cipher, passphrase)?, "ENCRYPTED PRIVATE KEY"),
            None => (key.to_pkcs8()?, "PRIVATE KEY"),
        },
        ("pkcs1", Key::Private(PrivateKey::Rsa(der))) => (der.clone(), "RSA PRIVATE KEY"),
        ("sec1", Key::Private(PrivateKey::P256(key))) => {
            (sec1(&key.to_bytes(), &key.public_key().to_sec1_bytes(), P256)?, "EC PRIVATE KEY")
        }
        ("sec1", Key::Private(PrivateKey::P384(key))) => {
            (sec1(&key.to_bytes(), &key.public_key().to_sec1_bytes(), P384)?, "EC PRIVATE KEY")
        }
        ("spki", Key::Public(key)) => (key.to_spki()?, "PUBLIC KEY"),
        ("pkcs1", Key::Public(PublicKey::Rsa(der))) => (der.clone(), "RSA PUBLIC KEY"),
        _ => return Err(incompatible()),
    })
}

fn sec1(secret: &[u8], public: &[u8], curve: pkcs8::ObjectIdentifier) -> Result<Vec<u8>, OpError> {
    let parameters = Some(sec1::EcParameters::NamedCurve(curve));
    sec1::EcPrivateKey { private_key: secret, parameters, public_key: Some(public) }.to_der().map_err(bad)
}

fn agree(private: &PrivateKey, public: &PublicKey) -> Result<Vec<u8>, OpError> {
    let different = || OpError::new("ERR_CRYPTO_INCOMPATIBLE_KEY", "Incompatible key types for Diffie-Hellman");
    Ok(match (private, public) {
        (PrivateKey::P256(own), PublicKey::P256(other)) => own.diffie_hellman(other).raw_secret_bytes().to_vec(),
        (PrivateKey::P384(own), PublicKey::P384(other)) => own.diffie_hellman(other).raw_secret_bytes().to_vec(),
        (PrivateKey::X25519(own), PublicKey::X25519(other)) => x25519_dalek::x25519(*own, *other).to_vec(),
        _ => return Err(different()),
    })
}

fn whole(number: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let whole = number.clamp(3.0, 4_294_967_295.0) as u64;
    whole
}

fn crypto_key_parse<'js>(
    ctx: Ctx<'js>,
    data: Bytes,
    form: Option<String>,
    private: bool,
    passphrase: Option<Bytes>,
) -> rquickjs::Result<Object<'js>> {
    let passphrase = passphrase.as_ref().map(|passphrase| passphrase.0.as_slice());
    let key = match &form {
        Some(form) => from_der(&data.0, form, private, passphrase),
        None => from_pem(&String::from_utf8_lossy(&data.0), passphrase),
    };
    object(&ctx, &key.map_err(|error| error.throw(&ctx))?)
}

fn crypto_key_from_jwk<'js>(ctx: Ctx<'js>, jwk: Json) -> rquickjs::Result<Object<'js>> {
    object(&ctx, &from_jwk(&jwk.0).map_err(|error| error.throw(&ctx))?)
}

fn crypto_key_to_jwk<'js>(ctx: Ctx<'js>, kind: String, der: Bytes) -> rquickjs::Result<Json> {
    read(&kind, &der.0).and_then(|key| to_jwk(&key)).map(Json).map_err(|error| error.throw(&ctx))
}

fn crypto_key_details<'js>(ctx: Ctx<'js>, kind: String, der: Bytes) -> rquickjs::Result<Json> {
    let details = read(&kind, &der.0).and_then(|key| match key {
        Key::Private(key) => key.public()?.details(),
        Key::Public(key) => key.details(),
    });
    details.map(Json).map_err(|error| error.throw(&ctx))
}

fn crypto_key_public<'js>(ctx: Ctx<'js>, der: Bytes) -> rquickjs::Result<Bytes> {
    let public = PrivateKey::from_pkcs8(&der.0).and_then(|key| key.public()?.to_spki());
    public.map(Bytes).map_err(|error| error.throw(&ctx))
}

fn crypto_key_export<'js>(
    ctx: Ctx<'js>,
    kind: String,
    der: Bytes,
    form: String,
    pem: bool,
    cipher: Option<String>,
    passphrase: Option<Bytes>,
) -> rquickjs::Result<Bytes> {
    let encrypted = cipher.as_deref().zip(passphrase.as_ref().map(|passphrase| passphrase.0.as_slice()));
    let exported = read(&kind, &der.0).and_then(|key| export(&key, &form, encrypted));
    let (bytes, label) = exported.map_err(|error| error.throw(&ctx))?;
    rquickjs::Result::Ok(Bytes(if pem { to_pem(label, &bytes).into_bytes() } else { bytes }))
}

fn crypto_key_generate<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    kind: String,
    curve: String,
    bits: usize,
    exponent: f64,
) -> rquickjs::Result<List<Bytes>> {
    // Looking for two large primes takes as long as it takes.
    let long = kind.starts_with("rsa").then(|| "`generateKeyPairSync`".to_owned());
    while_working(&ctx, &host, long, move || generate(&kind, &curve, bits, whole(exponent)))
}

fn crypto_key_generate_async<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    kind: String,
    curve: String,
    bits: usize,
    exponent: f64,
) -> rquickjs::Result<Promised<'js, List<Bytes>>> {
    host.spawn(&ctx, off_thread(move || generate(&kind, &curve, bits, whole(exponent))))
}

fn crypto_agree<'js>(ctx: Ctx<'js>, private: Bytes, public: Bytes) -> rquickjs::Result<Bytes> {
    let secret = PrivateKey::from_pkcs8(&private.0)
        .and_then(|private| PublicKey::from_spki(&public.0).and_then(|public| agree(&private, &public)));
    secret.map(Bytes).map_err(|error| error.throw(&ctx))
}
