//! What the `Intl` objects cannot do in JavaScript: text boundaries and time zones.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rquickjs::{Array, Ctx};
use unicode_segmentation::UnicodeSegmentation;

use super::{List, OpError};
use crate::ops::table::ops;

ops! {
    /// What the `Intl` objects cannot do in JavaScript.
    pub static OPS: watched;

    /// The parts of a text: characters, words or sentences.
    fn intlSegments(text, granularity) -> "number[]" = segments, Pure;
    /// The proper name of a time zone; nothing when there is none.
    fn intlTimeZone(name) = intl_time_zone, Pure;
    /// The time zone of the system.
    fn intlSystemTimeZone() = intl_system_time_zone, Recorded;
    /// All time zones.
    fn intlTimeZones() = intl_time_zones, Pure;
    /// A moment in a time zone.
    fn intlZoned(milliseconds, name) -> "[year: number, month: number, day: number, hour: number, minute: number, second: number, millisecond: number, weekday: number, offset: number, abbreviation: string]" = zoned, Pure;
}

/// The ends of the segments of a text, in UTF-16 units: numbers, negative for words of letters or digits.
fn segments<'js>(ctx: Ctx<'js>, text: String, granularity: String) -> rquickjs::Result<Array<'js>> {
    // One after the other: a list of them would be many times the text.
    let pieces: Box<dyn Iterator<Item = &str>> = match granularity.as_str() {
        "word" => Box::new(text.split_word_bounds()),
        "sentence" => Box::new(text.split_sentence_bounds()),
        _ => Box::new(text.graphemes(true)),
    };
    let words = granularity == "word";
    let ends = Array::new(ctx)?;
    let mut end = 0_i64;
    for (index, piece) in pieces.enumerate() {
        end += piece.encode_utf16().count() as i64;
        let is_word = words && piece.chars().any(char::is_alphanumeric);
        ends.set(index, if is_word { -end } else { end })?;
    }
    Ok(ends)
}

fn zone(name: &str) -> Option<TimeZone> {
    if name.eq_ignore_ascii_case("utc") {
        return TimeZone::get("UTC").ok();
    }
    TimeZone::get(name).ok()
}

/// `[year, month, day, hour, minute, second, millisecond, weekday (0 is Sunday), offset in seconds, abbreviation]`
/// of a moment (milliseconds since the epoch) in a time zone. Throws for an unknown zone or a moment out of range.
fn zoned<'js>(ctx: Ctx<'js>, milliseconds: f64, name: String) -> rquickjs::Result<Array<'js>> {
    let Some(zone) = zone(&name) else {
        let message = format!("Invalid time zone specified: {name}");
        return Err(OpError::range_error("ERR_INVALID_TIME_ZONE", message).throw(&ctx));
    };
    let Ok(moment) = Timestamp::from_millisecond(milliseconds as i64) else {
        return Err(OpError::range_error("ERR_OUT_OF_RANGE", "Invalid time value").throw(&ctx));
    };
    let info = zone.to_offset_info(moment);
    let abbreviation = info.abbreviation().to_owned();
    let offset = info.offset().seconds();
    let time = moment.to_zoned(zone);
    let fields = Array::new(ctx)?;
    let numbers = [
        i32::from(time.year()),
        i32::from(time.month()),
        i32::from(time.day()),
        i32::from(time.hour()),
        i32::from(time.minute()),
        i32::from(time.second()),
        i32::from(time.millisecond()),
        i32::from(time.weekday().to_sunday_zero_offset()),
        offset,
    ];
    for (index, number) in numbers.into_iter().enumerate() {
        fields.set(index, number)?;
    }
    fields.set(numbers.len(), abbreviation)?;
    Ok(fields)
}

fn intl_time_zone(name: String) -> Option<String> {
    zone(&name).and_then(|zone| zone.iana_name().map(str::to_owned))
}

fn intl_system_time_zone() -> String {
    TimeZone::try_system().ok().and_then(|zone| zone.iana_name().map(str::to_owned)).unwrap_or_else(|| "UTC".to_owned())
}

fn intl_time_zones() -> List<String> {
    List(jiff::tz::db().available().map(|name| name.to_string()).collect::<Vec<_>>())
}
