//! Failures of models in sentences: who failed, with which key, why, and what to do next.
//!
//! A session keeps the words of the provider, because extensions and other programs look for them. This is for people.

use tau_ai::{
    AssistantMessage, AuthStatus, FailureText, LOCAL_SERVERS, ModelDiagnosis, ModelProblem, ModelRegistry, StopReason,
    is_builtin_api, key_advice, vendor_login,
};

use tau_view::untrusted::visible;

/// How much of a provider's own words is shown, in characters.
const MAX_WORDS: usize = 300;

/// How much is shown of a text that is tau's own but for a reason in it, in characters.
const MAX_ADVICE: usize = 700;

/// Where a model says in which words its answer ended.
const RAW_STOP_REASON: &str = "rawStopReason";

/// Why an answer failed, for people. `None` when nothing more is known than the answer's own error.
pub(crate) fn explain(models: &ModelRegistry, answer: &AssistantMessage) -> Option<String> {
    if answer.stop_reason != StopReason::Error {
        return None;
    }
    let text = answer.error_message.as_deref()?;
    let (provider, model) = (&answer.provider, &answer.model);
    let host = models.find(provider, model).and_then(|model| model.host());
    let host = host.map(|host| format!(" at {host}")).unwrap_or_default();
    let key = key_source(models, provider).map(|key| format!(" (key from {key})")).unwrap_or_default();
    let happened = match FailureText::read(text) {
        FailureText::Answered { status: ..400, .. } if !is_remote(answer) => return None,
        FailureText::Answered { status, words, .. } if words.is_empty() => {
            format!("answered with status {status} and nothing else{key}")
        }
        FailureText::Answered { status, words, .. } => {
            let stream = if status < 300 { " and no stream" } else { "" };
            format!("answered with status {status}{stream}{key}: {}", tidy(&words))
        }
        FailureText::Redirected { status, to } => {
            format!("answered with status {status}{key}: it redirects {}", tidy(to))
        }
        FailureText::Unreachable(why) | FailureText::NoWay(why) => format!("could not be asked{key}: {}", tidy(why)),
        FailureText::Lost(why) if answer.content.is_empty() => {
            format!("broke off before its answer began{key}: {}", tidy(why))
        }
        FailureText::Lost(why) => format!("broke off in the middle of its answer{key}: {}", tidy(why)),
        FailureText::Ended if answer.content.is_empty() => format!("ended its answer before it began{key}"),
        FailureText::Ended => format!("ended its answer in the middle{key}"),
        FailureText::Unreadable(what) => format!("sent something that is no answer{key}: {}", tidy(what)),
        FailureText::Unsent(why) => format!("could not be asked: {}", tidy(why)),
        // Such a text ends with what to do.
        FailureText::Advised(why) => {
            return Some(format!("{provider}/{model}{host} could not be asked: {}", tidy_to(why, MAX_ADVICE)));
        }
        FailureText::Stopped(reason) => format!("stopped its answer{key}: {}", tidy(reason)),
        // The words of a program in this process need no explanation.
        FailureText::Other(_) if !is_remote(answer) => return None,
        FailureText::Other(words) if refused(answer) => format!("stopped its answer{key}: {}", tidy(&words)),
        FailureText::Other(words) => format!("failed{key}: {}", tidy(&words)),
    };
    Some(format!("{provider}/{model}{host} {happened}\n{}", advice(models, answer, text)))
}

/// Whether the answer came over one of tau's own wire formats.
fn is_remote(answer: &AssistantMessage) -> bool {
    is_builtin_api(&answer.api)
}

/// Whether the model itself did not want to answer.
fn refused(answer: &AssistantMessage) -> bool {
    answer.extra.get(RAW_STOP_REASON).is_some_and(|reason| reason == "refusal")
}

