//! How long the rest of a sequence may take.

use std::time::Duration;

/// How long the rest of what has begun may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// After an escape: then it was the key. `PI_TUI_ESC_TIMEOUT`.
    pub escape: Duration,
    /// In the middle of another sequence of a key.
    pub sequence: Duration,
    /// In the middle of an answer of the terminal.
    pub reply: Duration,
    /// Without any byte of a paste that has not ended.
    pub paste: Duration,
    /// After the end of a paste, for another end: then the first one was in the text that was pasted.
    pub after_paste: Duration,
    /// After a line end that came together with text: for the next line of a paste without marks.
    pub line: Duration,
    /// Without any byte of a paste without marks.
    pub burst: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        let milliseconds = Duration::from_millis;
        Self {
            escape: milliseconds(10),
            sequence: milliseconds(50),
            reply: milliseconds(150),
            paste: milliseconds(1000),
            after_paste: milliseconds(5),
            line: milliseconds(10),
            burst: milliseconds(20),
        }
    }
}

impl Timing {
    /// The times for this environment: over SSH an escape takes longer, and `PI_TUI_ESC_TIMEOUT` says how long.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let configured = variable("PI_TUI_ESC_TIMEOUT").and_then(|value| value.trim().parse::<f64>().ok());
        let configured = configured
            .filter(|milliseconds| *milliseconds > 0.0)
            .and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok())
            // More than a minute is a slip, and would take the key away.
            .filter(|escape| *escape <= Duration::from_mins(1));
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let is_remote = is_set("SSH_CONNECTION") || is_set("SSH_TTY");
        let usual = Self::default();
        let escape = configured.unwrap_or(if is_remote { Duration::from_millis(100) } else { usual.escape });
        Self { escape, ..usual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_takes_longer_over_ssh_and_as_long_as_configured() {
        let escape = |variables: &[(&str, &str)]| {
            let find =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            Timing::of(find).escape.as_millis()
        };
        assert_eq!(escape(&[]), 10);
        assert_eq!(escape(&[("SSH_TTY", "/dev/pts/1")]), 100);
        assert_eq!(escape(&[("SSH_TTY", "")]), 10);
        assert_eq!(escape(&[("SSH_CONNECTION", "a b c d"), ("PI_TUI_ESC_TIMEOUT", "25")]), 25);
        for wrong in ["0", "-1", "soon", "", "NaN", "inf", "1e300", "3600000"] {
            assert_eq!(escape(&[("PI_TUI_ESC_TIMEOUT", wrong)]), 10, "{wrong}");
        }
    }
}
