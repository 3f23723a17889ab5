//! Amazon Bedrock with credentials from each place that AWS's own tools look in. What they are for is the signature of a
//! request, so that is what is looked at.

use serde_json::{Value, json};
use tau_testkit::loopback::{AMAZON_STREAM, LoopbackServer, RecordedRequest, Reply, amazon_frame};

use crate::support::{Done, Place};

const MODEL: &str = "amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const SECRET: &str = "s3cret-access-key";
/// Nobody waits for the service that machines of Amazon have.
const NO_MACHINE: (&str, &str) = ("AWS_EC2_METADATA_DISABLED", "true");

/// A Bedrock that says "ok" to each request, and a place whose `amazon-bedrock` it is.
fn bedrock(requests: usize) -> (LoopbackServer, Place) {
    let event = |name: &str, payload: Value| {
        amazon_frame(&[(":message-type", "event"), (":event-type", name)], &payload.to_string())
    };
    let frames = [
        event("messageStart", json!({"role": "assistant"})),
        event("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": {"text": "ok"}})),
        event("contentBlockStop", json!({"contentBlockIndex": 0})),
        event("messageStop", json!({"stopReason": "end_turn"})),
    ];
    let server = LoopbackServer::start(vec![Reply::verbatim(AMAZON_STREAM, frames.concat()); requests]);
    let place = Place::new();
    let models = json!({"providers": {"amazon-bedrock": {"baseUrl": server.url()}}});
    place.write("agent/models.json", models.to_string());
    (server, place)
}

fn ask(place: &Place, environment: &[(&str, &str)]) -> Done {
    let tau = place.tau(["--no-session", "--model", MODEL, "-p", "Hi"]);
    environment.iter().chain([&NO_MACHINE]).fold(tau, |tau, (name, value)| tau.env(name, value)).run()
}

/// Key and region of a request's signature.
fn signer(request: &RecordedRequest) -> String {
    let authorization = &request.headers["authorization"];
    let scope = authorization.split_once("Credential=").expect("a signature").1.split(',').next().expect("its scope");
    let [key, _date, region, "bedrock", "aws4_request"] = scope.split('/').collect::<Vec<_>>()[..] else {
        panic!("{authorization}")
    };
    format!("{key} {region}")
}

fn keys(id: &str) -> String {
    json!({"Version": 1, "AccessKeyId": id, "SecretAccessKey": SECRET, "SessionToken": "for-a-while"}).to_string()
}

#[test]
fn profiles_and_programs_sign_requests() {
    let (server, place) = bedrock(4);
    place.write("keys.json", keys("FROMPROGRAM"));
    let program = place.program("keys", &format!("cat '{}'", place.root().join("keys.json").display()));
    let file = |id: &str| format!("aws_access_key_id = {id}\naws_secret_access_key = {SECRET}\n");
    let credentials = format!("[default]\n{}[own]\n{}", file("FROMDEFAULT"), file("FROMOWN"));
    place.write("home/.aws/credentials", credentials);
    let config = format!(
        "[profile own]\nregion = eu-north-1\n[profile asking]\nregion = ap-south-1\ncredential_process = {}\n",
        program.display()
    );
    place.write("home/.aws/config", config);
    let environment = [("AWS_ACCESS_KEY_ID", "FROMVARIABLES"), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    for (environment, expected, session) in [
        (&environment[..], "FROMVARIABLES us-east-1", None),
        (&[("AWS_PROFILE", "own")], "FROMOWN eu-north-1", None),
        (&[("AWS_PROFILE", "own"), ("AWS_REGION", "us-west-2")], "FROMOWN us-west-2", None),
        (&[("AWS_PROFILE", "asking")], "FROMPROGRAM ap-south-1", Some("for-a-while")),
    ] {
        let before = server.requests().len();
        let done = ask(&place, environment);
        assert_eq!(done, Done::ok("ok\n"), "{environment:?}");
        let requests = server.requests();
        let [request] = &requests[before..] else { panic!("{environment:?}: {requests:?}") };
        assert_eq!(signer(request), expected, "{environment:?}");
        assert_eq!(request.headers.get("x-amz-security-token").map(String::as_str), session, "{environment:?}");
        assert!(!format!("{done:?}{requests:?}").contains(SECRET), "{environment:?}");
    }
}

#[test]
fn a_container_gives_credentials() {
    let (server, place) = bedrock(1);
    let mut given: Value = serde_json::from_str(&keys("FROMCONTAINER")).expect("JSON");
    given["Token"] = given["SessionToken"].take();
    given["Expiration"] = "2100-01-01T00:00:00Z".into();
    let container = LoopbackServer::start([Reply::verbatim("application/json", given.to_string())]);
    let address = format!("{}/role/run", container.url());
    let environment =
        [("AWS_CONTAINER_CREDENTIALS_FULL_URI", &*address), ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "may-ask")];
    let done = ask(&place, &environment);
    assert_eq!(done, Done::ok("ok\n"));
    let [asked] = &container.requests()[..] else { panic!("one request for keys") };
    assert_eq!((&*asked.method, &*asked.path, &*asked.headers["authorization"]), ("GET", "/role/run", "may-ask"));
    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(signer(request), "FROMCONTAINER us-east-1");
    assert_eq!(request.headers["x-amz-security-token"], "for-a-while");
}

#[test]
fn where_no_place_has_credentials_the_places_are_named() {
    let (server, place) = bedrock(0);
    place.write("home/.aws/config", "[profile own]\nregion = eu-north-1\n");
    place.write("home/.aws/credentials", "");
    for (profile, why) in [("own", "there are none"), ("other", "other")] {
        let done = ask(&place, &[("AWS_PROFILE", profile)]);
        let said = &done.stderr;
        assert!(done.code == Some(1) && said.contains(&format!("{profile:?}")) && said.contains(why), "{done:?}");
        assert!(said.contains("AWS_ACCESS_KEY_ID") && said.ends_with("needs `aws sso login`.\n"), "{said}");
    }
    assert_eq!(server.requests(), []);
}
