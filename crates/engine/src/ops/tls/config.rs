//! What a connection trusts and who it says it is.

use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde_json::Value as Json;

use super::verify::{Lenient, Verdict};
use crate::ops::OpError;

/// The system's trust, read once: it is large.
static SYSTEM: OnceLock<Arc<dyn ServerCertVerifier>> = OnceLock::new();

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn failed(error: impl std::fmt::Display) -> OpError {
    OpError::message(error.to_string())
}

/// All certificates of a list of PEM texts.
fn certificates(texts: &Json) -> Result<Vec<CertificateDer<'static>>, OpError> {
    let mut all = Vec::new();
    for text in texts.as_array().into_iter().flatten().filter_map(Json::as_str) {
        for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
            all.push(certificate.map_err(failed)?);
        }
    }
    Ok(all)
}

fn system(extra: Vec<CertificateDer<'static>>) -> Result<Arc<dyn ServerCertVerifier>, OpError> {
    use rustls_platform_verifier::Verifier;
    if !extra.is_empty() {
        return Ok(Arc::new(Verifier::new_with_extra_roots(extra, provider()).map_err(failed)?));
    }
    if let Some(known) = SYSTEM.get() {
        return Ok(Arc::clone(known));
    }
    let verifier: Arc<dyn ServerCertVerifier> = Arc::new(Verifier::new(provider()).map_err(failed)?);
    Ok(Arc::clone(SYSTEM.get_or_init(|| verifier)))
}

fn verifier(own: &[CertificateDer<'static>], options: &Json) -> Result<Arc<dyn ServerCertVerifier>, OpError> {
    if own.is_empty() {
        return system(certificates(&options["extra"])?);
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(own.iter().cloned());
    let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
    Ok(built.map_err(failed)?)
}

/// The certificates and the key that one side shows.
type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(options: &Json) -> Result<Option<Identity>, OpError> {
    let chain = certificates(&options["cert"])?;
    match (chain.is_empty(), options["key"].as_str()) {
        (false, Some(key)) => Ok(Some((chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(failed)?))),
        _ => Ok(None),
    }
}

fn protocols(options: &Json) -> Vec<Vec<u8>> {
    let names = options["alpn"].as_array().into_iter().flatten().filter_map(Json::as_str);
    names.map(|name| name.as_bytes().to_vec()).collect()
}

/// From `{ca, extra, cert, key, alpn, sni, lenient}`.
pub(super) fn client(options: &Json, verdict: &Arc<Verdict>) -> Result<ClientConfig, OpError> {
    let builder =
        ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().map_err(failed)?;
    let lenient = options["lenient"].as_bool().unwrap_or(false);
    let own = certificates(&options["ca"])?;
    let verifier = Lenient::new(verifier(&own, options)?, own, lenient, Arc::clone(verdict));
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match identity(options)? {
        Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(failed)?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = protocols(options);
    config.enable_sni = options["sni"].as_bool().unwrap_or(true);
    Ok(config)
}

/// From `{cert, key, alpn}`.
pub(super) fn server(options: &Json) -> Result<ServerConfig, OpError> {
    let builder =
        ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().map_err(failed)?;
    let missing = || OpError::new("ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM", "A server needs a certificate and a key");
    let (chain, key) = identity(options)?.ok_or_else(missing)?;
    let mut config = builder.with_no_client_auth().with_single_cert(chain, key).map_err(failed)?;
    config.alpn_protocols = protocols(options);
    Ok(config)
}
