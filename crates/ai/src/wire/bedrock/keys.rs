//! The places where AWS keeps credentials: environment, profiles, single sign-on, containers, machines.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::imds;
use aws_config::meta::region::ProvideRegion as _;
use aws_config::profile::ProfileFileRegionProvider;
use aws_config::provider_config::ProviderConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials as _;
use aws_credential_types::provider::error::CredentialsError;
use aws_types::region::Region;
use parking_lot::Mutex;

use super::connector::Connector;
use crate::wire::error::WireError;
use crate::wire::http::HttpClient;

/// How long the service for machines may take: it is on the same network, or not there at all.
const IMDS_TIMEOUT: Duration = Duration::from_secs(1);
/// Credentials are renewed so long before they end, in milliseconds.
const EARLY_MS: i64 = 5 * 60 * 1000;

/// What a request is signed with.
pub(super) enum Chosen {
    /// Keys of the environment.
    Fixed(Credentials),
    /// The first place that has some; a profile is one that the user names.
    Chain { profile: Option<String>, region: String },
}

/// What requests to Bedrock share.
#[derive(Default)]
pub(super) struct Keys {
    http: OnceLock<HttpClient>,
    /// What was found, by profile.
    known: Mutex<HashMap<Option<String>, Credentials>>,
    /// One search at a time: it may take seconds, and others want the same.
    search: tokio::sync::Mutex<()>,
    /// How far the server's clock is ahead of this one, in milliseconds.
    offset: AtomicI64,
}

impl Keys {
    /// The client that services of AWS are asked with.
    pub fn connect_over(&self, http: &HttpClient) {
        self.http.get_or_init(|| http.clone());
    }

    pub fn clock_offset(&self) -> i64 {
        self.offset.load(Ordering::Relaxed)
    }

    /// Remembers for all later requests how far the server's clock is ahead, in milliseconds.
    pub fn set_clock_offset(&self, ms: i64) {
        self.offset.store(ms, Ordering::Relaxed);
    }

    /// Credentials that a server does not take any more are looked for again.
    pub fn forget(&self) {
        self.known.lock().clear();
    }

    fn config(&self, region: Option<&str>) -> ProviderConfig {
        let config = ProviderConfig::default()
            .with_behavior_version(Some(BehaviorVersion::latest()))
            .with_region(region.map(|region| Region::new(region.to_owned())));
        match self.http.get() {
            Some(http) => config.with_http_client(Connector::new(http.clone())),
            None => config,
        }
    }

    /// The region that the file of profiles has for a profile.
    pub async fn region_of(&self, profile: &str) -> Option<String> {
        let provider = ProfileFileRegionProvider::builder().configure(&self.config(None)).profile_name(profile).build();
        Some(provider.region().await?.to_string())
    }

    /// Credentials that are good for a while.
    ///
    /// # Errors
    /// When no place has any.
    pub async fn find(&self, profile: Option<&str>, region: &str) -> Result<Credentials, WireError> {
        let profile = profile.map(str::to_owned);
        let fresh = || self.known.lock().get(&profile).filter(|known| is_fresh(known)).cloned();
        if let Some(known) = fresh() {
            return Ok(known);
        }
        let _one = self.search.lock().await;
        if let Some(known) = fresh() {
            return Ok(known);
        }
        let config = self.config(Some(region));
        let machine = imds::Client::builder()
            .configure(&config)
            .connect_timeout(IMDS_TIMEOUT)
            .read_timeout(IMDS_TIMEOUT)
            .max_attempts(1)
            .build();
        let mut chain = DefaultCredentialsChain::builder().configure(config).imds_client(machine);
        if let Some(profile) = &profile {
            chain = chain.profile_name(profile);
        }
        let found = chain.build().await.provide_credentials().await;
        let found = found.map_err(|error| missing(profile.as_deref(), &error))?;
        self.known.lock().insert(profile, found.clone());
        Ok(found)
    }
}

fn is_fresh(credentials: &Credentials) -> bool {
    let Some(end) = credentials.expiry() else { return true };
    crate::clock::ms_since_epoch(end) > crate::now_ms().saturating_add(EARLY_MS)
}

fn missing(profile: Option<&str>, error: &CredentialsError) -> WireError {
    let place = profile.map(|profile| format!(" of the profile {profile:?}")).unwrap_or_default();
    let reason = match error {
        CredentialsError::CredentialsNotLoaded(_) => "there are none".to_owned(),
        error => innermost(error),
    };
    WireError::Config(format!(
        "The AWS credentials{place} could not be loaded: {reason}. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK; a profile with single sign-on needs `aws sso login`."
    ))
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
