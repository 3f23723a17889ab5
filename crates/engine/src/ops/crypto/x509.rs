//! What certificates say.

use rquickjs::Ctx;
use serde_json::{Value as Json, json};
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{AuthorityInfoAccessSyntax, BasicConstraints, ExtendedKeyUsage, SubjectAltName};
use x509_cert::name::Name;

use super::digest::{Hash, hash_once};
use super::key::{PublicKey, bad, unsupported};
use super::pem::{pem_blocks, to_pem};
use super::sign::certificate_signature;
use crate::ops::table::ops;
use crate::ops::{Bytes, OpError};

ops! {
    /// What certificates say.
    pub static OPS: watched;

    /// What a certificate says.
    fn cryptoX509(data) -> "Certificate" = crypto_x509, Pure;
    /// The DER of a certificate.
    fn cryptoX509Raw(data) = crypto_x509_raw, Pure;
    /// Whether a key signed a certificate.
    fn cryptoX509Verify(data, key) = crypto_x509_verify, Pure;
}

/// The attributes of names that have short labels.
const LABELS: &[(&str, &str)] = &[
    ("2.5.4.3", "CN"),
    ("2.5.4.4", "SN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "street"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("2.5.4.12", "title"),
    ("2.5.4.42", "GN"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("0.9.2342.19200300.100.1.1", "UID"),
];

/// A certificate from DER or from a PEM text.
fn read(data: &[u8]) -> Result<Certificate, OpError> {
    let text = String::from_utf8_lossy(data);
    let block = pem_blocks(&text).into_iter().find(|(label, _)| label.ends_with("CERTIFICATE"));
    let der = block.map_or_else(|| data.to_vec(), |(_, der)| der);
    Certificate::from_der(&der).map_err(|_| super::openssl("0680007B", "asn1 encoding routines", "header too long"))
}

/// The key a certificate is about.
pub(super) fn public_key(der: &[u8]) -> Result<PublicKey, OpError> {
    let certificate = read(der)?;
    PublicKey::from_spki(&certificate.tbs_certificate().subject_public_key_info().to_der().map_err(bad)?)
}

/// `[[label, value], …]`, most general first, as it is written.
fn name(name: &Name) -> Json {
    let label = |oid: &str| {
        LABELS.iter().find(|(known, _)| *known == oid).map_or(oid.to_owned(), |(_, label)| (*label).to_owned())
    };
    let value = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    name.iter().map(|part| json!([label(&part.oid.to_string()), value(part.value.value())])).collect()
}

/// `[[kind, value], …]` of the names a certificate is for besides its subject.
fn alternatives(names: &[GeneralName]) -> Json {
    let address = |bytes: &[u8]| match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
        (Ok(four), _) => std::net::Ipv4Addr::from(four).to_string(),
        (_, Ok(sixteen)) => {
            let groups = std::net::Ipv6Addr::from(sixteen).segments();
            groups.map(|group| format!("{group:X}")).join(":")
        }
        _ => "<invalid>".to_owned(),
    };
    let one = |entry: &GeneralName| match entry {
        GeneralName::DnsName(text) => json!(["DNS", text.as_str()]),
        GeneralName::Rfc822Name(text) => json!(["email", text.as_str()]),
        GeneralName::UniformResourceIdentifier(text) => json!(["URI", text.as_str()]),
        GeneralName::IpAddress(bytes) => json!(["IP Address", address(bytes.as_bytes())]),
        GeneralName::DirectoryName(directory) => json!(["DirName", directory.to_string()]),
        GeneralName::RegisteredId(oid) => json!(["Registered ID", oid.to_string()]),
        _ => json!(["othername", "<unsupported>"]),
    };
    names.iter().map(one).collect()
}

fn hex(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(between)
}

fn describe(certificate: &Certificate) -> Result<Json, OpError> {
    let body = certificate.tbs_certificate();
    let raw = certificate.to_der().map_err(bad)?;
    let extension = |wanted: &str| {
        let all = body.extensions().map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .find(|extension| extension.extn_id.to_string() == wanted)
            .map(|extension| extension.extn_value.as_bytes())
    };
    let usage = extension("2.5.29.37").and_then(|bytes| ExtendedKeyUsage::from_der(bytes).ok());
    let basic = extension("2.5.29.19").and_then(|bytes| BasicConstraints::from_der(bytes).ok());
    let names = extension("2.5.29.17").and_then(|bytes| SubjectAltName::from_der(bytes).ok());
    let access = extension("1.3.6.1.5.5.7.1.1").and_then(|bytes| AuthorityInfoAccessSyntax::from_der(bytes).ok());
    let access = access.map(|access| {
        let one = |entry: &x509_cert::ext::pkix::AccessDescription| {
            let method = match entry.access_method.to_string().as_str() {
                "1.3.6.1.5.5.7.48.1" => "OCSP".to_owned(),
                "1.3.6.1.5.5.7.48.2" => "CA Issuers".to_owned(),
                other => other.to_owned(),
            };
            json!([method, alternatives(std::slice::from_ref(&entry.access_location))[0]])
        };
        access.0.iter().map(one).collect::<Json>()
    });
    let validity = body.validity();
    let serial = body.serial_number().as_bytes();
    Ok(json!({
        "subject": name(body.subject()),
        "issuer": name(body.issuer()),
        "names": names.map(|names| alternatives(&names.0)),
        "access": access,
        "ca": basic.is_some_and(|basic| basic.ca),
        "usage": usage.map(|usage| usage.0.iter().map(ToString::to_string).collect::<Vec<_>>()),
        // Seconds since 1970.
        "from": validity.not_before.to_unix_duration().as_secs(),
        "to": validity.not_after.to_unix_duration().as_secs(),
        "serial": hex(serial.strip_prefix(&[0]).unwrap_or(serial), ""),
        "fingerprint": hex(&hash_once(Hash::Sha1, &raw), ":"),
        "fingerprint256": hex(&hash_once(Hash::Sha256, &raw), ":"),
        "fingerprint512": hex(&hash_once(Hash::Sha512, &raw), ":"),
        "pem": to_pem("CERTIFICATE", &raw),
    }))
}

/// Whether a certificate was signed with the private half of a key.
fn signed_by(certificate: &Certificate, key: &PublicKey) -> Result<bool, OpError> {
    let body = certificate.tbs_certificate().to_der().map_err(bad)?;
    let signature = certificate.signature().as_bytes().ok_or_else(unsupported)?;
    Ok(certificate_signature(&certificate.signature_algorithm().oid.to_string(), key, &body, signature))
}

fn crypto_x509<'js>(ctx: Ctx<'js>, data: Bytes) -> rquickjs::Result<crate::ops::Json> {
    let described = read(&data.0).and_then(|certificate| describe(&certificate));
    described.map(crate::ops::Json).map_err(|error| error.throw(&ctx))
}

fn crypto_x509_raw<'js>(ctx: Ctx<'js>, data: Bytes) -> rquickjs::Result<Bytes> {
    let raw = read(&data.0).and_then(|certificate| certificate.to_der().map_err(bad));
    raw.map(Bytes).map_err(|error| error.throw(&ctx))
}

fn crypto_x509_verify<'js>(ctx: Ctx<'js>, data: Bytes, key: Bytes) -> rquickjs::Result<bool> {
    let right = read(&data.0).and_then(|certificate| signed_by(&certificate, &PublicKey::from_spki(&key.0)?));
    right.map_err(|error| error.throw(&ctx))
}
