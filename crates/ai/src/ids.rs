//! Random ids, for those who have no [`Sources`](crate::Sources).
#![expect(clippy::disallowed_methods, reason = "the owner of random ids")]

use uuid::{Builder, Uuid};

/// An id that nothing else has.
pub fn random_id() -> Uuid {
    Uuid::new_v4()
}

/// A UUIDv7 of a time in milliseconds since the epoch. They have no times before the epoch and none after the year 10889;
/// those become the nearest they have.
pub fn id_at(ms: i64) -> Uuid {
    let random = *random_id().as_bytes();
    let mut bytes = [0; 10];
    bytes.copy_from_slice(&random[..10]);
    of_time(ms, &bytes)
}

/// The id of a time with these bytes.
pub(crate) fn of_time(ms: i64, bytes: &[u8; 10]) -> Uuid {
    let ms = u64::try_from(ms).unwrap_or(0).min((1 << 48) - 1);
    Builder::from_unix_timestamp_millis(ms, bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_gives_an_id() {
        let stamp = |ms| id_at(ms).to_string()[..13].to_owned();
        assert_eq!([stamp(-1), stamp(0), stamp(1)], ["00000000-0000", "00000000-0000", "00000000-0001"]);
        assert_eq!([stamp(i64::MAX), stamp(i64::MIN)], ["ffffffff-ffff", "00000000-0000"]);
        assert_eq!((id_at(-5).get_version_num(), id_at(i64::MAX).get_version_num()), (7, 7));
        assert_ne!(id_at(-5), id_at(-5));
    }
}
