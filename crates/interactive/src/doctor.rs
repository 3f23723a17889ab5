//! What `/doctor` and `tau doctor` say of the terminal.

use tau_agent::doctor::Checked;
use tau_hooks::Finding;
use tau_tui::style::ColorDepth;
use tau_tui::terminal::capabilities::{Capabilities, Multiplexer, Overrides};
use tau_tui::terminal::clipboard::Clipboard;

/// How long tmux may take to answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Looks at the terminal, as far as variables and tmux tell about it.
pub async fn examine_terminal(variable: impl Fn(&str) -> Option<String>) -> Vec<Checked> {
    let options = if variable("TMUX").is_some_and(|tmux| !tmux.is_empty()) { tmux_options().await } else { None };
    vec![
        Checked::own("terminal", findings(&variable, options.as_deref())),
        Checked::own("clipboard", clipboard(&variable)),
    ]
}

/// What tmux says of its options; nothing when it does not answer.
async fn tmux_options() -> Option<String> {
    let ask = |scope: &'static str| async move {
        let mut tmux = tokio::process::Command::new("tmux");
        tmux.args(["show-options", scope]).stdin(std::process::Stdio::null()).kill_on_drop(true);
        let done = tokio::time::timeout(PATIENCE, tmux.output()).await.ok()?.ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
    };
    // Options of the server, of sessions and of windows.
    let mut all = ask("-s").await?;
    for scope in ["-g", "-gw"] {
        all.push_str(&ask(scope).await.unwrap_or_default());
    }
    Some(all)
}

/// What tmux says about itself at the start.
pub(crate) struct Tmux {
    /// What of its options gets in the way of keys, each with what to do.
    pub(crate) problems: Vec<String>,
    /// What its client can do.
    pub(crate) features: Option<String>,
    /// The terminal of the client, by the names that it has.
    pub(crate) terminal: String,
    /// It passes on what a program has for the terminal.
    pub(crate) passes: bool,
}

/// Asks tmux.
pub(crate) async fn ask_tmux() -> Tmux {
    let mut features = tokio::process::Command::new("tmux");
    features.args(["display-message", "-p", "#{client_termfeatures}\n#{client_termtype} #{client_termname}"]);
    features.stdin(std::process::Stdio::null()).kill_on_drop(true);
    let (options, features) = tokio::join!(tmux_options(), tokio::time::timeout(PATIENCE, features.output()));
    let features = features.ok().and_then(Result::ok).filter(|done| done.status.success());
    let found = options.as_deref().map(keys_of_tmux).unwrap_or_default();
    let found = found.into_iter().filter(|finding| finding.next_step.is_some());
    let said = features.map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
    let (features, terminal) = match said.as_deref().map(|said| said.split_once('\n').unwrap_or((said, ""))) {
        Some((features, terminal)) => (Some(features.to_owned()), terminal.trim().to_owned()),
        None => (None, String::new()),
    };
    Tmux {
        passes: options.as_deref().is_some_and(passes_on),
        terminal,
        features,
        problems: found.map(|finding| format!("{}. {}", finding.what, finding.next_step.unwrap_or_default())).collect(),
    }
}

/// Whether tmux passes on what a program has for the terminal.
fn passes_on(options: &str) -> bool {
    let value = options.lines().find_map(|line| line.strip_prefix("allow-passthrough "));
    value.is_some_and(|value| matches!(value.trim(), "on" | "all"))
}

fn findings(variable: &impl Fn(&str) -> Option<String>, tmux: Option<&str>) -> Vec<Finding> {
    let of = |name: &str| variable(name).unwrap_or_default();
    let capabilities = Capabilities::of(variable, Overrides::default());
    let term = of("TERM");
    let mut found = Vec::new();
    match term.to_lowercase().as_str() {
        "" => found.push(Finding {
            next_step: Some("In a terminal, run `export TERM=xterm-256color`, and look why nothing sets it".to_owned()),
            ..Finding::note("TERM is not set, so nothing is known of the terminal")
        }),
        "unknown" => found.push(Finding::problem(
            "TERM is `unknown`",
            "Run `export TERM=xterm-256color`, and look why the terminal or the program between does not set it",
        )),
        "dumb" => found.push(Finding::note(
            "TERM is `dumb`: this terminal cannot move its cursor, so there is print mode only (tau -p)",
        )),
        _ => found.push(Finding::fine(format!("TERM is {term}"))),
    }
    let is_multiplexed = capabilities.multiplexer.is_some();
    found.push(match capabilities.colours {
        ColorDepth::True => Finding::fine("all colours"),
        ColorDepth::None if !of("NO_COLOR").is_empty() => Finding::note("no colours, because NO_COLOR is set"),
        ColorDepth::None => Finding::note("no colours"),
        _ if of("TERM_PROGRAM").eq_ignore_ascii_case("apple_terminal") => {
            Finding::note("256 colours: this terminal has no more")
        }
        _ => {
            let step =
                "If the terminal shows all colours, run `export COLORTERM=truecolor` in the profile of the shell";
            Finding {
                next_step: Some(step.to_owned()),
                ..Finding::note("not all colours: COLORTERM does not say `truecolor`")
            }
        }
    });
    match capabilities.multiplexer {
        Some(Multiplexer::Tmux) => found.extend(of_tmux(tmux)),
        Some(Multiplexer::Screen) => found.push(Finding {
            next_step: Some("Use tmux, or run tau outside of screen".to_owned()),
            ..Finding::note("GNU screen reports neither shift+enter nor pastes, and shows no links")
        }),
        Some(Multiplexer::Zellij) => found.push(Finding::fine("Zellij")),
        None => {}
    }
    if of("TERM_PROGRAM").eq_ignore_ascii_case("vscode") && !is_multiplexed {
        found.push(Finding {
            next_step: Some(
                "Add to keybindings.json of VS Code: {\"key\": \"shift+enter\", \"command\": \
                 \"workbench.action.terminal.sendSequence\", \"args\": {\"text\": \"\\u001b[13;2u\"}, \"when\": \
                 \"terminalFocus\"}; or end a line with \\ before enter"
                    .to_owned(),
            ),
            ..Finding::note("the terminal of VS Code sends shift+enter as enter unless a key binding changes that")
        });
    }
    found
}

