//! The user, as a login sees them: through the dialogs that every front end answers.

use std::sync::Arc;

use async_trait::async_trait;
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};
use tau_hooks::dialogs::{DialogBroker, DialogKind, DialogRequest, NotifyLevel};
use tokio_util::sync::CancellationToken;

pub(crate) struct Dialogs {
    pub(crate) broker: DialogBroker,
    /// The extension that asks.
    pub(crate) owner: Arc<str>,
    /// Takes open questions away.
    pub(crate) over: CancellationToken,
}

#[async_trait]
impl LoginUi for Dialogs {
    fn show(&self, notice: LoginNotice) {
        self.broker.notify(Arc::clone(&self.owner), notice.to_string(), NotifyLevel::Info);
    }

    async fn ask(&self, question: LoginQuestion) -> Option<String> {
        let (kind, ids) = match question {
            LoginQuestion::Text { message, placeholder } => {
                (DialogKind::Input { title: message, placeholder }, Vec::new())
            }
            LoginQuestion::Code => {
                (DialogKind::Input { title: "Authorization code".to_owned(), placeholder: None }, Vec::new())
            }
            LoginQuestion::Choice { message, options } => {
                let labels = options.iter().map(|(_, label)| label.clone()).collect();
                (DialogKind::Select { title: message, options: labels }, options)
            }
        };
        let is_choice = matches!(kind, DialogKind::Select { .. });
        let request = DialogRequest::new(Arc::clone(&self.owner), kind);
        let answer = self.broker.ask(request, &self.over, || ()).await.into_value()?;
        if is_choice { ids.into_iter().find(|(_, label)| *label == answer).map(|(id, _)| id) } else { Some(answer) }
    }
}
