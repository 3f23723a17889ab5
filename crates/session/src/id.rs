//! Ids of entries and sessions.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use tau_ai::Sources;

use crate::SessionError;

/// The id of an entry: usually eight hexadecimal digits, but any string that a file holds. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(Arc<str>);

impl EntryId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// An id for which `taken` is false.
    pub(crate) fn unused(sources: &Sources, taken: impl Fn(&str) -> bool) -> Self {
        // Eight digits are short enough to collide in a large session, hence the tries; a full UUID is not.
        for _ in 0..100 {
            let uuid = sources.ids.id("entry").simple().to_string();
            let (short, _) = uuid.split_at(8);
            if !taken(short) {
                return Self::from(short);
            }
        }
        Self::from(sources.ids.id("entry").to_string().as_str())
    }
}

/// The id of a new session: `custom` if it can be part of a file name, a UUIDv7 by default.
pub(crate) fn session_id(custom: Option<String>, sources: &Sources) -> Result<String, SessionError> {
    match custom {
        None => Ok(sources.ids.id_at("session", sources.clock.now_ms()).to_string()),
        Some(id) if is_valid_session_id(&id) => Ok(id),
        Some(id) => Err(SessionError::InvalidId(id)),
    }
}

fn is_valid_session_id(id: &str) -> bool {
    let ends_well = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = id.as_bytes();
    ends_well(bytes.first())
        && ends_well(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

impl Deref for EntryId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for EntryId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for EntryId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntryId {
    fn from(id: &str) -> Self {
        Self(Arc::from(id))
    }
}

impl PartialEq<str> for EntryId {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for EntryId {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for EntryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_session_id_must_fit_into_a_file_name() {
        for good in ["a", "7", "nightly-build_2.1", "a--b"] {
            assert_eq!(session_id(Some(good.to_owned()), &Sources::default()).expect(good), good);
        }
        for bad in ["", "-a", "a.", "a/b", "..", "a b", "ä"] {
            assert!(
                matches!(session_id(Some(bad.to_owned()), &Sources::default()), Err(SessionError::InvalidId(id)) if id == bad)
            );
        }
    }

    #[test]
    fn a_session_id_is_a_uuid_of_version_7_by_default() {
        let id = session_id(None, &Sources::default()).expect("an id");
        assert_eq!(uuid::Uuid::parse_str(&id).expect("a UUID").get_version_num(), 7);
    }

    #[test]
    fn an_entry_id_is_eight_digits_unless_those_are_taken() {
        let short = EntryId::unused(&Sources::default(), |_| false);
        assert!(short.len() == 8 && short.bytes().all(|b| b.is_ascii_hexdigit()), "{short}");
        assert_eq!(EntryId::unused(&Sources::default(), |_| true).len(), 36);
    }
}
