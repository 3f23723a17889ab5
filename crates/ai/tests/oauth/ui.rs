//! A user who logs in.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use tau_ai::{LoginNotice, LoginQuestion, LoginUi};

type Answers = Box<dyn FnOnce(&str) -> Vec<String> + Send>;

/// Sees notices, and answers questions or leaves them open.
pub struct Ui {
    notice: Box<dyn Fn(&LoginNotice) + Send + Sync>,
    url: Mutex<String>,
    told: Arc<Mutex<Vec<String>>>,
    answers: Mutex<Option<Answers>>,
    rest: Mutex<Vec<String>>,
    is_gone: bool,
    has_browser: bool,
}

impl Ui {
    pub fn new(notice: impl Fn(&LoginNotice) + Send + Sync + 'static) -> Self {
        Self {
            notice: Box::new(notice),
            url: Mutex::default(),
            told: Arc::default(),
            answers: Mutex::new(None),
            rest: Mutex::default(),
            is_gone: false,
            has_browser: true,
        }
    }

    /// Gives these answers one after another, made of the address of the page.
    pub fn answering(mut self, answers: impl FnOnce(&str) -> Vec<String> + Send + 'static) -> Self {
        self.answers = Mutex::new(Some(Box::new(answers)));
        self
    }

    pub fn on_notice(mut self, notice: impl Fn(&LoginNotice) + Send + Sync + 'static) -> Self {
        self.notice = Box::new(notice);
        self
    }

    pub fn gone(mut self) -> Self {
        self.is_gone = true;
        self
    }

    pub fn without_browser(mut self) -> Self {
        self.has_browser = false;
        self
    }

    /// What was shown.
    pub fn told(&self) -> Arc<Mutex<Vec<String>>> {
        Arc::clone(&self.told)
    }
}

#[async_trait]
impl LoginUi for Ui {
    fn show(&self, notice: LoginNotice) {
        if let LoginNotice::Url { url, .. } = &notice {
            self.url.lock().clone_from(url);
        }
        self.told.lock().push(notice.to_string());
        (self.notice)(&notice);
    }

    fn has_browser(&self) -> bool {
        self.has_browser
    }

    async fn ask(&self, _: LoginQuestion) -> Option<String> {
        if self.is_gone {
            return None;
        }
        let answers = self.answers.lock().take();
        if let Some(answers) = answers {
            let mut answers = answers(&self.url.lock());
            answers.reverse();
            *self.rest.lock() = answers;
        }
        let next = self.rest.lock().pop();
        match next {
            Some(answer) => Some(answer),
            None => std::future::pending().await,
        }
    }
}
