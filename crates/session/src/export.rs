//! One branch as a file of its own.

use serde_json::value::to_raw_value;

use crate::json::{RawFields, mending};
use crate::{Header, Session, SessionError, clock};

impl Session {
    /// The branch that ends at the leaf as the text of a session file: a header with the id and the folder of this
    /// session and the time of now, then the entries with all their fields, each below the one before it.
    ///
    /// # Errors
    /// [`SessionError::Serialize`] when an entry has no JSON form.
    pub fn branch_jsonl(&self) -> Result<String, SessionError> {
        let header = Header::new(self.id().to_owned(), clock::now(&self.sources()), self.cwd(), None);
        let mut text = header.to_line()?;
        text.push('\n');
        let mut parent = None;
        for entry in self.branch_path(None) {
            let changes = [("parentId", to_raw_value(&parent)?)];
            text.push_str(&mending(&entry.json()?, |line| RawFields::parse(line)?.with(&changes))?);
            text.push('\n');
            parent = Some(entry.id().clone());
        }
        Ok(text)
    }
}