/// The value of an option of tmux.
fn option<'a>(options: &'a str, name: &str) -> Option<&'a str> {
    let found = options.lines().filter_map(|line| line.trim().strip_prefix(name)).rfind(|rest| rest.starts_with(' '));
    found.map(|value| value.trim().trim_matches('"'))
}

/// Where a line for tmux goes.
fn conf(line: &str) -> String {
    format!("Add `{line}` to ~/.tmux.conf, then run `tmux kill-server` or `tmux source ~/.tmux.conf`")
}

/// Which options of tmux get in the way of keys.
fn keys_of_tmux(options: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    found.push(match option(options, "extended-keys") {
        Some("on" | "always") => Finding::fine("tmux passes keys with modifiers on"),
        _ => Finding::problem("tmux does not pass shift+enter and other keys on", conf("set -s extended-keys on")),
    });
    if option(options, "extended-keys-format") == Some("xterm") {
        found.push(Finding {
            next_step: Some(conf("set -s extended-keys-format csi-u")),
            ..Finding::note("tmux names keys in the older way, in which some cannot be told apart")
        });
    }
    found
}

/// What options of tmux get in the way.
fn of_tmux(options: Option<&str>) -> Vec<Finding> {
    let Some(options) = options else {
        return vec![Finding::note("tmux does not answer, so its options are not known")];
    };
    let of = |name: &str| option(options, name);
    let mut found = keys_of_tmux(options);
    let all_colours = options.lines().any(|line| {
        let names = line.contains("terminal-overrides") || line.contains("terminal-features");
        names && (line.contains("Tc") || line.contains("RGB"))
    });
    if !all_colours {
        found.push(Finding {
            next_step: Some(conf("set -as terminal-features ',*:RGB'")),
            ..Finding::note("tmux shows 256 colours")
        });
    }
    match of("allow-passthrough") {
        Some("on" | "all") => found.push(Finding::fine("tmux passes notifications on")),
        _ => found.push(Finding {
            next_step: Some(conf("set -g allow-passthrough on")),
            ..Finding::note("tmux does not pass notifications and images on to the terminal")
        }),
    }
    if of("focus-events") != Some("on") {
        found.push(Finding {
            next_step: Some(conf("set -g focus-events on")),
            ..Finding::note("tmux does not tell whether the terminal has the focus, so tau does not notify")
        });
    }
    found
}

fn clipboard(variable: &impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let clipboard = Clipboard::of(variable);
    if let Some(program) = clipboard.program() {
        return vec![Finding::fine(format!("{program} copies"))];
    }
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let install = if set("WAYLAND_DISPLAY") {
        "Install wl-clipboard"
    } else if set("DISPLAY") {
        "Install xclip or xsel"
    } else {
        "Nothing, if the terminal takes texts (OSC 52); else copy with the mouse"
    };
    vec![Finding {
        next_step: Some(install.to_owned()),
        ..Finding::note("no program for the clipboard was found: texts are sent to the terminal, which says nothing")
    }]
}

#[cfg(test)]
mod tests {
    use tau_hooks::FindingLevel;

    use super::*;

    fn found(variables: &[(&str, &str)], tmux: Option<&str>) -> Vec<Finding> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        findings(
            &move |name: &str| variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()),
            tmux,
        )
    }

    fn steps(findings: &[Finding]) -> String {
        findings.iter().filter_map(|finding| finding.next_step.clone()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_terminal_that_is_well_set_up_has_nothing_to_fix() {
        let all = found(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], None);
        assert!(all.iter().all(|finding| finding.level == FindingLevel::Fine), "{all:?}");
    }

    #[test]
    fn what_is_missing_is_named_with_its_fix() {
        assert!(steps(&found(&[], None)).contains("export TERM=xterm-256color"));
        assert!(steps(&found(&[("TERM", "unknown")], None)).contains("export TERM=xterm-256color"));
        assert!(steps(&found(&[("TERM", "xterm-256color")], None)).contains("export COLORTERM=truecolor"));
        assert!(steps(&found(&[("TERM", "xterm"), ("TERM_PROGRAM", "vscode")], None)).contains("[13;2u"));
        assert!(steps(&found(&[("TERM", "screen"), ("STY", "1.x")], None)).contains("Use tmux"));
    }

    #[test]
    fn options_of_tmux_are_looked_at() {
        let inside = [("TERM", "tmux-256color"), ("TMUX", "/tmp/x"), ("COLORTERM", "truecolor")];
        let poor = found(&inside, Some("extended-keys off\nallow-passthrough off\nfocus-events off\n"));
        let fixes = steps(&poor);
        let lines = ["extended-keys on", "allow-passthrough on", "focus-events on", "terminal-features ',*:RGB'"];
        for line in lines {
            assert!(fixes.contains(line), "{line}: {fixes}");
        }
        assert!(poor.iter().any(|finding| finding.level == FindingLevel::Problem));
        let good = "extended-keys on\nextended-keys-format csi-u\nterminal-features[3] \"*:RGB\"\nallow-passthrough all\n\
                    focus-events on\n";
        assert_eq!(steps(&found(&inside, Some(good))), "");
        assert!(steps(&found(&inside, Some("extended-keys-format xterm\n"))).contains("csi-u"));
    }
}
