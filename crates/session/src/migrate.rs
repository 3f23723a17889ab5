//! Files of versions 1 and 2.
//!
//! Version 1 is a list: entries have no ids, and a compaction names the first kept entry by its position,
//! counted from the header. Version 2 calls messages of extensions `hookMessage`.

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::value::{RawValue, to_raw_value};
use tau_ai::json::replace_lone_surrogates;

use crate::json::RawFields;
use crate::lines::{Line, lines};
use crate::{EntryId, FORMAT_VERSION, SessionError};

type Changes = Vec<(&'static str, Box<RawValue>)>;

/// The text of the file in the current version. A line that cannot be read stays as it is, byte for byte.
pub(crate) fn to_current(text: &[u8], header_line: usize, version: u64) -> Result<Vec<u8>, SessionError> {
    let mut migration = Migration { assign_ids: version < 2, ids: Vec::new(), parent: None };
    let mut migrated = Vec::with_capacity(text.len() + text.len() / 8);
    for line in lines(text) {
        match readable(&line) {
            Some(text) => {
                let mut fields = RawFields::parse(&text)?;
                let changes = if line.number == header_line || fields.str("type").as_deref() == Some("session") {
                    migration.header()?
                } else {
                    migration.entry(&mut fields)?
                };
                migrated.extend_from_slice(fields.with(&changes)?.as_bytes());
            }
            None => migrated.extend_from_slice(line.original),
        }
        migrated.push(b'\n');
    }
    Ok(migrated)
}

/// The line as an object that can be rewritten without losing anything.
fn readable<'a>(line: &'a Line<'_>) -> Option<Cow<'a, str>> {
    let is_object = |text: &str| RawFields::parse(text).is_ok();
    if !line.is_utf8() {
        None
    } else if is_object(&line.text) {
        Some(Cow::Borrowed(&line.text))
    } else {
        replace_lone_surrogates(&line.text).filter(|text| is_object(text)).map(Cow::Owned)
    }
}

struct Migration {
    assign_ids: bool,
    /// The ids of the lines so far, `None` for a header.
    ids: Vec<Option<EntryId>>,
    parent: Option<EntryId>,
}

impl Migration {
    fn header(&mut self) -> Result<Changes, serde_json::Error> {
        self.ids.push(None);
        Ok(vec![("version", to_raw_value(&FORMAT_VERSION)?)])
    }

    fn entry(&mut self, fields: &mut RawFields<'_>) -> Result<Changes, serde_json::Error> {
        let mut changes = Changes::new();
        if self.assign_ids {
            // The position is as good as chance here, and the same every time the file is read.
            let id = EntryId::from(format!("{:08x}", self.ids.len()).as_str());
            changes.push(("id", to_raw_value(&id)?));
            changes.push(("parentId", to_raw_value(&self.parent)?));
            self.parent = Some(id.clone());
            self.ids.push(Some(id));
            if let Some(kept) = fields.remove("firstKeptEntryIndex").and_then(|index| self.id_at(index)) {
                changes.push(("firstKeptEntryId", to_raw_value(kept)?));
            }
        }
        if let Some(message) = fields.get("message").and_then(|raw| RawFields::parse(raw).ok())
            && message.str("role").as_deref() == Some("hookMessage")
        {
            let message = message.with(&[("role", to_raw_value("custom")?)])?;
            changes.push(("message", RawValue::from_string(message)?));
        }
        Ok(changes)
    }

    fn id_at(&self, index: &RawValue) -> Option<&EntryId> {
        self.ids.get(serde_json::from_str::<usize>(index.get()).ok()?)?.as_ref()
    }
}

/// Puts `text` in the place of a file: at any moment there is either the old file or the new one.
pub(crate) fn replace_file(path: &Path, text: &[u8]) -> Result<(), SessionError> {
    let error = |source| SessionError::Io { action: "migrate", path: path.to_owned(), source };
    // Of a link, the file behind it is replaced.
    let path = fs::canonicalize(path).map_err(error)?;
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".migrate-").tempfile_in(dir).map_err(error)?;
    file.write_all(text).map_err(error)?;
    file.as_file().set_permissions(fs::metadata(&path).map_err(error)?.permissions()).map_err(error)?;
    file.as_file().sync_all().map_err(error)?;
    file.persist(&path).map_err(|failed| error(failed.error))?;
    Ok(())
}