/// The first line of an error, short enough to be read in passing.
pub fn short_error(text: &str) -> String {
    match FailureText::read(text) {
        FailureText::Answered { status, words, .. } if words.is_empty() => format!("status {status}"),
        FailureText::Answered { status, words, .. } => tidy(&format!("status {status} {}", first_line(&words))),
        FailureText::Ended => "the answer ended too early".to_owned(),
        _ => tidy(first_line(text)),
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Words of a server as a part of a sentence: on one line, without what would change a terminal, and cut.
fn tidy(text: &str) -> String {
    tidy_to(text, MAX_WORDS)
}

fn tidy_to(text: &str, most: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Where the key of a provider comes from. Never the key itself.
fn key_source(models: &ModelRegistry, provider: &str) -> Option<String> {
    Some(match models.auth_status(provider) {
        AuthStatus::Missing | AuthStatus::Other => return None,
        AuthStatus::Runtime => "--api-key".to_owned(),
        AuthStatus::Stored => "auth.json".to_owned(),
        AuthStatus::Environment(names) => format!("the environment variable {}", names.join(", ")),
        AuthStatus::Workload => "the identity of this workload".to_owned(),
        AuthStatus::Command => "the command in models.json".to_owned(),
        AuthStatus::Configured => "models.json".to_owned(),
        AuthStatus::Registered => "an extension".to_owned(),
    })
}

/// What to do next.
fn advice(models: &ModelRegistry, answer: &AssistantMessage, text: &str) -> String {
    let provider = &answer.provider;
    if answer.is_context_overflow(0) {
        return "Make the conversation shorter with /compact, or choose a model with a larger context.".to_owned();
    }
    let own = models.is_in_models_json(provider);
    let later = "Try again later, or choose another model with --model.";
    match FailureText::read(text) {
        FailureText::Answered { status: 407, .. } => {
            "The proxy asks for a login: put name and password into its address, in httpProxy or HTTPS_PROXY.".to_owned()
        }
        FailureText::Answered { status: 500.., is_page: true, .. } => {
            "A server in front of the model has a problem: try again later, and check the proxy if you use one.".to_owned()
        }
        FailureText::Answered { is_page: true, .. } if own => {
            format!("No model is at that address: check the \"baseUrl\" of {provider} in models.json, and the proxy if you use one.")
        }
        FailureText::Answered { is_page: true, .. } => {
            "Something between here and the provider answers in its place: check the network, and the proxy if you use one.".to_owned()
        }
        FailureText::Answered { status: ..300, .. } | FailureText::Unreadable(_) if own => {
            format!("Check the \"baseUrl\" and the \"api\" of {provider} in models.json, and what the server says in its own log.")
        }
        FailureText::Ended if own => format!(
            "Try again. If it stays so, look into the log of the server, and check the \"api\" of {provider} in models.json."
        ),
        FailureText::Answered { status: ..300, .. } | FailureText::Unreadable(_) | FailureText::Ended => later.to_owned(),
        FailureText::Answered { status, .. } => status_advice(models, answer, status),
        FailureText::Redirected { .. } if own => {
            format!("Write the address that it leads to into the \"baseUrl\" of {provider} in models.json.")
        }
        FailureText::NoWay(_) => {
            "Check the proxy and its address; NO_PROXY lists the hosts that need none.".to_owned()
        }
        FailureText::Unreachable(_) | FailureText::Lost(_) if own => {
            format!("Check that the server of {provider} runs, and its \"baseUrl\" in models.json.")
        }
        FailureText::Unreachable(_) | FailureText::Lost(_) if LOCAL_SERVERS.contains(&provider.as_str()) => {
            format!("Check that the server of {provider} still runs on this machine.")
        }
        FailureText::Redirected { .. } | FailureText::Unreachable(_) | FailureText::Lost(_) => {
            "Check the network, and the proxy if you use one.".to_owned()
        }
        FailureText::Stopped(_) => "Say it in other words, or choose another model with --model.".to_owned(),
        FailureText::Unsent(why) if why.starts_with("No API key") => key_advice(provider),
        // Such a text names the setting or the variable.
        FailureText::Unsent(why) if why.starts_with("The HTTP client could not be set up: ") => {
            "Correct it, or remove it.".to_owned()
        }
        FailureText::Unsent(why) if let Some((_, variables)) = why.split_once(": set ") => {
            format!("Export {variables}, or write the whole address into the \"baseUrl\" of {provider} in models.json.")
        }
        FailureText::Unsent(why) if why.contains(" needs ") && why.ends_with(", which is not set") => {
            format!("Set that variable, or write the whole address into the \"baseUrl\" of {provider} in models.json.")
        }
        FailureText::Unsent(_) => format!("Correct {provider} in models.json, or in the extension that brings it."),
        FailureText::Advised(advice) => advice.to_owned(),
        FailureText::Other(_) if refused(answer) => "Say it in other words, or choose another model with --model.".to_owned(),
        FailureText::Other(_) if answer.is_retryable() => later.to_owned(),
        FailureText::Other(_) if own => {
            format!("See what the server says in its own log; for a field it does not know there is \"compat\" of {provider} in models.json.")
        }
        FailureText::Other(_) => later.to_owned(),
    }
}

fn status_advice(models: &ModelRegistry, answer: &AssistantMessage, status: u16) -> String {
    let provider = &answer.provider;
    match status {
        401 | 403 => match models.key_like_a_variable(provider) {
            Some(name) => format!(
                "\"{name}\" itself was sent as the key, because no environment variable of that name is set. Set {name}, or \
                 write the key in its place."
            ),
            None if models.oauth(provider).is_some() => {
                format!("Check the key, log in with `tau auth login {provider}`, or give another key with --api-key.")
            }
            None => {
                format!("Check the key, or give another one with --api-key or `tau auth login {provider} --api-key`.")
            }
        },
        402 => "Check the balance and the limits of the account.".to_owned(),
        404 => "Check the id of the model and the \"baseUrl\" of the provider; `tau --list-models` lists the models."
            .to_owned(),
        429 if !answer.is_retryable() => "Check the balance and the limits of the account.".to_owned(),
        429 => match tau_ai::retry_after(answer) {
            Some(wanted) => format!(
                "The provider asks to wait {} s, which retry.provider.maxRetryDelayMs may not allow. Wait, or choose another \
                 model with --model.",
                wanted.as_secs_f64().ceil()
            ),
            None => "Wait a while, or choose another model with --model.".to_owned(),
        },
        500.. => "The provider has a problem: try again later, or choose another model with --model.".to_owned(),
        _ => "The provider does not accept the request. For a provider of models.json, its \"compat\" may be wrong."
            .to_owned(),
    }
}

/// A name of a provider or a model in one line, with a visible form of every character that could change a terminal.
pub fn shown_name(name: &str) -> String {
    visible(name).replace(['\n', '\t'], " ")
}

/// What to do about something that keeps models from being used. `file` is the `models.json`.
pub(crate) fn step_for(found: &ModelDiagnosis, models: &ModelRegistry, file: &str) -> String {
    let Some(provider) = &found.provider else { return format!("Correct {file}") };
    let oauth = models.oauth(provider);
    if oauth.is_none()
        && let Some(login) = vendor_login(provider).filter(|login| login.keys.is_none())
    {
        return login.advice();
    }
    let log_in = match oauth {
        Some(_) => format!("Log in with `tau auth login {provider}`, set its key"),
        None => format!("Set its key, store one with `tau auth login {provider} --api-key`"),
    };
    if matches!(found.problem, ModelProblem::UnknownApi { .. } | ModelProblem::MissingApi { .. })
        && models.is_in_models_json(provider)
    {
        return format!("Correct its \"api\" in {file}");
    }
    if models.is_in_models_json(provider) {
        return format!("{log_in}, or correct its entry in {file}");
    }
    format!("{log_in}, or describe it in {file}")
}

/// How to get a first model.
const NO_KEY: &str = "Set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY), store one with `tau auth login PROVIDER`, start a \
                      server such as Ollama on this machine, or add a provider to models.json.";

/// Why no model can be asked, and what to do next, as the end of a sentence that says so.
pub fn why_no_model(models: &ModelRegistry) -> String {
    if models.has_available() {
        return "Choose one with --model PROVIDER/ID or /model; `tau --list-models` shows what there is.".to_owned();
    }
    let special: Vec<String> = special_problems(models).iter().map(|problem| format!("\n  {problem}")).collect();
    if special.is_empty() {
        NO_KEY.to_owned()
    } else {
        format!("The cause:{}\nCorrect that, or set an API key (ANTHROPIC_API_KEY, OPENAI_API_KEY).", special.concat())
    }
}

/// What keeps models from being used, but for providers that nobody has set up: neither with a key nor in `models.json`.
pub fn special_problems(models: &ModelRegistry) -> Vec<ModelDiagnosis> {
    let mut all = models.diagnose();
    all.retain(|found| {
        let wanted = found.provider.as_ref().is_some_and(|provider| models.is_in_models_json(provider));
        wanted || !matches!(found.problem, ModelProblem::NoKey { .. })
    });
    all
}
