//! Asking in a terminal, with plain lines; secrets are not echoed.

use std::io::{BufRead, IsTerminal, Write};

use async_trait::async_trait;
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};
use tau_sys::terminal::Quiet;

/// A terminal that somebody sits at: questions go to standard error, so that standard output carries the result only.
pub(in crate::commands) struct Terminal {
    /// Whether pages are opened.
    has_browser: bool,
}

impl Terminal {
    /// The terminal, if there is one, and whether pages may be opened beside it.
    pub(in crate::commands) fn open(has_browser: bool) -> Option<Self> {
        (std::io::stdin().is_terminal() && std::io::stderr().is_terminal()).then_some(Self { has_browser })
    }

    /// A line that is not shown while it is typed; nothing when the user leaves. The caller drops this when a signal
    /// asks the program to end: a signal that ended it at once would leave the terminal without echo.
    pub(super) async fn secret(&self, question: &str) -> Option<String> {
        // Before the question: an answer may be typed as soon as it can be read.
        let quiet = Unseen(Quiet::begin());
        show(&format!("{question} "));
        let line = line().await;
        drop(quiet);
        line.filter(|line| !line.trim().is_empty())
    }

    /// Whether the user says yes.
    pub(super) async fn confirm(&self, question: &str) -> bool {
        show(&format!("{question} "));
        line().await.is_some_and(|line| matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

#[async_trait]
impl LoginUi for Terminal {
    fn show(&self, notice: LoginNotice) {
        show(&format!("{notice}\n"));
        let LoginNotice::Url { url, .. } = &notice else { return };
        let is_page = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
        if self.has_browser
            && is_page
            && let Err(error) = tau_sys::process::open_page(url)
        {
            show(&format!("The browser could not be started: {error}.\n"));
        }
    }

    fn has_browser(&self) -> bool {
        self.has_browser
    }

    async fn ask(&self, question: LoginQuestion) -> Option<String> {
        match question {
            LoginQuestion::Text { message, placeholder } => {
                let hint = placeholder.map(|text| format!(" ({text})")).unwrap_or_default();
                show(&format!("{message}{hint} "));
                line().await
            }
            LoginQuestion::Code => {
                show("Authorization code: ");
                line().await
            }
            LoginQuestion::Choice { message, options } => loop {
                let list = options.iter().enumerate().map(|(at, (_, label))| format!("{:>3}  {label}\n", at + 1));
                show(&format!("{message}\n{}Number: ", list.collect::<String>()));
                let number: Option<usize> = line().await?.parse().ok();
                if let Some((id, _)) = number.and_then(|number| options.get(number.checked_sub(1)?)) {
                    return Some(id.clone());
                }
            },
        }
    }
}

fn show(text: &str) {
    let mut out = std::io::stderr().lock();
    // A terminal that is gone gives no answer either.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line of standard input without its end; nothing at the end of the input.
async fn line() -> Option<String> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    });
    read.await.ok().flatten()
}

/// A line that is not shown while it is typed.
struct Unseen(Quiet);

impl Drop for Unseen {
    fn drop(&mut self) {
        if self.0.is_quiet() {
            // The end of the line was not shown either.
            show("\n");
        }
    }
}
