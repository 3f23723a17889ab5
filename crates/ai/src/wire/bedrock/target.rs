//! Where a request goes: region and address.

use super::variable;
use crate::StreamRequest;

/// The variable that names the region.
pub(super) const REGION: &str = "AWS_REGION";
/// The region of those who say nothing.
const DEFAULT_REGION: &str = "us-east-1";
/// The domains of regions that are apart from all others, by how the names of these begin.
const APART: [(&str, &str); 4] =
    [("cn-", "amazonaws.com.cn"), ("us-iso-", "c2s.ic.gov"), ("us-isob-", "sc2s.sgov.gov"), ("eusc-", "amazonaws.eu")];

/// Region and address of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// For example `us-east-1`.
    pub region: String,
    /// The address without a path of the interface, and without a slash at its end.
    endpoint: String,
}

impl Target {
    pub fn of(request: &StreamRequest) -> Self {
        let base = request.model.base_url.trim_end_matches('/');
        let configured = configured_region(request);
        // The catalogue has the address of one region, and says nothing about where this user's models are.
        let is_own = !base.is_empty() && (endpoint_region(base).is_none() || configured.is_none());
        let region = arn_region(&request.model.id).or(configured).or_else(|| endpoint_region(base));
        let region = region.unwrap_or(DEFAULT_REGION).to_owned();
        let endpoint = if is_own {
            base.to_owned()
        } else {
            let named = ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"]
                .iter()
                .find_map(|name| variable(request, name));
            named.map_or_else(|| standard_endpoint(&region), |named| named.trim_end_matches('/').to_owned())
        };
        Self { region, endpoint }
    }

    /// The address that a model is asked at.
    pub fn url(&self, model: &str) -> String {
        format!("{}/model/{}/converse-stream", self.endpoint, escaped(model))
    }

    /// Whether the request stays in the regions of the American government, which lag behind in what models take.
    pub fn is_government(&self, request: &StreamRequest) -> bool {
        let model = request.model.id.to_ascii_lowercase();
        configured_region(request).is_some_and(|region| region.to_ascii_lowercase().starts_with("us-gov-"))
            || model.starts_with("us-gov.")
            || model.starts_with("arn:aws-us-gov:")
    }
}

/// The profile whose file says which region is meant, because nothing else does.
pub(super) fn profile_without_region(request: &StreamRequest) -> Option<&str> {
    let is_named = configured_region(request).is_some() || arn_region(&request.model.id).is_some();
    variable(request, "AWS_PROFILE").filter(|_| !is_named)
}

fn configured_region(request: &StreamRequest) -> Option<&str> {
    variable(request, REGION).or_else(|| variable(request, "AWS_DEFAULT_REGION"))
}

/// The region in the name of a model that is an address of AWS's own: `arn:aws:bedrock:REGION:…`.
fn arn_region(model: &str) -> Option<&str> {
    let mut parts = model.split(':');
    let (arn, partition, service, region) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_partition = partition == "aws" || partition.starts_with("aws-");
    (arn == "arn" && is_partition && service == "bedrock" && is_region(region)).then_some(region)
}

/// Whether a text can be the name of a region. It becomes a part of a host, to which credentials go.
fn is_region(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The region of an address that is one of Bedrock's own.
fn endpoint_region(base: &str) -> Option<&str> {
    let host = base.split_once("://")?.1.split(['/', ':', '?']).next()?;
    let rest = host.strip_prefix("bedrock-runtime-fips.").or_else(|| host.strip_prefix("bedrock-runtime."))?;
    rest.strip_suffix(".amazonaws.com").or_else(|| rest.strip_suffix(".amazonaws.com.cn"))
}

fn standard_endpoint(region: &str) -> String {
    let domain =
        APART.iter().find(|(begin, _)| region.starts_with(begin)).map_or("amazonaws.com", |(_, domain)| domain);
    format!("https://bedrock-runtime.{region}.{domain}")
}

/// A name as one part of a path.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::bedrock::tests::request;

    const VIRGINIA: &str = "https://bedrock-runtime.us-east-1.amazonaws.com";

    fn of(model: &str, base: &str, env: &[(&str, &str)]) -> (String, String) {
        let mut request = request(model, serde_json::json!({"baseUrl": base}));
        request.options.env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let target = Target::of(&request);
        let url = target.url("m");
        (target.region, url.trim_end_matches("/model/m/converse-stream").to_owned())
    }

    #[test]
    fn the_region_is_that_of_the_model_the_user_the_address() {
        let frankfurt = [("AWS_REGION", "eu-central-1"), ("AWS_DEFAULT_REGION", "us-west-2")];
        let arn = "arn:aws:bedrock:ap-south-1:123456789012:inference-profile/m";
        for (model, base, env, region, endpoint) in [
            ("m", VIRGINIA, &[][..], "us-east-1", VIRGINIA),
            ("m", "", &[], "us-east-1", VIRGINIA),
            ("m", VIRGINIA, &frankfurt, "eu-central-1", "https://bedrock-runtime.eu-central-1.amazonaws.com"),
            ("m", VIRGINIA, &frankfurt[1..], "us-west-2", "https://bedrock-runtime.us-west-2.amazonaws.com"),
            (arn, VIRGINIA, &frankfurt, "ap-south-1", "https://bedrock-runtime.ap-south-1.amazonaws.com"),
            (
                "m",
                "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/",
                &[],
                "us-gov-west-1",
                "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com",
            ),
            ("m", "http://localhost:1/proxy/", &frankfurt, "eu-central-1", "http://localhost:1/proxy"),
            (
                "m",
                VIRGINIA,
                &[("AWS_REGION", "cn-north-1")],
                "cn-north-1",
                "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
            ),
            (
                "m",
                VIRGINIA,
                &[("AWS_REGION", "eu-west-1"), ("AWS_ENDPOINT_URL", "http://vpc/")],
                "eu-west-1",
                "http://vpc",
            ),
        ] {
            assert_eq!(of(model, base, env), (region.to_owned(), endpoint.to_owned()), "{model} {base} {env:?}");
        }
    }

    #[test]
    fn names_of_models_are_one_part_of_the_path() {
        assert_eq!(
            escaped("arn:aws:bedrock:x/anthropic.m-v1:0~é"),
            "arn%3Aaws%3Abedrock%3Ax%2Fanthropic.m-v1%3A0~%C3%A9"
        );
    }

    #[test]
    fn a_region_is_never_another_host() {
        for region in ["x@127.0.0.1/", "evil.example#", "EU", "a b", ""] {
            let id = format!("arn:aws:bedrock:{region}:1:inference-profile/p");
            let target = Target::of(&request(&id, serde_json::json!({"baseUrl": ""})));
            assert_eq!(target.endpoint, "https://bedrock-runtime.us-east-1.amazonaws.com", "{region}");
        }
    }
}
