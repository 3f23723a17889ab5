//! Times as programs take them.

use super::answer::{Answer, Evidence};
use crate::arguments::{Takes, parse};
use crate::invocation::Invocation;

/// Whether operands add up to more seconds than a limit, or one of some options has more.
pub(super) fn seconds(invocation: &Invocation, more_than: f64, options: &[String], takes: &Takes) -> Answer {
    let parsed = parse(invocation.argv.get(1..).unwrap_or_default(), takes);
    let mut sum = 0.0;
    let mut evidence = Evidence::default();
    if options.is_empty() {
        for arg in &parsed.operands {
            evidence.sites.push(arg.site);
            match arg.known() {
                // What is no time is an error of the program, which then does not wait.
                Some(known) => sum += in_seconds(known).unwrap_or(0.0),
                None => evidence.unknown = Some(arg.text.shown()),
            }
        }
    } else {
        for given in parsed.options.iter().filter(|given| options.iter().any(|name| given.is(name))) {
            evidence.sites.push(given.arg.site);
            match given.value.as_ref().map(|value| (value.known(), value)) {
                Some((Some(known), _)) => sum = in_seconds(known).unwrap_or(0.0).max(sum),
                Some((None, value)) => evidence.unknown = Some(value.shown()),
                None => {}
            }
        }
        if let Some(arg) = options.iter().find_map(|name| parsed.maybe(name)) {
            evidence.unknown = Some(arg.text.shown());
        }
    }
    if sum > more_than {
        let shown = if sum.is_finite() { sum.to_string() } else { "∞".to_owned() };
        evidence.unknown = None;
        return Answer::Yes(evidence.with("seconds", shown));
    }
    if evidence.unknown.is_some() { Answer::Maybe(evidence.with("seconds", "…")) } else { Answer::No }
}

/// A number with an optional unit.
fn in_seconds(text: &str) -> Option<f64> {
    const UNITS: &[(char, f64)] = &[('s', 1.0), ('m', 60.0), ('h', 3600.0), ('d', 86400.0)];
    let unit = text.chars().last().and_then(|last| UNITS.iter().find(|(unit, _)| *unit == last));
    let (number, unit) = match unit {
        Some((unit, seconds)) => (text.strip_suffix(*unit)?, *seconds),
        None => (text, 1.0),
    };
    let number = number.parse::<f64>().ok().filter(|number| *number >= 0.0)?;
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::in_seconds;

    #[test]
    fn numbers_have_units() {
        let texts = ["1m", "0.5h", "90", "2d", "infinity", "1e3", "x", "-5", ""];
        let seconds = texts.map(in_seconds);
        let expected = [
            Some(60.0),
            Some(1800.0),
            Some(90.0),
            Some(172_800.0),
            Some(f64::INFINITY),
            Some(1000.0),
            None,
            None,
            None,
        ];
        assert_eq!(seconds, expected);
    }
}
