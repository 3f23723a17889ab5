//! Remarks about results, for the author of a handler.

use std::sync::Arc;

use super::Dispatcher;
use crate::dialect::Terms;
use crate::events::EventId;
use crate::handler::Registration;
use crate::output::Remark;
use crate::report::{Report, ReportKind};

impl Dispatcher {
    /// Whether this was said about this handler before; from now on it was.
    pub(super) fn was_told(&self, registration: &Registration, what: String) -> bool {
        !self.told.lock().insert((registration.id, what))
    }

    /// Tells the author of a handler, once, what has no effect.
    pub(super) fn remark(&self, registration: &Registration, event: EventId, terms: &Terms, remark: &Remark<'_>) {
        let nearest = |name: &str| {
            let known = event.row().output_fields().into_iter().flatten().map(String::as_str);
            crate::table::nearest(name, known.filter(|name| terms.rule.counts(name)))
        };
        let (told, kind) = match remark {
            Remark::Unknown(name) => {
                let (nearest, name) = (nearest(name).map(str::to_owned), (*name).to_owned());
                (format!("unknown field {name}"), ReportKind::UnknownName { what: "result field", name, nearest })
            }
            Remark::Undecided(name) => {
                let hint = nearest(name).map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default();
                let text = format!(
                    "answered with the unknown field `{name}` and with no field of `{}`, so it blocked nothing{hint}",
                    terms.rule.name
                );
                (text.clone(), ReportKind::Diagnostic(text))
            }
            Remark::Idle(field) => {
                let text = format!("changed `{field}` in place, which has no effect in {}", terms.dialect.title);
                (text.clone(), ReportKind::Diagnostic(text))
            }
            Remark::Meant(text) => ((*text).to_owned(), ReportKind::Diagnostic((*text).to_owned())),
            Remark::LeftOut(text) => {
                ((*text).to_owned(), ReportKind::Error { message: (*text).to_owned(), stack: None })
            }
        };
        if self.was_told(registration, told) {
            return;
        }
        self.reports.send(&Report {
            extension: Arc::clone(&registration.owner.path),
            event: terms.rule.name.to_owned(),
            kind,
            location: Some(registration.location.to_string()),
            failures: terms.dialect.failures,
        });
    }
}
